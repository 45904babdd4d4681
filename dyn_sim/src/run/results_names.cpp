// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Names and units in the files of a run; opening and closing those files.
#include "results_names.hpp"

#include "algorithm_families.hpp"
#include "dyn_core/error.hpp"

namespace dyn::sim {

const char* to_string(Signal signal) noexcept {
  switch (signal) {
    case Signal::q: return "q";
    case Signal::v: return "v";
    case Signal::q_reference: return "q_reference";
    case Signal::v_reference: return "v_reference";
    case Signal::a_reference: return "a_reference";
    case Signal::position_error: return "position_error";
    case Signal::velocity_error: return "velocity_error";
    case Signal::inertia: return "inertia";
    case Signal::coriolis: return "coriolis";
    case Signal::gravity: return "gravity";
    case Signal::friction: return "friction";
    case Signal::feedback: return "feedback";
    case Signal::applied: return "applied";
    case Signal::external: return "external";
    case Signal::sensed: return "sensed";
    case Signal::count: break;
  }
  return "";
}

namespace outputs {

std::string law_name(control::Law law) {
  switch (law) {
    case control::Law::computed_torque: return "computed_torque";
    case control::Law::feedforward: return "feedforward";
    case control::Law::gravity_compensation: return "gravity_compensation";
    case control::Law::passivity: return "passivity";
    case control::Law::adaptive: return "adaptive";
  }
  return "";
}

std::string jsim_name(int index) {
  const auto names = cli::family_of("jsim_algorithm").names;
  if (index < 0 || index >= static_cast<int>(names.size())) return {};
  return std::string(names[static_cast<size_t>(index)]);
}

CoordinateUnit coordinate_unit(const ArmRecord& arm, int coordinate) {
  CoordinateUnit unit;
  if (!arm.model) return unit;
  for (const Joint& joint : arm.model->joints()) {
    const int k = coordinate - joint.first_coordinate;
    if (k < 0 || k >= joint.degrees) continue;
    const JointType type = joint.description.type;
    unit.linear =
        type == JointType::prismatic || (type == JointType::floating && k < 3) || (type == JointType::planar && k < 2);
    if (joint.description.limits) unit.effort_limit = joint.description.limits->effort;
  }
  return unit;
}

OutputFile::OutputFile(const std::filesystem::path& file, bool binary) : file_(file) {
  std::error_code ignored;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
  stream_.open(file, binary ? std::ios::binary | std::ios::out : std::ios::out);
  if (!stream_) throw ModelError(file.string() + ": cannot be written");
}

void OutputFile::close() {
  stream_.close();
  if (!stream_) throw ModelError(file_.string() + ": could not be written whole");
}

}  // namespace outputs
}  // namespace dyn::sim
