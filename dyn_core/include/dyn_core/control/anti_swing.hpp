// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The load on a passive joint swings in space, not relative to the arm: its rate is s = omega . axis of its body (a
// revolute joint; of a prismatic one the joint's own rate). While the arm moves, a load that does not swing has s = 0
// though the joint turns. With s = vp + J va, J_pj = axis_p . axis_j of the revolute joints j before it, accelerations
// da of the arm change s by (J - Mpp^-1 Mpa) da, so that s' gets -damping s more under the least da with
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
