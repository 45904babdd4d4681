// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by the articulated-body algorithm of Featherstone (2008, chapter 7), in link frames, on 3x3 blocks:
// three sweeps over the tree, velocities outwards, inertias and bias forces inwards, accelerations outwards.
// Accelerations are those of the body-fixed origin, so that the bias needs angular velocities only.
// double runs the lane form, src/forward/aba_lanes.cpp, for robots without mimic joints: in base axes, each body about
// its own origin, so that no inertia is rotated.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/forward/mimic_groups.hpp"
#include "dyn_core/forward/pivot_scale.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/kinematics/link_frames.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::forward {

// With (n, f) moment and force, (dw, a) angular and linear acceleration, s = (z, 0) of a revolute, (0, z) of a
// prismatic joint:
//   n = I dw + H a + pn,  f = H^T dw + A a + pf          the body with everything beyond it
//   U = (I, H; H^T, A) s,  D = s . U + armature,  u = tau - s . p
//   inertia handed inwards:  (I, H; H^T, A) - U U^T / D,    bias:  p + (that inertia) c + U u / D
//   outwards:  a' = X a_parent + c,  qdd = (u - U . a') / D,  a = a' + s qdd
// A driven joint (mimic_groups.hpp) hands its whole inertia inwards, and p + (inertia) c + U qdd.
template <class T>
class Aba {
 public:
  static constexpr std::string_view name = "aba";
  static constexpr std::string_view source = "Featherstone 2008, chapter 7";
  static constexpr std::string_view lane_form = "src/forward/aba_lanes.cpp";
  static constexpr unsigned needs = needs_trigonometry;

  explicit Aba(int capacity) : groups_(capacity), scale_(capacity), body_(capacity) {}

  // in: cos_q, sin_q, q, v of ws, tau of the coordinates.  out: qdd of the coordinates.
  DYN_REALTIME Status compute(const Tree& tree, const Workspace<T>& ws, ConstVectorRef<T> tau,
                              VectorRef<T> qdd) noexcept {
    DYN_EXPECTS(ws.capacity >= tree.size && tau.size() == tree.coordinates && qdd.size() == tree.coordinates);
    groups_.find(tree);
    if (const Status status = groups_.check(tree, tau); !status.ok()) return status;
    scale_.update(tree, ws);
    for (int i = 0; i < tree.size; ++i) start(tree, ws, i);
    for (int i = tree.size; i-- > 0;) {
      if (const Status status = articulate(tree, i); !status.ok()) return status;
    }
    return groups_.solve(tree, scale_, tau, qdd, [&](bool loaded) {
      forces_inwards(tree, tau, loaded);
      accelerations_outwards(tree, loaded);
    });
  }

 private:
  struct Spatial {  // a pair of 3-vectors: moment and force, or angular and linear acceleration
    Vec3<T> angular, linear;
    [[nodiscard]] T dot(const Spatial& b) const noexcept { return angular.dot(b.angular) + linear.dot(b.linear); }
  };
  struct Body {
    LinkPose<T> pose;
    Vec3<T> w;
    Mat3<T> I, H, A;  // articulated; after articulate(): what is handed inwards, in the body's own frame
    Spatial bias;     // of the body alone: w x I w, w x (w x h)
    Spatial c;        // velocity-product acceleration of the joint
    Spatial U;
    Spatial p;  // bias force of the articulated body
    Spatial a;
    T D, u;
  };

  static T along(Motion motion, const Spatial& x) noexcept {
    return motion == Motion::revolute ? x.angular.z() : x.linear.z();
  }

  // Velocity, velocity products and rigid inertia about the frame's origin.
  void start(const Tree& tree, const Workspace<T>& ws, int i) noexcept {
    Body& b = body_[i];
    b.pose = link_pose(tree, ws, i);
    const bool turns = tree.motion[i] == Motion::revolute;
    const Vec3<T> w_parent = tree.parent[i] < 0 ? Vec3<T>(Vec3<T>::Zero()) : body_[tree.parent[i]].w;
    const Vec3<T> turning = w_parent.cross(b.pose.p);
    const Vec3<T> centripetal = w_parent.cross(turning);
    b.w = b.pose.R.transpose() * w_parent;
    b.c.linear = b.pose.R.transpose() * centripetal;
    const Vec3<T> wxz(b.w.y() * ws.v[i], -b.w.x() * ws.v[i], T(0.0));  // w x z v
    b.c.angular = turns ? wxz : Vec3<T>(Vec3<T>::Zero());
    if (turns) {
      b.w.z() += ws.v[i];
    } else {
      b.c.linear += wxz + wxz;
    }
    const Vec3d h = tree.com[i] * tree.mass[i];
    const Mat3d steiner = Mat3d::Identity() * h.dot(tree.com[i]) - h * tree.com[i].transpose();
    b.I = (tree.inertia_com[i] + steiner).template cast<T>();
    b.H = skew(h).template cast<T>();
    b.A = (Mat3d::Identity() * tree.mass[i]).template cast<T>();
    const Vec3<T> spin = b.I * b.w;
    const Vec3<T> wxh = b.w.cross(h.template cast<T>());
    b.bias = {b.w.cross(spin), b.w.cross(wxh)};
  }

  // U, D; subtracts U U^T / D from the inertia and adds the rest to the parent's.
  Status articulate(const Tree& tree, int i) noexcept {
    Body& b = body_[i];
    const bool turns = tree.motion[i] == Motion::revolute;
    b.U.angular = turns ? b.I.col(2) : b.H.col(2);
    b.U.linear = turns ? Vec3<T>(b.H.row(2).transpose()) : Vec3<T>(b.A.col(2));
    b.D = along(tree.motion[i], b.U);
    if (!groups_.driven(tree, i)) {
      b.D += T(tree.armature[tree.coordinate[i]]);
      if (scale_.vanishes(tree, i, b.D)) return Status::singular(i, static_cast<double>(b.D));
      const T inverse = T(1.0) / b.D;
      const Vec3<T> n = b.U.angular * inverse;
      const Vec3<T> f = b.U.linear * inverse;
      b.I -= n * b.U.angular.transpose();
      b.H -= n * b.U.linear.transpose();
      b.A -= f * b.U.linear.transpose();
    }
    if (tree.parent[i] >= 0) hand_inwards(b, body_[tree.parent[i]]);
    return {};
  }

  // A' = R A R^T,  H' = R H R^T + [p] A',  I' = R I R^T - (R H R^T) [p] + [p] H'^T
  static void hand_inwards(const Body& b, Body& parent) noexcept {
    const Mat3<T>& R = b.pose.R;
    const Mat3<T> shift = skew(b.pose.p);
    const Mat3<T> RA = R * b.A;
    const Mat3<T> RH = R * b.H;
    const Mat3<T> RI = R * b.I;
    const Mat3<T> A = RA * R.transpose();
    const Mat3<T> H = RH * R.transpose();
    const Mat3<T> I = RI * R.transpose();
    const Mat3<T> H_parent = H + shift * A;
    const Mat3<T> I_parent = I - H * shift + shift * H_parent.transpose();
    parent.A += (A + A.transpose()) * T(0.5);
    parent.H += H_parent;
    parent.I += (I_parent + I_parent.transpose()) * T(0.5);
  }

  void forces_inwards(const Tree& tree, ConstVectorRef<T> tau, bool loaded) noexcept {
    const Spatial zero{Vec3<T>::Zero(), Vec3<T>::Zero()};
    for (int i = 0; i < tree.size; ++i) body_[i].p = loaded ? body_[i].bias : zero;
    for (int i = tree.size; i-- > 0;) {
      Body& b = body_[i];
      const T load = loaded && !groups_.driven(tree, i) ? tau[tree.coordinate[i]] : T(0.0);
      b.u = load - along(tree.motion[i], b.p);
      if (tree.parent[i] < 0) continue;
      const T x = groups_.driven(tree, i) ? groups_.acceleration[i] : T(b.u / b.D);
      Spatial p{b.p.angular + b.U.angular * x, b.p.linear + b.U.linear * x};
      if (loaded) {
        p.angular += b.I * b.c.angular + b.H * b.c.linear;
        p.linear += b.H.transpose() * b.c.angular + b.A * b.c.linear;
      }
      Body& parent = body_[tree.parent[i]];
      const Vec3<T> f = b.pose.R * p.linear;
      parent.p.angular += b.pose.R * p.angular + b.pose.p.cross(f);
      parent.p.linear += f;
    }
  }

  void accelerations_outwards(const Tree& tree, bool loaded) noexcept {
    const Vec3<T> zero = Vec3<T>::Zero();
    const Spatial base{zero, loaded ? Vec3<T>(-tree.gravity.template cast<T>()) : zero};
    for (int i = 0; i < tree.size; ++i) {
      Body& b = body_[i];
      const Spatial& parent = tree.parent[i] < 0 ? base : body_[tree.parent[i]].a;
      const Vec3<T> shifted = parent.linear + parent.angular.cross(b.pose.p);
      b.a = {b.pose.R.transpose() * parent.angular, b.pose.R.transpose() * shifted};
      if (loaded) {
        b.a.angular += b.c.angular;
        b.a.linear += b.c.linear;
      }
      const T reaction = b.U.dot(b.a) - b.u;
      T& x = groups_.acceleration[i];
      if (groups_.driven(tree, i)) {
        groups_.force[i] = reaction + b.D * x;
      } else {
        x = -reaction / b.D;
      }
      (tree.motion[i] == Motion::revolute ? b.a.angular.z() : b.a.linear.z()) += x;
    }
  }

  MimicGroups<T> groups_;
  PivotScale<T> scale_;
  std::vector<Body> body_;
};

}  // namespace dyn::forward
