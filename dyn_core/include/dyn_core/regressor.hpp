// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The equation of motion as a linear function of the bodies' inertial parameters p, for identification and adaptive
// control:  Y(q, v, a) p = tau = M a + C v + g,  ten columns a body (order and frames: regressor/layout.hpp). Friction
// and armature have columns of their own. Without accelerations, from the generalised momentum M v:
//   Y_momentum(q, v) p = M v,   Y_rate(q, v) p = C^T v - g,   d/dt (M v) = tau + C^T v - g
// so that Y_momentum(t) p - Y_momentum(0) p - (integral of Y_rate dt) p = integral of tau dt; a low-pass filter on both
// sides leaves it true.
//
// One object per thread. The constructor allocates all memory; DYN_REALTIME marks what the loop may call. Spans have as
// many numbers as there are coordinates, or what is said of them.
#pragma once

#include <memory>
#include <span>

#include "dyn_core/error.hpp"
#include "dyn_core/model/model.hpp"
#include "dyn_core/numeric/types.hpp"
#include "dyn_core/regressor/layout.hpp"

namespace dyn {

class Regressor {
 public:
  explicit Regressor(std::shared_ptr<const Model> model);
  explicit Regressor(Model model);
  Regressor(Regressor&&) noexcept;
  Regressor& operator=(Regressor&&) noexcept;
  Regressor(const Regressor&) = delete;
  Regressor& operator=(const Regressor&) = delete;
  ~Regressor();

  [[nodiscard]] const Model& model() const noexcept;
  [[nodiscard]] const regressor::Layout& layout() const noexcept;  // the bodies, in the order of the columns

  // In place of the model's gravity, until the next call.
  DYN_REALTIME void set_gravity(const Vec3d& gravity_mps2) noexcept;

  // Y of a state in the user's coordinates. Not ok, and Y as before, where q, v or a is not finite.
  DYN_REALTIME Status update(std::span<const double> q, std::span<const double> v, std::span<const double> a) noexcept;
  [[nodiscard]] ConstMatrixRef<double> Y() const noexcept;  // coordinates x 10 bodies

  // Both momentum regressors of a state.
  DYN_REALTIME Status update_momentum(std::span<const double> q, std::span<const double> v) noexcept;
  [[nodiscard]] ConstMatrixRef<double> Y_momentum() const noexcept;
  [[nodiscard]] ConstMatrixRef<double> Y_rate() const noexcept;

  // p of the model, or of a tree whose inertias were changed since it was built from that model; 10 numbers a body.
  DYN_REALTIME void parameters(std::span<double> p) const noexcept;
  DYN_REALTIME void parameters(const Tree& tree, std::span<double> p) const noexcept;

  // Columns beside Y, column-major with a row a coordinate, each written in full.
  // Two columns a body: viscous damping v and Coulomb friction sign(v) of the joint that moves it, mimic joints at
  // their own rate. coordinates x 2 bodies.
  DYN_REALTIME void friction(std::span<const double> v, std::span<double> columns) const noexcept;
  // diag(a): the reflected inertia of each coordinate's drive. coordinates x coordinates.
  DYN_REALTIME void armature(std::span<const double> a, std::span<double> columns) const noexcept;

  // Of the state of the last update(), at the same a: the torque with which each coordinate's drive accelerates itself,
  // which a sensor behind it does not feel. The armature's, or a rotor's (model/rotors.hpp).
  DYN_REALTIME void drive_torque(std::span<const double> a, std::span<double> tau) const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn
