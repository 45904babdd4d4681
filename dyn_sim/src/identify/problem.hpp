// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The convex problem behind `dyn identify`. Over the ten parameters of every body and the friction, armature and offset
// of every joint, x:
//   minimize  1/2 sum_j |R_j x - tau_j|^2 / sigma_j^2 + weight (sum_b d(J_b, J0_b) + sum_k (x_k/s_k - log x_k/s_k))
// with d the divergence of consistent_fit.hpp from the maker's values and s_k > 0 the scale of what may not be
// negative. Both terms in brackets are barriers: every iterate of Newton's method is a possible robot.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dyn_core/identify/consistent_fit.hpp"
#include "dyn_sim/identify/identify.hpp"
#include "identify/unknowns.hpp"

namespace dyn::sim::identify {

using namespace dyn::identify;  // NOLINT(google-build-using-namespace): bodies that stay possible

// One number of a joint: its column as a sum of the joint's columns.
struct JointUnknown {
  enum class What : std::uint8_t { viscous, coulomb, viscous_negative, coulomb_negative, stribeck, armature, offset };
  What what = What::viscous;
  int joint = 0;                                // place in Information::joints
  std::vector<std::pair<int, double>> columns;  // JointColumn, factor
  double scale = 1.0;                           // what is to be expected of it
  [[nodiscard]] bool positive() const noexcept { return what != What::offset; }
};

struct Unknowns {
  std::vector<int> bodies;  // places in the layout; ten parameters each come first in x
  std::vector<JointUnknown> numbers;
  std::vector<double> stribeck_velocity;  // by joint
  [[nodiscard]] Eigen::Index size() const noexcept {
    return 10 * static_cast<Eigen::Index>(bodies.size()) + static_cast<Eigen::Index>(numbers.size());
  }
  [[nodiscard]] Eigen::Index first_number() const noexcept { return 10 * static_cast<Eigen::Index>(bodies.size()); }
};

enum class Offsets : std::uint8_t { none, constant };  // of joint torques

// `model`, `layout` and `maker`: with the rotors locked (rotor_columns.hpp).
class Problem {
 public:
  Problem(const Model& model, const regressor::Layout& layout, const Eigen::VectorXd& maker,
          const Information& information, Friction friction, Offsets offsets = Offsets::constant);

  [[nodiscard]] const Unknowns& unknowns() const noexcept { return unknowns_; }
  [[nodiscard]] const Eigen::VectorXd& start() const noexcept { return start_; }  // the maker's values, made possible
  [[nodiscard]] const std::vector<Eigen::Matrix4d>& prior() const noexcept { return prior_; }
  [[nodiscard]] const Eigen::VectorXd& units() const noexcept { return units_; }  // of x, by the prior's curvature

  // |R_j x - tau_j|^2 over a block.
  [[nodiscard]] double squared_error(int joint, int block, const Eigen::VectorXd& x) const;
  // Rows [A | b] of a joint and block in x.
  [[nodiscard]] const Eigen::MatrixXd& rows(int joint, int block) const { return rows_[joint][block]; }
  // Of all blocks but `without` (-1: of all), joints weighed by their noise.
  [[nodiscard]] ConsistentFit fit(const Eigen::VectorXd& sigma, int without) const;
  [[nodiscard]] const Information& information() const noexcept { return information_; }

 private:
  void choose_bodies(const regressor::Layout& layout);
  void choose_numbers(const Model& model, Friction friction, Offsets offsets);
  void add_friction(int joint, Friction friction, const JointDescription& maker);
  void drop_collinear(const Model& model);
  void set_up_prior(const Model& model, const Eigen::VectorXd& maker);
  void reduce(const Model& model);
  [[nodiscard]] Eigen::VectorXd fixed_columns(const Model& model, const JointInformation& joint, int index) const;
  [[nodiscard]] Eigen::MatrixXd stacked(const JointInformation& joint) const;
  [[nodiscard]] Eigen::Index armature_of(int coordinate) const;
  [[nodiscard]] int best_stribeck(const JointInformation& joint) const;

  const Information& information_;
  Unknowns unknowns_;
  Eigen::VectorXd start_, units_, maker_;
  std::vector<Eigen::Matrix4d> prior_;
  std::vector<std::array<Eigen::MatrixXd, blocks>> rows_;  // by joint and block
};

}  // namespace dyn::sim::identify
