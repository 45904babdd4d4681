// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The parts of a configuration that belong to the law task_space: its parameters, and the poses that the frame follows.
#include <algorithm>

#include "config_parts.hpp"
#include "dyn_core/frames.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_core/numeric/ranges.hpp"

namespace dyn::sim {
namespace {

using control::TaskAxes;
using control::TaskMode;
using control::TaskParameters;

constexpr std::size_t most_poses = 10'000;

void read_words(YamlMap& map, TaskParameters& task) {
  const std::string mode = map.text("mode", "computed_torque"), axes = map.text("axes", "base");
  if (mode != "computed_torque" && mode != "impedance") {
    map.fail("mode", "'" + mode + "' must be computed_torque or impedance");
  }
  if (axes != "base" && axes != "frame") map.fail("axes", "'" + axes + "' must be base or frame");
  task.mode = mode == "impedance" ? TaskMode::impedance : TaskMode::computed_torque;
  task.axes = axes == "frame" ? TaskAxes::frame : TaskAxes::base;
}

void read_axis_numbers(YamlMap& map, TaskParameters& task) {
  for (const control::TaskAxisNumbers& line : control::task_axis_numbers) {
    const std::string name(line.name);
    if (!map.has(name)) continue;
    const auto values = map.numbers(name, {0.0, ranges::gain});
    auto& six = task.*line.member;
    if (values.size() != six.size()) {
      map.fail(name,
               "has " + std::to_string(values.size()) + " numbers; 6 are expected, linear x, y, z, angular x, y, z");
    }
    std::copy(values.begin(), values.end(), six.begin());
  }
}

PoseGoal at_start(const Model& model, const std::string& frame, const Point& start) {
  Frames frames(std::make_shared<const Model>(model), {frame});
  (void)frames.update(start, Point(start.size(), 0.0), frame_pose);
  return {0.0, frames.position(0), frames.rotation(0), control::Vec6d::Zero()};
}

// What is not given is that of the pose before.
PoseGoal read_pose(YamlMap& map, const PoseGoal& before) {
  PoseGoal goal = before;
  goal.time_s = map.number("at", about_zero(1e6, " s"));
  if (map.has("position") && map.has("by")) map.fail("by", "is given together with position");
  const YamlRange place = about_zero(ranges::length_m, " m");
  goal.p_m = map.vector3("position", before.p_m, place) + map.vector3("by", Vec3d::Zero(), place);
  if (map.has("rpy")) {
    goal.R =
        pose_from_xyz_rpy(Vec3d::Zero(), map.vector3("rpy", Vec3d::Zero(), about_zero(ranges::position, " rad"))).R;
  }
  if (map.has("wrench")) {
    const auto wrench = map.numbers("wrench", about_zero(ranges::effort, " N or N m"));
    if (wrench.size() != 6) map.fail("wrench", "has " + std::to_string(wrench.size()) + " numbers; 6 are expected");
    std::copy(wrench.begin(), wrench.end(), goal.wrench.data());
  }
  map.finish();
  return goal;
}

}  // namespace

void check_moving_link(const YamlMap& map, const std::string& key, const std::string& name, const Model& model) {
  const Link* const link = model.find_link(name);
  if (link == nullptr) map.fail(key, "the robot has no link '" + name + "'");
  if (link->body < 0) map.fail(key, "link '" + name + "' does not move");
}

void read_task(YamlMap& map, const Model& model, ArmConfig& arm) {
  arm.frame = map.text("frame");
  check_moving_link(map, "frame", arm.frame, model);
  arm.live.frames = {arm.frame};
  YamlMap task = map.map("task");
  TaskParameters& p = arm.controller.task;
  read_words(task, p);
  p.reject_external = task.flag("reject_external", p.reject_external);
  for (const control::TaskNumber& line : control::task_numbers) {
    p.*line.member = task.number(std::string(line.name), p.*line.member, {0.0, ranges::gain});
  }
  read_axis_numbers(task, p);
  if (task.has("posture")) p.posture = task.numbers("posture", about_zero(ranges::position, " rad or m"));
  task.finish();
}

std::shared_ptr<const PoseTrajectory> read_poses(YamlMap map, const Model& model, const std::string& frame,
                                                 const Point& start) {
  const std::string type = map.text("type");
  if (type != "poses") map.fail("type", "'" + type + "' must be poses under the law task_space");
  std::vector<PoseGoal> goals{at_start(model, frame, start)};
  for (YamlMap& entry : map.list("poses", most_poses)) goals.push_back(read_pose(entry, goals.back()));
  map.finish();
  try {
    return std::make_shared<const PoseTrajectory>(goals);
  } catch (const ModelError& error) {
    map.fail("poses", error.what());
  }
}

}  // namespace dyn::sim
