// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Rotors as bodies of their own: against closed forms, against the energies written down without such bodies
// (support/energy_oracle.hpp), and what becomes of names, payloads and inertias.
#include "dyn_core/model/rotors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"
#include "dyn_core/regressor.hpp"
#include "support/energy_oracle.hpp"
#include "support/error_of.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

using test::EnergyOracle;
using test::error_of;
using test::Rng;
using Vec = std::vector<double>;

constexpr double armature = 0.09, ratio = -60.0;

Model built(const RobotDescription& robot) { return Model::build(robot, {.armature = true}); }

VecX<double> vector(const Vec& x) {
  return Eigen::Map<const VecX<double>>(x.data(), static_cast<Eigen::Index>(x.size()));
}

// Three joints about z, x and z of the links before them; the last one is driven over a gear by a rotor on link2.
RobotDescription arm(const Vec3d& rotor_axis, double gear_ratio = ratio) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links.push_back({"base", {}});
  for (int k = 1; k <= 3; ++k) {
    const std::string number = std::to_string(k);
    robot.links.push_back({"link" + number, Inertial{2.0, Vec3d(0.1, 0.02 * k, 0.2),
                                                     Mat3d(Vec3d(0.03, 0.04, 0.02 + 0.005 * k).asDiagonal())}});
    JointDescription joint;
    joint.name = "joint" + number;
    joint.type = JointType::continuous;
    joint.parent_link = k == 1 ? "base" : "link" + std::to_string(k - 1);
    joint.child_link = "link" + number;
    joint.parent_T_joint.p_m = Vec3d(0.0, 0.1, 0.3);
    joint.axis = k == 2 ? Vec3d::UnitX() : Vec3d::UnitZ();
    joint.armature = armature;
    robot.joints.push_back(joint);
  }
  robot.joints[2].rotor = Rotor{gear_ratio, rotor_axis};
  return robot;
}

RobotDescription without_rotors(RobotDescription robot) {
  for (JointDescription& joint : robot.joints) joint.rotor.reset();
  return robot;
}

struct Terms {
  MatX<double> M, C;
  VecX<double> Cv, g;
};
Terms terms(const Model& model, const Vec& q, const Vec& v) {
  Dynamics dynamics(model);
  EXPECT_TRUE(dynamics.update(q, v).ok());
  const MatX<double> C = dynamics.C();
  return {dynamics.M(), C, C * vector(v), dynamics.g()};
}

// w_p of link2 is (v2, v1 sin q2, v1 cos q2) in its axes. With the rotor about its z axis
//   T = 1/2 J (w_z + N v3)^2 = 1/2 J w_z^2 + J N cos(q2) v1 v3 + 1/2 A v3^2
// of which the first term is the locked rotor's, and the last one the armature's. Of the middle one, by Lagrange:
//   M13 = J N cos q2,  C v = J N (-sin(q2) v2 v3, sin(q2) v1 v3, -sin(q2) v1 v2)
TEST(Rotors, CoupleByTheClosedForm) {
  const Vec q{0.3, 0.8, -1.1}, v{0.7, -0.9, 1.3};
  const double JN = armature / ratio, s = std::sin(q[1]), c = std::cos(q[1]);
  const Terms with = terms(built(arm(Vec3d::UnitZ())), q, v);
  const Terms diagonal = terms(built(without_rotors(arm(Vec3d::UnitZ()))), q, v);
  MatX<double> M = MatX<double>::Zero(3, 3);
  M(0, 2) = M(2, 0) = JN * c;
  EXPECT_LT(largest_entry(with.M - diagonal.M - M), 1e-15);
  const VecX<double> Cv = JN * Vec3d(-s * v[1] * v[2], s * v[0] * v[2], -s * v[0] * v[1]);
  EXPECT_LT(largest_entry(with.Cv - diagonal.Cv - Cv), 1e-15);
  EXPECT_LT(largest_entry(with.g - diagonal.g), 1e-14);
}

// The first two joints of that arm, the second driven by a rotor on link1 about an inclined axis: M12 = J N a_z at
// every q. Another sign of N turns the sign of the coupling.
TEST(Rotors, OfTwoJointsCoupleByAConstant) {
  const Vec q{0.3, 0.8}, v{0.7, -0.9};
  for (const double N : {100.0, -100.0}) {
    RobotDescription two = without_rotors(arm(Vec3d::UnitZ()));
    two.links.pop_back();
    two.joints.pop_back();
    const Terms diagonal = terms(built(two), q, v);
    two.joints[1].rotor = Rotor{N, Vec3d(0.6, 0.0, 0.8)};
    const Terms with = terms(built(two), q, v);
    MatX<double> M = MatX<double>::Zero(2, 2);
    M(0, 1) = M(1, 0) = armature / N * 0.8;
    EXPECT_LT(largest_entry(with.M - diagonal.M - M), 1e-15);
    EXPECT_LT(largest_entry(with.Cv - diagonal.Cv), 1e-15);
  }
}

// Every algorithm against the energies of the description without rotor bodies, and Mdot - 2C is skew-symmetric.
TEST(Rotors, HaveTheEnergyOfTheirSpin) {
  Rng rng(5);
  for (int k = 0; k < 20; ++k) {
    const RobotDescription robot =
        test::random_robot(rng, {.joints = 3 + k % 6, .serial = k % 2 == 0, .mimic = k % 4 == 3, .rotors = true});
    const Model model = built(robot);
    const EnergyOracle oracle(robot, {.armature = true});
    const int n = model.coordinates();
    ASSERT_EQ(oracle.coordinates(), n);
    const Vec q = test::random_values(rng, n, 2.0), v = test::random_values(rng, n, 1.5);
    Dynamics dynamics(model);
    const MatX<double> M = oracle.M(q).cast<double>(), Mdot = oracle.Mdot(q, v).cast<double>();
    const VecX<double> Cv = oracle.Cv(q, v).cast<double>(), g = oracle.g(q).cast<double>();
    const double floor = 0.1 * largest_entry(M) * largest_entry(vector(v));
    for (const auto name : AlgorithmList<JsimAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_jsim(name) && dynamics.update(q, v).ok());
      EXPECT_LT(mass_matrix_error(dynamics.M(), M), 1e-12) << k << ' ' << name;
    }
    for (const auto name : AlgorithmList<CoriolisAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_coriolis(name) && dynamics.update(q, v).ok());
      const MatX<double> C = dynamics.C();
      EXPECT_LT(relative_error(C * vector(v), Cv, floor * 1.5), 1e-11) << k << ' ' << name;
      EXPECT_LT(relative_error(C + C.transpose(), Mdot, floor), 1e-11) << k << ' ' << name;
    }
    EXPECT_LT(relative_error(dynamics.g(), g, floor), 1e-11) << k;
    const Vec a = test::random_values(rng, n, 3.0);
    const VecX<double> torque = M * vector(a) + Cv + g;
    Vec tau(n), qdd(n);
    for (const auto name : AlgorithmList<InverseAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_inverse(name) && dynamics.update(q, v).ok());
      dynamics.inverse(a, tau);
      EXPECT_LT(relative_error(vector(tau), torque, floor), 1e-11) << k << ' ' << name;
    }
    for (const auto name : AlgorithmList<ForwardAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_forward(name) && dynamics.update(q, v).ok());
      ASSERT_TRUE(dynamics.forward(tau, qdd).ok()) << k << ' ' << name;
      EXPECT_LT(relative_error(M * vector(qdd), M * vector(a), floor), 1e-9) << k << ' ' << name;
    }
  }
}

// A parent link that does not turn: exactly the armature on the diagonal.
TEST(Rotors, OnLinksThatDoNotTurnAreArmature) {
  RobotDescription robot = arm(Vec3d::UnitZ());
  robot.joints[0].type = robot.joints[1].type = JointType::prismatic;
  robot.joints[0].rotor = Rotor{20.0, Vec3d::UnitZ()};  // on the base
  const Vec q{0.3, 0.8, -1.1}, v{0.7, -0.9, 1.3};
  const Model model = built(robot);
  EXPECT_EQ(model.bodies(), 4) << "the rotor on the base needs no body";
  const Terms with = terms(model, q, v), diagonal = terms(built(without_rotors(robot)), q, v);
  EXPECT_LT(largest_entry(with.M - diagonal.M), 1e-15);
  EXPECT_LT(largest_entry(with.Cv - diagonal.Cv), 1e-15);
  RobotDescription first_only = without_rotors(robot);
  first_only.joints[0].rotor = robot.joints[0].rotor;
  EXPECT_EQ(terms(built(first_only), q, v).M, diagonal.M);
}

// Where the parent link is a flange, fixed to one that turns or to one that stands: as if it hung on that one itself.
TEST(Rotors, OnFixedLinksAreThoseOfTheLinkThatCarriesThem) {
  const Vec q{0.3, 0.8, -1.1}, v{0.7, -0.9, 1.3};
  const auto with_flange_on = [](RobotDescription robot, size_t driven) {
    JointDescription weld;
    weld.name = "weld";
    weld.type = JointType::fixed;
    weld.parent_link = robot.joints[driven].parent_link;
    weld.child_link = robot.joints[driven].parent_link = "flange";
    robot.links.push_back({"flange", {}});
    robot.joints.push_back(weld);
    return robot;
  };
  const Model turning = built(with_flange_on(arm(Vec3d::UnitZ()), 2));
  EXPECT_EQ(turning.bodies(), 4);
  EXPECT_LT(largest_entry(terms(turning, q, v).M - terms(built(arm(Vec3d::UnitZ())), q, v).M), 1e-14);

  RobotDescription robot = without_rotors(arm(Vec3d::UnitZ()));
  const Terms diagonal = terms(built(robot), q, v);
  robot.joints[0].rotor = Rotor{20.0, Vec3d::UnitZ()};
  const Model standing = built(with_flange_on(robot, 0));
  EXPECT_EQ(standing.bodies(), 3) << "the rotor on a pedestal needs no body";
  EXPECT_LT(largest_entry(terms(standing, q, v).M - diagonal.M), 1e-15);
}

TEST(Rotors, WithoutArmatureNothingChanges) {
  const Vec q{0.3, 0.8, -1.1}, v{0.7, -0.9, 1.3};
  const Model with = Model::build(arm(Vec3d::UnitZ())), none = Model::build(without_rotors(arm(Vec3d::UnitZ())));
  EXPECT_EQ(with.bodies(), 3);
  EXPECT_EQ(terms(with, q, v).M, terms(none, q, v).M);
  EXPECT_EQ(terms(with, q, v).C, terms(none, q, v).C);
  // So does an armature of 0: there is no rotor.
  RobotDescription robot = arm(Vec3d::UnitZ());
  robot.joints[2].armature = 0.0;
  EXPECT_EQ(built(robot).bodies(), 3);
}

TEST(Rotors, AreBodiesWithNames) {
  const Model model = built(arm(Vec3d::UnitZ()));
  EXPECT_EQ(model.coordinates(), 3);
  ASSERT_EQ(model.bodies(), 4);
  EXPECT_TRUE(model.warnings().empty()) << model.warnings().front();
  const Link* const rotor = model.find_link("joint3_rotor");
  ASSERT_NE(rotor, nullptr);
  EXPECT_EQ(model.body_joint(rotor->body), "joint3_rotor");
  EXPECT_EQ(model.tree().parent[rotor->body], model.find_link("link2")->body);
  EXPECT_EQ(model.tree().coordinate[rotor->body], 2);
  EXPECT_EQ(model.tree().ratio[rotor->body], ratio);
  EXPECT_EQ(model.tree().mass[rotor->body], 0.0);
  EXPECT_NEAR(model.tree().inertia_com[rotor->body](2, 2), armature / (ratio * ratio), 1e-20);
  EXPECT_EQ(model.tree().armature, (Vec{armature, armature, 0.0}));
  EXPECT_EQ(model.joints()[2].description.armature, armature) << "as it was given";
}

// The same description again, and back.
TEST(Rotors, AreMadeOnceAndLockedAgain) {
  const RobotDescription raw = arm(Vec3d(0.6, 0.0, 0.8));
  const Model model = built(raw), again = built(model.description());
  EXPECT_EQ(again.bodies(), model.bodies());
  EXPECT_EQ(again.tree().inertia_com, model.tree().inertia_com);
  const Model locked = Model::build(model.description()), plain = Model::build(raw);
  ASSERT_EQ(locked.bodies(), 3);
  EXPECT_EQ(locked.links().size(), plain.links().size());
  for (int b = 0; b < 3; ++b) {
    EXPECT_LT(largest_entry(locked.tree().inertia_com[b] - plain.tree().inertia_com[b]), 1e-16);
  }
}

// A rigid payload on the link that carries the rotor, and a chain with a rotor of its own.
TEST(Rotors, GoWithPayloads) {
  Rng rng(3);
  const Model model = built(arm(Vec3d::UnitZ()));
  const Payload box = Payload::rigid("box", "link2", test::random_inertial(rng), {});
  const auto patched = model.with(box);
  ASSERT_TRUE(patched);
  EXPECT_EQ(patched->tree().inertia_com, built(attach(arm(Vec3d::UnitZ()), box)).tree().inertia_com);
  const auto back = patched->without("box");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->tree().inertia_com, model.tree().inertia_com);

  RobotDescription module = arm(Vec3d::UnitY());
  module.name = "module";
  const RobotDescription whole = attach(model.description(), Payload::articulated("module", "link3", module));
  const Model more = built(whole);
  EXPECT_EQ(more.coordinates(), 6);
  EXPECT_NE(more.find_link("module/joint3_rotor"), nullptr);
  const EnergyOracle oracle(attach(arm(Vec3d::UnitZ()), Payload::articulated("module", "link3", module)),
                            {.armature = true});
  const Vec q = test::random_values(rng, 6, 2.0), v = test::random_values(rng, 6, 1.0);
  EXPECT_LT(mass_matrix_error(terms(more, q, v).M, oracle.M(q).cast<double>()), 1e-13);
  const Model less = built(detach(more.description(), "module"));
  EXPECT_EQ(less.tree().inertia_com, model.tree().inertia_com);
}

// Y p = tau with the rotor's ten columns; the drive's own torque is the row of its rotor,
//   N J (d/dt w_z + N a3),  w_z = v1 cos q2
TEST(Rotors, AreInTheRegressor) {
  const auto model = std::make_shared<const Model>(built(arm(Vec3d::UnitZ())));
  Regressor regressor(model);
  const Vec q{0.3, 0.8, -1.1}, v{0.7, -0.9, 1.3}, a{0.4, 2.0, -1.5};
  EXPECT_EQ(regressor.layout().link.back(), "joint3_rotor");
  EXPECT_EQ(regressor.layout().rotor_of, (std::vector<int>{-1, -1, 3}));
  ASSERT_TRUE(regressor.update(q, v, a).ok());
  Vec p(regressor.layout().parameters()), tau(3), drives(3);
  regressor.parameters(p);
  Dynamics dynamics(model);
  ASSERT_TRUE(dynamics.update(q, v).ok());
  dynamics.inverse(a, tau);
  const VecX<double> diagonal = armature * Vec3d(a[0], a[1], 0.0);
  EXPECT_LT(largest_entry(regressor.Y() * vector(p) + diagonal - vector(tau)), 1e-13);
  regressor.drive_torque(a, drives);
  const double wdot = a[0] * std::cos(q[1]) - v[0] * v[1] * std::sin(q[1]);
  EXPECT_LT(largest_entry(vector(drives) -
                          Vec3d(armature * a[0], armature * a[1], armature / ratio * wdot + armature * a[2])),
            1e-15);
}

TEST(Rotors, ThatCannotBeAreRefused) {
  const auto refused = [](auto&& change) {
    RobotDescription robot = arm(Vec3d::UnitZ());
    change(robot);
    return error_of([&] { (void)built(robot); });
  };
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << '"' << text << '"';
  };
  says(refused([](RobotDescription& r) { r.joints[2].rotor->ratio = 0.0; }), "joint 'joint3': its gear_ratio is 0");
  says(refused([](RobotDescription& r) { r.joints[2].rotor->ratio = NAN; }), "its gear_ratio is nan");
  says(refused([](RobotDescription& r) { r.joints[2].rotor->ratio = -1e9; }), "its gear_ratio is -1e+09");
  says(refused([](RobotDescription& r) { r.joints[2].rotor->axis *= 2.0; }), "its rotor_axis has length 2");
  says(refused([](RobotDescription& r) { r.joints[2].rotor->axis.y() = NAN; }), "its rotor_axis contains nan");
  says(refused([](RobotDescription& r) { r.joints[2].rotor->ratio = 1e-6, r.joints[2].armature = 1e6; }),
       "make a rotor of 1e+18 kg m^2");
  says(refused([](RobotDescription& r) { r.joints[2].type = JointType::floating; }),
       "joint 'joint3' is floating; only revolute, continuous and prismatic joints have a rotor");
  says(refused([](RobotDescription& r) { r.joints[2].type = JointType::fixed; }), "joint 'joint3' is fixed");
  says(refused([](RobotDescription& r) {
         r.joints[2].mimic = Mimic{"joint1", 2.0, 0.0};
       }),
       "joint 'joint3' mimics joint 'joint1' and has no drive");
  says(refused([](RobotDescription& r) { r.links[3].name = r.joints[2].child_link = "joint3_rotor"; }),
       "joint 'joint3': its rotor would be called 'joint3_rotor', as a link of the robot already is");
  says(refused([](RobotDescription& r) { r.joints[2].rotor->ratio = 1.0; }),
       "joint 'joint2': the body it moves (link 'link2') without the rotors that it carries has an indefinite inertia");
}

}  // namespace
}  // namespace dyn
