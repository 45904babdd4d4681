// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Inverse dynamics by the recursive Newton-Euler algorithm in link frames: motion outwards, forces inwards. Gravity is
// an acceleration of the base, -g0, as in Luh, Walker and Paul (1980) and Featherstone (2008), chapter 5.
// double runs the lane form, src/inverse/rnea_lanes.cpp: in base axes the recursions are sums along chains.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/kinematics/link_frames.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::inverse {

// Outwards, all in the frame of body i; w, dw angular velocity and acceleration, a acceleration of the frame's origin:
//   w_i  = R^T w_p + z v                                                   (v, dv only of revolute joints)
//   dw_i = R^T dw_p + (R^T w_p) x z v + z dv
//   a_i  = R^T (a_p + dw_p x p + w_p x (w_p x p)) + 2 w_i x z v + z dv     (v, dv only of prismatic joints)
//   f = m (a + dw x c + w x (w x c)),  n = I dw + w x I w + c x f
// Inwards: tau_i = z . n (revolute) or z . f (prismatic);  f_p += R f,  n_p += R n + p x R f.
template <class T>
class Rnea {
 public:
  static constexpr std::string_view name = "rnea";
  static constexpr std::string_view source = "Luh, Walker, Paul 1980; Featherstone 2008, chapter 5";
  static constexpr std::string_view lane_form = "src/inverse/rnea_lanes.cpp";
  static constexpr unsigned needs = needs_trigonometry;

  explicit Rnea(int capacity) : pose_(capacity), motion_(capacity), wrench_(capacity) {}

  // in: cos_q, sin_q, q, v, a of ws.  out: tau in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity,
                            VectorRef<T> tau) noexcept {
    DYN_EXPECTS(ws.capacity >= tree.size && tau.size() == tree.size);
    run<true>(tree, ws, gravity, tau);
  }

  // The same at a = 0, whatever ws.a holds: C v + g.
  DYN_REALTIME void bias(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity, VectorRef<T> tau) noexcept {
    run<false>(tree, ws, gravity, tau);
  }

 private:
  struct Movement {
    Vec3<T> w, dw, a;
  };
  struct Wrench {
    Vec3<T> f, n;  // force, and moment about the frame's origin
  };

  template <bool accelerated>
  void run(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity, VectorRef<T> tau) noexcept {
    const Movement base{Vec3<T>::Zero(), Vec3<T>::Zero(), -gravity};
    for (int i = 0; i < tree.size; ++i) {
      pose_[i] = link_pose(tree, ws, i);
      const Movement& parent = tree.parent[i] < 0 ? base : motion_[tree.parent[i]];
      motion_[i] = move(parent, pose_[i], tree.motion[i], ws.v[i], accelerated ? ws.a[i] : T(0.0), accelerated);
      wrench_[i] = inertia_wrench(tree, i, motion_[i]);
    }
    for (int i = tree.size; i-- > 0;) {
      const Wrench& w = wrench_[i];
      tau[i] = tree.motion[i] == Motion::revolute ? w.n.z() : w.f.z();
      if (tree.parent[i] < 0) continue;
      Wrench& parent = wrench_[tree.parent[i]];
      const Vec3<T> f = pose_[i].R * w.f;
      parent.n += pose_[i].R * w.n + pose_[i].p.cross(f);
      parent.f += f;
    }
  }

  static Movement move(const Movement& parent, const LinkPose<T>& pose, Motion motion, const T& v, const T& dv,
                       bool accelerated) noexcept {
    const Vec3<T> turning = parent.w.cross(pose.p);
    const Vec3<T> a = parent.a + parent.dw.cross(pose.p) + parent.w.cross(turning);
    Movement m;
    m.w = pose.R.transpose() * parent.w;
    m.dw = pose.R.transpose() * parent.dw;
    m.a = pose.R.transpose() * a;
    if (motion == Motion::revolute) {
      m.dw.x() += m.w.y() * v;
      m.dw.y() -= m.w.x() * v;
      if (accelerated) m.dw.z() += dv;
      m.w.z() += v;
    } else {
      const T twice = v + v;
      m.a.x() += m.w.y() * twice;
      m.a.y() -= m.w.x() * twice;
      if (accelerated) m.a.z() += dv;
    }
    return m;
  }

  static Wrench inertia_wrench(const Tree& tree, int i, const Movement& m) noexcept {
    const Vec3<T> c = tree.com[i].template cast<T>();
    const Mat3<T> I = tree.inertia_com[i].template cast<T>();
    const Vec3<T> turning = m.w.cross(c);
    const Vec3<T> a = m.a + m.dw.cross(c) + m.w.cross(turning);
    const Vec3<T> spin = I * m.w;
    Wrench wrench;
    wrench.f = a * T(tree.mass[i]);
    wrench.n = I * m.dw + m.w.cross(spin) + c.cross(wrench.f);
    return wrench;
  }

  std::vector<LinkPose<T>> pose_;
  std::vector<Movement> motion_;
  std::vector<Wrench> wrench_;
};

}  // namespace dyn::inverse
