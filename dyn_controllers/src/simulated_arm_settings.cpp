// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/simulated_arm_settings.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "dyn_core/error.hpp"
#include "dyn_core/numeric/ranges.hpp"
#include "dyn_sim/run/config.hpp"

namespace dyn_controllers {
namespace {

using dyn::ModelError;

// From 0 to `most`.
void read_number(const HardwareParameters& given, const std::string& name, double most, double& value) {
  const auto found = given.find(name);
  if (found == given.end()) return;
  value = number_from(found->second, "hardware parameter " + name);
  if (value >= 0.0 && value <= most) return;
  std::ostringstream range;
  range << "is not from 0 to " << most;
  throw ModelError("hardware parameter " + name + ": '" + found->second + "' " + range.str());
}

void read_delay(const HardwareParameters& given, int& cycles) {
  constexpr double most = 100.0;
  double value = cycles;
  if (const auto found = given.find("delay"); found != given.end()) {
    value = number_from(found->second, "hardware parameter delay");
  }
  if (!(value >= 0.0 && value <= most && value == std::floor(value))) {
    throw ModelError("hardware parameter delay: '" + given.at("delay") + "' is not a whole number from 0 to 100");
  }
  cycles = static_cast<int>(value);
}

// xacro writes True and False.
void read_flag(const HardwareParameters& given, const std::string& name, bool& value) {
  const auto found = given.find(name);
  if (found == given.end()) return;
  const std::string& text = found->second;
  const bool on = text == "true" || text == "True", off = text == "false" || text == "False";
  if (!on && !off) throw ModelError("hardware parameter " + name + ": '" + text + "' is neither true nor false");
  value = on;
}

void read_gravity(const HardwareParameters& given, dyn::Vec3d& gravity) {
  const auto found = given.find("gravity");
  if (found == given.end()) return;
  std::istringstream stream(found->second);
  std::string x, y, z, more;
  stream >> x >> y >> z;
  if (z.empty() || stream >> more) throw ModelError("hardware parameter gravity: '" + found->second + "' is not X Y Z");
  gravity = {number_from(x, "gravity"), number_from(y, "gravity"), number_from(z, "gravity")};
}

// "KIND BEGIN DURATION", times in seconds of motion.
void read_fault(const HardwareParameters& given, dyn::sim::StateFault& fault) {
  const auto found = given.find("state_fault");
  if (found == given.end()) return;
  const auto& names = dyn::sim::state_fault_names;
  std::istringstream stream(found->second);
  std::string kind, begin, duration, more;
  stream >> kind >> begin >> duration;
  const auto* const named =
      std::find_if(names.begin(), names.end(), [&](const auto& one) { return kind == one.first; });
  if (named == names.end() || duration.empty() || stream >> more) {
    throw ModelError("hardware parameter state_fault: '" + found->second +
                     "' is not KIND BEGIN DURATION, with nan, infinite, frozen or offset as its kind");
  }
  fault = {named->second, number_from(begin, "hardware parameter state_fault"),
           number_from(duration, "hardware parameter state_fault")};
}

// Plant, gravity and initial position of one arm of a `dyn run` configuration.
void read_scenario(const HardwareParameters& given, SimulatedArmSettings& settings) {
  const auto file = given.find("scenario");
  if (file == given.end()) return;
  const dyn::sim::RunConfig run = dyn::sim::load_run_config(file->second);
  const auto name = given.find("scenario_arm");
  const auto arm = std::find_if(run.arms.begin(), run.arms.end(), [&](const dyn::sim::ArmConfig& candidate) {
    return name == given.end() || candidate.name == name->second;
  });
  if (arm == run.arms.end()) {
    throw ModelError("hardware parameter scenario_arm: " + file->second + " has no arm '" + name->second + "'");
  }
  if (arm->plant.state_fault.kind != dyn::sim::StateFault::Kind::none) {
    throw ModelError("hardware parameter scenario: " + file->second +
                     ": plant.state_fault is for `dyn run`, since the times of this hardware do not begin with the "
                     "scenario; there is the hardware parameter state_fault");
  }
  settings.plant = arm->plant;
  settings.gravity_mps2 = arm->live.model.gravity_mps2;
  settings.start_q = arm->start_q;
  if (settings.start_q.empty()) {
    std::vector<double> q(arm->controller.gains.size()), v(q.size()), a(q.size());
    arm->trajectory->sample(0.0, q, v, a);
    settings.start_q = q;
  }
}

}  // namespace

double number_from(const std::string& text, const std::string& what) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double value = 0.0;
  if (!(stream >> value) || !(stream >> std::ws).eof() || !std::isfinite(value)) {
    throw ModelError(what + ": '" + text + "' is not a number");
  }
  return value;
}

SimulatedArmSettings read_settings(const HardwareParameters& given) {
  SimulatedArmSettings settings;
  read_scenario(given, settings);
  if (const auto engine = given.find("engine"); engine != given.end()) settings.plant.engine = engine->second;
  read_flag(given, "friction", settings.plant.friction);
  read_flag(given, "armature", settings.plant.armature);
  read_flag(given, "limits", settings.plant.limits);
  read_flag(given, "allow_impossible_inertia", settings.plant.allow_impossible_inertia);
  settings.drives.limits = settings.plant.limits;
  read_number(given, "tolerance", 1.0, settings.plant.tolerance);
  read_gravity(given, settings.gravity_mps2);
  read_delay(given, settings.plant.delay_cycles);
  read_number(given, "drive_p", dyn::ranges::gain, settings.drives.p);
  read_number(given, "drive_d", dyn::ranges::gain, settings.drives.d);
  read_number(given, "fail_after", 1e9, settings.fail_after_s);
  read_fault(given, settings.plant.state_fault);
  return settings;
}

}  // namespace dyn_controllers
