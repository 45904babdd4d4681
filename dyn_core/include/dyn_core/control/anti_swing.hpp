// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Damps the swing of loads on passive joints. The swing rate is measured in space, not relative to the arm:
// s = omega . axis of the load's body (for a prismatic joint the joint's own rate), so that a load that hangs still has
// s = 0 while its joint turns under a moving arm. With s = vp + J va, J_pj = axis_p . axis_j of the revolute joints j
// before p, accelerations da of the arm change s' by (J - Mpp^-1 Mpa) da. Least-squares da for a change of -damping s:
//   (Mpa - Mpp J) da = damping Mpp s.
// Runs on the loop's thread.
#pragma once

#include <vector>

#include "dyn_core/control/passive_joints.hpp"
#include "dyn_core/kinematics/workspace.hpp"

namespace dyn::control {

class AntiSwing {
 public:
  AntiSwing(int max_bodies, int max_coordinates);

  // Adds da to the actuated coordinates of `a`; M at (q, v).
  DYN_REALTIME void damp(const Tree& tree, const ConstVectorRef<double>& q, const ConstVectorRef<double>& v,
                         const ConstMatrixRef<double>& M, double damping, PassiveJoints& passive,
                         const VectorRef<double>& a) noexcept;

 private:
  Workspace<double> ws_;
  std::vector<double> rate_, J_, coupling_;
  std::vector<int> body_;  // by coordinate
};

}  // namespace dyn::control
