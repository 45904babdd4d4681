// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The laws as plain functions, against the equations of motion.
#include "dyn_core/control/laws.hpp"

#include <gtest/gtest.h>

#include "dyn_core/control/prediction.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "support/random_robot.hpp"

namespace dyn::control {
namespace {

using Vec = Eigen::VectorXd;

// arm7 at a random state with random reference, errors and gains.
class Laws : public ::testing::Test {
 protected:
  Laws()
      : model_(std::make_shared<const Model>(Model::build(load_robot("arm7"), {}))),
        n_(model_->coordinates()),
        dynamics_(model_),
        passive_(n_) {
    test::Rng rng(7);
    for (auto* x : {&q_, &v_, &error_, &error_rate_, &reference_v_, &reference_a_, &integral_}) {
      *x = Vec(n_);
      for (double& value : *x) value = test::uniform(rng, -1.5, 1.5);
    }
    for (auto* x : {&inertia_, &coriolis_, &gravity_, &feedback_, &a_, &sliding_v_, &pid_}) *x = Vec::Constant(n_, 1e9);
    for (int i = 0; i < n_; ++i) {
      gains_.push_back({100.0 + i, 20.0 + i, 1.0, 5.0});
      scales_.push_back(0.9 - 0.1 * i);
    }
    actuated_.assign(n_, true);
    passive_.choose(actuated_, n_, n_);
    EXPECT_TRUE(dynamics_.update(q_, v_).ok());
  }

  [[nodiscard]] static ConstVectorRef<double> of(const Vec& x) { return {x.data(), x.size()}; }
  [[nodiscard]] static VectorRef<double> to(Vec& x) { return {x.data(), x.size()}; }
  [[nodiscard]] LawInput in() const {
    return {dynamics_.M(),   dynamics_.C(),    dynamics_.g(),    dynamics_.h(), of(v_), of(error_),
            of(error_rate_), of(reference_v_), of(reference_a_), of(integral_), gains_, scales_};
  }
  [[nodiscard]] LawOutput out() {
    return {to(inertia_), to(coriolis_), to(gravity_), to(feedback_), to(a_), to(sliding_v_), to(pid_)};
  }
  [[nodiscard]] Vec tau() const { return inertia_ + coriolis_ + gravity_ + feedback_; }
  [[nodiscard]] Vec pid() const {
    Vec x(n_);
    for (int i = 0; i < n_; ++i) {
      const JointGains& gain = gains_[i];
      x[i] = scales_[i] * (gain.p * error_[i] + gain.d * error_rate_[i] + integral_[i]);
    }
    return x;
  }
  [[nodiscard]] Vec acceleration_under(const Vec& torque) {
    Vec a(n_);
    EXPECT_TRUE(dynamics_.forward({torque.data(), static_cast<size_t>(n_)}, {a.data(), static_cast<size_t>(n_)}).ok());
    return a;
  }

  std::shared_ptr<const Model> model_;
  int n_;
  Dynamics dynamics_;
  PassiveJoints passive_;
  std::vector<bool> actuated_;
  std::vector<JointGains> gains_;
  std::vector<double> scales_;
  Vec q_, v_, error_, error_rate_, reference_v_, reference_a_, integral_;
  Vec inertia_, coriolis_, gravity_, feedback_, a_, sliding_v_, pid_;
};

TEST_F(Laws, ComputedTorqueCausesTheAccelerationItMeans) {
  ASSERT_TRUE(computed_torque(in(), passive_, out()).ok());
  const Vec wanted = reference_a_ + pid();
  EXPECT_LT((a_ - wanted).norm(), 1e-12 * wanted.norm());
  EXPECT_LT((acceleration_under(tau()) - wanted).norm(), 1e-9 * wanted.norm());
  EXPECT_LT((feedback_ - dynamics_.M() * pid()).norm(), 1e-12 * feedback_.norm());
  EXPECT_LT((gravity_ - dynamics_.g()).norm(), 1e-15);
}

TEST_F(Laws, ComputedTorqueWithPassiveJointsMovesTheOthersAndTakesNoTorqueThere) {
  actuated_[2] = actuated_[5] = false;
  passive_.choose(actuated_, n_, n_);
  for (const int i : {2, 5}) {
    error_[i] = error_rate_[i] = integral_[i] = reference_a_[i] = 0.0;
  }
  ASSERT_TRUE(computed_torque(in(), passive_, out()).ok());
  const Vec torque = tau();
  EXPECT_LT(std::abs(torque[2]) + std::abs(torque[5]), 1e-10 * torque.norm());
  const Vec a = acceleration_under(torque);
  const Vec wanted = reference_a_ + pid();
  for (const int i : {0, 1, 3, 4, 6}) EXPECT_NEAR(a[i], wanted[i], 1e-9 * wanted.norm()) << i;
}

TEST_F(Laws, FeedforwardIsTheModelAtTheReferencePlusPd) {
  feedforward(in(), out());
  const Vec expected = dynamics_.M() * reference_a_ + dynamics_.C() * v_ + dynamics_.g() + pid();
  EXPECT_LT((tau() - expected).norm(), 1e-12 * expected.norm());
}

TEST_F(Laws, GravityCompensationHoldsAndDamps) {
  gravity_compensation(in(), out());
  for (int i = 0; i < n_; ++i) {
    EXPECT_DOUBLE_EQ(tau()[i], dynamics_.g()[i] - scales_[i] * gains_[i].d * v_[i]) << i;
  }
}

// M sdot + C s = -K s, so that s^T M s / 2 falls by s^T K s, which needs a C with Mdot - 2 C skew.
TEST_F(Laws, PassivityBringsTheSlidingVelocityToZero) {
  ASSERT_TRUE(passivity(in(), passive_, out()).ok());
  const Vec s = v_ - sliding_v_;
  const Vec sdot = acceleration_under(tau()) - a_;
  Vec damping(n_);
  for (int i = 0; i < n_; ++i) damping[i] = scales_[i] * gains_[i].d * dynamics_.M()(i, i) * s[i];
  const Vec left = dynamics_.M() * sdot + dynamics_.C() * s;
  EXPECT_LT((left + damping).norm(), 1e-9 * damping.norm());
  EXPECT_GT(s.dot(damping), 0.0);
  for (int i = 0; i < n_; ++i) {
    const double lambda = scales_[i] * gains_[i].p / gains_[i].d;
    EXPECT_DOUBLE_EQ(a_[i], reference_a_[i] + lambda * error_rate_[i]) << i;
  }
}

TEST_F(Laws, PassivityWithPassiveJointsMovesTheOthersAndTakesNoTorqueThere) {
  actuated_[2] = actuated_[5] = false;
  passive_.choose(actuated_, n_, n_);
  for (const int i : {2, 5}) error_[i] = error_rate_[i] = integral_[i] = reference_a_[i] = reference_v_[i] = 0.0;
  ASSERT_TRUE(passivity(in(), passive_, out()).ok());
  const Vec torque = tau();
  EXPECT_LT(std::abs(torque[2]) + std::abs(torque[5]), 1e-10 * torque.norm());
  const Vec s = v_ - sliding_v_;
  EXPECT_EQ(s[2], 0.0);
  EXPECT_EQ(s[5], 0.0);
  const Vec left = dynamics_.M() * (acceleration_under(torque) - a_) + dynamics_.C() * s;  // = -K s
  for (int i = 0; i < n_; ++i) {
    const double damping = scales_[i] * gains_[i].d * dynamics_.M()(i, i) * s[i];
    EXPECT_NEAR(left[i], -damping, 1e-9 * torque.norm()) << i;
  }
}

TEST(Prediction, ReferenceIsShiftedToThirdOrder) {
  constexpr double T = 1e-2, shift = 7e-3;
  const auto cubic = [](double t) {
    return Point{1.0 + 2.0 * t + 3.0 * t * t + 4.0 * t * t * t, 2.0 + 6.0 * t + 12.0 * t * t, 6.0 + 24.0 * t};
  };
  const Point p = shift_reference(cubic(0.5), cubic(0.5 - T).a, shift, T);
  const Point expected = cubic(0.5 + shift);
  EXPECT_NEAR(p.q, expected.q, 1e-12);
  EXPECT_NEAR(p.v, expected.v, 1e-12);
  EXPECT_NEAR(p.a, expected.a, 1e-11);
}

TEST(Prediction, WholePeriodsFollowTheCommandsOnTheirWay) {
  Commands commands;
  commands.reset();
  commands.push(3.0);
  commands.push(5.0);
  const Point p = predict({0.0, 1.0, 0.0}, commands, 7.0, 2.5, 0.1);
  // 0.1 s under 3, then 0.1 s under 5, then 0.05 s under 7
  EXPECT_NEAR(p.v, 1.0 + 0.3 + 0.5 + 0.35, 1e-15);
  EXPECT_NEAR(p.q, 0.1 + 0.015 + 0.13 + 0.025 + 0.09 + 0.00875, 1e-15);
}

}  // namespace
}  // namespace dyn::control
