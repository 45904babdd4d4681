// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The larger parts of a `dyn run` configuration; each reads its keys from the map and throws ModelError with file and
// line.
#pragma once

#include "dyn_sim/run/config.hpp"
#include "yaml_reader.hpp"

namespace dyn::sim {

// Throws ModelError unless a joint moves the link that the key names.
void check_moving_link(const YamlMap& map, const std::string& key, const std::string& name, const Model& model);
void read_controller(YamlMap& map, const Model& model, ArmConfig& arm);
std::shared_ptr<const Trajectory> read_trajectory(YamlMap map, const Model& model, const std::filesystem::path& file);
// Of the law task_space: `frame` and `task` of the controller, and the trajectory, which begins at the frame's pose at
// `start`.
void read_task(YamlMap& map, const Model& model, ArmConfig& arm);
std::shared_ptr<const PoseTrajectory> read_poses(YamlMap map, const Model& model, const std::string& frame,
                                                 const Point& start);
Expectations read_expect(YamlMap map, const Expectations& otherwise);
// Last of an arm: `arm` has its controller already.
std::vector<Event> read_events(YamlMap& map, const Model& model, const ArmConfig& arm, const RunConfig& run);
// The parameters after an event `set`; the name of an algorithm changes none of them. Throws ModelError, "NAME: why".
[[nodiscard]] control::Parameters changed_parameters(const std::string& name, const std::string& value,
                                                     const Model& model, const control::Parameters& parameters);
// The description that `key` names: a file beside the configuration `file`, any other file, or a known robot.
std::filesystem::path find_description(YamlMap& map, const std::string& key, const std::filesystem::path& file);
RobotDescription read_robot(YamlMap& map, const std::filesystem::path& file);  // the key `robot`

}  // namespace dyn::sim
