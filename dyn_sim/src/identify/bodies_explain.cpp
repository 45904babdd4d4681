// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "identify/bodies_explain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "identify/problem.hpp"
#include "identify/rotor_columns.hpp"

namespace dyn::sim::identify {
namespace {

// From a prior that holds everything to one that hardly holds anything; the best of those judged counts.
constexpr std::array<double, 8> prior_weights{1e4, 1e3, 1e2, 1e1, 1.0, 1e-1, 1e-2, 1e-4};
constexpr std::size_t judged_from = 4;

// Squared errors by joint, of each of the weights that are judged.
using Errors = std::array<std::vector<double>, prior_weights.size()>;

Errors cross_validated(const Problem& problem, const Eigen::VectorXd& sigma) {
  Errors errors;
  const std::size_t joints = sigma.size();
  errors.fill(std::vector<double>(joints, 0.0));
  for (int block = 0; block < blocks; ++block) {
    ConsistentFit solver = problem.fit(sigma, block);
    for (std::size_t w = 0; w < prior_weights.size(); ++w) {
      const Eigen::VectorXd& x = solver.solve(prior_weights[w]);
      for (std::size_t j = 0; j < joints; ++j) errors[w][j] += problem.squared_error(static_cast<int>(j), block, x);
    }
  }
  return errors;
}

}  // namespace

double Unexplained::relative(const std::vector<int>& joints) const {
  const auto sum = [&joints](const std::vector<double>& of) {
    if (joints.empty()) return std::accumulate(of.begin(), of.end(), 0.0);
    return std::accumulate(joints.begin(), joints.end(), 0.0, [&of](double so_far, int j) { return so_far + of[j]; });
  };
  return sum(torque) > 0.0 ? std::sqrt(sum(error) / sum(torque)) : 0.0;
}

Unexplained left_by_bodies(const std::shared_ptr<const Model>& model, const Motion& motion) {
  const Information information = gather(model, {motion}, 0.0);
  const Regressor regressor(locked_model(model));
  Eigen::VectorXd maker(regressor.layout().parameters());
  regressor.parameters({maker.data(), static_cast<std::size_t>(maker.size())});
  const Problem problem(regressor.model(), regressor.layout(), maker, information, Friction::coulomb, Offsets::none);
  Unexplained left;
  double largest = 0.0;
  for (const JointInformation& joint : information.joints) {
    const double samples = std::accumulate(joint.samples.begin(), joint.samples.end(), 0.0);
    left.torque.push_back(samples * joint.torque_rms * joint.torque_rms);
    largest = std::max(largest, joint.torque_rms);
  }
  if (problem.unknowns().size() == 0) {  // nothing moves, and gravity acts on no joint
    left.error = left.torque;
    return left;
  }
  Eigen::VectorXd sigma(information.joints.size());
  for (std::size_t j = 0; j < information.joints.size(); ++j) {
    sigma[j] = std::max({0.1 * information.joints[j].torque_rms, 1e-3 * largest, 1e-9});
  }
  const Errors errors = cross_validated(problem, sigma);
  const auto weighed = [&sigma](const std::vector<double>& of) {
    double sum = 0.0;
    for (std::size_t j = 0; j < of.size(); ++j) sum += of[j] / std::pow(sigma[j], 2);
    return sum;
  };
  left.error = *std::min_element(errors.begin() + judged_from, errors.end(),
                                 [&](const auto& a, const auto& b) { return weighed(a) < weighed(b); });
  return left;
}

}  // namespace dyn::sim::identify
