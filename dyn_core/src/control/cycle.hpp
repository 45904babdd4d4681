// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One control cycle as stages, in the order in which step() calls them, here and in the files:
//
//   state -> reference -> prediction -> dynamics -> law -> limits -> observer -> safety -> sample
//
// cycle.cpp has step() and the short stages: state (where joints change: stages/joints.cpp), dynamics (one
// call), safety, sample; stages/reference.cpp reference and prediction; stages/law.cpp, limits.cpp and observer.cpp
// theirs. Only the loop's thread uses all this, except `fresh_parameters`, `fresh_actuation` and what is marked as
// the writers'.
#pragma once

#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "dyn_core/control/anti_swing.hpp"
#include "dyn_core/control/cholesky_factor.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/laws.hpp"
#include "dyn_core/control/momentum_observer.hpp"
#include "dyn_core/control/prediction.hpp"
#include "dyn_core/control/state_watch.hpp"
#include "dyn_core/control/velocity_guard.hpp"
#include "dyn_core/live/sample_ring.hpp"
#include "dyn_core/lockfree/handover.hpp"

namespace dyn::control {

constexpr double jitter = 0.5;  // of a period: a cycle that is at most this early or late counts as exactly on time

// To (-pi, pi]: the short way round for a continuous joint.
inline double wrapped(double angle) noexcept { return std::remainder(angle, 2.0 * std::numbers::pi); }

struct Range {
  double lower, upper;
};

// The body that moves by this coordinate, -1 where there is none; of several (mimic joints share a coordinate) the one
// with this number, in the order of the tree.
inline int body_of(const Tree& tree, int coordinate, int number = 0) noexcept {
  for (int body = 0; body < tree.size; ++body) {
    if (tree.coordinate[body] == coordinate && number-- == 0) return body;
  }
  return -1;
}

// Where the law `adaptive` learns a payload. Coordinate and number identify the body that carries it in every
// generation; its index changes with payloads.
struct PayloadPlace {
  int coordinate = -1;  // -1: nowhere
  int number = 0;       // among the bodies that move by this coordinate
  Pose body_T_payload;
};

// What the loop takes from the first generation of new joints.
class RobotSettings final : public live::JointSettings {
 public:
  RobotSettings(Actuation what, const Parameters& first, const PayloadPlace& place)
      : actuation(std::move(what)), parameters(lockfree::Owned<Parameters>::make(first)), payload(place) {}
  [[nodiscard]] std::unique_ptr<live::JointSettings> copy() const override {
    return std::make_unique<RobotSettings>(actuation, *parameters, payload);
  }

  Actuation actuation;
  lockfree::Owned<Parameters> parameters;
  PayloadPlace payload;
};

// Every number that a cycle changes: a copy of it undoes a warm-up. Vectors have max_n entries, by coordinate.
struct CycleState {
  CycleState(int max_n, int max_bodies);

  // state
  int n = 0;  // coordinates of this cycle's generation
  std::uint64_t generation_id = 0;
  bool first_cycle_of_generation = true;
  double active_s = 0.0;  // since activation
  double step_s = 0.0;    // since the cycle before
  double gap_s = 0.0;     // the longest recent time between two cycles, which decays to a period
  double hold_s = 0.0;    // the time for which a torque is expected to act; a period where the loop is on time
  bool late = false;      // this cycle is
  StateWatch watch;

  // reference: the last given one that was finite (given_); the followed one at the same time (followed_), at the
  // predicted time (ref_) and at the time of the state (ref_now_)
  std::vector<double> given_q, given_v, given_a, followed_q, followed_v, followed_a;
  std::vector<double> ref_q, ref_v, ref_a, ref_now_q, ref_now_v, ref_now_a, last_ref_a;
  std::vector<double> passing, wanted_by_a, wanted_by_v;  // rad/s^2 or m/s^2: allowed for references, and demanded
  std::vector<JointLimiter> limiters;
  ReferenceCut cut;
  double stale_s = 0.0;         // since the last fresh reference
  double age_s = 0.0;           // since the last fresh reference that differed from the one before
  double interval_s = 0.0;      // between the last two that differed; 0: not known
  int streamed = 0;             // how many that differed came without a gap
  bool usable = false;          // the reference of this cycle is finite
  bool changed = false;         // it differs from the one before
  bool last_was_new = false;    // age_s was 0 in the last cycle
  bool holding = false;         // the arm is being brought to rest, or is held there
  bool starts_at_state = true;  // the next cycle starts the reference at the state
  bool any_limited = false;     // some reference was limited in the last cycle

  // prediction: the state at which model and law are evaluated; v_seen: the predicted velocity, also for feedforward,
  // where v_hat is the reference's
  std::vector<double> q_hat, v_hat, v_seen;

  // dynamics, of the last valid cycle: the part of C v + g that this controller's effort has to compensate, g, the
  // diagonal of M, and M of the robot's coordinates by columns
  std::vector<double> bias_last, gravity_last, diagonal_last, M_last;
  bool model_known = false;

  // law
  Terms terms;
  std::vector<double> offset_q, offset_v, offset_a;  // of the reference, to damp a swing
  bool offset_moves = false;                         // anti-swing was active since activation
  std::vector<double> wanted_a;                      // acceleration of reference and offset
  std::vector<double> integral, integral_term, pid, sliding_v, a_command;
  std::vector<Commands> commands;
  PayloadEstimate payload;
  bool learning = false;
  std::vector<JointFriction> friction_before;  // by coordinate: what is on its way to the actuation's
  double friction_ramp_s = 0.0, friction_left_s = 0.0;
  TaskMemory task;

  // observer
  MomentumObserver observer;
  std::vector<double> motor_effort, momentum_before, momentum_step;
  double unsettled_s = 0.0;  // until the effect of a ramp or a gap on the residual has decayed
  bool observer_ready = false;

  // safety
  std::vector<double> effort_last;  // commanded in the last cycle, good or not
  double bad_s = 0.0;               // since the last good cycle
  bool has_effort = false;
};

// What writers set last.
struct Newest {
  Actuation actuation;
  Parameters parameters;
  std::vector<std::string> names;  // of the robot's coordinates
  PayloadPlace place;
};

struct Controller::Impl : private CycleState {
  Impl(live::LiveModel& live_model, Actuation what, const Parameters& first, double cycle_s);
  ~Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  void activate(const StateInput& now) noexcept;

 private:
  friend class Controller;  // its step() calls the stages
  void compute(live::Generation& generation, CycleReport& report) noexcept;

  // state
  [[nodiscard]] double elapsed_s() const noexcept { return state.elapsed_s > 0.0 ? state.elapsed_s : period_s; }
  [[nodiscard]] bool keeps_time() const noexcept { return std::abs(elapsed_s() - period_s) <= jitter * period_s; }
  void note_gap() noexcept;
  [[nodiscard]] double watched_s() const noexcept;
  void watch_state() noexcept;
  [[nodiscard]] int find_frozen() noexcept;
  [[nodiscard]] double push_on(int i) const noexcept;
  [[nodiscard]] double moving_effort(int i) const noexcept;
  [[nodiscard]] bool state_is_finite() const noexcept;
  void begin_generation(live::Generation& generation) noexcept;
  void change_joints(live::Generation& generation) noexcept;
  void take_settings(live::Generation& generation) noexcept;
  [[nodiscard]] size_t entry_of(int i) const noexcept;
  void read_entries(int coordinates) noexcept;
  void write_effort(std::span<double> effort) const noexcept;
  void find_carried(const live::Generation& generation) noexcept;
  void carry(std::vector<double>& values) noexcept;
  void carry_friction() noexcept;
  void begin_joint(int i) noexcept;
  void begin_friction_ramp(const Actuation& before) noexcept;
  [[nodiscard]] JointFriction friction_now(const JointFriction& to, int i) const noexcept;
  // reference
  void update_reference(CycleReport& report) noexcept;
  void take_reference(double now_s, double ahead_s) noexcept;
  [[nodiscard]] double sample_source(double now_s, double ahead_s) noexcept;
  [[nodiscard]] Point given(int i) const noexcept;
  [[nodiscard]] double longest_to_extrapolate_s() const noexcept;
  void start_reference_at_state() noexcept;
  [[nodiscard]] MotionLimits find_motion_limits(int i) const noexcept;
  ReferenceLimit follow_after_gap(int i, const Point& wanted, MotionLimits limits, double now_s) noexcept;
  [[nodiscard]] bool is_out_of_reach(int i, double now_s) const noexcept;
  void allow_given_motion() noexcept;
  void allow_whole_motion() noexcept;
  void look_ahead(int i, bool limited, bool jerk_known, double now_s, double ahead_s) noexcept;
  void stop_reference() noexcept;
  // prediction
  void predict() noexcept;
  // law
  [[nodiscard]] Status apply_law(Dynamics& dynamics) noexcept;
  void update_anti_swing_offset(const Dynamics& dynamics, bool damps_swing) noexcept;
  [[nodiscard]] double offset_acceleration_within_limits(int i) const noexcept;
  void scale_feedback() noexcept;
  void find_inverse_inertias() noexcept;
  [[nodiscard]] double rate_of_damping(int i) const noexcept;
  [[nodiscard]] double ramp_in() const noexcept;
  [[nodiscard]] Status apply_task(live::Generation& generation, CycleReport& report) noexcept;
  [[nodiscard]] double share_within_effort_limits() const noexcept;
  [[nodiscard]] double friction_at(int i) const noexcept;
  // limits
  [[nodiscard]] double effort_bound(int i) const noexcept;
  [[nodiscard]] Range effort_range(int i) const noexcept;
  [[nodiscard]] Status limit_effort(CycleReport& report) noexcept;
  [[nodiscard]] double braking_time_s() const noexcept;
  [[nodiscard]] double margin_of_stop(double braking) const noexcept;
  [[nodiscard]] double velocity_towards_stop(double room, double v, double braking) const noexcept;
  [[nodiscard]] double acceleration_towards_stop(double room, double v, double braking) const noexcept;
  [[nodiscard]] Range acceleration_range(int i) const noexcept;
  void limit_velocity(const Dynamics& dynamics, CycleReport& report) noexcept;
  // observer
  void update_observer(live::Generation& generation, CycleReport& report) noexcept;
  void rebase_observer(live::Generation& generation, int kept) noexcept;
  void end_observer() noexcept;
  void momentum_of(Dynamics& dynamics, std::vector<double>& momentum) noexcept;
  // safety
  void remember_model(const Dynamics& dynamics) noexcept;
  void fail_safe(CycleReport& report) noexcept;
  [[nodiscard]] double safe_torque(int i) const noexcept;
  [[nodiscard]] double damping_of(int i) const noexcept;
  // sample
  void write_sample(const live::Generation& generation, bool hand_over) noexcept;

  [[nodiscard]] bool drives(int i) const noexcept { return actuation.actuated[i] && !actuation.followed[i]; }
  [[nodiscard]] bool has_acceleration_limit(int i) const noexcept {
    return !parameters->acceleration_limit.empty() && parameters->acceleration_limit[i] > 0.0;
  }
  // Hand guiding and the law task_space: no joint has a reference of its own.
  [[nodiscard]] bool follows_state() const noexcept {
    return parameters->law == Law::gravity_compensation || parameters->law == Law::task_space;
  }
  [[nodiscard]] ConstVectorRef<double> read_view(const std::vector<double>& x) const noexcept { return {x.data(), n}; }
  [[nodiscard]] VectorRef<double> write_view(std::vector<double>& x) const noexcept { return {x.data(), n}; }

  // Before the loop runs.
  void check(const Parameters& candidate, const Actuation& what, const std::vector<std::string>& names,
             const PayloadPlace& place) const;  // throws ModelError
  // Of parameters that were checked; the caller holds `changes`.
  [[nodiscard]] lockfree::Owned<Parameters> make_newest(const Parameters& candidate);
  [[nodiscard]] static PayloadPlace find_payload_link(const Actuation& what, const Model& model);

  // Fixed.
  live::LiveModel& live;
  Actuation actuation;  // the loop's
  const double period_s;
  const int max_n;           // with every payload
  int robot_n;               // coordinates of the robot, without payloads
  std::uint64_t joints = 0;  // which joints they are
  std::vector<int> joint_keys;
  PayloadPlace payload_place;
  live::SampleRing* ring = nullptr;

  // From writers to the loop, and the loop's parameters.
  lockfree::Handover<Parameters> fresh_parameters;
  lockfree::Owned<Parameters> parameters;
  lockfree::Handover<Actuation> fresh_actuation;
  // Writers', behind their mutex: what was published last.
  mutable std::mutex writers;
  // One change at a time, from its check to its publication; taken before the live model's mutex, which comes before
  // `writers`: the live model's check calls check_limits().
  mutable std::mutex changes;
  Newest newest;
  std::uint64_t versions = 0;  // of actuation and parameters
  StateInput state;            // of the last cycle; its arrays are the caller's
  ReferenceInput reference;
  live::Generation* last_good = nullptr;  // generation of the last cycle, if that was; the loop alone retires it

  // State and reference by coordinate, where the caller has them in another order.
  struct Inputs {
    std::vector<double> q, v, ref_q, ref_v, ref_a;
  } inputs;

  // Scratch that is written before it is read; `passive` knows which joints are passive in this generation.
  PassiveJoints passive;
  std::vector<double> feedback_scale;
  std::span<const JointGains> gains_in_force;  // the parameters', or slow_gains in a loop that is late
  std::vector<JointGains> slow_gains;
  std::vector<MotionLimits> motion_limits;  // of the robot's coordinates in this cycle
  VelocityGuard velocity_guard;
  CholeskyFactor robot_inertia;                  // of the last valid cycle's M
  std::vector<double> inverse_inertias, column;  // diagonal and one column of its inverse
  AntiSwing anti_swing;
  TaskSpaceLaw task_law;
  CycleState before_warm_up;
  // Where joints change: the previous coordinate that each one continues, -1: none; and copies of the previous values.
  std::vector<int> carried;
  std::vector<double> values_before;
  std::vector<JointLimiter> limiters_before;
  std::vector<Commands> commands_before;
  std::vector<JointFriction> friction_carried;
};

}  // namespace dyn::control
