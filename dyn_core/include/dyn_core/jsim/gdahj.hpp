// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M by GDAHJ, paper 003 (Safeea, Neto and Bearee), eqs 18-31 and Algorithm 1: 6 multiplications for a pair of joints.
// The O(n) part and its reference point are ours; the quadratic part is the paper's, which the tests count.
// double runs the lane form, src/jsim/gdahj_lanes.cpp: the same vectors, in the same frames.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::jsim {

// The paper, for revolute serial chains: with k the joint's axis, p its origin, p_C the centre of mass,
//   A_ij = k_j . d_i + t_j . y_i,   t_j = k_j x p_j,   d_i = D_i^T k_i,   y_i = b_i x k_i          (31)
//   b_i = sum of (m p_Cii + (mass beyond i) l_i)                                               (23), (27)
//   D_i = sum of (R I R^T - m [p_Cii][p_C] - [l_i] sum beyond i of (m [p_C]))                  (24), (28)
// p_Cii from the joint's origin to its body's centre of mass, l_i from its origin to the next joint's.
//
// Trees: "beyond i" is the subtree without i itself, with one l for each child; b_i is then the subtree's first moment
// about p_i, D_i = sum over the subtree of (I - m [p_C - p_i][p_C]); A_ij is 0 unless j supports i.
//
// Prismatic joints: a unit acceleration of joint j gives the point p of a body it moves the acceleration
// w_j x p - t_j, with (w, t) = (k, k x p) for a revolute joint and (0, -k) for a prismatic one. Joint i carries the
// force, not the moment, if it is prismatic: k_i . sum m (w_j x p_C - t_j). Hence with h_i = sum of m p_C, mass m_i
// of the subtree
//   A_ij = w_j . d_i + t_j . y_i,   d_i = h_i x k_i,   y_i = -m_i k_i   for prismatic i,
// and the pair costs the same whatever the joints are.
//
// All p may be measured from any common reference point. For two joints at the distance r from a small link and L from
// that point, two terms of the size m r L cancel to m r^2, so the point should be near small links: it is the origin of
// the last body. On chains that end in a small hand this halves the error compared with the base origin, to that of the
// positions themselves.
template <class T>
class Gdahj {
 public:
  static constexpr std::string_view name = "gdahj";
  static constexpr std::string_view source = "003 Safeea, Neto and Bearee, eqs 18-31";
  static constexpr std::string_view lane_form = "src/jsim/gdahj_lanes.cpp";
  static constexpr unsigned needs = needs_positions;

  explicit Gdahj(int capacity) : subtree_(capacity), joint_(capacity) {}

  // in: ws.R, origin, axis, com.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    DYN_EXPECTS(fits(tree, ws, M));
    M.setZero();
    if (tree.size == 0) return;
    sum_subtrees(tree, ws, ws.origin[tree.size - 1]);
    make_vectors(tree, ws, ws.origin[tree.size - 1]);
    for (int i = 0; i < tree.size; ++i) {  // Algorithm 1
      const Vectors& vi = joint_[i];
      for (int j = i; j >= 0; j = tree.parent[j]) {
        const Vectors& vj = joint_[j];
        M(i, j) = M(j, i) = vj.w.dot(vi.d) + vj.t.dot(vi.y);
      }
    }
  }

 private:
  struct Subtree {
    T mass;
    Vec3<T> h;  // first moment about the reference point
    Vec3<T> b;  // first moment about the joint's origin
    Mat3<T> D;
  };
  struct Vectors {
    Vec3<T> w, t, d, y;
  };

  void sum_subtrees(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& reference) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      Subtree& s = subtree_[i];
      s.mass = T(tree.mass[i]);
      s.h = (ws.com[i] - reference) * s.mass;
      s.b = (ws.com[i] - ws.origin[i]) * s.mass;
      s.D = turned_inertia(tree, ws, i) - skew_product(s.b, ws.com[i] - reference);
    }
    for (int i = tree.size; i-- > 0;) {
      if (tree.parent[i] < 0) continue;
      const int p = tree.parent[i];
      const Vec3<T> l = ws.origin[i] - ws.origin[p];
      subtree_[p].mass += subtree_[i].mass;
      subtree_[p].h += subtree_[i].h;
      subtree_[p].b += subtree_[i].b + l * subtree_[i].mass;            // (23), (27)
      subtree_[p].D += subtree_[i].D - skew_product(l, subtree_[i].h);  // (24), (28)
    }
  }

  void make_vectors(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& reference) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      const Vec3<T>& k = ws.axis[i];
      if (tree.motion[i] == Motion::revolute) {
        joint_[i].w = k;
        joint_[i].t = k.cross(Vec3<T>(ws.origin[i] - reference));
        joint_[i].d = subtree_[i].D.transpose() * k;
        joint_[i].y = subtree_[i].b.cross(k);
      } else {
        joint_[i].w.setZero();
        joint_[i].t = -k;
        joint_[i].d = subtree_[i].h.cross(k);
        joint_[i].y = k * T(-subtree_[i].mass);
      }
    }
  }

  // R I R^T
  static Mat3<T> turned_inertia(const Tree& tree, const Workspace<T>& ws, int i) noexcept {
    const Mat3<T> RI = ws.R[i] * tree.inertia_com[i].template cast<T>();
    Mat3<T> turned;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c <= r; ++c) turned(r, c) = turned(c, r) = RI.row(r).dot(ws.R[i].row(c));
    }
    return turned;
  }

  // [a][b] = b a^T - (a . b) 1
  static Mat3<T> skew_product(const Vec3<T>& a, const Vec3<T>& b) noexcept {
    Mat3<T> ab = b * a.transpose();
    const T xx = ab(0, 0);
    const T yy = ab(1, 1);
    const T zz = ab(2, 2);
    ab(0, 0) = -(yy + zz);
    ab(1, 1) = -(xx + zz);
    ab(2, 2) = -(xx + yy);
    return ab;
  }

  std::vector<Subtree> subtree_;
  std::vector<Vectors> joint_;
};

}  // namespace dyn::jsim
