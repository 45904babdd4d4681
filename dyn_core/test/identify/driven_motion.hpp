// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Arms with a load that move by sines, driven by the inverse dynamics' torque at the middle of each period, with noise
// of encoders, velocities, torque and torque sensors.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/identify/payload_learner.hpp"
#include "dyn_core/regressor.hpp"

namespace dyn::identify {

using Vec = std::vector<double>;
inline constexpr double period_s = 1e-3;

inline std::shared_ptr<const Model> built(const RobotDescription& robot) {
  ModelOptions options;
  options.armature = true;
  return std::make_shared<const Model>(Model::build(robot, options));
}

// Every drive with a rotor, about an axis of its own.
inline RobotDescription geared(RobotDescription robot) {
  double ratio = 20.0;
  for (JointDescription& joint : robot.joints) {
    if (joint.type != JointType::fixed && joint.armature > 0.0)
      joint.rotor = Rotor{ratio = -ratio, Vec3d(0.48, 0.6, 0.64)};
  }
  return robot;
}

inline Inertial load(double mass_kg, const Vec3d& com_m) {
  Inertial body;
  body.mass_kg = mass_kg;
  body.com_m = com_m;
  body.inertia_com_kgm2 = mass_kg * Vec3d(0.0021, 0.0034, 0.0028).asDiagonal();
  return body;
}

struct Noise {
  double q = 1e-5, v = 1e-3, tau = 0.05;
  double sensed = -1.0;  // of sensors behind the drives; below 0: there are none
};

inline void collect(PayloadLearner& learner) {
  while (learner.collect()) {
  }
}

class Motion {
 public:
  Motion(std::shared_ptr<const Model> truth, const Noise& noise, unsigned seed, double amplitude = 0.4)
      : model_(std::move(truth)),
        dynamics_(model_, {}),
        regressor_(model_),
        noise_(noise),
        random_(seed),
        amplitude_(amplitude),
        q(n()),
        v(n()),
        tau(n()),
        sensed(noise.sensed >= 0.0 ? n() : 0),
        a_(n()),
        q_(n()),
        v_(n()) {
    for (const Joint& joint : model_->joints()) {
      for (int k = 0; k < joint.degrees; ++k) friction.push_back(joint_friction(joint.description));
    }
    for (std::size_t i = 0; i < n(); ++i) phase_.push_back(uniform(0.0, 6.0));
  }
  [[nodiscard]] std::size_t n() const { return static_cast<std::size_t>(model_->coordinates()); }

  void carry(std::shared_ptr<const Model> truth) {
    model_ = std::move(truth);
    dynamics_ = Dynamics(model_, {});
    regressor_ = Regressor(model_);
  }

  void cycle(PayloadLearner& learner, std::uint64_t generation = 1) {
    at(time_s_ + 0.5 * period_s);
    ASSERT_TRUE(dynamics_.update(q_, v_).ok());
    dynamics_.inverse(a_, tau);
    Vec rotors(n());
    ASSERT_TRUE(regressor_.update(q_, v_, a_).ok());
    regressor_.drive_torque(a_, rotors);
    for (std::size_t i = 0; i < n(); ++i) {
      const double rotor = rotors[i];
      tau[i] += friction_torque(friction[i], v_[i], friction_creep_rate) + normal(noise_.tau);
      if (noise_.sensed >= 0.0) sensed[i] = tau[i] - rotor + normal(noise_.sensed);
    }
    at(time_s_);
    for (std::size_t i = 0; i < sensed.size(); ++i) {
      sensed[i] -= friction_torque(friction[i], v_[i], friction_creep_rate);
    }
    for (std::size_t i = 0; i < n(); ++i) {
      q[i] = q_[i] + normal(noise_.q);
      v[i] = v_[i] + normal(noise_.v);
    }
    learner.add(q, v, tau, sensed, generation, false);
    time_s_ += period_s;
  }
  void run(PayloadLearner& learner, double duration_s) {
    for (int k = 0; k < std::lround(duration_s / period_s); ++k) {
      cycle(learner);
      if (k % 100 == 99) collect(learner);
    }
    collect(learner);
  }

 private:
  void at(double t) {
    for (std::size_t i = 0; i < n(); ++i) {
      const double w = 2.5 + 0.4 * static_cast<double>(i), angle = w * t + phase_[i];
      const double amplitude = i == standing ? 0.0 : amplitude_;
      q_[i] = amplitude * std::sin(angle) + 0.3;
      v_[i] = amplitude * w * std::cos(angle);
      a_[i] = -amplitude * w * w * std::sin(angle);
    }
  }
  double uniform(double from, double to) {
    return from + (to - from) * static_cast<double>(random_() >> 11U) * 0x1p-53;
  }
  double normal(double sigma) { return sigma * distribution_(random_); }

  std::shared_ptr<const Model> model_;
  Dynamics dynamics_;
  Regressor regressor_;
  Noise noise_;
  std::mt19937_64 random_;
  std::normal_distribution<double> distribution_;
  double amplitude_, time_s_ = 0.0;
  Vec phase_;

 public:
  Vec q, v, tau, sensed;  // sensed: empty, or with the noise of the sensors
  std::vector<JointFriction> friction;
  std::size_t standing = SIZE_MAX;  // a joint that does not move

 private:
  Vec a_, q_, v_;
};

inline LearnerSettings settings(const std::string& link, const Motion& motion, double duration_s = 2.0) {
  LearnerSettings all;
  all.sensors = !motion.sensed.empty();
  all.link = link;
  all.period_s = period_s;
  all.duration_s = duration_s;
  all.friction = motion.friction;
  all.known.assign(motion.n(), true);
  return all;
}

}  // namespace dyn::identify
