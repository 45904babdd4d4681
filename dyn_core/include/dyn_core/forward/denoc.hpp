// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics in O(n) from the analytical U D U^T of M, which is never formed: paper 001 (Mohan and Saha), eqs
// 30-37, in link frames, for trees. Its counts leave out the bias C v + g, as the paper's Table 1 does: compute() takes
// that from the inverse dynamics, solve() is what is counted.
// double runs the lane form, src/forward/denoc_lanes.cpp, for robots without mimic joints: the same elimination, but in
// base axes, each body about its own origin.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/forward/bias_by_rnea.hpp"
#include "dyn_core/forward/mimic_groups.hpp"
#include "dyn_core/forward/pivot_scale.hpp"
#include "dyn_core/kinematics/dh_transforms.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::forward {

// With p_i the joint's twist and A the twist propagation between neighbours, inwards from the tips:
//   psihat_i = Mhat_i p_i,  mhat_i = p_i^T psihat_i (+ armature),  psi_i = psihat_i / mhat_i   (33; printed: A psihat)
//   Mbar_i = Mhat_i - psihat_i psi_i^T,  Mhat_i = M_i + sum over children c of A_ci^T Mbar_c A_ci    (34)
//   phihat_i = phi_i - p_i^T eta_i,  added to the parent's eta: A^T (psi_i phihat_i + eta_i)         (31, 32)
//   phitilde_i = phihat_i / mhat_i                                                                   (35)
// and outwards from the base:
//   qdd_i = phitilde_i - psi_i^T mu_i,  mu_i = A (p qdd + mu) of the parent                           (36, 37)
// phi = tau - (C v + g), with the gravity gamma that eq 27 lacks. A driven joint (mimic_groups.hpp) is not eliminated:
// it hands Mhat and psihat_i qdd_i + eta_i inwards.
template <class T>
class Denoc : public BiasByRnea<Denoc<T>, T> {
 public:
  static constexpr std::string_view name = "denoc";
  static constexpr std::string_view source = "paper 001 (Mohan and Saha), eqs 30-37";
  static constexpr std::string_view lane_form = "src/forward/denoc_lanes.cpp";
  static constexpr unsigned needs = needs_trigonometry;

  explicit Denoc(int capacity) : BiasByRnea<Denoc, T>(capacity), groups_(capacity), scale_(capacity), body_(capacity) {}

  // compute() with a given bias C v + g, by body.
  DYN_REALTIME Status solve(const Tree& tree, const Workspace<T>& ws, ConstVectorRef<T> bias, ConstVectorRef<T> tau,
                            VectorRef<T> qdd) noexcept {
    groups_.find(tree);
    if (const Status status = groups_.check(tree, tau); !status.ok()) return status;
    scale_.update(tree, ws);
    for (int i = 0; i < tree.size; ++i) body_[i].screw = dh::joint_displacement(tree, ws, i);
    for (int i = tree.size; i-- > 0;) {
      if (const Status status = eliminate(tree, i); !status.ok()) return status;
    }
    return groups_.solve(tree, scale_, tau, qdd, [&](bool loaded) {
      for (int i = 0; i < tree.size; ++i) {
        const T torque = groups_.driven(tree, i) ? T(0.0) : tau[tree.coordinate[i]];
        body_[i].phi = loaded ? T(torque - bias[i]) : T(0.0);
      }
      substitute_inwards(tree);
      substitute_outwards(tree);
    });
  }

 private:
  using Wrench = dh::Wrench<T>;
  struct Body {
    dh::JointDisplacement<T> screw;
    dh::MassMatrix<T> mass;  // Mhat, then Mbar
    Wrench psihat, psi, eta;
    dh::Twist<T> mu;
    T mhat, phi, phitilde;
  };

  static T along(Motion motion, const Wrench& w) noexcept { return motion == Motion::revolute ? w.n.z() : w.f.z(); }

  static bool tip(const Tree& tree, int i) noexcept { return tree.subtree_end[i] == i + 1; }
  // The last child is the first one that the loop from the tips inwards meets.
  static bool last_child(const Tree& tree, int i) noexcept {
    return tree.subtree_end[i] == tree.subtree_end[tree.parent[i]];
  }

  // (33), (34)
  Status eliminate(const Tree& tree, int i) noexcept {
    Body& b = body_[i];
    if (tip(tree, i)) {
      b.mass = dh::mass_matrix<T>(tree.screw.inertia[i]);
    } else {
      dh::add(b.mass, tree.screw.inertia[i]);
    }
    b.psihat = dh::times_axis(b.mass, tree.motion[i]);
    b.mhat = along(tree.motion[i], b.psihat);
    if (!groups_.driven(tree, i)) {
      const double armature = tree.armature[tree.coordinate[i]];
      if (armature > 0.0) b.mhat += T(armature);
      if (scale_.vanishes(tree, i, b.mhat)) return Status::singular(i, static_cast<double>(b.mhat));
      const T inverse = T(1.0) / b.mhat;
      b.psi = {b.psihat.n * inverse, b.psihat.f * inverse};
      if (tree.parent[i] < 0) return {};
      if (tree.motion[i] == Motion::revolute) {
        take_revolute(b, T(armature) * inverse);
      } else {
        take_prismatic(b, T(armature) * inverse);
      }
    }
    if (tree.parent[i] < 0) return {};
    dh::inwards(b.mass, tree.screw.joint[i], b.screw);
    dh::MassMatrix<T>& parent = body_[tree.parent[i]].mass;
    if (last_child(tree, i)) {
      parent = b.mass;
    } else {
      dh::add(parent, b.mass);
    }
    return {};
  }

  // Mbar = Mhat - psihat psi^T. Its row along the joint's own axis is psihat armature / mhat: exactly 0 without
  // armature. left: armature / mhat.
  static void take_revolute(Body& b, const T& left) noexcept {
    const Wrench& u = b.psihat;
    for (int c = 0; c < 2; ++c) {
      for (int r = c; r < 2; ++r) b.mass.I(r, c) -= u.n[r] * b.psi.n[c];
    }
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 2; ++r) b.mass.H(r, c) -= u.n[r] * b.psi.f[c];
      for (int r = c; r < 3; ++r) b.mass.A(r, c) -= u.f[r] * b.psi.f[c];
      b.mass.I(2, c) = left == T(0.0) ? T(0.0) : T(u.n[c] * left);
      b.mass.H(2, c) = left == T(0.0) ? T(0.0) : T(u.f[c] * left);
    }
  }
  static void take_prismatic(Body& b, const T& left) noexcept {
    const Wrench& u = b.psihat;
    for (int c = 0; c < 2; ++c) {
      for (int r = c; r < 2; ++r) b.mass.A(r, c) -= u.f[r] * b.psi.f[c];
    }
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 2; ++c) b.mass.H(r, c) -= u.n[r] * b.psi.f[c];
      for (int c = 0; c <= r; ++c) b.mass.I(r, c) -= u.n[r] * b.psi.n[c];
      b.mass.A(2, r) = left == T(0.0) ? T(0.0) : T(u.f[r] * left);
      b.mass.H(r, 2) = left == T(0.0) ? T(0.0) : T(u.n[r] * left);
    }
  }

  // (31), (32), (35)
  void substitute_inwards(const Tree& tree) noexcept {
    for (int i = tree.size; i-- > 0;) {
      Body& b = body_[i];
      if (tip(tree, i)) b.eta = {Vec3<T>::Zero(), Vec3<T>::Zero()};
      const T phihat = b.phi - along(tree.motion[i], b.eta);
      const bool driven = groups_.driven(tree, i);
      b.phitilde = driven ? T(-phihat) : T(phihat / b.mhat);
      if (tree.parent[i] < 0) continue;
      const Wrench& rate = driven ? b.psihat : b.psi;
      const T factor = driven ? groups_.acceleration[i] : phihat;
      Wrench eta{rate.n * factor + b.eta.n, rate.f * factor + b.eta.f};
      dh::inwards(eta, tree.screw.joint[i], b.screw);
      Wrench& parent = body_[tree.parent[i]].eta;
      if (last_child(tree, i)) {
        parent = eta;
      } else {
        parent.n += eta.n;
        parent.f += eta.f;
      }
    }
  }

  // (36), (37); for a driven joint: the force that its acceleration requires.
  void substitute_outwards(const Tree& tree) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      Body& b = body_[i];
      T& qdd = groups_.acceleration[i];
      const bool driven = groups_.driven(tree, i);
      if (tree.parent[i] < 0) {
        b.mu = {Vec3<T>::Zero(), Vec3<T>::Zero()};
        if (!driven) qdd = b.phitilde;
      } else {
        b.mu = body_[tree.parent[i]].mu;
        dh::outwards(b.mu, tree.screw.joint[i], b.screw);
        if (!driven) qdd = b.phitilde - b.psi.n.dot(b.mu.w) - b.psi.f.dot(b.mu.a);
      }
      if (driven) groups_.force[i] = b.psihat.n.dot(b.mu.w) + b.psihat.f.dot(b.mu.a) + b.mhat * qdd + b.phitilde;
      (tree.motion[i] == Motion::revolute ? b.mu.w.z() : b.mu.a.z()) += qdd;
    }
  }

  MimicGroups<T> groups_;
  PivotScale<T> scale_;
  std::vector<Body> body_;
};

}  // namespace dyn::forward
