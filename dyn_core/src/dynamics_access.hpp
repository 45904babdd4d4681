// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Access to the state of a Dynamics for other classes that use it: Frames, OperationalSpace.
#pragma once

#include "dynamics_impl.hpp"

namespace dyn {

struct DynamicsAccess {
  static BasicDynamics<double>::Impl& of(Dynamics& dynamics) noexcept { return *dynamics.impl_; }
};

}  // namespace dyn
