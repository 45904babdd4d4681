// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Names and units in the files of a run.
#include "results_names.hpp"

#include "algorithm_families.hpp"

namespace dyn::sim {

namespace outputs {

std::string law_name(control::Law law) {
  switch (law) {
    case control::Law::computed_torque: return "computed_torque";
    case control::Law::feedforward: return "feedforward";
    case control::Law::gravity_compensation: return "gravity_compensation";
    case control::Law::passivity: return "passivity";
    case control::Law::adaptive: return "adaptive";
    case control::Law::task_space: return "task_space";
  }
  return "";
}

std::string jsim_name(int index) {
  const auto names = cli::family_of("jsim_algorithm").names;
  if (index < 0 || index >= static_cast<int>(names.size())) return {};
  return std::string(names[index]);
}

std::string arm_file(const std::string& file, const std::string& arm) {
  const size_t dot = file.rfind('.');
  return file.substr(0, dot) + "." + arm + file.substr(dot);
}

CoordinateUnit coordinate_unit(const ArmRecord& arm, int coordinate) {
  CoordinateUnit unit;
  if (!arm.model) return unit;
  const size_t added = coordinate - arm.model->coordinates();
  if (coordinate >= arm.model->coordinates() && added < arm.added_units.size()) return arm.added_units[added];
  for (const Joint& joint : arm.model->joints()) {
    const int k = coordinate - joint.first_coordinate;
    if (k >= 0 && k < joint.degrees) unit = CoordinateUnit::of(joint, k);
  }
  return unit;
}

}  // namespace outputs
}  // namespace dyn::sim
