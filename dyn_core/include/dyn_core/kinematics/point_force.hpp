// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Joint torques of a force on a body: tau += J^T f. Any thread, on its own workspace.
#pragma once

#include <vector>

#include "dyn_core/kinematics/workspace.hpp"

namespace dyn {

// Force and point in the base frame; positions of ws.  tau_j += z . ((p - o_j) x f) of revolute, z . f of prismatic
// joints that carry the body.
template <class T>
void add_point_force(const Tree& tree, const Workspace<T>& ws, int body, const Vec3<T>& point, const Vec3<T>& force,
                     std::vector<T>& tau) noexcept {
  for (int j = body; j >= 0; j = tree.parent[j]) {
    const T torque = tree.motion[j] == Motion::revolute ? ws.axis[j].dot((point - ws.origin[j]).cross(force))
                                                        : ws.axis[j].dot(force);
    tau[tree.coordinate[j]] += T(tree.ratio[j]) * torque;
  }
}

}  // namespace dyn
