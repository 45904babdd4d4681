// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Neighbouring link frames, for the algorithms that work in link frames: the pose of a body's frame in its parent's
// (in the base frame for bodies on the base), from ws.cos_q, sin_q and q alone.
#pragma once

#include "dyn_core/kinematics/workspace.hpp"

namespace dyn {

template <class T>
struct LinkPose {
  Mat3<T> R;  // parent_R_body
  Vec3<T> p;  // origin of the body frame in the parent's frame, m
};

// R = R_tree Rz(q),  p = p_tree (+ z q)
template <class T>
LinkPose<T> link_pose(const Tree& tree, const Workspace<T>& ws, int i) noexcept {
  LinkPose<T> pose{tree.parent_R_joint[i].template cast<T>(), tree.parent_p_joint[i].template cast<T>()};
  if (tree.motion[i] == Motion::prismatic) {
    pose.p += pose.R.col(2) * ws.q[i];
    return pose;
  }
  const Vec3<T> x = pose.R.col(0) * ws.cos_q[i] + pose.R.col(1) * ws.sin_q[i];
  const Vec3<T> y = pose.R.col(1) * ws.cos_q[i] - pose.R.col(0) * ws.sin_q[i];
  pose.R.col(0) = x;
  pose.R.col(1) = y;
  return pose;
}

}  // namespace dyn
