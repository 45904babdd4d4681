// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <memory>
#include <random>

#include "dyn_core/model/model.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_sim/identify/identify.hpp"
#include "identify/bodies_explain.hpp"
#include "identify/low_pass.hpp"
#include "identify/unknowns.hpp"

namespace dyn::sim {
namespace {

// A bar that turns about the vertical, so that gravity does not act on it: J = m l^2 + izz = 0.25 + 0.05 kg m^2.
constexpr const char* bar_urdf = R"(<robot name="bar">
  <link name="base"/>
  <link name="bar">
    <inertial>
      <origin xyz="0.5 0 0"/>
      <mass value="1.5"/>
      <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/>
    </inertial>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/>
    <child link="bar"/>
    <axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="5" effort="50"/>
  </joint>
</robot>
)";

std::shared_ptr<const Model> bar_model() {
  return std::make_shared<const Model>(Model::build(parse_urdf(bar_urdf, "bar.urdf")));
}

TEST(Unexplained, IsTheNormOfTheErrorOverThatOfTheTorque) {
  const identify::Unexplained left{.error = {1.0, 4.0}, .torque = {4.0, 100.0}};
  EXPECT_DOUBLE_EQ(left.relative(), std::sqrt(5.0 / 104.0));
  EXPECT_DOUBLE_EQ(left.relative({0}), 0.5);
  EXPECT_DOUBLE_EQ(left.relative({1}), 0.2);
  const identify::Unexplained at_rest{.error = {1.0}, .torque = {0.0}};
  EXPECT_EQ(at_rest.relative(), 0.0);
}

// A log of 1000 s at 1 kHz is processed in several pieces; each is filtered as if it had not been cut out.
TEST(Gather, PiecesOfALongLogAreFilteredAsTheWhole) {
  constexpr Eigen::Index rows = 1'000'000;
  Motion motion;
  motion.cutoff_hz = 2.0;
  motion.compared = {0};
  Stretch& s = motion.stretches.emplace_back();
  s.step_s = 1e-3;
  s.q = s.v = s.a = s.effort = Eigen::MatrixXd::Zero(rows, 1);
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same in every run
  std::normal_distribution<double> noise;
  for (Eigen::Index k = 0; k < rows; ++k) s.effort(k, 0) = noise(random);
  s.begin = 500;
  s.end = rows - 500;
  Eigen::MatrixXd filtered = s.effort;
  identify::LowPass(motion.cutoff_hz, 1e3).apply_to_columns(filtered, identify::Ends::mirrored);
  const identify::Information information = identify::gather(bar_model(), {motion}, 0.0);
  ASSERT_EQ(information.joints.size(), 1U);
  const double expected =
      std::sqrt(filtered.middleRows(s.begin, s.used()).squaredNorm() / static_cast<double>(s.used()));
  EXPECT_NEAR(information.joints[0].torque_rms / expected, 1.0, 1e-10);
}

// 100003 is a prime number, of which the transform would take 100003 times as long as of 100000.
TEST(ChooseCutoff, TakesNoLongerForAnUnfortunateNumberOfRows) {
  Eigen::MatrixXd q(100'003, 1);
  for (Eigen::Index k = 0; k < q.rows(); ++k) q(k, 0) = std::sin(6.0 * 1e-3 * static_cast<double>(k));
  const auto seconds = [&q](Eigen::Index rows) {
    const std::clock_t begin = std::clock();
    EXPECT_GT(identify::choose_cutoff_hz(q.topRows(rows), 2, 1e3), 1.0);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  EXPECT_LT(seconds(100'003), 20.0 * seconds(100'000) + 0.1);
}

TEST(IdentifiedUrdf, NumbersReadBackAsTheyAre) {
  Identified identified;
  IdentifiedLink bar;
  bar.name = "bar";
  bar.joint = "turn";
  bar.fitted = true;
  bar.inertial.mass_kg = 1.0;
  bar.inertial.com_m = {0.1, -0.0, 1.0};
  bar.inertial.inertia_com_kgm2 = Vec3d(1.0, 1.5, 1.0 / 3.0).asDiagonal();
  identified.links = {bar};
  const std::string text = identified_urdf(bar_urdf, bar_model(), identified);
  const RobotDescription robot = parse_urdf(text, "identified.urdf");
  const Inertial& read = robot.links.at(1).inertial.value();
  EXPECT_EQ(read.mass_kg, 1.0);
  EXPECT_EQ(read.com_m, bar.inertial.com_m);
  EXPECT_TRUE(read.inertia_com_kgm2.isApprox(bar.inertial.inertia_com_kgm2, 1e-15)) << text;
  EXPECT_EQ(text.find("-0"), std::string::npos) << text;
}

// Two seconds of a slow motion, with the torque of a bar of twice the inertia.
TEST(Identify, ABodyThatMovesLittleIsIdentifiedToo) {
  constexpr Eigen::Index samples = 200;
  constexpr double step_s = 0.01, rate_per_s = 6.0, amplitude_rad = 1.5e-3, inertia_kgm2 = 2.0 * (1.5 * 0.25 + 0.05);
  Stretch s;
  s.step_s = step_s;
  s.end = samples;
  s.time_s.resize(samples);
  for (Eigen::MatrixXd* signal : {&s.q, &s.v, &s.a, &s.effort}) signal->resize(samples, 1);
  for (Eigen::Index i = 0; i < samples; ++i) {
    s.time_s[i] = static_cast<double>(i) * step_s;
    s.q(i, 0) = amplitude_rad * std::sin(rate_per_s * s.time_s[i]);
    s.v(i, 0) = amplitude_rad * rate_per_s * std::cos(rate_per_s * s.time_s[i]);
    s.a(i, 0) = -rate_per_s * rate_per_s * s.q(i, 0);
    s.effort(i, 0) = inertia_kgm2 * s.a(i, 0);
  }
  ASSERT_LT(s.a.squaredNorm(), 1.0);  // of the column of izz
  Motion motion;
  motion.cutoff_hz = 20.0;
  motion.stretches = {s};
  motion.compared = {0};
  const IdentifyOptions options{.hold_out = 0.0, .friction = Friction::viscous, .prior_weight = {}};
  const Identified found = identify_robot(bar_model(), {motion}, options);
  ASSERT_EQ(found.links.size(), 1U);
  ASSERT_TRUE(found.links[0].fitted);
  const Inertial& bar = found.links[0].inertial;
  const double found_kgm2 =
      bar.inertia_com_kgm2(2, 2) + bar.mass_kg * bar.com_m.head<2>().squaredNorm() + found.joints.at(0).armature;
  EXPECT_NEAR(found_kgm2, inertia_kgm2, 1e-3 * inertia_kgm2);
}

}  // namespace
}  // namespace dyn::sim
