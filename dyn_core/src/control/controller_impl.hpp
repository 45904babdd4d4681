// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The rooms of one control cycle, in the order in which step() walks through them. Everything here is touched by the
// loop's thread only, but for `fresh_parameters`.
#pragma once

#include <vector>

#include "dyn_core/control/anti_swing.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/laws.hpp"
#include "dyn_core/control/momentum_observer.hpp"
#include "dyn_core/control/prediction.hpp"
#include "dyn_core/live/sample_ring.hpp"
#include "dyn_core/lockfree/handover.hpp"

namespace dyn::control {

// What a cycle leaves to the next one and to the reader of terms(): a copy of it undoes a rehearsal. Vectors have a
// number by coordinate, max_n of them.
struct Memory {
  explicit Memory(int max_n);

  MomentumObserver observer;
  Terms terms;
  // The reference: the last one given that was finite; what is followed of it, at the same time; that at the predicted
  // time and at the state's.
  std::vector<double> given_q, given_v, given_a, followed_q, followed_v, followed_a;
  std::vector<double> ref_q, ref_v, ref_a, ref_now_q, ref_now_v, ref_now_a, last_ref_a;
  std::vector<JointLimiter> limiters;
  ReferenceCut cut;
  // How far the reference has given way to damp a swing, and its rates.
  std::vector<double> sway_q, sway_v, sway_a, wanted_a;  // wanted: the reference's with sway's
  std::vector<double> a_command, integral, effort_last, gravity_last;
  // The model of the last cycle: C v + g as far as this controller's effort has to make up for it, the diagonal of M,
  // and M of the robot's coordinates by columns.
  std::vector<double> bias_last, diagonal_last, M_last;
  std::vector<Commands> commands;
  double unsettled_s = 0.0;  // until the observer knows nothing more of a ramp
  double stale_s = 0.0;      // since the last fresh reference
  double interval_s = 0.0;   // between the last two fresh ones; 0: not known
  double bad_s = 0.0;
  bool last_was_fresh = false;
  bool holding = false;
  bool starts_at_state = true;  // the reference does, in the next cycle
  bool any_limited = false;     // in the last cycle
  bool model_known = false;
  bool has_effort = false;
  bool observer_ready = false;
  bool observer_begins = false;  // in this cycle
  bool first_cycle_of_generation = true;
};

struct Controller::Impl : private Memory {
  Impl(live::LiveModel& live_model, Actuation what, const Parameters& first, double cycle_s);
  ~Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  void activate(const StateInput& now) noexcept;
  CycleReport step(const StateInput& now, const ReferenceInput& wanted, std::span<double> effort) noexcept;

 private:
  friend class Controller;
  // --- the rooms ---
  void take_parameters() noexcept;
  [[nodiscard]] bool finite() const noexcept;
  void note_model_change(live::Generation& generation) noexcept;
  [[nodiscard]] Status know_model(Dynamics& dynamics) noexcept;
  void shift_reference(CycleReport& report) noexcept;
  [[nodiscard]] bool take_reference(double now_s, double ahead_s) noexcept;
  void note_age(bool fresh) noexcept;
  [[nodiscard]] Point given(size_t i) const noexcept;
  void start_reference_at_state() noexcept;
  void allow_given_motion() noexcept;
  [[nodiscard]] MotionLimits motion_limits(size_t i) const noexcept;
  [[nodiscard]] bool limit_reference(size_t i, CycleReport& report) noexcept;
  void look_ahead(size_t i, bool limited, bool jerk_known, double now_s, double ahead_s) noexcept;
  void stop_reference() noexcept;
  void give_way(const Dynamics& dynamics) noexcept;
  void predict() noexcept;
  void work_out(live::Generation& generation, CycleReport& report) noexcept;
  [[nodiscard]] Status evaluate(live::Generation& generation) noexcept;
  void rehearse() noexcept;
  [[nodiscard]] Status apply_law(Dynamics& dynamics) noexcept;
  void add_friction() noexcept;
  void sum_terms() noexcept;
  void limit(CycleReport& report) noexcept;
  void observe(Dynamics& dynamics, CycleReport& report) noexcept;
  void rebase_observer(live::Generation& generation) noexcept;
  void write_sample(const live::Generation& generation) noexcept;
  [[nodiscard]] bool fill(live::Sample& sample, const live::Generation& generation) const noexcept;
  void remember_good(const Dynamics& dynamics) noexcept;
  void remember_model(const Dynamics& dynamics) noexcept;
  void fail_safe(CycleReport& report) noexcept;

  [[nodiscard]] LawInput law_input(const Dynamics& dynamics) const noexcept;
  [[nodiscard]] double feedback_scale() const noexcept;
  [[nodiscard]] double effort_bound(size_t i) const noexcept;
  [[nodiscard]] bool drives(size_t i) const noexcept { return actuation.actuated[i] && !actuation.followed[i]; }
  void check(const Parameters& candidate) const;  // throws ModelError
  void find_payload_link();
  void place_payload(const Tree& tree) noexcept;
  static VectorRef<double> write(std::vector<double>& x, int n) noexcept { return {x.data(), n}; }
  static ConstVectorRef<double> read(const std::vector<double>& x, int n) noexcept { return {x.data(), n}; }

  live::LiveModel& live;
  const Actuation actuation;
  const double period_s;
  const int robot_n;  // coordinates of the robot
  const int max_n;    // with every payload
  int n = 0;          // of this cycle's generation
  std::uint64_t generation_id = 0;
  live::Generation* rehearsed = nullptr;  // of the last good cycle; the loop alone retires it, in acquire()
  StateInput state;                       // of the last cycle; its arrays are the caller's
  ReferenceInput reference;
  Memory before_rehearsal;

  lockfree::Handover<Parameters> fresh_parameters;
  lockfree::Owned<Parameters> parameters;
  live::SampleRing* ring = nullptr;

  PassiveJoints passive;
  AntiSwing anti_swing;
  PayloadEstimate payload;
  int payload_coordinate = -1;  // of the body that carries payload_link, which is found by it in every generation
  Pose body_T_payload;
  bool learning = false;

  // Within a cycle.
  std::vector<double> q_hat, v_hat, v_seen, integral_term, sliding_v, momentum_before, passing, wanted_by_a,
      wanted_by_v;
  bool usable = false;  // the reference that was given
  double active_s = 0.0;
};

}  // namespace dyn::control
