// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Analytic derivatives of the dynamics in the user's coordinates, for every robot that loads: with trees, mimic joints,
// payloads, and floating and planar joints by their coordinates (x, y, z, yaw, pitch, roll) and these numbers' rates.
//   inverse dynamics   tau = M a + C v + g:       dtau/dq, dtau/dv, dtau/da = M
//   forward dynamics   qdd = M^-1 (tau - C v - g):  dqdd/dq = -M^-1 dtau/dq, dqdd/dv = -M^-1 dtau/dv (both at a = qdd),
//                      dqdd/dtau = M^-1
// Friction is left out; armature is in M where the model's options ask for it. Row i of a matrix: torque or
// acceleration of coordinate i; column j: its derivative with respect to coordinate j.
//
// One object per thread. The constructor allocates all memory; DYN_REALTIME marks what the loop may call. Spans have as
// many numbers as there are coordinates.
#pragma once

#include <memory>
#include <span>

#include "dyn_core/error.hpp"
#include "dyn_core/model/body_inertia.hpp"
#include "dyn_core/model/model.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn {

class Derivatives {
 public:
  explicit Derivatives(std::shared_ptr<const Model> model);
  explicit Derivatives(Model model);
  Derivatives(Derivatives&&) noexcept;
  Derivatives& operator=(Derivatives&&) noexcept;
  Derivatives(const Derivatives&) = delete;
  Derivatives& operator=(const Derivatives&) = delete;
  ~Derivatives();

  [[nodiscard]] const Model& model() const noexcept;

  // As those of Dynamics; they count from the next update on.
  DYN_REALTIME void set_gravity(const Vec3d& gravity_mps2) noexcept;
  DYN_REALTIME void set_body_inertia(int body, const BodyInertia& inertia) noexcept;
  // Gravity and all inertias at once, from a tree that is otherwise the same: Dynamics::tree() has those in force while
  // a payload is ramped in.
  DYN_REALTIME void set_gravity_and_inertias(const Tree& tree) noexcept;

  // dtau/dq, dtau/dv and M at q, v, a. Not ok, and everything as before, where one of them is not finite.
  DYN_REALTIME Status update_inverse(std::span<const double> q, std::span<const double> v,
                                     std::span<const double> a) noexcept;
  [[nodiscard]] ConstMatrixRef<double> dtau_dq() const noexcept;
  [[nodiscard]] ConstMatrixRef<double> dtau_dv() const noexcept;
  [[nodiscard]] ConstMatrixRef<double> dtau_da() const noexcept;

  // qdd and its derivatives at q, v, tau, and the derivatives above at a = qdd. Not ok where one of them is not finite
  // (then everything is as before), or where M is singular: then the status names the joint, dtau_da() belongs to this
  // state, and all other results are undefined.
  DYN_REALTIME Status update_forward(std::span<const double> q, std::span<const double> v,
                                     std::span<const double> tau) noexcept;
  [[nodiscard]] ConstVectorRef<double> qdd() const noexcept;
  [[nodiscard]] ConstMatrixRef<double> dqdd_dq() const noexcept;
  [[nodiscard]] ConstMatrixRef<double> dqdd_dv() const noexcept;
  [[nodiscard]] ConstMatrixRef<double> dqdd_dtau() const noexcept;  // M^-1

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn
