// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A `dyn run` configuration: one arm or several, each with robot, plant, controller, trajectory and timed events.
// Read from YAML strictly: an unknown key, a wrong type or a value out of range is refused with file, line and value.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dyn_core/control/parameters.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_sim/plant.hpp"
#include "dyn_sim/pose_trajectory.hpp"
#include "dyn_sim/trajectory.hpp"

namespace dyn::sim {

// Where a payload is attached: the plant, the controller's model, or both.
enum class Target : std::uint8_t { both, plant, model };

struct AttachEvent {
  Payload payload;
  Target target = Target::both;
  double transition_time_s = 0.0;
  std::filesystem::path chain_file = {};  // of a payload with joints of its own: the file that it was read from
};
struct DetachEvent {
  std::string payload;
  Target target = Target::both;
  double transition_time_s = 0.0;
};
struct SetEvent {  // parameter name as in `controller`, value as text
  std::string parameter, value;
};
struct PushEvent {
  std::string link;
  Vec3d force_N = Vec3d::Zero(), point_m = Vec3d::Zero();
  double duration_s = 0.1;
};
// Learns the payload on a link from the motion (identify/payload_learner.hpp) and ends with a proposal.
struct EstimateEvent {
  std::string link, name;  // name: of the payload that it may become
  double duration_s = 2.0;
  bool attach = false;  // attach the proposed payload if it has converged and can be carried
  bool sensed = false;  // use the torque sensors, too, not only the commanded torques
  double cutoff_hz = 10.0;
  double transition_time_s = 0.0;
};

// Another description of the robot, on plant and model alike, whose joints may differ; payloads stay attached.
struct RobotEvent {
  std::shared_ptr<const Model> robot;
  CoordinateMap map{};  // what becomes of joints that do not continue by themselves
  // Of the new robot, from the event on; null: joints continue with theirs, new ones are held at 0.
  std::shared_ptr<const Trajectory> trajectory{};
  double transition_time_s = 0.0;
};

struct Event {
  double time_s = 0.0;
  std::variant<SetEvent, PushEvent, AttachEvent, DetachEvent, RobotEvent, EstimateEvent> what;
  std::string label;  // for reports: attach box, jsim_algorithm = gdahj, robot = longer.urdf, ...
};

struct ValidationConfig {
  std::string mode = "monitor";  // off, monitor, gate
  double rate_hz = 100.0;        // samples a second
  double tolerance = 1e-10;
  std::string fallback = "crba";
};

// Criteria of a run (`expect`); run/judge.hpp has further ones.
struct Expectations {
  double saturation = 0.1;                             // largest share of the cycles with an effort at a limit
  double prismatic_error_m = 0.25;                     // for revolute joints it is a quarter turn
  double frame_error_m = 0.1, frame_angle_rad = 0.35;  // of the frame from its target, under task_space
  std::optional<double> tracking_rms, tracking_max;    // rad or m; the second replaces both distances above
  std::optional<std::pair<int, int>> collisions;       // at least, at most
  std::optional<double> validation;                    // largest relative difference from Pinocchio; 0: no breach
};

struct ArmConfig {
  std::string name;
  std::string robot;
  RobotDescription description;
  live::LiveOptions live;
  std::string jsim, coriolis;  // algorithms, by name
  control::Parameters controller;
  control::JointGains default_gains;  // of joints without gains of their own
  std::vector<std::string> passive_joints;
  std::string payload_link;  // link on which the law `adaptive` learns a payload
  ValidationConfig validation;
  PlantSettings plant;
  std::string frame;                              // that the law task_space controls; empty: another law
  std::shared_ptr<const PoseTrajectory> poses{};  // of that frame
  std::shared_ptr<const Trajectory> trajectory;   // of the joints; under task_space they stand at `start_q`
  std::vector<double> start_q;  // initial position of the plant; the trajectory's beginning unless given
  std::vector<Event> events;    // by time
  Expectations expect;
};

struct RunConfig {
  std::string title;
  std::filesystem::path file;
  double rate_hz = 1000.0;
  double duration_s = 10.0;
  double wake_early_us = 200.0;  // before a cycle is due, at most 3/4 of a period: the time for warming up
  std::optional<int> cpu;        // the loop's core; the last one unless given
  std::vector<ArmConfig> arms;
};

// Throws ModelError.
RunConfig load_run_config(const std::filesystem::path& file);
// The same from the text of such a file; paths in it are relative to `file`, whose name also begins the messages.
RunConfig parse_run_config(const std::string& yaml, const std::filesystem::path& file);

// A file, or the name of a shipped scenario (config/scenarios). Throws ModelError that lists those.
[[nodiscard]] std::filesystem::path find_scenario(const std::string& scenario);

// Changes one parameter of the controller while it runs; an algorithm through `live` (later: see LiveModel). Throws
// ModelError with the reason, and then nothing has changed.
void set_parameter(const std::string& name, const std::string& value, const Model& model,
                   control::Parameters& parameters, live::LiveModel& live, live::LiveModel::Change* later = nullptr);

}  // namespace dyn::sim
