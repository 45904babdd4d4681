// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by 4x4 homogeneous matrices and pseudo-inertias: a method that paper 000 (Wang and Ju) compares its own with in
// Table 1. The number of operations is that of the table, which the tests count: both 4x4 products in full, then the
// trace.
// double runs the lane form, src/jsim/pseudo_inertia_lanes.cpp: the same products, zeros left out.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::jsim {

// M_uk = sum over bodies j that both joints move of  Trace(U_jk J_j U_ju^T),  U_jk = dT_j/dq_k, with T_j the pose of
// body j as a 4x4 matrix and J_j its pseudo-inertia in its own frame, both about the body's origin:
//   J = [S, m c; m c^T, m],  S = tr(I)/2 - I + m c c^T
//   U_jk = [[n_k] R_j, n_k x (o_j - o_k); 0, 0]  for a revolute joint,  [0, n_k; 0, 0]  for a prismatic one.
template <class T>
class PseudoInertia {
 public:
  static constexpr std::string_view name = "pseudo_inertia";
  static constexpr std::string_view source = "000 Wang and Ju, Table 1 (pseudo-inertia matrices)";
  static constexpr std::string_view lane_form = "src/jsim/pseudo_inertia_lanes.cpp";
  static constexpr unsigned needs = needs_positions;

  explicit PseudoInertia(int capacity) : U_(capacity) {}

  // in: ws.R, origin, axis.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    DYN_EXPECTS(fits(tree, ws, M));
    M.setZero();
    for (int j = 0; j < tree.size; ++j) {
      const Mat4 J = pseudo_inertia(tree, j);
      for (int k = j; k >= 0; k = tree.parent[k]) U_[k] = pose_derivative(tree, ws, j, k);
      for (int u = j; u >= 0; u = tree.parent[u]) {
        for (int k = u; k >= 0; k = tree.parent[k]) M(u, k) += basic_element(U_[k], J, U_[u]);
      }
    }
    for (int k = 0; k < tree.size; ++k) {
      for (int u = 0; u < k; ++u) M(u, k) = M(k, u);
    }
  }

 private:
  using Mat4 = Eigen::Matrix<T, 4, 4, Eigen::DontAlign>;

  static Mat4 pseudo_inertia(const Tree& tree, int j) noexcept {
    const T mass = T(tree.mass[j]);
    const Vec3<T> com = tree.com[j].template cast<T>();
    const Mat3<T> inertia = tree.inertia_com[j].template cast<T>();
    const Vec3<T> moment = com * mass;
    Mat4 J;
    J.template topLeftCorner<3, 3>() =
        Mat3<T>::Identity() * (inertia.trace() * T(0.5)) - inertia + moment * com.transpose();
    J.template topRightCorner<3, 1>() = moment;
    J.template bottomLeftCorner<1, 3>() = moment.transpose();
    J(3, 3) = mass;
    return J;
  }

  static Mat4 pose_derivative(const Tree& tree, const Workspace<T>& ws, int j, int k) noexcept {
    const Vec3<T>& axis = ws.axis[k];
    Mat4 U = Mat4::Zero();
    if (tree.motion[k] == Motion::prismatic) {
      U.template topRightCorner<3, 1>() = axis;
      return U;
    }
    for (int c = 0; c < 3; ++c) U.col(c).template head<3>() = axis.cross(Vec3<T>(ws.R[j].col(c)));
    U.col(3).template head<3>() = axis.cross(Vec3<T>(ws.origin[j] - ws.origin[k]));
    return U;
  }

  // 64 + 64 multiplications, 48 + 48 + 3 additions.
  static T basic_element(const Mat4& U_k, const Mat4& J, const Mat4& U_u) noexcept {
    const Mat4 half = U_k * J;
    const Mat4 product = half * U_u.transpose();
    return product.trace();
  }

  std::vector<Mat4> U_;  // of the current body, for each joint that supports it
};

}  // namespace dyn::jsim
