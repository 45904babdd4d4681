// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/run/config.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "config_parts.hpp"
#include "dh_yaml.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_core/numeric/ranges.hpp"
#include "yaml_reader.hpp"

namespace dyn::sim {
namespace {

// An arm's name becomes part of file names and topics.
std::string fault_of_name(const std::string& name) {
  constexpr size_t longest = 100;
  const auto no_good = [](unsigned char c) { return c < 0x20U || c == 0x7FU || c == '/' || c == '\\'; };
  if (name.empty()) return "is empty";
  if (name.size() > longest) return "has " + std::to_string(name.size()) + " bytes, more than 100";
  if (name == "." || name == "..") return "'" + name + "' is not a name";
  if (std::any_of(name.begin(), name.end(), no_good)) {
    return "'" + name.substr(0, name.find('\0')) +
           "' has a slash, a backslash or a control character in it; it becomes part of file names";
  }
  return {};
}

// Unless it is given: the robot's name, for a file the file's name.
std::string default_name(const std::string& robot) {
  if (fault_of_name(robot).empty()) return robot;
  const std::string name = std::filesystem::path(robot).stem().string();
  return fault_of_name(name).empty() ? name : "arm";
}

constexpr std::size_t most_arms = 32;
constexpr std::size_t most_overrides = 10'000;
constexpr std::size_t most_walls = 100;
constexpr double largest_scale = 1e6;

double not_negative(YamlMap& map, const std::string& key, double otherwise, double most) {
  const double value = map.number(key, otherwise, about_zero(most));
  if (value < 0.0) map.fail(key, "is below 0");
  return value;
}

NoiseSettings read_noise(YamlMap map) {
  NoiseSettings noise;
  noise.position = not_negative(map, "position", 0.0, ranges::position);
  noise.velocity = not_negative(map, "velocity", 0.0, ranges::velocity);
  noise.torque = not_negative(map, "torque", 0.0, ranges::effort);
  noise.position_resolution = not_negative(map, "position_resolution", 0.0, ranges::position);
  noise.torque_resolution = not_negative(map, "torque_resolution", 0.0, ranges::effort);
  map.finish();
  return noise;
}

std::optional<double> maybe(YamlMap& map, const std::string& key) {
  const double value = not_negative(map, key, 0.0, ranges::resistance);
  return map.has(key) ? std::optional<double>(value) : std::nullopt;
}

template <class Parts>
bool has_name(const Parts& parts, const std::string& name) {
  return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.name == name; });
}

void read_overrides(YamlMap& map, const RobotDescription& robot, PlantSettings& plant) {
  for (YamlMap& entry : map.list("plant_overrides", most_overrides)) {
    if (entry.has("joint")) {
      JointOverride change;
      change.joint = entry.text("joint");
      if (!has_name(robot.joints, change.joint)) entry.fail("joint", "the robot has no joint '" + change.joint + "'");
      change.damping = maybe(entry, "damping");
      change.friction = maybe(entry, "friction");
      change.friction_scale = not_negative(entry, "friction_scale", 1.0, largest_scale);
      change.armature = maybe(entry, "armature");
      change.stribeck = maybe(entry, "stribeck");
      change.stribeck_velocity = maybe(entry, "stribeck_velocity");
      if (change.stribeck_velocity == 0.0) entry.fail("stribeck_velocity", "is not above 0");
      if (entry.has("offset")) change.offset = entry.number("offset", 0.0, about_zero(ranges::resistance));
      plant.joint_overrides.push_back(change);
    } else {
      LinkOverride change;
      change.link = entry.text("link");
      if (!has_name(robot.links, change.link)) entry.fail("link", "the robot has no link '" + change.link + "'");
      change.mass_scale = entry.number("mass_scale", 1.0, about_zero(largest_scale));
      change.com_shift_m = entry.vector3("com_shift", Vec3d::Zero(), about_zero(ranges::length_m, " m"));
      change.inertia_scale = entry.number("inertia_scale", 1.0, about_zero(largest_scale));
      plant.overrides.push_back(change);
    }
    entry.finish();
  }
}

Wall read_wall(YamlMap& map, const RobotDescription& robot) {
  Wall wall;
  wall.link = map.text("link");
  if (!has_name(robot.links, wall.link)) map.fail("link", "the robot has no link '" + wall.link + "'");
  wall.point_m = map.vector3("point", wall.point_m, about_zero(ranges::length_m, " m"));
  wall.normal = map.vector3("normal", wall.normal, about_zero(ranges::length_m));
  if (!(wall.normal.norm() > 1e-6)) map.fail("normal", "has no direction");
  wall.normal.normalize();
  wall.radius_m = map.number("radius", wall.radius_m, {1e-6, ranges::length_m, " m"});
  wall.friction = map.number("friction", wall.friction, {0.0, 100.0});
  wall.time_constant_s = map.number("time_constant", wall.time_constant_s, {1e-6, 10.0, " s"});
  wall.damping_ratio = map.number("damping_ratio", wall.damping_ratio, {1e-3, 100.0});
  map.finish();
  return wall;
}

StateFault read_state_fault(YamlMap map) {
  StateFault fault;
  const std::string kind = map.text("kind");
  const auto* const named = std::find_if(state_fault_names.begin(), state_fault_names.end(),
                                         [&](const auto& one) { return one.first == kind; });
  if (named == state_fault_names.end()) map.fail("kind", "'" + kind + "' must be nan, infinite, frozen or offset");
  fault.kind = named->second;
  fault.begin_s = map.number("at", {0.0, ranges::duration_s, " s"});
  fault.duration_s = map.number("duration", {0.0, ranges::duration_s, " s"});
  map.finish();
  return fault;
}

PlantSettings read_plant(YamlMap map, const RobotDescription& robot, const std::filesystem::path& file) {
  PlantSettings plant;
  if (map.has("robot")) plant.robot = std::make_shared<const RobotDescription>(read_robot(map, file));
  plant.engine = map.text("engine", plant.engine);
  if (plant.engine != "native" && plant.engine != "mujoco") {
    map.fail("engine", "'" + plant.engine + "' must be native or mujoco");
  }
  plant.step_s = not_negative(map, "step", plant.step_s, 1.0);
  if (plant.step_s > 0.0 && plant.step_s < shortest_step_s) map.fail("step", "must be 0 or at least 1e-9 s");
  if (plant.engine == "mujoco") {
    plant.integrator = map.text("integrator", plant.integrator);
    if (plant.integrator != "rk4" && plant.integrator != "implicitfast") {
      map.fail("integrator", "'" + plant.integrator + "' must be rk4 or implicitfast");
    }
    if (map.has("tolerance")) map.fail("tolerance", "belongs to engine native; mujoco has step");
  }
  plant.tolerance = not_negative(map, "tolerance", plant.tolerance, 1.0);
  plant.friction = map.flag("friction", plant.friction);
  plant.stiction_ratio = map.number("stiction_ratio", plant.stiction_ratio, about_zero(1e3));
  if (plant.stiction_ratio < 1.0) map.fail("stiction_ratio", "is below 1");
  plant.armature = map.flag("armature", plant.armature);
  plant.limits = map.flag("torque_limits", plant.limits);
  plant.delay_cycles = map.integer("delay", plant.delay_cycles, {0, 100, " cycles"});
  plant.noise = read_noise(map.map("noise"));
  if (map.has("state_fault")) plant.state_fault = read_state_fault(map.map("state_fault"));
  plant.seed = static_cast<unsigned>(map.integer("seed", 1, any_seed));
  read_overrides(map, robot, plant);
  for (YamlMap& entry : map.list("walls", most_walls)) plant.walls.push_back(read_wall(entry, robot));
  if (plant.engine == "native" && !plant.walls.empty()) {
    map.fail("walls", "the native engine has no contacts; engine mujoco has");
  }
  map.finish();
  return plant;
}

ValidationConfig read_validation(YamlMap map) {
  ValidationConfig validation;
  validation.mode = map.text("mode", validation.mode);
  if (validation.mode != "off" && validation.mode != "monitor" && validation.mode != "gate") {
    map.fail("mode", "'" + validation.mode + "' must be off, monitor or gate");
  }
  validation.rate_hz = map.number("rate", validation.rate_hz, about_zero(1e6, " Hz"));
  if (validation.rate_hz < 1e-3) map.fail("rate", "is not at least 0.001 Hz");
  validation.tolerance = map.number("tolerance", validation.tolerance, about_zero(1.0));
  if (validation.tolerance <= 0.0) map.fail("tolerance", "is not above 0");
  validation.fallback = map.text("fallback", validation.fallback);
  map.try_as("fallback", [&] { (void)AlgorithmIndex::find_jsim(validation.fallback); });
  map.finish();
  return validation;
}

// The initial position of the plant, if it is given; within the position limits.
Point read_start(YamlMap& map, const Model& model) {
  if (!map.has("start")) return {};
  const auto ranges = coordinate_ranges(model);
  Point start = map.numbers("start", about_zero(ranges::position, " rad or m"));
  if (start.size() != ranges.size()) {
    map.fail("start", "has " + std::to_string(start.size()) + " values; the robot has " +
                          std::to_string(ranges.size()) + " degrees of freedom");
  }
  if (const auto outside = find_outside(ranges, start); !outside.empty()) map.fail("start", outside);
  return start;
}

// Initial position and intended motion.
void read_motion(YamlMap& map, const Model& model, const std::filesystem::path& file, ArmConfig& arm) {
  arm.start_q = read_start(map, model);
  if (arm.controller.law == control::Law::task_space) {
    if (arm.start_q.empty()) map.fail("start", "is missing; under the law task_space the arm begins there");
    arm.poses = read_poses(map.map("trajectory"), model, arm.frame, arm.start_q);
    arm.trajectory = make_timed_quintic({arm.start_q}, 1.0);
    return;
  }
  arm.trajectory = read_trajectory(map.map("trajectory"), model, file);
  if (!arm.start_q.empty()) return;
  Point start(model.coordinates()), v(start.size()), a(start.size());
  arm.trajectory->sample(0.0, start, v, a);
  const auto outside = find_outside(coordinate_ranges(model), start);
  if (!outside.empty()) map.fail("trajectory", "begins with " + outside);
}

ArmConfig read_arm(YamlMap& map, const RunConfig& run, const Expectations& expect) {
  ArmConfig arm;
  arm.robot = map.text("robot");
  arm.name = map.text("name", default_name(arm.robot));
  if (const auto fault = fault_of_name(arm.name); !fault.empty()) map.fail("name", fault);
  arm.description = read_robot(map, run.file);
  arm.live.model.gravity_mps2 =
      map.vector3("gravity", arm.live.model.gravity_mps2, about_zero(ranges::gravity_mps2, " m/s^2"));
  arm.plant = read_plant(map.map("plant"), arm.description, run.file);
  arm.plant.allow_impossible_inertia = map.flag("allow_impossible_inertia", false);
  arm.live.model.allow_impossible_inertia = arm.plant.allow_impossible_inertia;
  YamlMap controller = map.map("controller");
  arm.live.model.armature = controller.flag("armature", arm.plant.armature);
  const Model model = Model::build(arm.description, arm.live.model);
  read_controller(controller, model, arm);
  arm.validation = read_validation(controller.map("validation"));
  controller.finish();
  read_motion(map, model, run.file, arm);
  arm.expect = read_expect(map.map("expect"), expect);
  arm.events = read_events(map, model, arm, run);
  if (arm.poses && std::any_of(arm.events.begin(), arm.events.end(),
                               [](const Event& event) { return std::holds_alternative<RobotEvent>(event.what); })) {
    map.fail("events", "another robot cannot come under the law task_space");
  }
  return arm;
}

void read_general(YamlMap& map, RunConfig& run) {
  run.title = map.text("title", run.file.stem().string());
  run.rate_hz = map.number("rate_hz", run.rate_hz, {100.0, 10000.0, " Hz"});
  run.duration_s = map.number("duration_s", run.duration_s, any_finite);
  if (!(run.duration_s > 0.0 && run.duration_s <= 3600.0)) map.fail("duration_s", "is not between 0 and 3600 s");
  if (run.duration_s * run.rate_hz < 0.5) map.fail("duration_s", "is shorter than a cycle");
  run.wake_early_us = map.number("wake_early_us", run.wake_early_us, {0.0, 10000.0, " microseconds"});
  if (map.has("cpu")) run.cpu = map.integer("cpu", 0, {0, 1023, ", which are the cores"});
}

}  // namespace

std::filesystem::path find_description(YamlMap& map, const std::string& key, const std::filesystem::path& file) {
  const std::string robot = map.text(key);
  std::filesystem::path beside = file.parent_path() / robot;
  std::error_code error;  // for example a name that is too long for a file
  if (robot.find('.') != std::string::npos && std::filesystem::exists(beside, error)) return beside;
  if (is_dh_file(robot)) return robot;
  try {
    return find_robot(robot);
  } catch (const ModelError& fault) {
    map.fail(key, fault.what());
  }
}

RobotDescription read_robot(YamlMap& map, const std::filesystem::path& file) {
  const std::filesystem::path found = find_description(map, "robot", file);
  return is_dh_file(found) ? load_dh_file(found) : load_urdf(found);
}

namespace {

RunConfig read_run_config(const std::string& yaml, const std::filesystem::path& file) {
  RunConfig run;
  run.file = file;
  YamlMap map(parse_document(yaml, file.string()), file.string(), "");
  read_general(map, run);
  const Expectations expect = read_expect(map.map("expect"), {});
  if (map.has("arms")) {
    for (YamlMap& entry : map.list("arms", most_arms)) {
      run.arms.push_back(read_arm(entry, run, expect));
      entry.finish();
    }
  } else {
    run.arms.push_back(read_arm(map, run, expect));
  }
  map.finish();
  if (run.arms.empty()) throw ModelError(file.string() + ": arms: the list is empty");
  std::set<std::string> names;
  for (const ArmConfig& arm : run.arms) {
    if (!names.insert(arm.name).second) {
      throw ModelError(file.string() + ": arms: two of them have the name '" + arm.name + "'");
    }
  }
  return run;
}

}  // namespace

// yaml-cpp's message about a node of an unexpected type has a line, but is not a sentence.
RunConfig parse_run_config(const std::string& yaml, const std::filesystem::path& file) {
  try {
    return read_run_config(yaml, file);
  } catch (const YAML::Exception& fault) {
    throw ModelError(file.string() + ":" + std::to_string(fault.mark.line + 1) +
                     ": the value has another type than expected");
  }
}

RunConfig load_run_config(const std::filesystem::path& file) {
  return parse_run_config(read_configuration(file), file);
}

}  // namespace dyn::sim
