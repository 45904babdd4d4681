// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "bench/own_plant.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/dynamics.hpp"
#include "dyn_sim/plant.hpp"
#include "dyn_sim/trajectory.hpp"

namespace dyn::bench {
namespace {

constexpr double period_s = 1e-3;
constexpr int periods = 1000;

// 0.1 rad or m from the middle of its range, where there is one.
std::vector<double> beginning(const Model& model) {
  std::vector<double> q;
  for (const sim::CoordinateRange& range : sim::coordinate_ranges(model)) {
    const double middle = 0.5 * (range.lower + range.upper);
    q.push_back(0.1 + (std::isfinite(middle) ? middle : 0.0));
  }
  return q;
}

class Played {
 public:
  explicit Played(const Model& model)
      : plant_(sim::make_plant(model.description(), {}, model.options().gravity_mps2)),
        begin_(beginning(model)),
        rest_(begin_.size(), 0.0) {
    record();
  }

  void run(int count) {
    for (int k = 0; k < count; ++k, ++next_) {
      if (next_ % periods == 0) plant_->reset(begin_, rest_);
      plant_->advance(torques_[next_ % periods], period_s);
    }
  }

 private:
  // tau = M (a_r + 400 e + 40 e') + h along q_r = q_0 + 0.05 (1 - cos(w t)).
  void record() {
    plant_->reset(begin_, rest_);
    Dynamics dynamics(std::make_shared<const Model>(plant_->model()));
    std::vector<double> a(begin_.size()), tau(begin_.size());
    for (int k = 0; k < periods; ++k) {
      for (size_t i = 0; i < a.size(); ++i) {
        const double w = 6.0 + static_cast<double>(i), t = k * period_s, size = 0.05;
        const double e = begin_[i] + size * (1.0 - std::cos(w * t)) - plant_->q()[i];
        a[i] = size * w * w * std::cos(w * t) + 400.0 * e + 40.0 * (size * w * std::sin(w * t) - plant_->v()[i]);
      }
      if (dynamics.update_terms(plant_->q(), plant_->v(), 0).ok()) dynamics.inverse(a, tau);
      torques_.push_back(tau);
      plant_->advance(tau, period_s);
    }
  }

  std::unique_ptr<sim::Plant> plant_;
  std::vector<double> begin_, rest_;
  std::vector<std::vector<double>> torques_;
  int next_ = 0;
};

}  // namespace

std::vector<Contestant> plant_contestants(const Model& model) {
  const auto played = std::make_shared<Played>(model);
  return {{plant_task, "dyn_control", "native", [played](int, int count) { played->run(count); }}};
}

}  // namespace dyn::bench
