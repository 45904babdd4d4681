// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A robot with its payloads, gravity and chosen algorithms, at one state: the data of a Python Dynamics. Attaching and
// detaching make a new one, so that numpy arrays on the previous one stay valid.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dyn_core/dynamics.hpp"

namespace dyn::python {

// Empty: the fastest that fits.
struct Algorithms {
  std::string jsim, coriolis, forward, inverse;
};

class State {
 public:
  // At q and v; the zero state where they are empty, zeros for coordinates that they have not. Throws ModelError.
  State(std::shared_ptr<const Model> model, const Algorithms& algorithms, std::vector<double> q = {},
        std::vector<double> v = {});

  // Throws ModelError naming joint and value; the state is then as before.
  void update(std::span<const double> q, std::span<const double> v);
  void set_gravity(const Vec3d& gravity_mps2);
  // Throws ModelError where M is singular, naming the joint.
  void require(const Status& status) const;

  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] const std::shared_ptr<const Model>& shared_model() const noexcept { return model_; }
  [[nodiscard]] Dynamics& dynamics() noexcept { return dynamics_; }
  [[nodiscard]] const std::vector<double>& q() const noexcept { return q_; }
  [[nodiscard]] const std::vector<double>& v() const noexcept { return v_; }

 private:
  void evaluate();

  std::shared_ptr<const Model> model_;
  Dynamics dynamics_;
  std::vector<double> q_, v_;
};

}  // namespace dyn::python
