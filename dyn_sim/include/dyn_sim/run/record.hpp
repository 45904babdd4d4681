// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The record of a run: filled by the loop into memory allocated before it starts, written to files after it has ended
// (results.json, log.csv, log.mcap, report.html).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dyn_core/control/reference_limiter.hpp"
#include "dyn_core/identify/payload_learner.hpp"
#include "dyn_sim/run/config.hpp"

namespace dyn::sim {

// Signals of every robot coordinate, one row a recorded cycle.
enum class Signal : std::uint8_t {
  q,
  v,
  a,  // at the beginning of the cycle, under its torque
  q_reference,
  v_reference,
  a_reference,
  position_error,
  velocity_error,  // rad or m, and rates; true state of the plant
  inertia,
  coriolis,
  gravity,
  friction,
  feedback,
  applied,
  external,
  sensed,  // N m or N; readings of the plant's torque sensors
  count
};
constexpr std::array<const char*, static_cast<std::size_t>(Signal::count)> signal_names{
    "q",       "v",        "a",       "q_reference", "v_reference", "a_reference", "position_error", "velocity_error",
    "inertia", "coriolis", "gravity", "friction",    "feedback",    "applied",     "external",       "sensed"};
[[nodiscard]] constexpr const char* to_string(Signal signal) noexcept {
  return signal < Signal::count ? signal_names[static_cast<std::size_t>(signal)] : "";
}

// What is recorded of the frame under the law task_space, one row a recorded cycle; base axes. Position and target are
// those that the controller sees.
enum class FrameSignal : std::uint8_t {
  x,
  y,
  z,
  target_x,
  target_y,
  target_z,  // m
  distance,  // from the target, m
  angle,     // from the target, rad
  force_x,
  force_y,
  force_z,  // demanded by the law, N
  wall_x,
  wall_y,
  wall_z,  // of the plant's walls on the arm, N
  count
};
constexpr std::size_t frame_signal_count = static_cast<std::size_t>(FrameSignal::count);
constexpr std::array<const char*, frame_signal_count> frame_signal_names{
    "frame.x",        "frame.y",      "frame.z",      "frame_target.x", "frame_target.y",
    "frame_target.z", "frame_error",  "frame_angle",  "frame_force.x",  "frame_force.y",
    "frame_force.z",  "wall_force.x", "wall_force.y", "wall_force.z"};

struct EventRecord {
  double planned_s = 0.0, applied_s = -1.0;  // -1: never
  std::string label;
  std::string error;  // why it was refused; empty if it was not
  std::vector<std::string> warnings{};
};

// The result of an event `estimate`.
struct EstimateRecord {
  int event = 0;
  std::string name, link;
  bool over = false;
  std::vector<identify::LearntPayload> history{};  // while it converged, one entry per tenth of a second of motion
  identify::PayloadProposal proposal{};
  double attached_s = -1.0;  // -1: not attached
};

// Why a run failed, with exit code 3.
struct FailureRecord {
  double time_s = 0.0;
  std::string cause;  // a sentence without arm and time
};

// A reference that was cut by the joints' limits.
struct ReferenceCutRecord {
  double time_s = 0.0;  // when the cut began
  control::ReferenceCut cut;
};

struct ResidualRecord {  // one sample of the validator
  double time_s = 0.0;
  double M = 0.0, Cv = 0.0, g = 0.0;  // largest relative errors
};

struct Percentiles {
  double p50 = 0.0, p99 = 0.0, p999 = 0.0, max = 0.0;
};

struct CoordinateUnit {
  bool linear = false;  // m and N; else rad and N m
  double effort_limit = 0.0;

  // Of the coordinate k of a joint.
  [[nodiscard]] static CoordinateUnit of(const Joint& joint, int k) {
    const JointDescription& d = joint.description;
    const bool linear = d.type == JointType::prismatic || (d.type == JointType::floating && k < 3) ||
                        (d.type == JointType::planar && k < 2);
    return {linear, d.limits ? d.limits->effort : 0.0};
  }
};

struct ArmRecord {
  const ArmConfig* config = nullptr;
  std::shared_ptr<const Model> model;  // without payloads, at the beginning of the run
  // Names of its coordinates, then of those that events add: joints of payloads, joints of another description. NaN is
  // recorded while a joint does not exist, and for signals that it does not have (a passive joint has no reference).
  std::vector<std::string> coordinates;
  std::vector<CoordinateUnit> added_units;  // of the coordinates after the model's
  int partial_columns = 0;                  // the number of columns, at the end, that have NaN in some rows
  int rows = 0;                             // recorded
  std::vector<double> time_s;               // by row
  std::vector<double> signals;              // [row][signal][coordinate]
  std::vector<double> frame_signals;        // [row][frame signal]; empty unless the law is task_space
  std::vector<std::int16_t> jsim;           // by row: index of the algorithm that was used
  std::vector<std::uint8_t> flags;          // by row: flag_saturated | ...
  std::vector<EventRecord> events;
  std::vector<EstimateRecord> estimates;
  std::vector<ResidualRecord> residuals;
  std::vector<FailureRecord> failures;  // by time; none: the run succeeded
  double saturation = 0.0;              // share of the cycles, not counting those in which the arm is brought to rest
  bool sensed_known = true;             // the torque sensors' readings and accelerations were recorded
  // Under task_space: of the frame's distance from its target, m, and angle, rad.
  double tracking_rms = 0.0, tracking_max = 0.0, torque_max = 0.0;
  double angle_rms = 0.0, angle_max = 0.0, wall_force_max = 0.0;
  // Collisions that the controller reported: cycles, and the beginnings of the first ones.
  std::uint64_t collision_cycles = 0;
  std::vector<double> collision_begins_s;  // at most most_collisions
  static constexpr std::size_t most_collisions = 100;
  std::uint64_t reference_limited_cycles = 0;
  std::vector<ReferenceCutRecord> reference_cuts;  // the first ones, at most most_cuts
  static constexpr std::size_t most_cuts = 100;
  // Joints without a motor: their largest velocity, and that of the last second (the residual swing of anti-swing).
  double passive_rate_max = 0.0, passive_rate_end = 0.0;
  struct {
    std::uint64_t samples = 0, dropped = 0, breaches = 0;
    std::uint64_t ramping = 0, skipped = 0, fallbacks = 0, holds = 0;  // as in oracle::ValidatorStatistics
    double max_M = 0.0, max_Cv = 0.0, max_g = 0.0;
    bool available = false;
    std::string unavailable_reason;
  } validation;

  static constexpr std::uint8_t flag_saturated = 1, flag_collision = 2, flag_ramping = 4, flag_holding = 8,
                                flag_fallback = 16;
  [[nodiscard]] double frame_signal(int row, FrameSignal s) const {
    return frame_signals[static_cast<std::size_t>(row) * frame_signal_count + static_cast<std::size_t>(s)];
  }
  [[nodiscard]] double signal(int row, Signal s, int coordinate) const {
    const auto n = coordinates.size();
    return signals[(static_cast<std::size_t>(row) * static_cast<std::size_t>(Signal::count) +
                    static_cast<std::size_t>(s)) *
                       n +
                   static_cast<std::size_t>(coordinate)];
  }
};

struct RunRecord {
  const RunConfig* config = nullptr;
  std::vector<ArmRecord> arms;
  std::uint64_t cycles = 0, overruns = 0;   // cycles 0: the loop belonged to another program and was not timed
  std::vector<float> update_ns, wakeup_ns;  // by cycle, all arms together
  Percentiles update, wakeup;
  std::int64_t allocations_in_loop = -1;  // -1: not counted in this build
  bool real_time = false;                 // ran against the clock
  bool interrupted = false;               // the run was requested to end early
  std::string scheduling;                 // what the system allowed: SCHED_FIFO 80 on core 1, memory locked; or why not
  double duration_s = 0.0;                // simulated
};

}  // namespace dyn::sim
