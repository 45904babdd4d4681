// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "drives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "dyn_core/error.hpp"

namespace dyn::sim {
namespace {

double rounded(double x, double resolution) { return resolution > 0.0 ? std::round(x / resolution) * resolution : x; }

std::vector<double> moved(const std::vector<double>& from, const std::vector<int>& same) {
  std::vector<double> to(same.size(), 0.0);
  for (std::size_t i = 0; i < same.size(); ++i) {
    const std::size_t k = same[i];
    if (same[i] >= 0 && k < from.size()) to[i] = from[k];
  }
  return to;
}

}  // namespace

std::vector<int> same_coordinates(const Model& before, const Model& now) {
  std::vector<int> same;
  const auto& names = before.coordinate_names();
  for (const std::string& name : now.coordinate_names()) {
    const auto found = std::find(names.begin(), names.end(), name);
    same.push_back(found == names.end() ? -1 : static_cast<int>(found - names.begin()));
  }
  return same;
}

void check_step(double step_s) {
  if (step_s == 0.0 || step_s >= shortest_step_s) return;
  std::ostringstream text;
  text << "plant: step " << step_s << " s is neither 0 nor at least 1e-9 s";
  throw ModelError(text.str());
}

void check_pushes(const Model& model, std::span<const Push> pushes) {
  for (const Push& push : pushes) {
    if (model.find_link(push.link) == nullptr) throw ModelError("push: the robot has no link '" + push.link + "'");
  }
}

int steps_in(double period_s, double wanted_s) noexcept {
  constexpr double most = 1e9;
  return static_cast<int>(std::clamp(std::ceil(period_s / wanted_s - 1e-9), 1.0, most));
}

Drives::Drives(const PlantSettings& settings)
    : limited_(settings.limits), delayed_(static_cast<std::size_t>(settings.delay_cycles) + 1) {}

void Drives::fit(const Model& model, const std::vector<int>& same) {
  limit_.clear();
  for (const Joint& joint : model.joints()) {
    const auto& limits = joint.description.limits;
    limit_.insert(limit_.end(), joint.degrees,
                  limited_ && limits ? limits->effort : std::numeric_limits<double>::infinity());
  }
  effort_ = moved(effort_, same);
  for (auto& past : delayed_) past = moved(past, same);
}

void Drives::reset() noexcept {
  for (auto& past : delayed_) std::fill(past.begin(), past.end(), 0.0);
  std::fill(effort_.begin(), effort_.end(), 0.0);
}

void Drives::take_over(const Drives& before, std::span<const int> from) noexcept {
  head_ = before.head_;
  for (std::size_t i = 0; i < effort_.size(); ++i) {
    const std::size_t k = from[i];
    effort_[i] = from[i] < 0 ? 0.0 : before.effort_[k];
    for (std::size_t d = 0; d < delayed_.size(); ++d) delayed_[d][i] = from[i] < 0 ? 0.0 : before.delayed_[d][k];
  }
}

void Drives::take(std::span<const double> commanded) noexcept {
  auto& newest = delayed_[head_ % delayed_.size()];
  std::copy_n(commanded.begin(), effort_.size(), newest.begin());
  ++head_;
  const auto& due = delayed_[head_ % delayed_.size()];
  for (std::size_t i = 0; i < effort_.size(); ++i) effort_[i] = std::clamp(due[i], -limit_[i], limit_[i]);
}

Sensors::Sensors(const NoiseSettings& noise, unsigned seed)
    : noise_(noise), joint_random_(seed), torque_random_(seed + 1U) {}

void Sensors::joints(std::span<const double> q, std::span<const double> v, std::span<double> seen_q,
                     std::span<double> seen_v) {
  const bool noisy = noise_.position > 0.0 || noise_.velocity > 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double error_q = noisy ? noise_.position * joint_normal_(joint_random_) : 0.0;
    const double error_v = noisy ? noise_.velocity * joint_normal_(joint_random_) : 0.0;
    seen_q[i] = rounded(q[i] + error_q, noise_.position_resolution);
    seen_v[i] = v[i] + error_v;
  }
}

void Sensors::torque(std::span<double> tau) {
  for (double& x : tau) {
    const double error = noise_.torque > 0.0 ? noise_.torque * torque_normal_(torque_random_) : 0.0;
    x = rounded(x + error, noise_.torque_resolution);
  }
}

}  // namespace dyn::sim
