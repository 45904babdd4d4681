// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M column by column, by inverse dynamics at unit accelerations.
// double runs the lane form, src/jsim/unit_acceleration_lanes.cpp: several columns side by side, in base axes.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/kinematics/link_frames.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::jsim {

// Column j of M is the inverse dynamics at a = e_j, at rest and without gravity (Walker and Orin 1982, method 1). Only
// the subtree of joint j moves, so the recursion runs over that alone; the part of the column above the diagonal is the
// mirrored row. In the frame of body i:
//   dw_i = R^T dw_p,  a_i = R^T (a_p + dw_p x p)        (plus z for joint j itself)
//   f = m (a + dw x c),  n = I dw + c x f;   f_p += R f,  n_p += R n + p x R f
template <class T>
class UnitAcceleration {
 public:
  static constexpr std::string_view name = "unit_acceleration";
  static constexpr std::string_view source = "Walker and Orin 1982, method 1";
  static constexpr std::string_view lane_form = "src/jsim/unit_acceleration_lanes.cpp";
  static constexpr unsigned needs = needs_trigonometry;

  explicit UnitAcceleration(int capacity) : pose_(capacity), motion_(capacity), wrench_(capacity) {}

  // in: cos_q, sin_q, q of ws.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    DYN_EXPECTS(fits(tree, ws, M));
    for (int i = 0; i < tree.size; ++i) pose_[i] = link_pose(tree, ws, i);
    M.setZero();
    for (int j = 0; j < tree.size; ++j) column(tree, j, M);
  }

 private:
  struct Acceleration {
    Vec3<T> dw, a;
  };
  struct Wrench {
    Vec3<T> f, n;
  };

  void column(const Tree& tree, int j, MatrixRef<T>& M) noexcept {
    const Vec3<T> zero = Vec3<T>::Zero();
    const Vec3<T> z = Vec3<T>::UnitZ();
    motion_[j] = tree.motion[j] == Motion::revolute ? Acceleration{z, zero} : Acceleration{zero, z};
    wrench_[j] = inertia_wrench(tree, j);
    for (int i = j + 1; i < tree.subtree_end[j]; ++i) {
      const Acceleration& parent = motion_[tree.parent[i]];
      const Vec3<T> a = parent.a + parent.dw.cross(pose_[i].p);
      motion_[i] = {pose_[i].R.transpose() * parent.dw, pose_[i].R.transpose() * a};
      wrench_[i] = inertia_wrench(tree, i);
    }
    for (int i = tree.subtree_end[j] - 1; i >= j; --i) {
      const Wrench& w = wrench_[i];
      M(i, j) = M(j, i) = tree.motion[i] == Motion::revolute ? w.n.z() : w.f.z();
      if (i == j) break;
      Wrench& parent = wrench_[tree.parent[i]];
      const Vec3<T> f = pose_[i].R * w.f;
      parent.n += pose_[i].R * w.n + pose_[i].p.cross(f);
      parent.f += f;
    }
  }

  Wrench inertia_wrench(const Tree& tree, int i) const noexcept {
    const Vec3<T> c = tree.com[i].template cast<T>();
    Wrench wrench;
    wrench.f = (motion_[i].a + motion_[i].dw.cross(c)) * T(tree.mass[i]);
    wrench.n = tree.inertia_com[i].template cast<T>() * motion_[i].dw + c.cross(wrench.f);
    return wrench;
  }

  std::vector<LinkPose<T>> pose_;
  std::vector<Acceleration> motion_;
  std::vector<Wrench> wrench_;
};

}  // namespace dyn::jsim
