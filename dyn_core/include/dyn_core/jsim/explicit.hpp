// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M element by element, from paper 000 (Wang and Ju), eqs 30-37. The order of summation within an element is ours; its
// operations are as many as in the paper's Table 1, which the tests count.
// double runs the lane form, src/jsim/explicit_lanes.cpp: also element by element, each term multiplied by n_u first.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::jsim {

// Every element by itself from axes, origins and centres of mass in the base frame; no element uses another. With n the
// joint's axis, r_uI the vector from joint u's origin to the centre of mass of body l, sums over l in the subtree of
// the deeper of the two joints:
//   u R, k R:   n_u^T sum(I_l - m_l [r_uI][r_kI]) n_k    (30) k supports u; (32) u supports k
//   u R, k P:   n_u^T sum(m_l [r_uI]) n_k                (31)               (33)
//   u P, k R:  -n_u^T sum(m_l [r_kI]) n_k                (34)               (36)
//   u P, k P:   n_u^T sum(m_l) n_k                       (35)               (37)
//   0 where neither joint supports the other.
// Each of the right-hand cases is the transpose of a left-hand one with u and k exchanged (section 5 of the paper), so
// the code has the left-hand ones only. The paper prints the condition of (32) as "k of type P"; it is for R.
template <class T>
class Explicit {
 public:
  static constexpr std::string_view name = "explicit";
  static constexpr std::string_view source = "000 Wang and Ju, eqs 30-37";
  static constexpr std::string_view lane_form = "src/jsim/explicit_lanes.cpp";
  static constexpr unsigned needs = needs_inertias;

  explicit Explicit(int capacity) : arms_(capacity * capacity) {}

  // M(u, k) of bodies u and k, the same bits as compute() writes there. Touches no other element.
  // in: ws.origin, axis, com, inertia.
  [[nodiscard]] DYN_REALTIME T element(const Tree& tree, const Workspace<T>& ws, int u, int k) const noexcept {
    if (u < k) std::swap(u, k);
    if (!tree.supports(k, u)) return T(0.0);
    return sum_subtree(tree, ws, u, k, [&](int joint, int l) { return Vec3<T>(ws.com[l] - ws.origin[joint]); });
  }

  // in: ws.origin, axis, com, inertia.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    DYN_EXPECTS(fits(tree, ws, M));
    const int n = tree.size;
    for (int joint = 0; joint < n; ++joint) {  // the vectors r, which the paper takes as given
      for (int l = joint; l < tree.subtree_end[joint]; ++l) arms_[joint * n + l] = ws.com[l] - ws.origin[joint];
    }
    M.setZero();
    for (int u = 0; u < tree.size; ++u) {
      for (int k = u; k >= 0; k = tree.parent[k]) {
        M(u, k) = M(k, u) =
            sum_subtree(tree, ws, u, k, [&](int joint, int l) -> const Vec3<T>& { return arms_[joint * n + l]; });
      }
    }
  }

 private:
  // The element for joint u and joint k that supports it (or is it); arm(joint, l) is r from that joint's origin to the
  // centre of mass of body l.
  template <class Arm>
  static T sum_subtree(const Tree& tree, const Workspace<T>& ws, int u, int k, const Arm& arm) noexcept {
    const int end = tree.subtree_end[u];
    const Vec3<T>& n_u = ws.axis[u];
    const Vec3<T>& n_k = ws.axis[k];
    const bool u_turns = tree.motion[u] == Motion::revolute;
    const bool k_turns = tree.motion[k] == Motion::revolute;
    if (u_turns && k_turns) {  // (30)
      Mat3<T> sum = basic_element(ws.inertia[u], T(tree.mass[u]), arm(u, u), arm(k, u));
      for (int l = u + 1; l < end; ++l) {
        sum += basic_element(ws.inertia[l], T(tree.mass[l]), arm(u, l), arm(k, l));
      }
      return n_u.dot(sum * n_k);
    }
    if (!u_turns && !k_turns) {  // (35)
      T mass = T(tree.mass[u]);
      for (int l = u + 1; l < end; ++l) mass += T(tree.mass[l]);
      return mass * n_u.dot(n_k);
    }
    const int turning = u_turns ? u : k;  // (31), (34)
    Vec3<T> moment = arm(turning, u) * T(tree.mass[u]);
    for (int l = u + 1; l < end; ++l) moment += arm(turning, l) * T(tree.mass[l]);
    const T value = n_u.dot(moment.cross(n_k));
    return u_turns ? value : T(-value);
  }

  // I - m [a][b], a full matrix: 12 + 9 multiplications, 3 + 9 additions.
  static Mat3<T> basic_element(const Mat3<T>& inertia, const T& mass, const Vec3<T>& a, const Vec3<T>& b) noexcept {
    Mat3<T> ab;
    ab << -(a.y() * b.y() + a.z() * b.z()), a.y() * b.x(), a.z() * b.x(),  //
        a.x() * b.y(), -(a.x() * b.x() + a.z() * b.z()), a.z() * b.y(),    //
        a.x() * b.z(), a.y() * b.z(), -(a.x() * b.x() + a.y() * b.y());
    return inertia - ab * mass;
  }

  std::vector<Vec3<T>> arms_;  // arms_[joint * bodies + l], base frame, m
};

}  // namespace dyn::jsim
