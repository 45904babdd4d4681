// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "later_trajectory.hpp"

#include <utility>

namespace dyn::sim {
namespace {

class Later final : public Trajectory {
 public:
  Later(std::shared_ptr<const Trajectory> trajectory, double begin_s)
      : trajectory_(std::move(trajectory)), begin_s_(begin_s) {}
  [[nodiscard]] double duration_s() const noexcept override { return begin_s_ + trajectory_->duration_s(); }
  void sample(double time_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
    trajectory_->sample(time_s - begin_s_, q, v, a);
  }

 private:
  std::shared_ptr<const Trajectory> trajectory_;
  double begin_s_;
};

class Carried final : public Trajectory {
 public:
  Carried(std::shared_ptr<const Trajectory> trajectory, int coordinates, std::vector<int> from)
      : trajectory_(std::move(trajectory)), from_(std::move(from)) {
    for (auto* x : {&q_, &v_, &a_}) x->resize(coordinates);
  }
  [[nodiscard]] double duration_s() const noexcept override { return trajectory_->duration_s(); }
  void sample(double time_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
    trajectory_->sample(time_s, q_, v_, a_);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      const std::size_t k = from_[i];
      q[i] = from_[i] < 0 ? 0.0 : q_[k];
      v[i] = from_[i] < 0 ? 0.0 : v_[k];
      a[i] = from_[i] < 0 ? 0.0 : a_[k];
    }
  }

 private:
  std::shared_ptr<const Trajectory> trajectory_;
  std::vector<int> from_;
  mutable std::vector<double> q_, v_, a_;
};

}  // namespace

std::shared_ptr<const Trajectory> make_later(std::shared_ptr<const Trajectory> trajectory, double begin_s) {
  return std::make_shared<Later>(std::move(trajectory), begin_s);
}

std::shared_ptr<const Trajectory> make_carried(std::shared_ptr<const Trajectory> trajectory, int coordinates,
                                               std::vector<int> from) {
  return std::make_shared<Carried>(std::move(trajectory), coordinates, std::move(from));
}

}  // namespace dyn::sim
