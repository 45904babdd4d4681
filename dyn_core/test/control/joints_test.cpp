// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Joints that are added, removed, or change type or place while the loop runs: what is continued and what begins anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>

#include "control/rig.hpp"
#include "support/wait.hpp"

namespace dyn::control {
namespace {

using test::small_arm;

// The small arm with one more joint on its end.
RobotDescription longer_arm(JointType type = JointType::revolute) {
  RobotDescription robot = small_arm();
  robot.source = "longer.urdf";
  robot.links.push_back({"link4", robot.links[3].inertial});
  robot.joints.push_back(robot.joints[2]);
  robot.joints[3].name = "joint4";
  robot.joints[3].type = type;
  robot.joints[3].parent_link = "link3";
  robot.joints[3].child_link = "link4";
  return robot;
}

// joint4 comes between joint1 and the others in q, whose coordinates shift.
RobotDescription branched_arm() {
  RobotDescription robot = longer_arm();
  robot.joints[3].parent_link = "link1";
  std::rotate(robot.joints.begin() + 1, robot.joints.begin() + 3, robot.joints.end());
  return robot;
}

Actuation actuation_of(const Model& model) { return Rig::actuation(model, {}, References::any); }

void change(Rig& rig, const RobotDescription& robot, const CoordinateMap& map, const Parameters& parameters) {
  const Model model = Model::build(robot);
  (void)rig.controller.replace_joints(model, map, actuation_of(model), parameters, 0.0);
  rig.robot_n = static_cast<size_t>(model.coordinates());
}

template <class F>
std::string refusal(F&& what) {
  try {
    what();
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(Joints, OneMoreBeginsAtItsStateAndTheOthersGoOn) {
  Parameters parameters = plain_parameters();
  parameters.effort_rate_limit = 100.0;  // 0.1 N m a cycle
  Rig rig(small_arm(), parameters);
  rig.v = {0.2, -0.1, 0.3, 0.0, 0.0};
  (void)rig.steps(2000);
  const std::vector<double> before = rig.effort;
  const std::vector<double> external = rig.controller.terms().external;
  Parameters four = plain_parameters(4);
  four.effort_rate_limit = 100.0;
  rig.q[3] = 0.4;
  rig.ref_q[3] = 0.5;
  change(rig, longer_arm(), {}, four);
  const CycleReport report = rig.step();
  EXPECT_EQ(report.mode, CycleReport::Mode::tracking);
  EXPECT_TRUE(report.saturated);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_LE(std::abs(rig.effort[i] - (i < 3 ? before[i] : 0.0)), 0.1 + 1e-12) << i;
  }
  EXPECT_GT(std::abs(rig.effort[3]), 0.0);
  EXPECT_EQ(rig.controller.terms().position_error[3], rig.controller.reference().q[3] - 0.4);
  EXPECT_NEAR(rig.controller.terms().external[1], external[1], 1.0);
  // And to its own torque, that of four joints.
  (void)rig.steps(2000);
  rig.ref_q = rig.q;
  std::fill(rig.v.begin(), rig.v.end(), 0.0);
  (void)rig.steps(3000);
  const std::vector<double> gravity = rig.gravity();
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(rig.effort[i], gravity[i], 1e-9) << i;
}

TEST(Joints, ThoseThatMoveToOtherPlacesTakeTheirIntegralsAndTorquesAlong) {
  Parameters parameters = plain_parameters();
  parameters.gains = {{0, 0, 1.0, 9.0}, {0, 0, 2.0, 9.0}, {0, 0, 3.0, 9.0}};
  parameters.effort_rate_limit = 1e-6;  // the torque stays what it was
  Rig rig(small_arm(), parameters);
  rig.ref_q = {0.4, 0.8, 1.2, 0.0, 0.0};
  (void)rig.steps(200);
  const std::vector<double> before = rig.effort,
                            reference(rig.controller.reference().q.begin(), rig.controller.reference().q.end());
  Parameters four = plain_parameters(4);
  four.gains = {{0, 0, 1.0, 9.0}, {0, 0, 0, 0}, {0, 0, 2.0, 9.0}, {0, 0, 3.0, 9.0}};
  four.effort_rate_limit = 1e-6;
  const auto moved = [](std::vector<double>& x) { x = {x[0], 0.0, x[1], x[2], 0.0}; };
  moved(rig.q);
  moved(rig.ref_q);
  const double feedback = rig.controller.terms().feedback[2];
  change(rig, branched_arm(), {}, four);
  (void)rig.step();
  const size_t place[] = {0, 2, 3};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(rig.effort[place[i]], before[i], 2e-9) << i;
    EXPECT_NEAR(rig.controller.reference().q[place[i]], reference[i], 1e-3) << i;
  }
  EXPECT_NEAR(rig.effort[1], 0.0, 2e-9);
  EXPECT_NE(feedback, 0.0);
}

TEST(Joints, TakenOffAndPutOnAgainLeaveTheSameTorque) {
  Rig rig;
  const double alone = (rig.step(), rig.effort[1]);
  change(rig, longer_arm(), {}, plain_parameters(4));
  (void)rig.step();
  EXPECT_NE(rig.effort[1], alone);
  change(rig, small_arm(), {{"joint4", std::nullopt}}, plain_parameters());
  (void)rig.step();
  EXPECT_EQ(rig.effort[1], alone);
}

// Two changes between two cycles: the loop sees only the second, and still continues the right coordinates.
TEST(Joints, AChangeThatTheLoopNeverSawIsNoDetour) {
  Parameters parameters = plain_parameters();
  parameters.effort_rate_limit = 1e-6;
  Rig rig(small_arm(), parameters);
  (void)rig.steps(100);
  const std::vector<double> before = rig.effort;
  Parameters four = plain_parameters(4);
  four.effort_rate_limit = 1e-6;
  const auto moved = [](std::vector<double>& x) { x = {x[0], 0.0, x[1], x[2], 0.0}; };
  moved(rig.q);
  moved(rig.ref_q);
  change(rig, longer_arm(), {}, four);
  change(rig, branched_arm(), {{"joint4", std::nullopt}, {"joint2", "joint2"}, {"joint3", "joint3"}}, four);
  (void)rig.live.attach(test::box("box", 0.1), 0.0);
  (void)rig.step();
  EXPECT_NEAR(rig.effort[2], before[1], 2e-9);
  EXPECT_NEAR(rig.effort[3], before[2], 2e-9);
  EXPECT_NEAR(rig.effort[1], 0.0, 2e-9);
}

TEST(Joints, ParametersGivenLaterWin) {
  Rig rig;
  (void)rig.step();
  Parameters four = plain_parameters(4);
  change(rig, longer_arm(), {}, four);
  four.gains.assign(4, {0.0, 0.0, 0.0, 0.0});
  rig.controller.set_parameters(four);
  rig.ref_q = rig.q;
  rig.ref_q[1] += 0.1;
  (void)rig.step();
  EXPECT_EQ(rig.controller.terms().feedback[1], 0.0);
  EXPECT_NE(refusal([&] { rig.controller.set_parameters(plain_parameters(3)); }), "");
}

TEST(Joints, RefusalsNameTheJointAndChangeNothing) {
  Rig rig;
  const double before = (rig.step(), rig.effort[1]);
  RobotDescription sliding = small_arm();
  sliding.joints[2].type = JointType::prismatic;
  RobotDescription too_long = longer_arm();
  for (int k = 5; k <= 6; ++k) {
    too_long.links.push_back({"link" + std::to_string(k), too_long.links[3].inertial});
    too_long.joints.push_back(too_long.joints[3]);
    too_long.joints.back().name = "joint" + std::to_string(k);
    too_long.joints.back().parent_link = "link" + std::to_string(k - 1);
    too_long.joints.back().child_link = "link" + std::to_string(k);
  }
  RobotDescription weak = longer_arm();
  weak.joints[3].limits.reset();
  const auto words = [&](const RobotDescription& robot, const CoordinateMap& map, int n) {
    return refusal([&] { change(rig, robot, map, plain_parameters(n)); });
  };
  EXPECT_NE(words(sliding, {}, 3).find("joint 'joint3' is prismatic, and was revolute"), std::string::npos);
  EXPECT_NE(words(sliding, {{"joint3", "joint3"}}, 3).find("joint3"), std::string::npos);  // rad as m
  EXPECT_NE(words(too_long, {}, 6).find("max_payload_dofs leaves room for 5"), std::string::npos);
  EXPECT_NE(words(weak, {}, 4).find("joint 'joint4' has no effort limit"), std::string::npos);
  EXPECT_NE(words(longer_arm(), {}, 3), "");                     // gains of three joints
  EXPECT_NE(words(longer_arm(), {{"elbow", "joint4"}}, 4), "");  // there is no elbow
  EXPECT_NE(refusal([&] { (void)rig.live.replace_robot(longer_arm(), 0.0); }).find("joint4"), std::string::npos);
  rig.robot_n = 3;
  (void)rig.step();
  EXPECT_EQ(rig.effort[1], before);
  change(rig, sliding, {{"joint3", std::nullopt}}, plain_parameters());  // said: it begins anew, as another joint
  EXPECT_EQ(rig.step().mode, CycleReport::Mode::tracking);
}

TEST(ReplacedJoints, LimitsOfFewerJointsAreRefused) {
  Rig rig;
  Actuation few = Actuation::from_model(*rig.live.newest_model(), {});
  few.actuated.resize(2);
  EXPECT_THROW(rig.controller.set_limits(few), ModelError);
  EXPECT_TRUE(rig.step().status.ok());
}

// Friction that is compensated, over a transition of half a second. 15 N m are the Coulomb friction of a joint that
// moves.
struct FrictionRig : Rig {
  FrictionRig() : Rig(small_arm(), compensating(3)) {
    v[1] = ref_v[1] = 0.2;
    advance(5);
  }
  static Parameters compensating(int coordinates) {
    Parameters p = plain_parameters(coordinates);
    p.friction_compensation = true;
    return p;
  }
  static Actuation with_coulomb(const Model& model, size_t joint, double torque_Nm) {
    Actuation what = actuation_of(model);
    what.friction[joint].coulomb = torque_Nm;
    what.friction_transition_s = 0.5;
    return what;
  }
  // Joints move by their references.
  void advance(int count) {
    for (int k = 0; k < count; ++k) {
      for (size_t i = 0; i < q.size(); ++i) ref_q[i] = q[i] += v[i] * period_s;
      (void)step();
    }
  }
  [[nodiscard]] double friction(size_t i) const { return controller.terms().friction[i]; }
};

TEST(ReplacedJoints, FrictionOfAContinuedJointChangesOverItsTransition) {
  FrictionRig rig;
  const Model model = Model::build(longer_arm());
  ASSERT_NEAR(rig.friction(1), 0.0, 1e-12);
  (void)rig.controller.replace_joints(model, {}, FrictionRig::with_coulomb(model, 1, 15.0),
                                      FrictionRig::compensating(4), 0.0);
  double last = 0.0;
  for (int k = 0; k <= 500; ++k) {
    rig.advance(1);
    ASSERT_NEAR(rig.friction(1) - last, 0.0, 15.0 / 500.0 + 1e-9) << k;
    last = rig.friction(1);
  }
  EXPECT_NEAR(last, 15.0, 1e-9);
}

// A transition that is on its way goes on for the same joint, at its new coordinate; the new joint has none.
TEST(ReplacedJoints, AFrictionTransitionMovesWithItsJoint) {
  FrictionRig rig;
  Actuation first = FrictionRig::with_coulomb(*rig.live.newest_model(), 1, 5.0);
  first.friction_transition_s = 0.0;
  rig.controller.set_limits(first);
  rig.advance(1);
  rig.controller.set_limits(FrictionRig::with_coulomb(*rig.live.newest_model(), 1, 15.0));
  rig.advance(251);
  const double half = rig.friction(1);
  ASSERT_NEAR(half, 10.0, 0.1);
  const Model model = Model::build(branched_arm());
  Actuation fresh = FrictionRig::with_coulomb(model, 2, 15.0);
  fresh.friction[1].coulomb = 2.0;
  const auto moved = [](std::vector<double>& x) { x = {x[0], 0.0, x[1], x[2], 0.0}; };
  for (auto* x : {&rig.q, &rig.v, &rig.ref_q, &rig.ref_v}) moved(*x);
  rig.v[1] = rig.ref_v[1] = 0.2;
  (void)rig.controller.replace_joints(model, {}, fresh, FrictionRig::compensating(4), 0.0);
  rig.advance(1);
  EXPECT_NEAR(rig.friction(2), half, 15.0 / 500.0 + 1e-9);
  rig.advance(2);
  EXPECT_NEAR(rig.friction(1), 2.0, 1e-9) << "the new joint";
  rig.advance(500);
  EXPECT_NEAR(rig.friction(2), 15.0, 1e-9);
}

// One thread changes joints, another parameters and limits, each made for three joints or for four: what does not fit
// the joints of that moment is refused, and what the loop uses fits. Its preconditions are checked in this build.
TEST(ReplacedJoints, BesideChangesFromAnotherThread) {
  Rig rig;
  const Model models[] = {Model::build(small_arm()), Model::build(longer_arm())};
  const Actuation actuations[] = {actuation_of(models[0]), actuation_of(models[1])};
  const Parameters parameters[] = {plain_parameters(), plain_parameters(4)};
  std::atomic<bool> done{false};
  std::atomic<int> taken{0}, refused{0};
  std::thread changes([&] {
    for (int k = 0; !done; ++k) {
      try {
        rig.controller.set_parameters(parameters[k % 2]);
        rig.controller.set_limits(actuations[k % 2]);
        ++taken;
      } catch (const ModelError&) {
        ++refused;
      }
    }
  });
  std::thread joints([&] {
    for (int k = 1; k <= 16000; ++k) {
      const CoordinateMap map = k % 2 == 0 ? CoordinateMap{{"joint4", std::nullopt}} : CoordinateMap{};
      (void)rig.controller.replace_joints(models[k % 2], map, actuations[k % 2], parameters[k % 2], 0.0);
    }
    (void)test::wait_until([&] { return taken > 20 && refused > 20; }, "changes that fit and others");
    done = true;
  });
  bool tracking = true;
  while (!done) {
    tracking = tracking && rig.step().mode == CycleReport::Mode::tracking;
    for (size_t i = 0; i < 3; ++i) tracking = tracking && std::isfinite(rig.effort[i]);
  }
  changes.join();
  joints.join();
  EXPECT_TRUE(tracking);
  const std::vector<double> gravity = rig.gravity();
  (void)rig.steps(5000);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(rig.effort[i], gravity[i], 1e-6) << i;
}

}  // namespace
}  // namespace dyn::control
