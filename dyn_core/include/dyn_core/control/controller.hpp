// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One control cycle, the same for `dyn run` and for the ros2_control plugins:
//
//   state in -> LiveModel::acquire -> Dynamics::update(q, v) -> control law -> limits -> effort out -> sample
//
// step() runs on the loop's thread and is real-time safe; set_parameters() may be called from any other thread, the
// next step uses them. Everything else is for the thread that configures, before the loop runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/control/parameters.hpp"
#include "dyn_core/control/reference_limiter.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_core/model/joint_friction.hpp"

namespace dyn::live {
class SampleRing;  // live/sample_ring.hpp: what the validator reads
}

namespace dyn::control {

struct StateInput {
  // One entry for each of the model's coordinates, or more: the robot's, then those of payloads on passive joints.
  std::span<const double> q, v;
  const Vec3d* gravity_mps2 = nullptr;  // of this cycle, root link's frame: a base that moves; null: the live model's
  double elapsed_s = 0.0;               // measured time since the state of the previous step; 0: one period
};

// A reference that can be evaluated at any time: a trajectory. Called on the loop's thread.
class ReferenceSource {
 public:
  virtual ~ReferenceSource() = default;
  // `ahead_s` after the time of ReferenceInput's q, v, a; the robot's coordinates.
  virtual void sample(double ahead_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept = 0;
};

struct ReferenceInput {
  std::span<const double> q, v, a;          // of the robot's coordinates each; not read where there is a source
  bool fresh = true;                        // a new one arrived since the last cycle
  const ReferenceSource* source = nullptr;  // null: extrapolated from q, v, a
  const TaskReference* task = nullptr;      // of the law task_space, for which q is the state
  double lead = 0.0;                        // periods by which this one runs ahead, in addition to reference_lead
};

// What is actuated: by robot coordinate. Coordinates of payload chains are always passive.
struct Actuation {
  std::vector<bool> actuated;        // false: passive, tau = 0
  std::vector<bool> followed;        // another controller moves it: its reference is its state, and no limits apply
  std::vector<bool> continuous;      // the position error wraps around
  std::vector<double> effort_limit;  // N m or N; this and the limits below: infinity where the URDF has none
  // Limits of references: positions (the soft limits where those are narrower), and velocities.
  std::vector<double> lower, upper, velocity_limit;
  std::vector<JointFriction> friction;
  double friction_transition_s = 0.0;  // over which this friction replaces the one before
  std::string payload_link;            // on which the law `adaptive` learns a payload; empty: none
  // For a caller whose arrays (StateInput, ReferenceInput, the effort) have room for joints that the robot may get: the
  // entry of each of its coordinates, and the first entry of payloads' coordinates. Other entries are not read, and get
  // no effort. Empty: entry i is coordinate i.
  std::vector<int> entries;
  int payload_entry = 0;
  std::uint64_t version = 0;  // set by the controller, as Parameters::version

  static Actuation from_model(const Model& model, const std::vector<std::string>& passive_joints);
};

// N m or N that a robot coordinate may use at effort_limit_scale 1: the URDF's limit and the parameter's, the smaller
// of both; infinity where there is none.
[[nodiscard]] DYN_REALTIME double effort_limit(const Actuation& actuation, const Parameters& parameters,
                                               size_t coordinate) noexcept;

// Every term of the last torque, by coordinate; what ~/controller_state and the report show.
struct Terms {
  std::vector<double> inertia, coriolis, gravity, friction, feedback;  // sum: demanded
  std::vector<double> demanded;                                        // before limits
  std::vector<double> applied;                                         // what was commanded
  std::vector<double> external;                                        // momentum observer's residual
  std::vector<double> position_error, velocity_error;
};

struct CycleReport {
  // holding_reference: no usable reference for reference_timeout, or a fallback requests it: the arm is
  // brought to rest from its measured state. holding_torque, for hold_time, then safe_torque: the state or a result is
  // not finite. safe_torque without holding_torque: a joint's state is frozen. failed: after ten times hold_time,
  // or at once where no cycle since activation had a valid torque.
  enum class Mode : std::uint8_t { tracking, holding_reference, holding_torque, safe_torque, failed };
  Mode mode = Mode::tracking;
  Status status;  // of the dynamics
  std::uint64_t generation = 0;
  AlgorithmIndex algorithms;   // those used in this cycle
  int frozen = -1;             // a joint whose state is frozen (control/state_watch.hpp): safe torque, then failed
  bool late = false;           // the cycle began more than half a period late
  bool saturated = false;      // some effort limit or rate limit was active
  bool velocity_held = false;  // torque was reduced that would have driven a joint beyond its velocity limit
  bool collision = false;      // not raised while a payload is ramped and until the observer has settled after it
  bool ramping = false;        // a payload is being ramped
  bool fallback = false;       // the validator asked for a fallback
  bool reference_not_finite = false;  // the one given in this cycle was not used
  bool reference_limited = false;     // some joint follows Controller::reference() instead of the given reference
  ReferenceCut reference_cut;         // where this began last; its count grows with each new one
};

// By robot coordinate.
struct FollowedReference {
  std::span<const double> q, v, a;
};

class Controller {
 public:
  // Allocates all memory, for live.max_coordinates(). Throws ModelError where the parameters do not fit, or a driven
  // joint has no effort limit.
  Controller(live::LiveModel& live, Actuation actuation, const Parameters& parameters, double period_s);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  Controller(Controller&&) = delete;
  Controller& operator=(Controller&&) = delete;

  // Any thread but the loop's. Throws ModelError with the reason and changes nothing where they are invalid.
  void set_parameters(const Parameters& parameters);
  void check_parameters(const Parameters& parameters) const;  // throws what set_parameters() would
  // The same in two steps: ready() on any thread, apply() on the loop's; in force from its next step on.
  [[nodiscard]] lockfree::Owned<Parameters> ready(const Parameters& parameters) const;
  DYN_REALTIME void apply(lockfree::Owned<Parameters> parameters) noexcept;
  // Limits and friction from a new description of the same joints.
  void set_limits(const Actuation& actuation);
  void check_limits(const Actuation& actuation) const;  // throws what set_limits() would
  // Another description, without payloads, whose joints may be others, while the loop runs: LiveModel::replace_joints()
  // with the limits and parameters of the new joints, in force from the same cycle on. Continued joints keep reference,
  // integral, torque and observer, and take their friction over friction_transition_s; others begin at their measured
  // state with no torque. From that cycle on step() uses the new coordinates. Throws ModelError with the reason and
  // changes nothing where that is not possible.
  live::Applied replace_joints(const Model& robot, const CoordinateMap& map, const Actuation& actuation,
                               const Parameters& parameters, double transition_time_s,
                               live::LiveModel::Change* later = nullptr);
  // Frees what the loop has retired; set_parameters() does this too.
  void collect();
  // Where samples are written (nullptr: nowhere); before the loop runs.
  void set_sample_ring(live::SampleRing* ring) noexcept;

  // The loop: integrals, observer, ramp-in and hold are reset; the reference starts at the state and its velocity.
  DYN_REALTIME void activate(const StateInput& state) noexcept;
  // One cycle. `effort` has the model's coordinates; entries of passive joints are set to 0.
  DYN_REALTIME CycleReport step(const StateInput& state, const ReferenceInput& reference,
                                std::span<double> effort) noexcept;
  // Between cycles, where there is time: runs the last cycle again, so that the next step finds code and numbers in the
  // caches, and undoes it. Reads the last step's inputs again: their arrays must still exist.
  DYN_REALTIME void warm_up() noexcept;
  [[nodiscard]] const Terms& terms() const noexcept;
  // The reference that the last step followed, at the time of the given one. It differs from the given one for joints
  // that are limited, and while the arm is brought to rest. For drives that close a loop of their own.
  [[nodiscard]] FollowedReference reference() const noexcept;
  // The state of the last step, by coordinate, and the entry of the caller's arrays that a coordinate has
  // (Actuation::entries). For the loop's thread.
  [[nodiscard]] DYN_REALTIME const StateInput& state() const noexcept;
  [[nodiscard]] DYN_REALTIME size_t entry_of(size_t coordinate) const noexcept;
  // Whether there are entries, so that state() and terms() have another order than the caller's arrays.
  [[nodiscard]] DYN_REALTIME bool has_entries() const noexcept;
  // Results of the law task_space in the last step, none right after activation. For the loop's thread.
  [[nodiscard]] DYN_REALTIME const TaskCycle& task() const noexcept;
  // The generation of the last step, its dynamics at the predicted state; null where that step had no valid result. For
  // the loop's thread, until the next step.
  [[nodiscard]] DYN_REALTIME live::Generation* last_generation() const noexcept;
  // Parameters::prediction of the last step, in periods. For the loop's thread.
  [[nodiscard]] DYN_REALTIME double prediction() const noexcept;
  // N m or N: the largest effort of this coordinate, effort_limit_scale included; infinity: none. For the loop's
  // thread.
  [[nodiscard]] DYN_REALTIME double effort_bound(size_t coordinate) const noexcept;
  // N m or N: a change of effort beyond friction, large enough to move the joint; infinity where no effort is
  // commanded. For the loop's thread.
  [[nodiscard]] DYN_REALTIME double moving_effort(size_t coordinate) const noexcept;
  // The payload that the law `adaptive` has learnt so far, in the frame of payload_link. For the loop's thread.
  [[nodiscard]] BodyInertia estimated_payload() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn::control
