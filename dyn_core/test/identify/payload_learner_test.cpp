// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What is learnt of the load that an arm carries while it moves (driven_motion.hpp).
#include "dyn_core/identify/payload_learner.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "dyn_core/model/robot_library.hpp"
#include "identify/driven_motion.hpp"
#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"
#include "support/random_robot.hpp"

namespace dyn::identify {
namespace {

bool is_in_place(const LearntPayload& learnt, const Inertial& truth) {
  return std::abs(learnt.inertial.mass_kg - truth.mass_kg) < 0.01 * truth.mass_kg &&
         (learnt.inertial.com_m - truth.com_m).norm() < 5e-3;
}

struct Case {
  const char* robot;
  const char* link;
};
class Learner : public ::testing::TestWithParam<Case> {};

// Without noise the payload is exact, with friction and armature, on every link; with fixed links, rotated joint frames
// and prismatic joints.
TEST_P(Learner, FindsTheBodyThatIsCarried) {
  const RobotDescription robot = load_robot(GetParam().robot);
  const Inertial truth = load(3.0, {0.05, -0.03, 0.08});
  const auto bare = built(robot);
  Motion motion(built(attach(robot, Payload::rigid("load", GetParam().link, truth))), {0.0, 0.0, 0.0}, 1);
  PayloadLearner learner(bare, {}, settings(GetParam().link, motion));
  motion.run(learner, 2.0);
  ASSERT_TRUE(learner.complete());
  const LearntPayload learnt = learner.solve();
  EXPECT_NEAR(learnt.inertial.mass_kg, truth.mass_kg, 3e-4);
  EXPECT_LT((learnt.inertial.com_m - truth.com_m).norm(), 3e-4);
  EXPECT_EQ(learner.propose(learnt).what, Proposal::attach) << learner.propose(learnt).text;
}

// So it is with rotors, from the drives' torque and from sensors behind the drives, which do not feel their own rotor.
TEST(PayloadLearner, KnowsTheRotorsOfTheDrives) {
  const RobotDescription robot = geared(load_robot("arm7"));
  const Inertial truth = load(3.0, {0.05, -0.03, 0.08});
  ASSERT_GT(built(robot)->bodies(), built(robot)->coordinates());
  for (const double sensed : {-1.0, 0.0}) {
    Motion motion(built(attach(robot, Payload::rigid("load", "tool0", truth))), {0.0, 0.0, 0.0, sensed}, 1);
    PayloadLearner learner(built(robot), {}, settings("tool0", motion));
    motion.run(learner, 2.0);
    const LearntPayload learnt = learner.solve();
    EXPECT_EQ(learnt.of_sensors, sensed == 0.0);
    EXPECT_NEAR(learnt.inertial.mass_kg, truth.mass_kg, 3e-4) << sensed;
    EXPECT_LT((learnt.inertial.com_m - truth.com_m).norm(), 3e-4) << sensed;
  }
}

// The model was built for the Earth, and the loop was told of another gravity since.
TEST(PayloadLearner, TakesTheGravityThatItIsTold) {
  const RobotDescription robot = load_robot("arm7");
  const Inertial truth = load(3.0, {0.02, -0.03, 0.08});
  ModelOptions moon;
  moon.armature = true;
  moon.gravity_mps2 = {0.0, 0.0, -1.62};
  Motion motion(
      std::make_shared<const Model>(Model::build(attach(robot, Payload::rigid("load", "tool0", truth)), moon)),
      {0.0, 0.0, 0.0}, 1);
  LearnerSettings all = settings("tool0", motion);
  all.gravity_mps2 = moon.gravity_mps2;
  PayloadLearner learner(built(robot), {}, all);
  motion.run(learner, 2.0);
  EXPECT_NEAR(learner.solve().inertial.mass_kg, truth.mass_kg, 3e-4);
}

INSTANTIATE_TEST_SUITE_P(Robots, Learner,
                         ::testing::Values(Case{"arm7", "tool0"}, Case{"arm7", "link4"}, Case{"rover_arm", "link3"}),
                         [](const auto& it) { return std::string(it.param.robot) + "_" + it.param.link; });

// Over 60 seeds of noise: 1 % and 5 mm within 2 s in every one, and the sigmas are honest.
TEST(PayloadLearner, IsAsPreciseAsItSays) {
  const RobotDescription robot = load_robot("arm7");
  const auto bare = built(robot);
  const Inertial truth = load(3.0, {0.02, -0.03, 0.08});
  const auto laden = built(attach(robot, Payload::rigid("load", "tool0", truth)));
  constexpr int seeds = 60;
  int within = 0, numbers = 0;
  double squares = 0.0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Motion motion(laden, {}, seed + 1);
    PayloadLearner learner(bare, {}, settings("tool0", motion));
    motion.run(learner, 2.0);
    const LearntPayload learnt = learner.solve();
    EXPECT_TRUE(learnt.converged) << learnt.why_not;
    EXPECT_TRUE(is_in_place(learnt, truth)) << seed << ": " << learner.propose(learnt).text;
    const Vec3d off = learnt.inertial.com_m - truth.com_m;
    const double z[] = {(learnt.inertial.mass_kg - truth.mass_kg) / learnt.sigma.mass_kg,
                        off.x() / learnt.sigma.com_m.x(), off.y() / learnt.sigma.com_m.y(),
                        off.z() / learnt.sigma.com_m.z()};
    for (const double x : z) {
      within += std::abs(x) < 3.0 ? 1 : 0;
      squares += x * x;
      ++numbers;
    }
  }
  EXPECT_GT(within, 0.97 * numbers);
  EXPECT_GT(std::sqrt(squares / numbers), 0.5);  // and the sigmas are not too large
  RecordProperty("rms_of_errors_in_sigmas", std::to_string(std::sqrt(squares / numbers)));
}

// Sensors with noise beside drives that are known exactly do no harm. If the drives have another friction than is told,
// only the sensors count, and their readings are not half a period early.
TEST(PayloadLearner, DrivesCountBesideSensorsIfTheyAgree) {
  const RobotDescription robot = load_robot("arm7");
  const Inertial truth = load(3.0, {0.02, -0.03, 0.08});
  for (const bool agree : {true, false}) {
    const Noise noise = agree ? Noise{1e-5, 1e-5, 0.0, 0.05} : Noise{0.0, 0.0, 0.0, 0.0};
    Motion motion(built(attach(robot, Payload::rigid("load", "tool0", truth))), noise, 15);
    LearnerSettings all = settings("tool0", motion);
    for (JointFriction& friction : motion.friction) friction.damping *= agree ? 1.0 : 3.0;
    PayloadLearner learner(built(robot), {}, all);
    motion.run(learner, 2.0);
    const LearntPayload learnt = learner.solve();
    EXPECT_EQ(learnt.of_drives, agree);
    EXPECT_TRUE(learnt.of_sensors && learnt.converged) << learnt.why_not;
    EXPECT_NEAR(learnt.inertial.mass_kg, truth.mass_kg, 2e-4);
    EXPECT_LT((learnt.inertial.com_m - truth.com_m).norm(), 1e-4);
  }
}

// A joint that stands is held by static friction, anything up to its Coulomb friction: no part of the load.
TEST(PayloadLearner, StaticFrictionOfAJointThatStandsIsNoLoad) {
  const RobotDescription robot = load_robot("arm7");
  const Inertial truth = load(3.0, {0.02, -0.03, 0.08});
  Motion motion(built(attach(robot, Payload::rigid("load", "tool0", truth))), {0.0, 0.0, 0.0}, 1);
  PayloadLearner learner(built(robot), {}, settings("tool0", motion));
  motion.standing = 3;
  ASSERT_GT(motion.friction[3].coulomb, 0.0);
  motion.friction[3].offset += 0.9 * motion.friction[3].coulomb;
  motion.run(learner, 2.0);
  const LearntPayload learnt = learner.solve();
  EXPECT_NEAR(learnt.inertial.mass_kg, truth.mass_kg, 3e-4);
  EXPECT_LT((learnt.inertial.com_m - truth.com_m).norm(), 3e-4);
  EXPECT_LT(learnt.noise[3], 1e-6) << "what holds it is taken for noise of its torque";
}

// At rest the torques show the weight, but not the centre of mass along gravity: no proposal.
TEST(PayloadLearner, AtRestNothingConverges) {
  const RobotDescription robot = load_robot("arm7");
  Motion motion(built(attach(robot, Payload::rigid("load", "tool0", load(3.0, {0.0, 0.0, 0.08})))), {}, 3, 0.0);
  PayloadLearner learner(built(robot), {}, settings("tool0", motion));
  motion.run(learner, 2.0);
  const LearntPayload learnt = learner.solve();
  EXPECT_FALSE(learnt.converged);
  EXPECT_EQ(learner.propose(learnt).what, Proposal::none);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(pseudo_inertia(parameters_of(learnt.inertial)));
  EXPECT_GT(eigen.eigenvalues().minCoeff(), 0.0);
}

TEST(PayloadLearner, AnEmptyHandIsNoPayload) {
  const auto bare = built(load_robot("arm7"));
  Motion motion(bare, {}, 5);
  PayloadLearner learner(bare, {}, settings("tool0", motion));
  motion.run(learner, 2.0);
  const PayloadProposal proposal = learner.propose(learner.solve());
  EXPECT_EQ(proposal.what, Proposal::none);
  EXPECT_NE(proposal.text.find("nothing is carried"), std::string::npos) << proposal.text;
}

// An attached payload is kept if the load agrees with it; otherwise the proposal names it.
TEST(PayloadLearner, ToldPayloadsAreComparedWithWhatIsThere) {
  const RobotDescription robot = load_robot("arm7");
  const Pose turned = pose_from_xyz_rpy({0.01, 0.02, 0.05}, {0.3, -0.2, 0.5});
  const Payload told = Payload::rigid("box", "tool0", load(3.0, {0.0, 0.01, 0.03}), turned);
  const auto laden = built(attach(robot, told));
  const auto proposal = [&](const std::shared_ptr<const Model>& truth) {
    Motion motion(truth, {}, 7);
    PayloadLearner learner(laden, {told}, settings("tool0", motion));
    motion.run(learner, 2.0);
    return learner.propose(learner.solve());
  };
  EXPECT_EQ(proposal(laden).what, Proposal::keep) << proposal(laden).text;
  const PayloadProposal dropped = proposal(built(robot));
  EXPECT_EQ(dropped.what, Proposal::detach) << dropped.text;
  EXPECT_EQ(dropped.payloads, std::vector<std::string>{"box"});
  const PayloadProposal heavier =
      proposal(built(attach(robot, Payload::rigid("box", "tool0", load(3.6, {0.0, 0.01, 0.03}), turned))));
  EXPECT_EQ(heavier.what, Proposal::none);
  EXPECT_NE(heavier.text.find("disagrees"), std::string::npos) << heavier.text;
}

// The load is dropped during the motion: samples before that no longer count.
TEST(PayloadLearner, ADropIsNoticedWhileItIsGoingOn) {
  const RobotDescription robot = load_robot("arm7");
  const Payload told = Payload::rigid("box", "tool0", load(3.0, {0.0, 0.0, 0.06}));
  const auto laden = built(attach(robot, told));
  Motion motion(laden, {}, 9);
  PayloadLearner learner(laden, {told}, settings("tool0", motion, 6.0));
  motion.run(learner, 2.0);
  EXPECT_EQ(learner.propose(learner.solve()).what, Proposal::keep);
  motion.carry(built(robot));
  bool seen_change = false;
  for (int k = 0; k < 20; ++k) {
    motion.run(learner, 0.2);
    const LearntPayload learnt = learner.solve();
    seen_change = seen_change || learnt.why_not.find("changed from") != std::string::npos;
  }
  EXPECT_TRUE(seen_change);
  const PayloadProposal proposal = learner.propose(learner.solve());
  EXPECT_EQ(proposal.what, Proposal::detach) << proposal.text;
}

TEST(PayloadLearner, AnotherModelEndsIt) {
  const auto bare = built(load_robot("arm7"));
  Motion motion(bare, {}, 11);
  PayloadLearner learner(bare, {}, settings("tool0", motion));
  motion.run(learner, 1.5);
  motion.cycle(learner, 2);
  EXPECT_TRUE(learner.over());
  collect(learner);
  EXPECT_TRUE(learner.complete());
  const LearntPayload learnt = learner.solve();
  EXPECT_FALSE(learnt.converged);
  EXPECT_NE(learnt.why_not.find("model changed"), std::string::npos);
}

// While collect() is not called, blocks are continued, nothing is lost, and the loop still neither allocates nor locks.
// States that are not finite are skipped.
TEST(PayloadLearner, TheLoopTakesNoMemoryAndNoLock) {
  const RobotDescription robot = load_robot("arm7");
  const Inertial truth = load(3.0, {0.02, -0.03, 0.08});
  Motion motion(built(attach(robot, Payload::rigid("load", "tool0", truth))), {}, 13);
  PayloadLearner learner(built(robot), {}, settings("tool0", motion, 5.0));
  test::AllocationCount allocations;
  std::int64_t locks = 0;
  for (int k = 0; k < 5000; ++k) {
    motion.cycle(learner);
    const Vec bad(motion.n(), std::nan(""));
    locks += test::count_lock_calls([&] {
      const auto some = test::count_allocations([&] {
        learner.add(motion.q, motion.v, motion.tau, {}, 1, true);
        learner.add(bad, motion.v, motion.tau, {}, 1, false);
      });
      allocations.allocations += some.allocations;
      allocations.frees += some.frees;
    });
    const auto some = test::count_allocations(
        [&] { locks += test::count_lock_calls([&] { learner.add(motion.q, motion.v, motion.tau, {}, 1, false); }); });
    allocations.allocations += some.allocations;
    allocations.frees += some.frees;
  }
  EXPECT_TRUE(allocations.none()) << allocations.allocations << " and " << allocations.frees;
  EXPECT_EQ(locks, 0);
}

TEST(PayloadLearner, NoCollectorLosesNothing) {
  const RobotDescription robot = load_robot("arm7");
  const Inertial truth = load(3.0, {0.02, -0.03, 0.08});
  Motion motion(built(attach(robot, Payload::rigid("load", "tool0", truth))), {}, 13);
  PayloadLearner learner(built(robot), {}, settings("tool0", motion, 5.0));
  for (int k = 0; k < 5000; ++k) motion.cycle(learner);
  collect(learner);
  EXPECT_FALSE(learner.complete());  // its last block had no room
  motion.cycle(learner);
  collect(learner);
  EXPECT_TRUE(learner.complete());
  EXPECT_NEAR(learner.collected_s(), 5.0, 2e-3);
  EXPECT_TRUE(is_in_place(learner.solve(), truth));
}

TEST(PayloadLearner, WhatCannotBeLearntIsRefused) {
  const RobotDescription robot = load_robot("arm7");
  const auto bare = built(robot);
  const Motion motion(bare, {}, 1);
  const auto refusal = [&](LearnerSettings what, const std::vector<Payload>& attached = {}) -> std::string {
    try {
      const PayloadLearner learner(bare, attached, std::move(what));
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(settings("tool0", motion)), "");
  EXPECT_NE(refusal(settings("nowhere", motion)).find("no such link"), std::string::npos);
  EXPECT_NE(refusal(settings(robot.links.front().name, motion)).find("does not move"), std::string::npos);
  LearnerSettings none = settings("tool0", motion);
  none.known.assign(7, false);
  EXPECT_NE(refusal(none).find("no joint"), std::string::npos);
  LearnerSettings long_one = settings("tool0", motion, 1e9);
  EXPECT_NE(refusal(long_one).find("duration"), std::string::npos);
  EXPECT_EQ(refusal(settings("tool0", motion, 0.5)), "");
  EXPECT_NE(refusal(settings("tool0", motion, 0.49)).find("is not in 0.5 to 3600 s"), std::string::npos);
  LearnerSettings fast = settings("tool0", motion);
  fast.cutoff_hz = 400.0;
  EXPECT_NE(refusal(fast).find("cutoff"), std::string::npos);
}

}  // namespace
}  // namespace dyn::identify
