// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/cases.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <deque>
#include <limits>

#include "dyn_core/numeric/residual.hpp"
#include "support/energy_oracle.hpp"
#include "support/impossible.hpp"
#include "support/random_robot.hpp"
#include "support/robots.hpp"

namespace dyn::test {
namespace {

// Joint `root` and its whole subtree becomes payload 1: last in the user's order.
void make_payload(RobotDescription& robot, size_t root) {
  robot.joints[root].payload = 1;
  for (size_t j = root + 1; j < robot.joints.size(); ++j) {  // parents stand before children in random robots
    for (size_t p = root; p < j; ++p) {
      if (robot.joints[p].payload == 1 && robot.joints[p].child_link == robot.joints[j].parent_link) {
        robot.joints[j].payload = 1;
      }
    }
  }
}

struct Source {
  std::string label;
  Model model;
  int states;
};

std::deque<Source> sources() {
  std::deque<Source> result;
  Rng rng(20260101);
  for (int k = 0; k < 100; ++k) {
    const int joints = k < 40 ? 1 + k % 10 : 5 + (k * 7) % 36;  // up to 40
    RobotDescription robot = random_robot(rng, {.joints = joints, .serial = k % 4 == 0, .mimic = k % 3 == 0});
    for (JointDescription& joint : robot.joints) joint.armature = uniform(rng, 0.0, 0.1);
    if (k % 5 == 0) make_payload(robot, static_cast<size_t>(joints) / 2);
    ModelOptions options;
    options.armature = k % 2 == 0;
    if (k % 3 == 1) options.gravity_mps2 = random_vector(rng, 10.0);
    Model model = Model::build(robot, options);
    if (model.coordinates() > 0) result.push_back({"random tree " + std::to_string(k), std::move(model), 1});
  }
  for (const auto& [name, description] : robots_for_tests()) {
    Model model = Model::build(description);
    const int states = model.coordinates() > 12 ? 1 : 3;
    result.push_back({name, std::move(model), states});
  }
  for (const char* name : impossible_arms) {
    ModelOptions options;
    options.allow_impossible_inertia = true;
    result.push_back({name, Model::build(impossible_arm(name), options), 3});
  }
  for (int k = 0; k < 12; ++k) {
    const RobotDescription robot =
        random_robot(rng, {.joints = 2 + 2 * k, .serial = k % 2 == 0, .mimic = k % 3 == 2, .rotors = true});
    ModelOptions options;
    options.armature = true;
    result.push_back({"random tree with rotors " + std::to_string(k), Model::build(robot, options), 1});
  }
  return result;
}

Case make_case(const std::string& label, const Model& model, Rng& rng) {
  const int n = model.coordinates();
  Case c;
  c.robot = label;
  c.model = &model;
  c.q = random_values(rng, n, 2.0);
  c.v = random_values(rng, n, 1.5);
  c.a = random_values(rng, n, 3.0);
  c.tau = random_values(rng, n, 20.0);
  ModelOptions bare = model.options();
  bare.armature = false;
  const EnergyOracle oracle(model.description(), bare);
  const EnergyOracle::Matrix M = oracle.M(c.q);
  const EnergyOracle::Vector Cv = oracle.Cv(c.q, c.v);
  const EnergyOracle::Vector g = oracle.g(c.q);
  c.M = M.cast<double>();
  c.Mdot = oracle.Mdot(c.q, c.v).cast<double>();
  c.Cv = Cv.cast<double>();
  c.g = g.cast<double>();
  const double speed = largest_entry(eigen(c.v));
  c.matrix_floor = 0.1 * largest_entry(c.M) * speed;
  c.force_floor = c.matrix_floor * std::max(speed, 1.0);
  if (n <= 12) c.C = oracle.christoffel(c.q, c.v).cast<double>();
  EnergyOracle::Matrix M_with_armature = M;
  for (int i = 0; i < n; ++i) M_with_armature(i, i) += model.tree().armature[i];
  const Eigen::SelfAdjointEigenSolver<EnergyOracle::Matrix> eigen(M_with_armature, Eigen::EigenvaluesOnly);
  const long double least = eigen.eigenvalues().minCoeff();
  const long double largest = eigen.eigenvalues().maxCoeff();
  if (least > largest * 1e-15L) {
    c.condition = static_cast<double>(largest / least);
    EnergyOracle::Vector rest(n);
    for (int i = 0; i < n; ++i) rest[i] = c.tau[i] - Cv[i] - g[i];
    c.qdd = M_with_armature.llt().solve(rest).cast<double>();
  } else {
    c.condition = std::numeric_limits<double>::infinity();
  }
  return c;
}

}  // namespace

const std::vector<Case>& all_cases() {
  static const std::deque<Source> robots = sources();
  static const std::vector<Case> cases = [] {
    Rng rng(7);
    std::vector<Case> made;
    for (const Source& source : robots) {
      for (int s = 0; s < source.states; ++s) made.push_back(make_case(source.label, source.model, rng));
    }
    return made;
  }();
  return cases;
}

void expect_float_error(double error, const Case& c) {
  constexpr double most_roundings = 16.0;  // twice what the worst of them, fused on puma, is measured to have
  const double epsilon = static_cast<double>(std::numeric_limits<float>::epsilon());
  EXPECT_LT(error / (epsilon * c.model->bodies()), most_roundings) << c.robot;
}

VecX<double> eigen(const std::vector<double>& x) {
  return Eigen::Map<const VecX<double>>(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace dyn::test
