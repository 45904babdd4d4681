// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What is identified: ten parameters of every moving body, and of every joint with a measured torque its friction,
// armature and offset. And what the log says of it, in a form that is small: the triangular factors of the low-passed
// regressor, one a joint and block of the log.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <vector>

#include "dyn_core/regressor.hpp"
#include "dyn_sim/identify/motion.hpp"

namespace dyn::sim::identify {

// Columns of a joint beside those of the bodies. s = tanh(v / creep rate), as in model/joint_friction.hpp.
enum JointColumn : int { column_v, column_s, column_vs, column_ss, column_one, column_a, column_stribeck };

// Among which the velocity of the Stribeck effect is searched, rad/s or m/s.
inline constexpr std::array<double, 14> stribeck_velocities{0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02,
                                                            0.03,  0.05,  0.07,  0.1,   0.15, 0.2,   0.3};
inline constexpr int joint_columns = column_stribeck + static_cast<int>(stribeck_velocities.size());
inline constexpr int blocks = 5;  // for cross-validation

// [10 columns a body that the joint moves | joint_columns | by which other joints' rotors act on it | torque], upper
// triangular: R^T R is the sum over samples.
struct JointInformation {
  int coordinate = 0;
  std::vector<int> bodies;  // that the joint moves, places in the layout of locked_model()
  std::vector<int> rotors;  // coordinates with a rotor (rotor_columns.hpp); the joint's own is in column_a
  std::array<Eigen::MatrixXd, blocks> R;
  std::array<double, blocks> samples{};  // that count as independent
  double torque_rms = 0.0, v_rms = 0.0, a_rms = 0.0, v_max = 0.0;

  [[nodiscard]] Eigen::Index body_columns() const noexcept { return 10 * static_cast<Eigen::Index>(bodies.size()); }
  [[nodiscard]] Eigen::Index rotor_column() const noexcept { return body_columns() + joint_columns; }
  [[nodiscard]] Eigen::Index torque_column() const noexcept {
    return rotor_column() + static_cast<Eigen::Index>(rotors.size());
  }
};

struct Information {
  std::vector<JointInformation> joints;
  Eigen::Index samples = 0;  // rows of the logs that went in
};

// The first part of each motion, its last `hold_out` left out. `model` with its armature.
[[nodiscard]] Information gather(const std::shared_ptr<const Model>& model, const std::vector<Motion>& motions,
                                 double hold_out);

}  // namespace dyn::sim::identify
