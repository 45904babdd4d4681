// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Which column of the record a coordinate of the plant is written to. The robot's come first, then those that events
// bring, in the order in which they come: joints of payloads, joints of another description of the robot. A joint that
// slides where one of its name turned has a column of its own, NAME.slides.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dyn_sim/run/config.hpp"
#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

// Those of the names that the robot has.
std::vector<std::string> own_passive_joints(const Model& robot, const std::vector<std::string>& passive_joints);
// By coordinate of a robot without payloads: 1 where nothing drives it.
std::vector<char> passive_coordinates(const Model& robot, const ArmConfig& config);
// The robot of an event with what is attached to it, as models of the plant are.
RobotDescription with_payloads(RobotDescription robot, const std::vector<Payload>& payloads);
// Of every coordinate after the event, payloads' by name: the one before that it goes on with, or -1. Throws
// ModelError.
std::vector<int> carried_through(const Model& before, const Model& after, const CoordinateMap& map);

class Columns {
 public:
  Columns(const ArmConfig& config, const Model& robot);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  // Of those behind the robot's.
  [[nodiscard]] const std::vector<CoordinateUnit>& brought() const noexcept { return brought_; }
  // By coordinate of the plant; every one has a column whose event is in the configuration.
  [[nodiscard]] std::vector<int> of(const Model& plant) const;
  // So many of the last have no number in some rows.
  [[nodiscard]] int sometimes() const noexcept { return static_cast<int>(names_.size()) - always_; }

 private:
  using Key = std::pair<std::string, bool>;  // name, and whether it slides
  void add(const Model& plant);

  std::vector<Key> keys_;
  std::vector<std::string> names_;
  std::vector<CoordinateUnit> brought_;
  int always_ = 0;
};

}  // namespace dyn::sim
