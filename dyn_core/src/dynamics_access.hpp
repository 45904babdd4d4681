// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The state of a Dynamics, for what is built on the same state and is no member of it: frames, operational space.
#pragma once

#include "dynamics_impl.hpp"

namespace dyn {

struct DynamicsAccess {
  static BasicDynamics<double>::Impl& of(Dynamics& dynamics) noexcept { return *dynamics.impl_; }
};

}  // namespace dyn
