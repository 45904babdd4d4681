// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Every forward dynamics, through Dynamics: against M qdd + C v + g = tau, against the inverse dynamics, and on
// robots whose M is singular.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/registry.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

using Names = AlgorithmList<ForwardAlgorithms<double>>;
using Vector = Eigen::VectorXd;

class Forward : public testing::TestWithParam<std::string_view> {
 protected:
  static Vector random(test::Rng& rng, int n, double size) {
    const auto values = test::random_values(rng, n, size);
    return Eigen::Map<const Vector>(values.data(), n);
  }
  static Dynamics make(const RobotDescription& robot, const ModelOptions& options = {}) {
    AlgorithmChoice choice;
    choice.forward = GetParam();
    return Dynamics(Model::build(robot, options), choice);
  }
  static Status run(Dynamics& dynamics, const Vector& tau, Vector& qdd) {
    qdd = Vector::Zero(tau.size());
    return dynamics.forward(std::span<const double>(tau.data(), static_cast<size_t>(tau.size())),
                            std::span<double>(qdd.data(), static_cast<size_t>(qdd.size())));
  }

  // qdd against the solution with M, C v + g; the error within 1e-12 times the condition of M.
  static void expect_right(Dynamics& dynamics, test::Rng& rng) {
    const int n = dynamics.model().coordinates();
    ASSERT_TRUE(dynamics.update(random(rng, n, 2.0), random(rng, n, 2.0)).ok());
    const Vector tau = random(rng, n, 50.0);
    Vector qdd;
    const Status status = run(dynamics, tau, qdd);
    const Eigen::MatrixXd M = dynamics.M();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(M);
    const double condition = eigen.eigenvalues()[n - 1] / eigen.eigenvalues()[0];
    ASSERT_TRUE(status.ok()) << "pivot " << status.value << " of body " << status.body << ", condition " << condition;
    const Vector expected = M.ldlt().solve(tau - Vector(dynamics.h()));
    EXPECT_LE((qdd - expected).norm(), 1e-12 * condition * expected.norm()) << "n " << n;

    Vector back(n);
    dynamics.inverse(std::span<const double>(qdd.data(), static_cast<size_t>(n)),
                     std::span<double>(back.data(), static_cast<size_t>(n)));
    const double size = tau.norm() + dynamics.h().norm() + (M.cwiseAbs() * qdd.cwiseAbs()).norm();
    EXPECT_LE((back - tau).norm(), 1e-11 * size);
  }
};

TEST_P(Forward, RandomTreesOfEveryJointType) {
  test::Rng rng(11);
  for (int k = 0; k < 60; ++k) {
    Dynamics dynamics = make(test::random_robot(rng, {.joints = 3 + k % 20}));
    expect_right(dynamics, rng);
  }
}

TEST_P(Forward, MimicJointsAndArmature) {
  test::Rng rng(12);
  int followers = 0;
  for (int k = 0; k < 60; ++k) {
    RobotDescription robot = test::random_robot(rng, {.joints = 4 + k % 14, .mimic = true});
    for (JointDescription& joint : robot.joints) joint.armature = test::uniform(rng, 0.0, 0.2);
    Dynamics dynamics = make(robot, {.armature = true});
    followers += dynamics.model().bodies() - dynamics.model().coordinates();
    expect_right(dynamics, rng);
  }
  EXPECT_GT(followers, 50);
}

TEST_P(Forward, PayloadJointsComeLast) {
  test::Rng rng(13);
  for (int k = 0; k < 20; ++k) {
    RobotDescription robot = test::random_robot(rng, {.joints = 8, .mimic = k % 2 == 1});
    for (size_t j = 1; j < 4; ++j) robot.joints[j].payload = static_cast<int>(j);
    Dynamics dynamics = make(robot);
    expect_right(dynamics, rng);
  }
}

// A gripper: one finger's link and the leader's own have no mass; what moves is the other finger.
TEST_P(Forward, MasslessLeaderWithHeavyFollowers) {
  test::Rng rng(14);
  RobotDescription robot = test::random_robot(rng, {.joints = 5, .serial = true, .every_type = false});
  robot.joints[3].mimic = Mimic{"joint3", -1.0, 0.1};
  robot.joints[4].mimic = Mimic{"joint4", 0.5, 0.0};  // of a follower: -0.5 of the leader
  robot.joints[3].parent_link = robot.joints[4].parent_link = "link2";
  robot.links[3].inertial.reset();
  robot.links[5].inertial.reset();
  Dynamics dynamics = make(robot);
  expect_right(dynamics, rng);
}

TEST_P(Forward, NotFiniteTorqueIsNamed) {
  test::Rng rng(15);
  Dynamics dynamics = make(test::random_robot(rng, {.joints = 4, .serial = true, .every_type = false}));
  ASSERT_TRUE(dynamics.update(random(rng, 4, 1.0), random(rng, 4, 1.0)).ok());
  Vector tau = Vector::Zero(4);
  tau[2] = std::numeric_limits<double>::quiet_NaN();
  Vector qdd;
  const Status status = run(dynamics, tau, qdd);
  EXPECT_EQ(status.code, Status::Code::not_finite);
  EXPECT_EQ(status.body, 2);
  EXPECT_TRUE(std::isnan(status.value));
}

RobotDescription chain(const std::vector<JointDescription>& joints, const std::vector<Inertial>& inertials) {
  RobotDescription robot;
  robot.name = "chain";
  robot.links.push_back({"link0", std::nullopt});
  for (size_t k = 0; k < joints.size(); ++k) {
    robot.links.push_back({"link" + std::to_string(k + 1), inertials[k]});
    robot.joints.push_back(joints[k]);
    robot.joints[k].name = "joint" + std::to_string(k + 1);
    if (robot.joints[k].parent_link.empty()) robot.joints[k].parent_link = robot.links[k].name;
    robot.joints[k].child_link = robot.links[k + 1].name;
  }
  return robot;
}
JointDescription revolute(const Vec3d& axis, const Vec3d& place) {
  JointDescription joint;
  joint.type = JointType::continuous;
  joint.axis = axis;
  joint.parent_T_joint.p_m = place;
  return joint;
}

// Paper 000 (Wang and Ju), Table 3: links 3 and 5 (wheels) have no inertia about their own axes.
TEST_P(Forward, RoverRockerArmIsSingular) {
  const Vec3d x = Vec3d::UnitX();
  const Vec3d z = Vec3d::UnitZ();
  const Inertial rocker{2.0, {0.1, 0.0, 0.0}, Vec3d(0.0, 0.0833, 0.0833).asDiagonal()};
  const Inertial steering{1.0, {0.0, 0.0, -0.04}, Vec3d(0.0427, 0.0427, 0.0).asDiagonal()};
  const Inertial wheel{1.0, Vec3d::Zero(), Vec3d(0.0, 0.018, 0.018).asDiagonal()};
  auto second = revolute(z, {-0.2, 0.0, -0.05});
  second.parent_link = "link1";
  const RobotDescription robot = chain({revolute(x, {0.0, 0.2, 0.0}), revolute(z, {0.2, 0.0, -0.05}),
                                        revolute(x, {0.0, 0.0, -0.1}), second, revolute(x, {0.0, 0.0, -0.1})},
                                       {rocker, steering, wheel, steering, wheel});
  test::Rng rng(16);
  Dynamics dynamics = make(robot);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(dynamics.update(random(rng, 5, 3.0), random(rng, 5, 1.0)).ok());
    Vector qdd;
    const Status status = run(dynamics, Vector::Ones(5), qdd);
    EXPECT_EQ(status.code, Status::Code::singular_inertia);
    EXPECT_TRUE(status.body == 2 || status.body == 4) << status.body;
  }
  RobotDescription driven = robot;
  for (JointDescription& joint : driven.joints) joint.armature = 1e-4;
  Dynamics with_drives = make(driven, {.armature = true});
  expect_right(with_drives, rng);
}

TEST_P(Forward, FloatingJointInGimbalLockIsSingular) {
  test::Rng rng(17);
  JointDescription floating;
  floating.type = JointType::floating;
  Dynamics dynamics = make(chain({floating}, {test::random_inertial(rng)}));
  Vector q = random(rng, 6, 1.0);
  Vector qdd;
  for (const double pitch : {0.5, -0.5}) {
    q[4] = pitch * std::numbers::pi;
    ASSERT_TRUE(dynamics.update(q, Vector(Vector::Zero(6))).ok());
    const Status status = run(dynamics, Vector::Ones(6), qdd);
    EXPECT_EQ(status.code, Status::Code::singular_inertia);
    EXPECT_EQ(status.body, 3);  // the yaw joint's
  }
  q[4] = 1.4;
  ASSERT_TRUE(dynamics.update(q, Vector(Vector::Zero(6))).ok());
  EXPECT_TRUE(run(dynamics, Vector::Ones(6), qdd).ok());
}

// Four axes through one point turn a body with three freedoms of rotation.
TEST_P(Forward, FourAxesThroughOnePointAreSingular) {
  test::Rng rng(18);
  std::vector<JointDescription> joints;
  for (int k = 0; k < 4; ++k) joints.push_back(revolute(test::random_vector(rng, 1.0).normalized(), Vec3d::Zero()));
  const Inertial nothing;
  Dynamics dynamics = make(chain(joints, {nothing, nothing, nothing, test::random_inertial(rng)}));
  ASSERT_TRUE(dynamics.update(random(rng, 4, 1.0), Vector(Vector::Zero(4))).ok());
  Vector qdd;
  EXPECT_EQ(run(dynamics, Vector::Ones(4), qdd).code, Status::Code::singular_inertia);
}

// Hub inertias without mass (PUMA's wrist, paper 001) and fingers of 1e-7 kg m^2 on a heavy arm are regular.
TEST_P(Forward, SmallInertiasAreNotSingular) {
  test::Rng rng(19);
  const Vec3d x = Vec3d::UnitX();
  const Vec3d z = Vec3d::UnitZ();
  const Inertial heavy{30.0, {0.2, 0.0, 0.0}, Vec3d(1.0, 1.0, 1.0).asDiagonal()};
  const auto hub = [](double I) { return Inertial{0.0, Vec3d::Zero(), I * Mat3d::Identity()}; };
  const Inertial finger{1e-4, {0.0, 0.0, 0.01}, Vec3d(1e-7, 1e-7, 1e-7).asDiagonal()};
  const Vec3d reach(0.5, 0.0, 0.0);
  Dynamics dynamics = make(chain({revolute(z, {0, 0, 0}), revolute(x, reach), revolute(z, reach),
                                  revolute(x, {0, 0, 0}), revolute(z, {0, 0, 0}), revolute(x, reach)},
                                 {heavy, heavy, hub(0.181), hub(0.0735), hub(0.0141), finger}));
  for (int k = 0; k < 20; ++k) expect_right(dynamics, rng);
}

// A free arm under gravity, without torque: Runge-Kutta 4 keeps its total energy.
TEST_P(Forward, EnergyOfAFreeArmIsConserved) {
  test::Rng rng(20);
  Dynamics dynamics = make(test::random_robot(rng, {.joints = 4, .serial = true, .every_type = false}));
  const Model& model = dynamics.model();
  Vector q = random(rng, 4, 1.0);
  Vector v = Vector::Zero(4);
  const auto energy = [&] {
    EXPECT_TRUE(dynamics.update(q, v).ok());
    double potential = 0.0;
    std::vector<Pose> pose(4);
    for (size_t i = 0; i < 4; ++i) {
      const Tree& tree = model.tree();
      const Pose turn{Eigen::AngleAxisd(q[static_cast<int>(i)], Vec3d::UnitZ()).toRotationMatrix(), Vec3d::Zero()};
      const Pose joint{tree.parent_R_joint[i], tree.parent_p_joint[i]};
      pose[i] = (i == 0 ? joint : pose[i - 1] * joint) * turn;
      potential -= tree.mass[i] * tree.gravity.dot(pose[i].R * tree.com[i] + pose[i].p_m);
    }
    return potential + 0.5 * v.dot(Eigen::MatrixXd(dynamics.M()) * v);
  };
  const auto acceleration = [&](const Vector& at_q, const Vector& at_v) {
    Vector qdd;
    EXPECT_TRUE(dynamics.update(at_q, at_v).ok());
    EXPECT_TRUE(run(dynamics, Vector::Zero(4), qdd).ok());
    return qdd;
  };
  const double start = energy();
  const double h = 2e-4;
  double moved = 0.0;
  for (int step = 0; step < 5000; ++step) {
    const Vector a1 = acceleration(q, v);
    const Vector v2 = v + 0.5 * h * a1;
    const Vector a2 = acceleration(q + 0.5 * h * v, v2);
    const Vector v3 = v + 0.5 * h * a2;
    const Vector a3 = acceleration(q + 0.5 * h * v2, v3);
    const Vector v4 = v + h * a3;
    const Vector a4 = acceleration(q + h * v3, v4);
    q += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    moved = std::max(moved, 0.5 * v.dot(Eigen::MatrixXd(dynamics.M()) * v));
  }
  EXPECT_GT(moved, 1.0);
  EXPECT_NEAR(energy(), start, 1e-7 * moved);
}

// The power of torques and gravity is the rate of the kinetic energy: v . tau = d/dt (v . M v / 2) + v . g.
TEST_P(Forward, PowerIsBalanced) {
  test::Rng rng(21);
  for (int k = 0; k < 10; ++k) {
    Dynamics dynamics = make(test::random_robot(rng, {.joints = 6 + k}));
    const int n = dynamics.model().coordinates();
    const Vector q = random(rng, n, 1.0);
    const Vector v = random(rng, n, 1.0);
    const Vector tau = random(rng, n, 20.0);
    ASSERT_TRUE(dynamics.update(q, v).ok());
    const Vector g = dynamics.g();
    Vector qdd;
    ASSERT_TRUE(run(dynamics, tau, qdd).ok());
    const auto kinetic = [&](double t) {  // on the path with this velocity and acceleration
      const Vector at_v = v + t * qdd;
      EXPECT_TRUE(dynamics.update(Vector(q + t * v + 0.5 * t * t * qdd), at_v).ok());
      return 0.5 * at_v.dot(Eigen::MatrixXd(dynamics.M()) * at_v);
    };
    const double h = 1e-3 / (1.0 + qdd.norm());
    const double rate = (8.0 * (kinetic(h) - kinetic(-h)) - (kinetic(2.0 * h) - kinetic(-2.0 * h))) / (12.0 * h);
    const double size = v.cwiseAbs().dot(tau.cwiseAbs()) + kinetic(0.0) / h * 1e-4;
    EXPECT_NEAR(v.dot(tau - g), rate, 1e-7 * size) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Forward, testing::ValuesIn(Names::names),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace dyn
