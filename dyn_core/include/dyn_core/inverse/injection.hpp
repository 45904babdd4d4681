// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Inverse dynamics by frame injection, paper 003 (Safeea, Neto and Bearee), eqs 4-17: the acceleration and moment that
// each single joint transfers to each link. The terms are the paper's; the order of the links is ours.
// double runs the lane form, src/inverse/injection_lanes.cpp: the transfers of a joint to W links side by side.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::inverse {

// Joint j with its own turning w_j = qd_j k_j transfers to the centre of mass of link i, p_Cij away from its origin,
//   qdd_j k_j x p_Cij + k_j x (k_j x p_Cij) qd_j^2 + 2 w_j x vr_ij                        (4), (8), (9), (11)
// and about it the inertial moment
//   I_i qdd_j k_j + (L_i w_j) x w_j / 2 + (L_i w_j) x wr_ij,   L_i = tr(I_i) 1 - 2 I_i    (12)-(15), (17)
// where vr_ij, wr_ij are what the joints beyond j, up to i, give that centre of mass and that link: sums of w_k x p_Cik
// and of w_k (10), (16). The transfers add up to the link's acceleration and moment; joint j carries
//   tau_j = k_j . sum over the links it moves of  mu_i + m_i p_Cij x (a_i - g).
//
// Trees: the joints of link i are those that support it. Prismatic joints, which the paper leaves out: a prismatic j
// has w_j = 0 and transfers qdd_j k_j alone; seen from a joint before it, it adds qd_j k_j to vr and nothing to wr; it
// carries the force, tau_j = k_j . sum of m_i (a_i - g).
template <class T>
class Injection {
 public:
  static constexpr std::string_view name = "injection";
  static constexpr std::string_view source = "003 Safeea, Neto and Bearee, eqs 4-17";
  static constexpr std::string_view lane_form = "src/inverse/injection_lanes.cpp";
  static constexpr unsigned needs = needs_inertias;

  explicit Injection(int capacity) : force_(capacity), moment_(capacity) {}

  // in: positions and inertias of ws, ws.v, ws.a.  out: tau in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity,
                            VectorRef<T> tau) noexcept {
    DYN_EXPECTS(ws.capacity >= tree.size && tau.size() == tree.size);
    for (int i = 0; i < tree.size; ++i) inject(tree, ws, gravity, i);
    for (int j = 0; j < tree.size; ++j) tau[j] = project(tree, ws, j);
  }

 private:
  // Force and moment of link i: the transfers of all joints that support it, from the nearest to the base.
  void inject(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity, int i) noexcept {
    const Mat3<T>& inertia = ws.inertia[i];
    const Mat3<T> L = Mat3<T>::Identity() * inertia.trace() - inertia * T(2.0);  // (14)
    Vec3<T> acceleration = -gravity;
    Vec3<T> moment = Vec3<T>::Zero();
    Vec3<T> vr = Vec3<T>::Zero();
    Vec3<T> wr = Vec3<T>::Zero();
    for (int j = i; j >= 0; j = tree.parent[j]) {
      const Vec3<T>& k = ws.axis[j];
      const T& qd = ws.v[j];
      const T& qdd = ws.a[j];
      if (tree.motion[j] == Motion::prismatic) {
        acceleration += k * qdd;
        vr += k * qd;
        continue;
      }
      const Vec3<T> w = k * qd;
      const Vec3<T> Lw = L * w;
      const Vec3<T> k_p = k.cross(Vec3<T>(ws.com[i] - ws.origin[j]));
      const Vec3<T> velocity = k_p * qd;
      acceleration += k_p * qdd + w.cross(velocity) + w.cross(vr) * T(2.0);  // (11)
      moment += inertia * (k * qdd) + Lw.cross(w) * T(0.5) + Lw.cross(wr);   // (17)
      vr += velocity;                                                        // (10)
      wr += w;                                                               // (16)
    }
    force_[i] = acceleration * T(tree.mass[i]);
    moment_[i] = moment;
  }

  [[nodiscard]] T project(const Tree& tree, const Workspace<T>& ws, int j) const noexcept {
    Vec3<T> sum = Vec3<T>::Zero();
    for (int i = j; i < tree.subtree_end[j]; ++i) {
      if (tree.motion[j] == Motion::revolute) {
        sum += moment_[i] + Vec3<T>(ws.com[i] - ws.origin[j]).cross(force_[i]);
      } else {
        sum += force_[i];
      }
    }
    return ws.axis[j].dot(sum);
  }

  std::vector<Vec3<T>> force_, moment_;  // of each link, about its centre of mass, gravity included
};

}  // namespace dyn::inverse
