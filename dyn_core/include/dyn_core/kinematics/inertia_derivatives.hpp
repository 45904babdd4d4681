// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dM/dq, analytic: any single derivative dM_ij/dq_k in constant time after one O(n d) preparation (d: depth of the
// tree). Used by the Coriolis matrices that are written in dM/dq (paper 004, paper 002 eq 35).
//
// Base axes. S_i is the unit twist of joint i, Ic_k the composite inertia of the subtree of k. For j an ancestor of i,
// or i itself, M_ij = S_j . Ic_i S_i, and joint k moves all bodies beyond it as one rigid body:
//   k not beyond j                                    0
//   k beyond j, i is k or beyond k:                   S_j . (S_k x* Ic_i S_i)
//   k beyond i:                                       S_j . (S_k x* Ic_k - Ic_k S_k x) S_i
//   k on another branch                               0
// With A_jk = S_k x S_j and F_ik the force on joint k's subtree for a unit rate of i (Ic_k S_i for i above k, else Ic_i
// S_i) these are -A_jk . F_ik and -(A_jk . F_ik + A_ik . F_jk). Everything with index k is written about the origin of
// joint k, so that small links far from the base lose no digits.
#pragma once

#include <utility>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"

namespace dyn {

template <class T>
class InertiaDerivatives {
 public:
  static constexpr unsigned needs = needs_inertias;

  explicit InertiaDerivatives(int capacity)
      : capacity_(capacity), composite_(capacity), twist_(capacity * capacity), wrench_(capacity * capacity) {}

  // in: positions and inertias of ws.  Must come before at_bodies().
  DYN_REALTIME void prepare(const Tree& tree, const Workspace<T>& ws) noexcept {
    sum_subtrees(tree, ws);
    for (int k = 0; k < tree.size; ++k) pairs_above(tree, ws, k);
    for (int k = 0; k < tree.size; ++k) pairs_below(tree, ws, k);
  }

  // dM_ij/dq_k in body order.
  [[nodiscard]] T at_bodies(const Tree& tree, int i, int j, int k) const noexcept {
    if (i < j) std::swap(i, j);
    if (!tree.supports(j, i) || k == j || !tree.supports(j, k)) return T(0.0);
    if (tree.supports(k, i)) return -power(twist(j, k), wrench(i, k));
    if (tree.supports(i, k)) return -(power(twist(j, k), wrench(i, k)) + power(twist(i, k), wrench(j, k)));
    return T(0.0);
  }

  // f(k) for every k whose rate may change M_ij, j = `above` being i = `below` or an ancestor of it.
  template <class F>
  static void for_each_beyond(const Tree& tree, int above, int below, F&& f) noexcept {
    for (int k = below; k != above; k = tree.parent[k]) f(k);
    for (int k = below + 1; k < tree.subtree_end[below]; ++k) f(k);
  }

 private:
  struct Composite {  // of a subtree, about the origin of its joint, base axes
    T m;
    Vec3<T> h;  // first moment
    Mat3<T> I;  // moment of inertia
  };
  struct Twist {
    Vec3<T> angular, linear;
  };
  struct Wrench {
    Vec3<T> moment, force;
  };

  [[nodiscard]] const Twist& twist(int j, int k) const noexcept { return twist_[j * capacity_ + k]; }
  [[nodiscard]] const Wrench& wrench(int i, int k) const noexcept { return wrench_[i * capacity_ + k]; }

  static T power(const Twist& t, const Wrench& f) noexcept { return t.angular.dot(f.moment) + t.linear.dot(f.force); }

  // m (r.r 1 - r r^T) + 2 r.h 1 - r h^T - h r^T: what a shift by r adds to a moment of inertia.
  static Mat3<T> shift(const T& m, const Vec3<T>& h, const Vec3<T>& r) noexcept {
    const Vec3<T> half = r * (m * T(0.5)) + h;
    const Mat3<T> outer = r * half.transpose();
    return Mat3<T>::Identity() * (T(2.0) * r.dot(half)) - outer - outer.transpose();
  }

  void sum_subtrees(const Tree& tree, const Workspace<T>& ws) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      Composite& c = composite_[i];
      const Vec3<T> r = ws.R[i] * tree.com[i].template cast<T>();
      c.m = T(tree.mass[i]);
      c.h = r * c.m;
      c.I = ws.inertia[i] + shift(c.m, Vec3<T>::Zero(), r);
    }
    for (int i = tree.size; i-- > 0;) {
      if (tree.parent[i] < 0) continue;
      const int p = tree.parent[i];
      const Composite& c = composite_[i];
      const Vec3<T> r = ws.origin[i] - ws.origin[p];
      composite_[p].m += c.m;
      composite_[p].h += c.h + r * c.m;
      composite_[p].I += c.I + shift(c.m, c.h, r);
    }
  }

  // A_ik and F_ik for i = k and its ancestors.
  void pairs_above(const Tree& tree, const Workspace<T>& ws, int k) noexcept {
    const Composite& c = composite_[k];
    const Vec3<T>& axis = ws.axis[k];
    const bool k_turns = tree.motion[k] == Motion::revolute;
    for (int i = k; i >= 0; i = tree.parent[i]) {
      const bool turns = tree.motion[i] == Motion::revolute;
      const Vec3<T>& z = ws.axis[i];
      Twist& A = twist_[i * capacity_ + k];
      Wrench& F = wrench_[i * capacity_ + k];
      if (turns) {  // S_i = (z, v) at the origin of k
        const Vec3<T> v = i == k ? Vec3<T>(Vec3<T>::Zero()) : Vec3<T>(z.cross(ws.origin[k] - ws.origin[i]));
        F = {c.I * z + c.h.cross(v), v * c.m + z.cross(c.h)};
        const Vec3<T> turn = axis.cross(z);
        A = k_turns ? Twist{turn, axis.cross(v)} : Twist{Vec3<T>::Zero(), turn};
      } else {  // S_i = (0, z)
        F = {c.h.cross(z), z * c.m};
        A = {Vec3<T>::Zero(), k_turns ? Vec3<T>(axis.cross(z)) : Vec3<T>(Vec3<T>::Zero())};
      }
    }
  }

  // F_ik for i beyond k: Ic_i S_i, its moment taken about the origin of k.
  void pairs_below(const Tree& tree, const Workspace<T>& ws, int k) noexcept {
    for (int i = k + 1; i < tree.subtree_end[k]; ++i) {
      const Wrench& own = wrench(i, i);
      const Vec3<T> r = ws.origin[i] - ws.origin[k];
      wrench_[i * capacity_ + k] = {own.moment + r.cross(own.force), own.force};
    }
  }

  int capacity_;
  std::vector<Composite> composite_;
  std::vector<Twist> twist_;    // A_jk at [j capacity + k]
  std::vector<Wrench> wrench_;  // F_ik at [i capacity + k]
};

}  // namespace dyn
