// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Maps coordinates of the plant to columns of the record. The robot's come first, then those that events add, in their
// order: joints of payloads, joints of another description of the robot. A prismatic joint with the name of a revolute
// one has its own column, NAME.slides.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dyn_sim/run/config.hpp"
#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

// Those of the names that the robot has.
std::vector<std::string> own_passive_joints(const Model& robot, const std::vector<std::string>& passive_joints);
// By coordinate of a robot without payloads: 1 if it has no drive.
std::vector<char> passive_coordinates(const Model& robot, const ArmConfig& config);

class Columns {
 public:
  Columns(const ArmConfig& config, const Model& robot);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  // Of the columns after the robot's.
  [[nodiscard]] const std::vector<CoordinateUnit>& added_units() const noexcept { return added_units_; }
  // By coordinate of the plant; each has a column if its event is in the configuration.
  [[nodiscard]] std::vector<int> of(const Model& plant) const;
  // The number of columns, at the end, that have NaN in some rows.
  [[nodiscard]] int partial_columns() const noexcept { return static_cast<int>(names_.size()) - always_; }

 private:
  using Key = std::pair<std::string, bool>;  // name, and whether it is linear
  void add(const Model& plant);

  std::vector<Key> keys_;
  std::vector<std::string> names_;
  std::vector<CoordinateUnit> added_units_;
  int always_ = 0;
};

}  // namespace dyn::sim
