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
#include "dyn_core/live/handover.hpp"
#include "dyn_core/live/sample_ring.hpp"

namespace dyn::control {

struct Controller::Impl {
  Impl(live::LiveModel& live_model, Actuation what, const Parameters& first, double cycle_s);
  ~Impl() { delete parameters; }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  void activate(const StateInput& state) noexcept;
  CycleReport step(const StateInput& state, const ReferenceInput& reference, std::span<double> effort) noexcept;

 private:
  friend class Controller;
  // --- the rooms ---
  void take_parameters() noexcept;
  [[nodiscard]] bool finite(const StateInput& state, const ReferenceInput& reference) const noexcept;
  void note_model_change(live::Generation& generation) noexcept;
  void shift_reference(const ReferenceInput& reference) noexcept;
  void hold_reference(bool begins) noexcept;
  void give_way(const Dynamics& dynamics) noexcept;
  void predict(const StateInput& state) noexcept;
  [[nodiscard]] Status evaluate(live::Generation& generation) noexcept;
  [[nodiscard]] Status update_model(live::Generation& generation) noexcept;
  void rehearse() noexcept;
  [[nodiscard]] Status apply_law(Dynamics& dynamics) noexcept;
  void add_friction() noexcept;
  void sum_terms() noexcept;
  void limit(CycleReport& report) noexcept;
  void observe(Dynamics& dynamics, CycleReport& report) noexcept;
  void rebase_observer(live::Generation& generation) noexcept;
  void write_sample(const live::Generation& generation) noexcept;
  void remember_good(const Dynamics& dynamics) noexcept;
  void fail_safe(const StateInput& state, CycleReport& report) noexcept;

  [[nodiscard]] LawInput law_input(const Dynamics& dynamics) const noexcept;
  [[nodiscard]] double feedback_scale() const noexcept;
  [[nodiscard]] double effort_bound(size_t i) const noexcept;
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

  live::Handover<Parameters> fresh_parameters;
  Parameters* parameters = nullptr;
  live::SampleRing* ring = nullptr;

  PassiveJoints passive;
  AntiSwing anti_swing;
  MomentumObserver observer;
  double unsettled_s = 0.0;  // until the observer knows nothing more of a ramp
  PayloadEstimate payload;
  int payload_coordinate = -1;  // of the body that carries payload_link, which is found by it in every generation
  Pose body_T_payload;
  bool learning = false;
  Terms terms;

  // Reference at the predicted time, and at the state's; what it takes to get there.
  std::vector<double> ref_q, ref_v, ref_a, ref_now_q, ref_now_v, ref_now_a, last_ref_a;
  bool last_was_fresh = false;
  double stale_s = 0.0;
  std::vector<double> hold_q, hold_v;  // where a reference that stopped coming is brought to rest
  bool holding = false;

  // How far the reference has given way to damp a swing, and its rates.
  std::vector<double> sway_q, sway_v, sway_a, wanted_a;  // wanted: the reference's with sway's

  std::vector<double> q_hat, v_hat, v_seen, a_command, integral, integral_term, sliding_v;
  std::vector<Commands> commands;
  std::vector<double> effort_last, gravity_last, diagonal_last, momentum_before;
  bool has_effort = false;
  bool observer_ready = false;
  bool observer_begins = false;  // in this cycle
  bool first_cycle_of_generation = true;
  double active_s = 0.0;
  double bad_s = 0.0;
};

}  // namespace dyn::control
