// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"

#include <algorithm>

#include "dyn_core/control/controller.hpp"

namespace dyn::sim {
namespace {

std::vector<CoordinateUnit> units_of(const Model& model) {
  std::vector<CoordinateUnit> units;
  for (const Joint& joint : model.joints()) {
    for (int k = 0; k < joint.degrees; ++k) units.push_back(CoordinateUnit::of(joint, k));
  }
  return units;
}

bool has_joints(const Payload& payload, const RobotDescription& carried) {
  const RobotDescription with = dyn::attach(carried, payload);
  return std::any_of(with.joints.begin() + static_cast<std::ptrdiff_t>(carried.joints.size()), with.joints.end(),
                     [](const JointDescription& joint) { return joint.type != JointType::fixed; });
}

}  // namespace

std::vector<std::string> own_passive_joints(const Model& robot, const std::vector<std::string>& passive_joints) {
  std::vector<std::string> own;
  for (const Joint& joint : robot.joints()) {
    const std::string& name = joint.description.name;
    if (std::find(passive_joints.begin(), passive_joints.end(), name) != passive_joints.end()) own.push_back(name);
  }
  return own;
}

std::vector<char> passive_coordinates(const Model& robot, const ArmConfig& config) {
  std::vector<char> passive;
  const auto own = own_passive_joints(robot, config.passive_joints);
  for (const bool driven : control::Actuation::from_model(robot, own).actuated) passive.push_back(driven ? 0 : 1);
  return passive;
}

Columns::Columns(const ArmConfig& config, const Model& robot) {
  add(robot);
  added_units_.clear();
  always_ = robot.coordinates();
  RobotDescription carried = config.description;
  std::vector<Payload> payloads;
  for (const Event& event : config.events) {
    try {
      if (const auto* const attach = std::get_if<AttachEvent>(&event.what); attach && attach->target != Target::model) {
        const bool brings = has_joints(attach->payload, carried);
        payloads.push_back(attach->payload);
        carried = dyn::attach(carried, attach->payload);
        if (brings) add(Model::build(carried, config.live.model));
      } else if (const auto* const detach = std::get_if<DetachEvent>(&event.what);
                 detach && detach->target != Target::model) {
        carried = dyn::detach(carried, detach->payload);
        std::erase_if(payloads, [&](const Payload& p) { return p.name() == detach->payload; });
      } else if (const auto* const change = std::get_if<RobotEvent>(&event.what)) {
        carried = with_payloads(change->robot->description(), payloads);
        add(Model::build(carried, config.live.model));
        always_ = 0;
      }
    } catch (const ModelError&) {  // the event will be refused when it is due, and adds nothing
    }
  }
}

void Columns::add(const Model& plant) {
  const std::vector<CoordinateUnit> units = units_of(plant);
  for (size_t i = 0; i < units.size(); ++i) {
    const std::string& name = plant.coordinate_names()[i];
    if (std::find(keys_.begin(), keys_.end(), Key{name, units[i].linear}) != keys_.end()) continue;
    const bool taken = std::find(names_.begin(), names_.end(), name) != names_.end();
    keys_.emplace_back(name, units[i].linear);
    names_.push_back(taken ? name + (units[i].linear ? ".slides" : ".turns") : name);
    added_units_.push_back(units[i]);
  }
}

std::vector<int> Columns::of(const Model& plant) const {
  std::vector<int> columns;
  const std::vector<CoordinateUnit> units = units_of(plant);
  for (size_t i = 0; i < units.size(); ++i) {
    const auto found = std::find(keys_.begin(), keys_.end(), Key{plant.coordinate_names()[i], units[i].linear});
    columns.push_back(found == keys_.end() ? -1 : static_cast<int>(found - keys_.begin()));
  }
  return columns;
}

}  // namespace dyn::sim
