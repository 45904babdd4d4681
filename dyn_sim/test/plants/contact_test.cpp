// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Contact with a wall: of the plant alone, and under the law task_space in the loop of `dyn run`, from soft to stiff.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "dyn_sim/run/runner.hpp"
#include "plants.hpp"

namespace dyn::sim {
namespace {

using test::down;

// 2 kg on a vertical slide.
RobotDescription slide() {
  RobotDescription robot = test::wheel();
  robot.name = "slide";
  JointDescription& joint = robot.joints[0];
  joint.name = "slide";
  joint.type = JointType::prismatic;
  joint.damping = joint.friction = joint.armature = 0.0;
  return robot;
}

Wall floor_at(double height_m, const std::string& link) {
  Wall wall;
  wall.link = link;
  wall.point_m = {0.0, 0.0, height_m};
  return wall;
}

std::string refusal(const PlantSettings& settings) {
  try {
    (void)make_plant(slide(), settings, down);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Walls, ArePartOfMujocoOnly) {
  PlantSettings settings = test::plain("native");
  settings.walls = {floor_at(-0.1, "rim")};
  EXPECT_EQ(refusal(settings), "slide: plant: walls: the native engine has no contacts; engine mujoco has");
}

#ifdef DYN_TEST_MUJOCO

TEST(Walls, ThatCannotBeAreRefused) {
  PlantSettings settings = test::plain("mujoco");
  settings.walls = {floor_at(-0.1, "base")};
  EXPECT_EQ(refusal(settings), "slide: plant: walls: link 'base' does not move");
  settings.walls = {floor_at(-0.1, "hand")};
  EXPECT_EQ(refusal(settings), "slide: plant: walls: link 'hand' does not exist");
  settings.walls = {floor_at(-0.1, "rim")};
  settings.walls[0].time_constant_s = 1e-4;
  EXPECT_EQ(refusal(settings),
            "slide: plant: walls: link 'rim': time_constant 0.000100 s is shorter than two steps of 0.000100 s");
}

// It falls, and rests on the floor with its weight; a payload on it adds its own.
TEST(Walls, CarryTheWeightOfWhatRestsOnThem) {
  PlantSettings settings = test::plain("mujoco");
  settings.walls = {floor_at(-0.1, "rim")};
  const auto plant = make_plant(slide(), settings, down);
  const std::vector<double> none(1, 0.0);
  EXPECT_EQ(plant->wall_force(), Vec3d::Zero());
  test::hold(*plant, none, 1000);
  EXPECT_NEAR(plant->q()[0], -0.09, 1e-3) << "a sphere of 10 mm on a floor at -0.1 m";
  EXPECT_LT((plant->wall_force() - Vec3d(0.0, 0.0, 2.0 * 9.81)).norm(), 1e-3);
  plant->attach(Payload::rigid("box", "rim", Inertial{1.0, Vec3d::Zero(), 0.01 * Mat3d::Identity()}));
  test::hold(*plant, none, 1000);
  EXPECT_LT((plant->wall_force() - Vec3d(0.0, 0.0, 3.0 * 9.81)).norm(), 1e-3);
}

TEST(Walls, MayBeInclinedAndHaveFriction) {
  for (const double friction : {0.0, 1.0}) {
    PlantSettings settings = test::plain("mujoco");
    settings.walls = {floor_at(-0.1, "rim")};
    settings.walls[0].normal = Vec3d(0.6, 0.0, 0.8);
    settings.walls[0].friction = friction;
    const auto plant = make_plant(slide(), settings, down);
    Vec3d impact = plant->wall_force();
    for (int k = 0; k < 1000; ++k) {
      test::hold(*plant, {0.0}, 1);
      if (impact.isZero(0.0)) impact = plant->wall_force();  // while it slides along the wall
    }
    const double along_the_wall = impact.cross(Vec3d(0.6, 0.0, 0.8)).norm();
    EXPECT_GT(impact.z(), 1.0);
    if (friction == 0.0) {
      EXPECT_LT(along_the_wall, 1e-6);
    } else {
      EXPECT_GT(along_the_wall, 0.2 * impact.z());
    }
    EXPECT_NEAR(plant->wall_force().z(), 2.0 * 9.81, 1e-3) << "the slide takes what is horizontal";
  }
}

// --- Under the law task_space ---------------------------------------------------------------------------------------

constexpr double T = 1e-3;
constexpr double surface_z = 0.34;  // of the hand's sphere of 10 mm on the table

// arm7 on a table at 0.33 m; the hand begins at (0.566, 0, 0.386). `task` and `poses` are YAML.
RunRecord run(const RunConfig& config) {
  RunOptions options;
  options.fast = true;
  return run_closed_loop(config, options);
}
RunConfig on_a_table(const std::string& task, const std::string& poses, const std::string& events = "") {
  return parse_run_config(
      "robot: arm7\nduration_s: 3\nstart: [0, 0.5, 0, -1.5, 0, 1.1, 0]\n"
      "plant: {engine: mujoco, friction: false, walls: [{link: tool0, point: [0, 0, 0.33]}]}\n"
      "controller: {type: task_space, frame: tool0, task: {" +
          task + "}, validation: {mode: 'off'}}\ntrajectory: {type: poses, poses: [" + poses + "]}\nevents: [" +
          events + "]\n",
      "contact.yaml");
}

Vec3d vector_at(const ArmRecord& arm, int row, FrameSignal first) {
  const int k = static_cast<int>(first);
  const auto part = [&](int axis) { return arm.frame_signal(row, static_cast<FrameSignal>(k + axis)); };
  return {part(0), part(1), part(2)};
}

// A hand that wipes at up to 0.14 m/s with 15 N: friction is mu times the normal force, which stays what is commanded.
TEST(TaskSpaceContact, FrictionOfASlidingHandIsCoulombs) {
  for (const double friction : {0.2, 0.8}) {
    RunConfig config = on_a_table("mode: impedance, stiffness: [3000, 3000, 500, 100, 100, 100], posture_p: 25",
                                  "{at: 0.8, by: [0, 0, -0.046]}, {at: 1, wrench: [0, 0, -15, 0, 0, 0]}, "
                                  "{at: 2.8, by: [0, 0.13, 0]}");
    config.arms[0].plant.walls[0].friction = friction;
    const RunRecord record = run(config);
    const ArmRecord& arm = record.arms[0];
    double most = 0.0, least = 1e9, off = 0.0;
    for (int row = 1500; row < 2300; ++row) {
      const Vec3d force = vector_at(arm, row, FrameSignal::wall_x);
      most = std::max(most, force.z());
      least = std::min(least, force.z());
      off = std::max(off, std::abs(force.head<2>().norm() / (friction * force.z()) - 1.0));
      EXPECT_LT(force.y(), 0.0) << "against the motion";
    }
    EXPECT_LT(most - least, 0.01 * least) << "friction " << friction << ": " << least << " to " << most << " N";
    EXPECT_LT(off, 0.01) << "friction " << friction;
    std::printf("friction %.1f: %.3f to %.3f N, friction force %.2f %% off\n", friction, least, most, 100.0 * off);
  }
}

// The last time at which the hand was faster than that.
double faster_until(const ArmRecord& arm, double speed) {
  for (int row = arm.rows - 1; row > 0; --row) {
    const Vec3d way = vector_at(arm, row, FrameSignal::x) - vector_at(arm, row - 1, FrameSignal::x);
    if (way.norm() > speed * T) return arm.time_s[row];
  }
  return 0.0;
}

std::string of_stiffness(double k) {
  std::ostringstream text;
  text << "mode: impedance, stiffness: [" << k << ", " << k << ", " << k << ", 50, 50, 50]";
  return text.str();
}

// Lowered at up to 0.13 m/s to 9.5 mm below the surface within 0.8 s, with a reference wrench of 10 N.
TEST(TaskSpaceContact, IsStableAndExertsTheCommandedForceFromSoftToStiff) {
  for (const double stiffness : {100.0, 300.0, 1000.0, 3000.0, 5000.0}) {
    const RunConfig config =
        on_a_table(of_stiffness(stiffness), "{at: 0.8, by: [0, 0, -0.055], wrench: [0, 0, -10, 0, 0, 0]}");
    const RunRecord record = run(config);
    const ArmRecord& arm = record.arms[0];
    ASSERT_TRUE(arm.failures.empty()) << arm.failures[0].cause;
    int first = -1, last_free = -1;
    for (int row = 0; row < arm.rows; ++row) {
      const bool touches = arm.frame_signal(row, FrameSignal::wall_z) > 0.0;
      if (touches && first < 0) first = row;
      if (!touches) last_free = row;
    }
    ASSERT_GT(first, 0);
    const int end = arm.rows - 1;
    const double error_z = (vector_at(arm, end, FrameSignal::target_x) - vector_at(arm, end, FrameSignal::x)).z();
    const double commanded = -(stiffness * error_z - 10.0), force = arm.frame_signal(end, FrameSignal::wall_z);
    const double touches_s = T * first, bounced_s = T * last_free - touches_s;
    const double rests_s = faster_until(arm, 1e-3) - touches_s;
    std::printf(
        "stiffness %4.0f N/m: contact at %.3f s, bounces for %.3f s, below 1 mm/s after %.3f s; largest force "
        "%.1f N, at rest %.4f N of %.4f N (%.2g %%)\n",
        stiffness, touches_s, std::max(0.0, bounced_s), rests_s, arm.wall_force_max, force, commanded,
        100.0 * std::abs(force / commanded - 1.0));
    EXPECT_NEAR(force, commanded, 0.02 * commanded) << stiffness;
    EXPECT_LT(bounced_s, 0.5) << stiffness;
    EXPECT_LT(rests_s, 1.5) << stiffness;
    EXPECT_LT(faster_until(arm, 1e-4), 2.9) << stiffness;
    EXPECT_NEAR(arm.frame_signal(end, FrameSignal::z), surface_z, 1e-3) << "on the surface";
  }
}

struct Push {
  double hand_m = 0.0, elbow_rad = 0.0;  // largest motion of the hand, of joint1 as a sign of that of the elbow
};
Push push_the_elbow(const std::string& task, const std::string& poses) {
  const RunConfig config = on_a_table(task, poses, "{at: 2.0, push: {link: link4, force: [0, 10, 0], duration: 1.0}}");
  const RunRecord record = run(config);
  const ArmRecord& arm = record.arms[0];
  EXPECT_TRUE(arm.failures.empty());
  Push seen;
  const int from = 1999;
  for (int row = from; row < arm.rows; ++row) {
    const Vec3d way = vector_at(arm, row, FrameSignal::x) - vector_at(arm, from, FrameSignal::x);
    seen.hand_m = std::max(seen.hand_m, way.norm());
    const double turned = arm.signal(row, Signal::q, 0) - arm.signal(from, Signal::q, 0);
    seen.elbow_rad = std::max(seen.elbow_rad, std::abs(turned));
  }
  return seen;
}

TEST(TaskSpaceContact, APushAtTheElbowMovesTheNullSpaceOnly) {
  const std::string contact = "{at: 0.8, by: [0, 0, -0.055], wrench: [0, 0, -10, 0, 0, 0]}", free = "{at: 0.8}";
  const std::string computed = "p_linear: 2500, d_linear: 100, p_angular: 2500, d_angular: 100";
  for (const auto& [name, task, poses, largest_m] :
       {std::tuple{"computed torque, free", computed, free, 1e-3},
        {"computed torque, contact", computed, contact, 1e-3},
        {"impedance of 5000 N/m, free", of_stiffness(5000.0), free, 1e-3},
        {"impedance of 5000 N/m, contact", of_stiffness(5000.0), contact, 1e-3},
        {"impedance of 1000 N/m, free", of_stiffness(1000.0), free, 5e-3},
        {"impedance of 1000 N/m, contact", of_stiffness(1000.0), contact, 5e-3}}) {
    const Push seen = push_the_elbow(task, poses);
    std::printf("10 N at the elbow, %s: joint1 turns by %.3f rad, the hand moves by %.3g m\n", name, seen.elbow_rad,
                seen.hand_m);
    EXPECT_GT(seen.elbow_rad, 0.05) << name;
    EXPECT_LT(seen.hand_m, largest_m) << name;
  }
}

TEST(TaskSpaceFree, TracksPosesOnTheExactPlantAt1kHz) {
  for (const std::string& engine : test::engines()) {
    RunConfig config = parse_run_config(
        "robot: arm7\nduration_s: 3\nstart: [0, 0.5, 0, -1.5, 0, 1.1, 0]\nplant: {engine: " + engine +
            ", friction: false}\ncontroller: {type: task_space, frame: tool0, validation: {mode: 'off'}}\n"
            "trajectory: {type: poses, poses: [{at: 1.4, by: [0, 0.15, 0.1], rpy: [0.2, 3.0, 0.1]}, {at: 2.8, by: "
            "[-0.1, "
            "-0.3, 0]}]}\n",
        "free.yaml");
    const RunRecord record = run(config);
    const ArmRecord& arm = record.arms[0];
    std::printf("free space, %s: at most %.3g m and %.3g rad\n", engine.c_str(), arm.tracking_max, arm.angle_max);
    EXPECT_TRUE(arm.failures.empty());
    EXPECT_GT(vector_at(arm, arm.rows - 1, FrameSignal::x).y(), -0.16);
    EXPECT_LT(vector_at(arm, arm.rows - 1, FrameSignal::x).y(), -0.14) << "it has moved";
    EXPECT_LT(arm.tracking_max, 1e-5);
    EXPECT_LT(arm.angle_max, 1e-5);
  }
}

#endif

}  // namespace
}  // namespace dyn::sim
