// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Payloads: appended after everything else, removed without a trace, refused with a reason.
#include "dyn_core/model/payload.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/error.hpp"
#include "support/error_of.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

using test::error_of;
using test::random_robot;
using test::Rng;

Inertial box_inertial() { return {2.0, Vec3d(0.01, 0.02, 0.1), inertia_tensor(0.02, 1e-3, 0.0, 0.03, 0.0, 0.025)}; }

// One hinged pan below a hook, with a lid that mimics it.
RobotDescription pan() {
  RobotDescription chain;
  chain.name = "pan";
  chain.links = {{"hook", {}}, {"pan", box_inertial()}, {"lid", box_inertial()}};
  JointDescription hinge;
  hinge.name = "mount";  // the name that the fixed joint of the payload has by default
  hinge.type = JointType::continuous;
  hinge.parent_link = "hook";
  hinge.child_link = "pan";
  JointDescription lid = hinge;
  lid.name = "lid";
  lid.parent_link = "pan";
  lid.child_link = "lid";
  lid.mimic = Mimic{"mount", 0.5, 0.1};
  chain.joints = {hinge, lid};
  chain.warnings = {"rusty"};
  return chain;
}

struct Terms {
  std::vector<double> M, C, g;
  friend bool operator==(const Terms& a, const Terms& b) {
    const auto same = [](const std::vector<double>& x, const std::vector<double>& y) {
      return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
    };
    return same(a.M, b.M) && same(a.C, b.C) && same(a.g, b.g);
  }
};

Terms terms(const RobotDescription& robot) {
  Dynamics dynamics(Model::build(robot));
  const size_t n = dynamics.model().coordinates();
  std::vector<double> q;
  std::vector<double> v;
  for (size_t i = 0; i < n; ++i) {
    q.push_back(std::sin(1.0 + static_cast<double>(i)));
    v.push_back(std::cos(2.0 * static_cast<double>(i)));
  }
  EXPECT_TRUE(dynamics.update(q, v).ok());
  Terms result;
  result.M.assign(dynamics.M().data(), dynamics.M().data() + n * n);
  result.C.assign(dynamics.C().data(), dynamics.C().data() + n * n);
  result.g.assign(dynamics.g().data(), dynamics.g().data() + n);
  return result;
}

TEST(Payload, AttachAndDetachLeaveNoTrace) {
  Rng rng(4);
  for (int k = 0; k < 20; ++k) {
    const RobotDescription arm = random_robot(rng, {9, false, true, true});
    const Terms before = terms(arm);
    const Payload box = Payload::rigid("box", "link4", box_inertial(), pose_from_xyz_rpy({0.1, 0, 0}, {1, 2, 3}));
    const Payload kettle = Payload::articulated("kettle", "link2", pan());
    const RobotDescription loaded = attach(attach(arm, box), kettle);
    EXPECT_FALSE(terms(loaded) == before);
    EXPECT_TRUE(terms(detach(detach(loaded, "box"), "kettle")) == before);
    EXPECT_TRUE(terms(detach(detach(loaded, "kettle"), "box")) == before);
    EXPECT_TRUE(terms(detach(loaded, "box")) == terms(attach(arm, kettle)));
    const RobotDescription after = detach(detach(loaded, "box"), "kettle");
    EXPECT_EQ(after.warnings, arm.warnings);
    ASSERT_EQ(after.links.size(), arm.links.size());
    for (size_t i = 0; i < arm.links.size(); ++i) EXPECT_EQ(after.links[i].name, arm.links[i].name);
    for (size_t j = 0; j < arm.joints.size(); ++j) EXPECT_EQ(after.joints[j].name, arm.joints[j].name);
  }
}

TEST(Payload, ARigidOneIsAddedToItsLinksBody) {
  Rng rng(5);
  RobotDescription arm = random_robot(rng, {4, true, false, false});
  const Pose pose = pose_from_xyz_rpy({0.1, -0.2, 0.05}, {0.3, 0.2, 0.1});
  const Model model = Model::build(attach(arm, Payload::rigid("box", "link4", box_inertial(), pose)));
  EXPECT_EQ(model.coordinates(), 4);
  const Link* body = model.find_link("box/body");
  ASSERT_NE(body, nullptr);
  EXPECT_EQ(body->body, model.find_link("link4")->body);
  EXPECT_NEAR(model.tree().mass.back(), arm.links[4].inertial->mass_kg + 2.0, 1e-15);
}

TEST(Payload, JointsComeBehindAllOthersInTheOrderOfAttaching) {
  Rng rng(6);
  const RobotDescription arm = random_robot(rng, {4, true, false, false});
  RobotDescription robot = attach(arm, Payload::articulated("second", "link0", pan()));
  robot = attach(robot, Payload::articulated("first", "link3", pan()));
  robot = attach(robot, Payload::rigid("box", "first/lid", box_inertial()));
  EXPECT_EQ(attached_payloads(robot), (std::vector<std::string>{"second", "first", "box"}));
  const Model model = Model::build(robot);
  EXPECT_EQ(model.coordinate_names(),
            (std::vector<std::string>{"joint1", "joint2", "joint3", "joint4", "second/mount", "first/mount"}));
  EXPECT_EQ(model.warnings().front(), "payload 'second': rusty");
}

TEST(Payload, RefusalsSayWhy) {
  Rng rng(7);
  const RobotDescription arm = random_robot(rng, {4, true, false, false});
  const Payload box = Payload::rigid("box", "link4", box_inertial());
  const RobotDescription loaded = attach(arm, box);
  EXPECT_EQ(error_of([&] { (void)attach(loaded, box); }), "payload 'box' is attached already");
  EXPECT_EQ(error_of([&] { (void)attach(arm, Payload::rigid("box", "lnik4", box_inertial())); }),
            "payload 'box': link 'lnik4' does not exist; is one of these meant: link4?");
  EXPECT_EQ(error_of([&] { (void)detach(arm, "box"); }), "payload 'box' is not attached; nothing is");
  EXPECT_EQ(error_of([&] { (void)detach(loaded, "bax"); }), "payload 'bax' is not attached; attached: box");
  EXPECT_EQ(error_of([&] { (void)detach(attach(loaded, Payload::rigid("lid", "box/body", box_inertial())), "box"); }),
            "payload 'box' carries payload 'lid'; detach that first");
  for (const std::string name : {"a b", "a/b", "a\tb", "a\x7F"}) {
    EXPECT_NE(
        error_of([&] { (void)Payload::rigid(name, "link4", box_inertial()); }).find("a blank, a slash or a control"),
        std::string::npos)
        << name;
  }
  Inertial bad = box_inertial();
  bad.mass_kg = 0.0;
  EXPECT_EQ(error_of([&] { (void)Payload::rigid("box", "link4", bad); }),
            "payload 'box': its mass must be positive, and is 0 kg");
  bad = box_inertial();
  bad.inertia_com_kgm2 = inertia_tensor(1, 0, 0, 1, 0, 3);
  EXPECT_EQ(
      error_of([&] { (void)Payload::rigid("box", "link4", bad); }),
      "payload 'box' has an impossible inertia: of its principal moments (1, 1, 3) kg m^2 the largest exceeds the "
      "sum of the others");
  bad.inertia_com_kgm2 = inertia_tensor(1, 2, 0, 1, 0, 1);
  EXPECT_NE(error_of([&] { (void)Payload::rigid("box", "link4", bad); }).find("indefinite"), std::string::npos);
  bad.inertia_com_kgm2(0, 1) = std::nan("");
  EXPECT_NE(error_of([&] { (void)Payload::rigid("box", "link4", bad); }).find("beyond the range"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)Payload::rigid("a/b", "link4", box_inertial()); }).find("slash"), std::string::npos);
  EXPECT_EQ(error_of([&] { (void)Payload::rigid("", "link4", box_inertial()); }), "a payload has an empty name");
}

}  // namespace
}  // namespace dyn
