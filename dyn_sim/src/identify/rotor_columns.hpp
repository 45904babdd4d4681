// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Identification of robots with rotors (model/rotors.hpp). Its unknowns are those of the URDF: bodies with the rotors
// locked to them, and armatures. A rotor is a column by which its drive's armature A acts on all joints,
//   tau = Y_locked p + A c,   c = (Y_rotor r - Y_parent r') / N^2,   r, r' the parameters of a a^T in either frame.
#pragma once

#include <memory>
#include <vector>

#include "dyn_core/regressor.hpp"

namespace dyn::sim::identify {

// The same model with its rotors locked to their parent links; itself where it has none.
[[nodiscard]] std::shared_ptr<const Model> locked_model(const std::shared_ptr<const Model>& model);

class RotorColumns {
 public:
  explicit RotorColumns(const std::shared_ptr<const Model>& model);

  // The coordinates whose drives' rotors are bodies.
  [[nodiscard]] const std::vector<int>& coordinates() const noexcept { return coordinates_; }
  [[nodiscard]] Status update(std::span<const double> q, std::span<const double> v, std::span<const double> a);
  // c of the k-th of them, row of a coordinate.
  [[nodiscard]] double torque(std::size_t k, int row) const;

 private:
  using Parameters = Eigen::Matrix<double, regressor::parameters_per_body, 1>;
  struct Rotor {
    int place = 0, parent = 0;  // in the layout
    Parameters own, locked;     // r / N^2, r' / N^2
  };
  std::unique_ptr<Regressor> regressor_;  // null where there are no rotors
  std::vector<int> coordinates_;
  std::vector<Rotor> rotors_;
};

}  // namespace dyn::sim::identify
