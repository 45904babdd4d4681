// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Model::with() and Model::without(): what Model::build() makes, to the bit, or nothing.
#include <gtest/gtest.h>

#include <cstring>

#include "dyn_core/model/model.hpp"
#include "dyn_core/model/payload.hpp"
#include "support/error_of.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

using test::error_of;
using test::random_inertial;
using test::random_robot;
using test::Rng;

Payload box(Rng& rng, const std::string& name, const std::string& link) {
  return Payload::rigid(name, link, random_inertial(rng), pose_from_xyz_rpy({0.1, -0.2, 0.05}, {1.0, 2.0, 3.0}));
}

Payload pendulum(const std::string& name, const std::string& link) {
  RobotDescription chain;
  chain.links = {{"hook", {}}, {"ball", Inertial{1.0, Vec3d(0.0, 0.1, -0.3), Mat3d(0.01 * Mat3d::Identity())}}};
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.type = JointType::continuous;
  hinge.parent_link = "hook";
  hinge.child_link = "ball";
  chain.joints = {hinge};
  return Payload::articulated(name, link, chain);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void expect_equal(const Model& patched, const Model& built) {
  const Tree &a = patched.tree(), &b = built.tree();
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.subtree_end, b.subtree_end);
  EXPECT_EQ(a.coordinate, b.coordinate);
  EXPECT_TRUE(same_bits(a.parent_R_joint, b.parent_R_joint));
  EXPECT_TRUE(same_bits(a.parent_p_joint, b.parent_p_joint));
  EXPECT_TRUE(same_bits(a.mass, b.mass));
  EXPECT_TRUE(same_bits(a.com, b.com));
  EXPECT_TRUE(same_bits(a.inertia_com, b.inertia_com));
  EXPECT_TRUE(same_bits(a.armature, b.armature));
  ASSERT_EQ(a.principal.size(), b.principal.size());
  for (size_t i = 0; i < a.principal.size(); ++i) {
    EXPECT_EQ(a.principal[i].radii, b.principal[i].radii);
    EXPECT_EQ(a.principal[i].axes, b.principal[i].axes);
    EXPECT_EQ(a.screw.inertia[i].m, b.screw.inertia[i].m);
    EXPECT_EQ(a.screw.inertia[i].h, b.screw.inertia[i].h);
    EXPECT_EQ(a.screw.inertia[i].I, b.screw.inertia[i].I);
  }
  EXPECT_EQ(patched.warnings(), built.warnings());
  EXPECT_EQ(patched.coordinate_names(), built.coordinate_names());
  ASSERT_EQ(patched.links().size(), built.links().size());
  for (size_t i = 0; i < built.links().size(); ++i) {
    const Link &one = patched.links()[i], &other = built.links()[i];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.body, other.body);
    EXPECT_EQ(one.body_T_link.R, other.body_T_link.R);
    EXPECT_EQ(one.body_T_link.p_m, other.body_T_link.p_m);
    EXPECT_EQ(one.inertial.mass_kg, other.inertial.mass_kg);
    EXPECT_EQ(patched.description().links[i].name, built.description().links[i].name);
  }
  ASSERT_EQ(patched.description().joints.size(), built.description().joints.size());
  for (size_t j = 0; j < built.description().joints.size(); ++j) {
    const JointDescription &one = patched.description().joints[j], &other = built.description().joints[j];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.parent_link, other.parent_link);
    EXPECT_EQ(one.payload, other.payload) << one.name;
  }
  for (size_t j = 0; j < built.joints().size(); ++j) {
    EXPECT_EQ(patched.joints()[j].description.payload, built.joints()[j].description.payload);
  }
}

TEST(RigidPayloads, AreAddedAndTakenAwayAsIfTheModelWereBuiltAnew) {
  Rng rng(11);
  for (int k = 0; k < 20; ++k) {
    const RobotDescription arm = random_robot(rng, {9, false, true, true});
    const Payload first = box(rng, "first", "link4"), second = box(rng, "second", "link4"),
                  third = box(rng, "third", "second/body"), swing = pendulum("swing", "link2"),
                  base = box(rng, "on_the_base", "link0");
    const Model all = Model::build(attach(attach(attach(arm, first), swing), second));
    const auto more = all.with(third);
    ASSERT_TRUE(more);
    expect_equal(*more, Model::build(attach(attach(attach(attach(arm, first), swing), second), third)));
    const auto less = all.without("first");
    ASSERT_TRUE(less);
    expect_equal(*less, Model::build(attach(attach(arm, swing), second)));
    const auto back = more->without("third");
    ASSERT_TRUE(back);
    expect_equal(*back, all);
    const auto fixed = all.with(base);
    ASSERT_TRUE(fixed);
    expect_equal(*fixed, Model::build(attach(attach(attach(attach(arm, first), swing), second), base)));
    EXPECT_NE(error_of([&] { (void)more->without("second"); }).find("carries payload 'third'"), std::string::npos);
    EXPECT_NE(error_of([&] { (void)all.with(first); }).find("attached already"), std::string::npos);
    EXPECT_NE(error_of([&] { (void)all.with(box(rng, "lost", "no_link")); }).find("no_link"), std::string::npos);
  }
}

TEST(RigidPayloads, WhatChangesMoreIsLeftToBuild) {
  Rng rng(12);
  const RobotDescription arm = random_robot(rng, {5, true, false, false});
  const Model model = Model::build(arm);
  EXPECT_FALSE(model.with(pendulum("swing", "link2")));
  EXPECT_FALSE(Model::build(attach(arm, pendulum("swing", "link2"))).without("swing"));
  EXPECT_FALSE(model.without("nothing"));
  const Inertial heavy{1e10, Vec3d::Zero(), Mat3d(1e9 * Mat3d::Identity())};
  EXPECT_FALSE(model.with(Payload::rigid("moon", "link2", heavy))) << "beyond the range of masses";
  RobotDescription hollow = arm;
  hollow.links.back().inertial.reset();
  const Model light = Model::build(hollow);
  ASSERT_FALSE(light.warnings().empty()) << "a body without mass";
  EXPECT_FALSE(light.with(box(rng, "box", hollow.links.back().name))) << "the warning goes away";
  EXPECT_FALSE(Model::build(attach(hollow, box(rng, "box", hollow.links.back().name))).without("box"))
      << "the warning comes back";
}

}  // namespace
}  // namespace dyn
