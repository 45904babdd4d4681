// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Scratch memory of the algorithms for one thread, allocated once for `capacity` bodies: any model of at most so many
// bodies may be used with it without a further allocation.
#pragma once

#include <vector>

#include "dyn_core/model/model.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn {

template <class T>
struct Workspace {
  explicit Workspace(int bodies)
      : capacity(bodies),
        q(bodies),
        v(bodies),
        a(bodies),
        cos_q(bodies),
        sin_q(bodies),
        R(bodies),
        origin(bodies),
        axis(bodies),
        com(bodies),
        inertia(bodies),
        omega(bodies),
        velocity(bodies) {}

  int capacity;

  // The state, one entry a body (mimic joints included).
  std::vector<T> q, v, a;
  std::vector<T> cos_q, sin_q;  // of revolute joints; 1 and 0 of prismatic ones

  // update_positions: base frame.
  std::vector<Mat3<T>> R;       // orientation of the body frame
  std::vector<Vec3<T>> origin;  // of the body frame, a point on the joint's axis
  std::vector<Vec3<T>> axis;    // unit vector of the joint: R's third column
  std::vector<Vec3<T>> com;     // centre of mass

  // update_inertias: about the centre of mass, base axes.
  std::vector<Mat3<T>> inertia;

  // update_velocities: base frame.
  std::vector<Vec3<T>> omega;     // angular velocity of the body
  std::vector<Vec3<T>> velocity;  // of the body frame's origin
};

// The precondition of every algorithm that writes a matrix in body order: a workspace that is large enough, and a
// matrix of tree.size rows and columns.
template <class T>
[[nodiscard]] bool fits(const Tree& tree, const Workspace<T>& ws, const MatrixRef<T>& A) noexcept {
  return ws.capacity >= tree.size && A.rows() == tree.size && A.cols() == tree.size;
}

}  // namespace dyn
