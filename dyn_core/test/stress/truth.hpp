// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The yardstick: the algorithms that work in link frames, as templates in long double (64 bits of mantissa on x86, 113
// on aarch64), from the same Tree.
#pragma once

#include "dyn_core/model/model.hpp"
#include "dyn_core/numeric/types.hpp"
#include "stress/families.hpp"

namespace dyn::stress {

struct Truth {
  using Real = long double;
  Truth(const Model& model, const Case& at);

  MatX<Real> M, C;  // C by `recursive`; C + C^T is dM/dt
  VecX<Real> Cv, g, h, tau, qdd;
  bool singular = false;   // qdd is not known
  double condition = 0.0;  // of M
  // What is small for this robot: M's largest entry times rates, and not so small that doubles underflow.
  double matrix_floor = 0.0, force_floor = 0.0, power_floor = 0.0;
};

}  // namespace dyn::stress
