// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a force on a body is to the joints: tau += J^T f. Any thread, on its own workspace.
#pragma once

#include <vector>

#include "dyn_core/kinematics/workspace.hpp"

namespace dyn {

// Force and point in the base frame; positions of ws.  tau_j += z . ((p - o_j) x f) of revolute, z . f of prismatic
// joints that carry the body.
template <class T>
void add_point_force(const Tree& tree, const Workspace<T>& ws, int body, const Vec3<T>& point, const Vec3<T>& force,
                     std::vector<T>& tau) noexcept {
  for (int j = body; j >= 0; j = tree.parent[static_cast<size_t>(j)]) {
    const auto u = static_cast<size_t>(j);
    const T torque = tree.motion[u] == Motion::revolute ? ws.axis[u].dot((point - ws.origin[u]).cross(force))
                                                        : ws.axis[u].dot(force);
    tau[static_cast<size_t>(tree.coordinate[u])] += T(tree.ratio[u]) * torque;
  }
}

}  // namespace dyn
