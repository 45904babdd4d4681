// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/run/config.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "config_parts.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "yaml_reader.hpp"

namespace dyn::sim {
namespace {

RobotDescription load_description(YamlMap& map, const std::filesystem::path& file) {
  const std::string robot = map.text("robot");
  const std::filesystem::path beside = file.parent_path() / robot;
  if (robot.find('.') != std::string::npos && std::filesystem::exists(beside)) return load_urdf(beside);
  return load_robot(robot);
}

double not_negative(YamlMap& map, const std::string& key, double otherwise) {
  const double value = map.number(key, otherwise);
  if (value < 0.0) map.fail(key, "is below 0");
  return value;
}

NoiseSettings read_noise(YamlMap map) {
  NoiseSettings noise;
  noise.position = not_negative(map, "position", 0.0);
  noise.velocity = not_negative(map, "velocity", 0.0);
  noise.torque = not_negative(map, "torque", 0.0);
  noise.position_resolution = not_negative(map, "position_resolution", 0.0);
  noise.torque_resolution = not_negative(map, "torque_resolution", 0.0);
  map.finish();
  return noise;
}

std::optional<double> maybe(YamlMap& map, const std::string& key) {
  const double value = not_negative(map, key, 0.0);
  return map.has(key) ? std::optional<double>(value) : std::nullopt;
}

void read_overrides(YamlMap& map, PlantSettings& plant) {
  for (YamlMap& entry : map.list("plant_overrides")) {
    if (entry.has("joint")) {
      JointOverride change;
      change.joint = entry.text("joint");
      change.damping = maybe(entry, "damping");
      change.friction = maybe(entry, "friction");
      change.armature = maybe(entry, "armature");
      plant.joint_overrides.push_back(change);
    } else {
      LinkOverride change;
      change.link = entry.text("link");
      change.mass_scale = entry.number("mass_scale", 1.0);
      change.com_shift_m = entry.vector3("com_shift", Vec3d::Zero());
      change.inertia_scale = entry.number("inertia_scale", 1.0);
      plant.overrides.push_back(change);
    }
    entry.finish();
  }
}

PlantSettings read_plant(YamlMap map) {
  PlantSettings plant;
  plant.engine = map.text("engine", plant.engine);
  if (plant.engine != "native" && plant.engine != "mujoco") {
    map.fail("engine", "'" + plant.engine + "' is none of native, mujoco");
  }
  plant.step_s = not_negative(map, "step", plant.step_s);
  if (plant.engine == "mujoco") {
    plant.integrator = map.text("integrator", plant.integrator);
    if (plant.integrator != "rk4" && plant.integrator != "implicitfast") {
      map.fail("integrator", "'" + plant.integrator + "' is none of rk4, implicitfast");
    }
    if (map.has("tolerance")) map.fail("tolerance", "belongs to engine native; mujoco has step");
  }
  plant.tolerance = not_negative(map, "tolerance", plant.tolerance);
  plant.friction = map.flag("friction", plant.friction);
  plant.stiction_ratio = map.number("stiction_ratio", plant.stiction_ratio);
  if (plant.stiction_ratio < 1.0) map.fail("stiction_ratio", "is below 1");
  plant.armature = map.flag("armature", plant.armature);
  plant.limits = map.flag("torque_limits", plant.limits);
  plant.delay_cycles = map.integer("delay", plant.delay_cycles);
  if (plant.delay_cycles < 0 || plant.delay_cycles > 100) map.fail("delay", "is not from 0 to 100 cycles");
  plant.noise = read_noise(map.map("noise"));
  plant.seed = static_cast<unsigned>(map.integer("seed", 1));
  read_overrides(map, plant);
  map.finish();
  return plant;
}

ValidationConfig read_validation(YamlMap map) {
  ValidationConfig validation;
  validation.mode = map.text("mode", validation.mode);
  if (validation.mode != "off" && validation.mode != "monitor" && validation.mode != "gate") {
    map.fail("mode", "'" + validation.mode + "' is none of off, monitor, gate");
  }
  validation.rate_hz = map.number("rate", validation.rate_hz);
  if (validation.rate_hz <= 0.0) map.fail("rate", "is not above 0 Hz");
  validation.tolerance = map.number("tolerance", validation.tolerance);
  if (validation.tolerance <= 0.0) map.fail("tolerance", "is not above 0");
  validation.fallback = map.text("fallback", validation.fallback);
  (void)AlgorithmIndex::find_jsim(validation.fallback);
  map.finish();
  return validation;
}

ArmConfig read_arm(YamlMap& map, const RunConfig& run) {
  ArmConfig arm;
  arm.robot = map.text("robot");
  arm.name = map.text("name", arm.robot);
  arm.description = load_description(map, run.file);
  arm.live.model.gravity_mps2 = map.vector3("gravity", arm.live.model.gravity_mps2);
  arm.plant = read_plant(map.map("plant"));
  YamlMap controller = map.map("controller");
  arm.live.model.armature = controller.flag("armature", arm.plant.armature);
  const Model model = Model::build(arm.description, arm.live.model);
  read_controller(controller, model, arm);
  arm.validation = read_validation(controller.map("validation"));
  controller.finish();
  arm.trajectory = read_trajectory(map.map("trajectory"), model, run.file);
  arm.start_q = map.has("start") ? map.numbers("start") : std::vector<double>{};
  if (!arm.start_q.empty() && arm.start_q.size() != static_cast<size_t>(model.coordinates())) {
    map.fail("start", "has " + std::to_string(arm.start_q.size()) + " values; the robot has " +
                          std::to_string(model.coordinates()) + " degrees of freedom");
  }
  arm.events = read_events(map, model, run.file);
  return arm;
}

void read_general(YamlMap& map, RunConfig& run) {
  run.title = map.text("title", run.file.stem().string());
  run.rate_hz = map.number("rate_hz", run.rate_hz);
  if (!(run.rate_hz >= 100.0 && run.rate_hz <= 10000.0)) map.fail("rate_hz", "is not from 100 to 10000 Hz");
  run.duration_s = map.number("duration_s", run.duration_s);
  if (!(run.duration_s > 0.0 && run.duration_s <= 3600.0)) map.fail("duration_s", "is not between 0 and 3600 s");
  run.wake_early_us = map.number("wake_early_us", run.wake_early_us);
  if (!(run.wake_early_us >= 0.0 && run.wake_early_us <= 10000.0)) {
    map.fail("wake_early_us", "is not from 0 to 10000 microseconds");
  }
  const int cpu = map.integer("cpu", -1);
  if (cpu >= 0) run.cpu = cpu;
}

}  // namespace

RunConfig load_run_config(const std::filesystem::path& file) {
  RunConfig run;
  run.file = file;
  YAML::Node root;
  try {
    root = YAML::LoadFile(file.string());
  } catch (const YAML::BadFile&) {
    throw ModelError(file.string() + ": cannot be read");
  } catch (const YAML::Exception& error) {
    throw ModelError(file.string() + ":" + std::to_string(error.mark.line + 1) + ": not YAML: " + error.msg);
  }
  YamlMap map(root, file.string(), "");
  read_general(map, run);
  if (map.has("arms")) {
    for (YamlMap& entry : map.list("arms")) {
      run.arms.push_back(read_arm(entry, run));
      entry.finish();
    }
  } else {
    run.arms.push_back(read_arm(map, run));
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

}  // namespace dyn::sim
