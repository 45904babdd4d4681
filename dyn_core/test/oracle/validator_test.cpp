// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The check beside the loop: an injected fault is seen within ten samples of a moving arm, and a loop without faults
// never raises an alarm.
#include "dyn_core/oracle/validator.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"
#include "moving_arm.hpp"
#include "support/random_robot.hpp"

namespace dyn::oracle {
namespace {

// The change of M due to a relative change of a parameter, in the best of ten states: relative to sqrt(M_ii M_jj), as
// in the validator.
double influence(const Model& model, int body, int parameter, double change) {
  Dynamics right(model), wrong(model);
  wrong.set_body_inertia(body, with_fault(body_inertia(model.tree(), body), parameter, change));
  double most = 0.0;
  const size_t n = model.coordinates();
  for (int k = 0; k < 10; ++k) {
    std::vector<double> q(n);
    for (size_t i = 0; i < n; ++i) q[i] = std::sin(1.0 + 1.7 * k + 2.3 * static_cast<double>(i));
    EXPECT_TRUE(right.update(q, q).ok() && wrong.update(q, q).ok());
    most = larger_error(most, mass_matrix_error(wrong.M(), right.M()));
  }
  return most;
}

// How many parameters of arm7 change M, and how many of these by at least `least` but less than `below`, with a
// relative error of 1e-6: each of them is seen at that tolerance.
std::pair<int, int> expect_faults_seen(double tolerance, double least, double below) {
  MovingArm arm(load_robot("arm7"), {}, 0.01);
  ValidatorSettings settings;
  settings.tolerance = tolerance;
  const Validator validator(arm.live, arm.ring, settings);
  EXPECT_EQ(breaches_in_ten_samples(arm, validator), 0U);
  const Model& model = *arm.live.newest_model();
  int identifiable = 0, looked_at = 0;
  for (int body = 0; body < model.bodies(); ++body) {
    const BodyInertia right = body_inertia(model.tree(), body);
    for (int parameter = 0; parameter < 10; ++parameter) {
      const double seen = influence(model, body, parameter, 1e-3) * 1e-3;
      if (seen < 1e-13) continue;  // M does not depend on it
      ++identifiable;
      if (seen < least || seen >= below) continue;
      ++looked_at;
      Dynamics& dynamics = arm.live.acquire(0.0).dynamics;
      dynamics.set_body_inertia(body, with_fault(right, parameter, 1e-6));
      EXPECT_GT(breaches_in_ten_samples(arm, validator), 0U)
          << model.body_joint(body) << ' ' << parameter_names[parameter] << ' ' << seen;
      dynamics.set_body_inertia(body, right);
    }
  }
  EXPECT_EQ(breaches_in_ten_samples(arm, validator), 0U);
  return {identifiable, looked_at};
}

TEST(ValidatorFaults, OneParameterOffByAMillionthIsSeenWithinTenSamples) {
  const auto [identifiable, seen] = expect_faults_seen(1e-10, 3e-10, 1.0);
  EXPECT_GE(identifiable, 50);
  EXPECT_GE(seen, identifiable - 7);
}

// A millionth of some moves M by hardly more than 1e-10, or less, in the best state: the check is fine enough for them
// with a tolerance that is.
TEST(ValidatorFaults, OneThatHardlyMattersIsSeenAtAFinerTolerance) {
  const auto [identifiable, seen] = expect_faults_seen(1e-13, 0.0, 3e-10);
  EXPECT_GE(seen, 1) << "of " << identifiable;
}

TEST(ValidatorFaults, AWrongSignIsSeen) {
  MovingArm arm(test::small_arm(), {}, 0.01);
  const Validator validator(arm.live, arm.ring, {});
  const Model& model = *arm.live.newest_model();
  for (int body = 0; body < model.bodies(); ++body) {
    const BodyInertia right = body_inertia(model.tree(), body);
    for (int axis = 1; axis < 4; ++axis) {
      if (influence(model, body, axis, -2.0) < 1e-9) continue;
      Dynamics& dynamics = arm.live.acquire(0.0).dynamics;
      dynamics.set_body_inertia(body, with_fault(right, axis, -2.0));
      EXPECT_GT(breaches_in_ten_samples(arm, validator), 0U) << body << ' ' << parameter_names[axis];
      dynamics.set_body_inertia(body, right);
    }
  }
}

// A sample as the loop writes it, then one number with the wrong sign.
template <class Flip>
std::uint64_t breaches_with(Flip&& flip) {
  live::LiveModel live(test::small_arm(), {});
  live::SampleRing ring(16, 3, 3);
  const Validator validator(live, ring, {});
  Dynamics& dynamics = live.acquire(0.0).dynamics;
  for (int k = 0; k < 10; ++k) {
    live::Sample* const sample = ring.begin();
    sample->n = 3;
    sample->gravity_mps2 = dynamics.tree().gravity;
    for (size_t i = 0; i < 3; ++i) {
      sample->q[i] = std::sin(0.3 * k + static_cast<double>(i));
      sample->v[i] = std::cos(0.2 * k + static_cast<double>(i));
    }
    EXPECT_TRUE(dynamics.update(sample->q, sample->v).ok());
    std::copy_n(dynamics.M().data(), 9, sample->M.data());
    std::copy_n(dynamics.g().data(), 3, sample->g.data());
    Eigen::Map<Vec3d>(sample->Cv.data()) = dynamics.C() * Eigen::Map<const Vec3d>(sample->v.data());
    flip(*sample);
    ring.commit();
  }
  return settled(ring, validator).breaches;
}

TEST(ValidatorFaults, AWrongSignInTheLoopsNumbersIsSeen) {
  EXPECT_EQ(breaches_with([](live::Sample&) {}), 0U);
  for (size_t i = 0; i < 3; ++i) {
    const auto upright = i == 0 ? 0U : 1U;  // a joint about the vertical has no gravity torque
    EXPECT_GE(breaches_with([&](live::Sample& s) { s.g[i] = -s.g[i]; }), upright) << "g " << i;
    EXPECT_GT(breaches_with([&](live::Sample& s) { s.Cv[i] = -s.Cv[i]; }), 0U) << "C v " << i;
    EXPECT_GT(breaches_with([&](live::Sample& s) { s.M[4 * i] = -s.M[4 * i]; }), 0U) << "M " << i;
  }
  EXPECT_GT(breaches_with([&](live::Sample& s) { s.M[5] = -s.M[5]; }), 0U) << "M(2, 1)";
  EXPECT_EQ(breaches_with([&](live::Sample& s) { s.M[5] = std::nan(""); }), 10U) << "NaN is a breach";
  EXPECT_GT(breaches_with([&](live::Sample& s) { s.gravity_mps2 = -s.gravity_mps2; }), 0U) << "gravity";
}

// A millionth of any of the loop's numbers, C v as well as M and g, is more than the tolerance; rounding is not.
TEST(ValidatorFaults, AMillionthOfEveryTermIsSeen) {
  for (const auto& [share, seen] : {std::pair(1e-6, true), std::pair(1e-8, true), std::pair(1e-15, false)}) {
    const double factor = 1.0 + share;
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(breaches_with([&](live::Sample& s) { s.Cv[i] *= factor; }) > 0, seen) << "C v " << i << ' ' << share;
      EXPECT_EQ(breaches_with([&](live::Sample& s) { s.M[4 * i] *= factor; }) > 0, seen) << "M " << i << ' ' << share;
      if (i == 0) continue;  // a joint about the vertical has no gravity torque
      EXPECT_EQ(breaches_with([&](live::Sample& s) { s.g[i] *= factor; }) > 0, seen) << "g " << i << ' ' << share;
    }
  }
}

// The loop works with the inertia that the hand had before the payload came (a gram of it is enough), or with the one
// it had with the payload that was taken away; at once or in the middle of a ramp; the payload a chain or not.
TEST(ValidatorFaults, AStalePayloadIsSeen) {
  live::LiveOptions options;
  options.max_payload_dofs = 1;
  MovingArm arm(test::small_arm(), options, 0.001);
  const Validator validator(arm.live, arm.ring, {});
  const BodyInertia empty = body_inertia(arm.live.newest_model()->tree(), 2);
  const auto expect_seen = [&](const BodyInertia& stale, const char* what) {
    EXPECT_EQ(breaches_in_ten_samples(arm, validator), 0U) << what;
    Dynamics& dynamics = arm.live.acquire(0.0).dynamics;
    const BodyInertia right = body_inertia(dynamics.tree(), 2);
    std::uint64_t breaches = 0;
    for (int k = 0; k < 10; ++k) {
      dynamics.set_body_inertia(2, stale);
      const auto before = settled(arm.ring, validator).breaches;
      (void)arm.step();
      breaches += settled(arm.ring, validator).breaches - before;
    }
    EXPECT_GT(breaches, 0U) << what;
    dynamics.set_body_inertia(2, right);
  };
  (void)arm.live.attach(test::box("gram", 0.001), 0.0);
  expect_seen(empty, "attached");
  const BodyInertia loaded = body_inertia(arm.live.newest_model()->tree(), 2);
  (void)arm.live.detach("gram", 0.0);
  expect_seen(loaded, "detached");
  (void)arm.live.attach(test::bucket("bucket", "link3"), 0.0);
  expect_seen(loaded, "beside a chain");
}

// A ramp that goes to the wrong end, or from the wrong one.
TEST(ValidatorFaults, AStaleRampIsSeen) {
  for (const bool wrong_end : {false, true}) {
    MovingArm arm(test::small_arm(), {}, 0.001);
    const Validator validator(arm.live, arm.ring, {});
    (void)arm.live.attach(test::box("gram", 0.001), 0.1);
    for (int k = 0; k < 30; ++k) (void)arm.step();
    EXPECT_EQ(settled(arm.ring, validator).breaches, 0U);
    EXPECT_EQ(settled(arm.ring, validator).ramping, 30U);
    live::Generation& now = arm.live.acquire(0.0);
    if (wrong_end) {
      const_cast<Tree&>(now.model->tree()).mass[2] *= 1.0 + 1e-6;  // the loop's blend takes this for the end
    } else {
      now.ramps[2].from.mass_kg *= 1.0 + 1e-6;
    }
    EXPECT_GT(breaches_in_ten_samples(arm, validator), 0U) << wrong_end;
  }
}

// Ten minutes at 100 samples a second, with everything that may change changing every few seconds.
TEST(Validator, NoFalseAlarmInTenMinutes) {
  live::LiveOptions options;
  options.max_payload_dofs = 1;
  MovingArm arm(load_robot("arm7"), options, 0.01);
  const RobotDescription robot = load_robot("arm7");
  const std::string hand = robot.links.back().name;
  const Validator validator(arm.live, arm.ring, {});
  const auto& jsims = AlgorithmList<JsimAlgorithms<double>>::names;
  const auto& coriolis_names = AlgorithmList<CoriolisAlgorithms<double>>::names;
  for (int k = 0; k < 60000; ++k) {
    const auto room = [&] {
      const ValidatorStatistics now = validator.statistics();
      return arm.ring.written() - now.samples - now.skipped <= 48;
    };
    ASSERT_TRUE(test::wait_until(room, "the validator catches up"));
    const int second = k / 100;
    if (k % 100 == 0) {
      switch (second % 10) {
        case 0: (void)arm.live.attach(test::box("box", 3.0, hand), 0.5); break;
        case 1: arm.live.set_jsim(jsims[static_cast<size_t>(second) % jsims.size()]); break;
        case 2: (void)arm.live.detach("box", 2.5); break;
        case 3: (void)arm.live.attach(test::box("tool", 1.0, hand), 1.0); break;  // cuts the ramp short
        case 4: (void)arm.live.attach(test::bucket("bucket", hand), 0.0); break;
        case 5: arm.live.set_gravity({0.1, 0.2, -9.0 - 0.01 * second}); break;
        case 6: (void)arm.live.detach("tool", 0.3); break;
        case 7: arm.live.set_coriolis(coriolis_names[static_cast<size_t>(second / 10) % coriolis_names.size()]); break;
        case 8: (void)arm.live.detach("bucket", 0.0); break;
        default: (void)arm.live.replace_robot(robot, 0.1); break;
      }
    }
    (void)arm.step();
  }
  const ValidatorStatistics numbers = settled(arm.ring, validator);
  EXPECT_EQ(numbers.samples, 60000U);
  EXPECT_EQ(numbers.skipped, 0U);
  EXPECT_EQ(arm.ring.dropped(), 0U);
  EXPECT_GT(numbers.ramping, 10000U) << "ramps are to be checked too";
  EXPECT_EQ(numbers.breaches, 0U) << numbers.max_M << ' ' << numbers.max_Cv << ' ' << numbers.max_g;
}

// Robots with every kind of joint, mimic ones too, with payloads of both kinds that come and go, at once and by ramps.
TEST(Validator, BuildsEveryGenerationByItself) {
  test::Rng rng(7);
  for (int k = 0; k < 8; ++k) {
    live::LiveOptions options;
    options.max_payload_dofs = 1;
    MovingArm arm(test::random_robot(rng, {.joints = 6, .mimic = true}), options, 0.001);
    const Validator validator(arm.live, arm.ring, {});
    const std::string hand = "link" + std::to_string(6 - k % 3);
    const auto expect_agreement = [&](const char* after) {
      EXPECT_EQ(breaches_in_ten_samples(arm, validator), 0U) << k << ' ' << after;
    };
    expect_agreement("nothing");
    (void)arm.live.attach(test::bucket("bucket", hand), 0.0);
    expect_agreement("a chain");
    (void)arm.live.attach(test::box("box", 1.0, "bucket/pail"), 0.1);
    expect_agreement("a ramp on the chain");
    (void)arm.live.attach(test::box("other", 2.0, hand), 0.1);
    expect_agreement("a second ramp");
    (void)arm.live.detach("box", 0.05);
    expect_agreement("a ramp that is cut short");
    (void)arm.live.detach("bucket", 0.0);
    expect_agreement("the chain gone");
    (void)arm.live.detach("other", 0.0);
    expect_agreement("all gone");
    EXPECT_EQ(validator.statistics().skipped, 0U);
    EXPECT_GE(validator.statistics().ramping, 30U);
  }
}

// A new description rotates a joint's axis: the inertias of the ramp cannot be blended, and its samples count as
// skipped.
TEST(Validator, SkipsARampBetweenDifferentJoints) {
  MovingArm arm(test::small_arm(), {}, 0.001);
  const Validator validator(arm.live, arm.ring, {});
  RobotDescription turned = test::small_arm(3.0);
  turned.joints[1].axis = Vec3d(0.0, 0.8, 0.6);
  (void)arm.step();
  (void)arm.live.replace_robot(turned, 0.01);
  for (int k = 0; k < 20; ++k) (void)arm.step();
  const auto numbers = settled(arm.ring, validator);
  EXPECT_EQ(numbers.breaches, 0U);
  EXPECT_GT(numbers.skipped, 0U);
  EXPECT_LT(numbers.skipped, 11U);
}

TEST(Validator, CountsWhatItCannotCompare) {
  MovingArm arm(test::small_arm(), {}, 0.01, 4);
  for (int k = 0; k < 10; ++k) (void)arm.step();  // there is no reader yet
  EXPECT_EQ(arm.ring.written(), 4U);
  EXPECT_EQ(arm.ring.dropped(), 6U);
  for (size_t k = 0; k < live::LiveModel::models_remembered; k += 2) {
    (void)arm.live.attach(test::box("box", 1.0), 0.0);
    (void)arm.live.detach("box", 0.0);
  }
  ASSERT_EQ(arm.live.model_of(0), nullptr) << "the first model is still remembered";
  const Validator validator(arm.live, arm.ring, {});
  const auto numbers = settled(arm.ring, validator);
  EXPECT_EQ(numbers.skipped, 4U);
  EXPECT_EQ(numbers.samples, 0U);
}

TEST(Validator, AnUnknownFallbackIsRefused) {
  MovingArm arm(test::small_arm(), {}, 0.01);
  EXPECT_THROW(Validator(arm.live, arm.ring, {.fallback = "best"}), ModelError);
}

}  // namespace
}  // namespace dyn::oracle
