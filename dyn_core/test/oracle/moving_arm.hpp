// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A loop for the validator, and faults to inject into it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/live/sample_ring.hpp"
#include "dyn_core/oracle/validator.hpp"
#include "live/arm.hpp"
#include "support/wait.hpp"

namespace dyn::oracle {

// The reference of joint i is c_i + 0.8 sin((1 + 0.2 i) t + i), with c = 0 unless it is given. The arm is always where
// the reference is, or, with_plant(), where its torques bring it.
class MovingArm {
 public:
  MovingArm(const RobotDescription& robot, const live::LiveOptions& options, double period_s, int ring_slots = 64,
            std::vector<double> centre = {})
      : live(robot, options),
        ring(ring_slots, live.max_coordinates(), live.newest_model()->bodies() + options.max_payload_dofs),
        centre_(std::move(centre)),
        period_s_(period_s),
        controller_(live, control::Actuation::from_model(*live.newest_model(), {}), parameters(), period_s) {
    const size_t n = live.max_coordinates();
    centre_.resize(n, 0.0);
    for (auto* x : {&q_, &v_, &ref_q_, &ref_v_, &ref_a_, &effort_, &a_}) x->assign(n, 0.0);
    move_reference();
    q_ = ref_q_;
    v_ = ref_v_;
    controller_.activate({q_, v_});
    controller_.set_sample_ring(&ring);
  }
  void with_plant(const RobotDescription& robot) { plant_.emplace(Model::build(robot)); }

  control::CycleReport step() {
    move_reference();
    if (!plant_) std::tie(q_, v_) = std::tie(ref_q_, ref_v_);
    const auto report = controller_.step({q_, v_}, {ref_q_, ref_v_, ref_a_, true}, effort_);
    if (plant_) {
      EXPECT_TRUE(plant_->update(q_, v_).ok() && plant_->forward(effort_, a_).ok());
      for (size_t i = 0; i < q_.size(); ++i) {
        v_[i] += a_[i] * period_s_;
        q_[i] += v_[i] * period_s_;
      }
    }
    time_s_ += period_s_;
    return report;
  }
  [[nodiscard]] const std::vector<double>& effort() const { return effort_; }
  [[nodiscard]] const std::vector<double>& v() const { return v_; }

  live::LiveModel live;
  live::SampleRing ring;

 private:
  [[nodiscard]] control::Parameters parameters() const {
    control::Parameters p;
    p.gains.assign(live.robot_coordinates(), {400.0, 40.0, 0.0, 0.0});
    p.effort_limit.assign(p.gains.size(), 1e6);  // random robots have none of their own
    return p;
  }
  void move_reference() {
    for (size_t i = 0; i < q_.size(); ++i) {
      const double rate = 1.0 + 0.2 * static_cast<double>(i);
      const double angle = rate * time_s_ + static_cast<double>(i);
      ref_q_[i] = centre_[i] + 0.8 * std::sin(angle);
      ref_v_[i] = 0.8 * rate * std::cos(angle);
      ref_a_[i] = -0.8 * rate * rate * std::sin(angle);
    }
  }

  std::vector<double> centre_;
  double period_s_, time_s_ = 0.0;
  control::Controller controller_;
  std::optional<Dynamics> plant_;
  std::vector<double> q_, v_, ref_q_, ref_v_, ref_a_, effort_, a_;
};

// Until every sample that was written has been compared.
inline ValidatorStatistics settled(const live::SampleRing& ring, const Validator& validator) {
  const auto all = [&] {
    const ValidatorStatistics numbers = validator.statistics();
    return numbers.samples + numbers.skipped == ring.written();
  };
  (void)test::wait_until(all, "the validator has looked at every sample");
  return validator.statistics();
}

inline std::uint64_t breaches_in_ten_samples(MovingArm& arm, const Validator& validator) {
  const auto before = settled(arm.ring, validator).breaches;
  for (int k = 0; k < 10; ++k) (void)arm.step();
  return settled(arm.ring, validator).breaches - before;
}

inline constexpr std::array<const char*, 10> parameter_names{"mass", "com x", "com y", "com z", "ixx",
                                                             "ixy",  "ixz",   "iyy",   "iyz",   "izz"};
inline double& moment(Mat3d& I, int k) {
  constexpr std::array<std::pair<int, int>, 6> entries{{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};
  return I(entries[k].first, entries[k].second);
}
// Scaled by 1 + change; -2 turns the sign.
inline BodyInertia with_fault(BodyInertia inertia, int parameter, double change) {
  if (parameter == 0) {
    inertia.mass_kg *= 1.0 + change;
  } else if (parameter < 4) {
    inertia.com_m[parameter - 1] *= 1.0 + change;
  } else {
    moment(inertia.inertia_com_kgm2, parameter - 4) *= 1.0 + change;
    const Mat3d upper = inertia.inertia_com_kgm2;
    inertia.inertia_com_kgm2 = upper.selfadjointView<Eigen::Upper>();
  }
  return inertia;
}

}  // namespace dyn::oracle
