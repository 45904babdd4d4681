// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The control cycle, on the loop's thread: step() and its stages in order. The short ones are here, state at the
// beginning, safety and sample at the end; the others have files of their own in stages/.
#include "control/cycle.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "dyn_core/precondition.hpp"

namespace dyn::control {

CycleReport Controller::step(const StateInput& state, const ReferenceInput& reference,
                             std::span<double> effort) noexcept {
  const realtime::Scope scope("Controller::step");
  Impl& cycle = *impl_;
  CycleReport report;
  cycle.state = state;
  cycle.reference = reference;
  const bool gap_before = std::max(cycle.gap_s, cycle.hold_s) > cycle.period_s || cycle.step_s != cycle.period_s;
  if (gap_before || !cycle.keeps_time()) cycle.note_gap();
  report.late = cycle.late;
  auto parameters = cycle.fresh_parameters.take();
  if (parameters && parameters->version > cycle.parameters->version) std::swap(cycle.parameters, parameters);
  cycle.fresh_parameters.retire(std::move(parameters));
  auto limits = cycle.fresh_actuation.take();
  cycle.friction_left_s = std::max(0.0, cycle.friction_left_s - cycle.step_s);
  if (limits && limits->version > cycle.actuation.version) {
    std::swap(cycle.actuation, *limits);
    cycle.begin_friction_ramp(*limits);
  }
  cycle.fresh_actuation.retire(std::move(limits));
  live::Generation& generation = cycle.live.acquire(cycle.step_s);
  if (generation.joints != cycle.joints) cycle.take_settings(generation);
  cycle.read_entries(generation.model->coordinates());
  if (cycle.first_cycle_of_generation || generation.id != cycle.generation_id) cycle.begin_generation(generation);
  DYN_EXPECTS(std::ssize(cycle.state.q) >= cycle.n && std::ssize(cycle.state.v) >= cycle.n &&
              std::ssize(effort) >= cycle.n);
  DYN_EXPECTS(reference.source != nullptr ||
              (std::ssize(cycle.reference.q) >= cycle.robot_n && std::ssize(cycle.reference.v) >= cycle.robot_n &&
               std::ssize(cycle.reference.a) >= cycle.robot_n));
  report.generation = generation.id;
  report.algorithms = generation.dynamics.algorithms();
  report.ramping = generation.active_ramps > 0;
  report.fallback = cycle.live.fallback().any();
  cycle.watch_state();
  if (cycle.state_is_finite()) {
    report.frozen = cycle.find_frozen();
    if (report.frozen < 0) cycle.compute(generation, report);
  } else {
    report.status = Status::not_finite(-1, std::numeric_limits<double>::quiet_NaN());
  }
  report.reference_cut = cycle.cut;
  const bool good = report.status.ok() && report.frozen < 0;
  cycle.last_good = good ? &generation : nullptr;
  if (good) {
    cycle.write_sample(generation, true);
  } else {
    cycle.fail_safe(report);
  }
  cycle.write_effort(effort);
  cycle.active_s += cycle.step_s;
  return report;
}

// From a finite state to the torque, and what the next cycle needs of this one.
void Controller::Impl::compute(live::Generation& generation, CycleReport& report) noexcept {
  Dynamics& dynamics = generation.dynamics;
  const Vec3d& gravity = state.gravity_mps2 != nullptr ? *state.gravity_mps2 : live.gravity_mps2();
  if (gravity != dynamics.tree().gravity) dynamics.set_gravity(gravity);
  if (!model_known) {  // the first cycle: the limits of the reference need M and h
    report.status = dynamics.update(state.q.first(n), state.v.first(n));
    if (!report.status.ok()) return;
    remember_model(dynamics);
  }
  update_reference(report);
  scale_feedback();
  predict();
  report.status = dynamics.update(std::span<const double>(q_hat.data(), n), std::span<const double>(v_hat.data(), n));
  if (!report.status.ok()) return;
  const bool task_space = parameters->law == Law::task_space;
  report.status = task_space ? apply_task(generation, report) : apply_law(dynamics);
  if (report.status.ok()) report.status = limit_effort(report);
  if (!report.status.ok()) return;
  if (holding) report.mode = CycleReport::Mode::holding_reference;
  limit_velocity(dynamics, report);
  update_observer(generation, report);
  // Safety: this cycle is valid; what the next one needs of it.
  for (int i = 0; i < n; ++i) {
    effort_last[i] = terms.applied[i];
    const bool driven = i < robot_n && actuation.actuated[i] && parameters->law != Law::task_space;
    commands[i].push(driven ? wanted_a[i] - a_command[i] : a_command[i]);
    const Point offset = Point{offset_q[i], offset_v[i], offset_a[i]}.after(period_s);
    offset_q[i] = offset.q;
    offset_v[i] = offset.v;
  }
  has_effort = true;
  bad_s = 0.0;
  remember_model(dynamics);
}

void Controller::activate(const StateInput& state) noexcept {
  const realtime::Scope scope("Controller::activate");
  DYN_EXPECTS(std::ssize(state.q) >= impl_->robot_n && std::ssize(state.v) >= impl_->robot_n);
  impl_->state = state;
  impl_->reference = {};
  impl_->read_entries(impl_->robot_n);
  impl_->activate(impl_->state);
}

void Controller::Impl::activate(const StateInput& now) noexcept {
  for (int i = 0; i < robot_n; ++i) {
    ref_q[i] = ref_now_q[i] = given_q[i] = followed_q[i] = now.q[i];
    ref_v[i] = ref_now_v[i] = given_v[i] = followed_v[i] = 0.0;
    limiters[i].reset(now.q[i], now.v[i]);
    given_a[i] = followed_a[i] = 0.0;
    integral[i] = offset_q[i] = offset_v[i] = offset_a[i] = 0.0;
    last_ref_a[i] = 0.0;
  }
  std::fill(a_command.begin(), a_command.end(), 0.0);
  end_observer();
  for (auto& history : commands) history.reset();
  payload.reset(parameters->adaptation_mass_kg, parameters->adaptation_radius_m);
  task.cycle = {};
  last_good = nullptr;
  last_was_new = holding = has_effort = model_known = any_limited = offset_moves = false;
  first_cycle_of_generation = starts_at_state = true;
  stale_s = active_s = bad_s = age_s = interval_s = 0.0;
  step_s = gap_s = hold_s = period_s;
  late = false;
  streamed = 0;
  watch.reset();
  cut = {};
}

// Runs the last cycle again, its sample into a slot that is not committed, and then restores CycleState.
void Controller::warm_up() noexcept {
  const realtime::Scope scope("Controller::warm_up");
  Impl& cycle = *impl_;
  if (cycle.last_good == nullptr) return;
  cycle.before_warm_up = static_cast<const CycleState&>(cycle);
  CycleReport report;
  report.ramping = cycle.last_good->active_ramps > 0;
  cycle.compute(*cycle.last_good, report);
  cycle.write_sample(*cycle.last_good, false);
  static_cast<CycleState&>(cycle) = cycle.before_warm_up;
}

// --- State: finite inputs that are not frozen, and the model of this cycle ------------------------------------------

bool Controller::Impl::state_is_finite() const noexcept {
  double sum = 0.0;  // NaN and infinity survive multiplication by zero
  for (int i = 0; i < n; ++i) sum += 0.0 * (state.q[i] + state.v[i]);
  if (state.gravity_mps2 != nullptr) sum += 0.0 * state.gravity_mps2->sum();
  return sum == 0.0;
}

// A gap counts as one period, since the state was not read in between.
double Controller::Impl::watched_s() const noexcept { return std::min(step_s, period_s); }

void Controller::Impl::watch_state() noexcept {
  for (int i = 0; i < robot_n; ++i) watch.see(i, state.q[i], state.v[i], watched_s());
}

// The first joint whose state is frozen; -1: none. All are judged: others may be frozen when that one no longer is.
int Controller::Impl::find_frozen() noexcept {
  int first = -1;
  for (int i = 0; i < robot_n; ++i) {
    if (!drives(i) || !watch.is_same(i)) continue;
    const bool frozen = watch.note(i, push_on(i), moving_effort(i), watched_s(), parameters->state_timeout_s);
    if (frozen && first < 0) first = i;
  }
  return first;
}

// What is left of the last torque after what keeps joint i where it is while the others accelerate as commanded:
//   tau_i - h_i - sum_{j != i} M_ij a_j
double Controller::Impl::push_on(int i) const noexcept {
  double push = terms.applied[i] - bias_last[i];
  for (int j = 0; j < robot_n; ++j) push -= j == i ? 0.0 : M_last[j * robot_n + i] * a_command[j];
  return push;
}

void StateWatch::see(std::size_t i, double q, double v, double step_s) noexcept {
  Joint& joint = joints_[i];
  if (q == joint.q && v == joint.v) {
    joint.same_s += step_s;
  } else {
    joint = {q, v};
  }
}

bool StateWatch::note(std::size_t i, double push, double moving_effort, double step_s, double timeout_s) noexcept {
  constexpr double moved_on = 5e-3;  // rad or m
  Joint& joint = joints_[i];
  if (std::isnan(joint.push_before)) joint.push_before = push;
  const bool pushed = std::abs(push - joint.push_before) > moving_effort;
  joint.pushed_s = pushed ? joint.pushed_s + step_s : 0.0;
  const bool stands_still_at_speed = std::abs(joint.v) * joint.same_s > moved_on && joint.same_s > timeout_s;
  const bool cannot_be = joint.frozen || stands_still_at_speed || joint.pushed_s > timeout_s;
  joint.frozen = timeout_s > 0.0 && cannot_be;
  return joint.frozen;
}

// Twice the friction, and a fifth of the effort limit: more than a joint at rest can balance.
double Controller::Impl::moving_effort(int i) const noexcept {
  constexpr double share = 0.2;
  if (!drives(i)) return MotionLimits::none;
  const JointFriction& friction = actuation.friction[i];
  return 2.0 * (friction.coulomb + std::abs(friction.offset)) + share * effort_limit(actuation, *parameters, i);
}

// In the first cycle of a generation: finds its coordinates, which of them are passive, and the body of payload_link.
void Controller::Impl::begin_generation(live::Generation& generation) noexcept {
  const Tree& tree = generation.model->tree();
  first_cycle_of_generation = true;
  generation_id = generation.id;
  n = generation.model->coordinates();
  if (generation.joints != joints) change_joints(generation);
  passive.choose(actuation.actuated, robot_n, n);
  payload.choose(tree, body_of(tree, payload_place.coordinate, payload_place.number), payload_place.body_T_payload);
}

// --- Safety: numbers of the last valid cycle, and the torque of a cycle that is not ----------------------------------

void Controller::Impl::remember_model(const Dynamics& dynamics) noexcept {
  const auto M = dynamics.M();
  const auto g = dynamics.g();
  const auto h = dynamics.h();
  const bool ours = parameters->gravity_compensation == GravityCompensation::full;
  for (int i = 0; i < n; ++i) {
    gravity_last[i] = g[i];
    diagonal_last[i] = M(i, i);
    bias_last[i] = ours ? h[i] : h[i] - g[i];
  }
  for (int j = 0; j < robot_n; ++j) std::copy_n(M.data() + j * M.outerStride(), robot_n, M_last.data() + j * robot_n);
  model_known = true;
}

// A state or result that is not finite never reaches the motors: the last valid torque for hold_time, then gravity and
// damping from what is still known, and after ten times hold_time the cycle reports failure. With a frozen state the
// last torque is not held, since it comes from that state, and no joint is damped whose state may be frozen as well.
// The rate limit does not apply to the step to the safe torque: however small it is, the last torque ends after
// hold_time. Where no cycle since activation was valid, there is no torque, and failure at once.
void Controller::Impl::fail_safe(CycleReport& report) noexcept {
  bad_s += step_s;
  end_observer();
  if (hold_s > period_s && model_known) find_inverse_inertias();
  const bool hold = has_effort && report.frozen < 0 && bad_s <= parameters->hold_time_s;
  const bool safe = has_effort && bad_s <= 10.0 * parameters->hold_time_s;
  report.mode = hold   ? CycleReport::Mode::holding_torque
                : safe ? CycleReport::Mode::safe_torque
                       : CycleReport::Mode::failed;
  for (int i = 0; i < n; ++i) {
    terms.applied[i] = !has_effort ? 0.0 : hold ? effort_last[i] : safe_torque(i);
    effort_last[i] = terms.applied[i];
    if (!hold) a_command[i] = 0.0;
  }
}

double Controller::Impl::safe_torque(int i) const noexcept {
  if (i >= robot_n || !actuation.actuated[i]) return 0.0;
  const bool known = std::isfinite(state.v[i]) && !watch.may_be_frozen(i, parameters->state_timeout_s);
  const double d = damping_of(i);
  const double scale =
      hold_s > period_s && model_known ? scale_by_hold(inverse_inertias[i] * d, hold_s, period_s) : 1.0;
  const double damping = known ? scale * d * state.v[i] : 0.0;
  const double gravity = parameters->gravity_compensation == GravityCompensation::full ? gravity_last[i] : 0.0;
  const double bound = effort_bound(i);
  return std::clamp(gravity - damping, -bound, bound);
}

// N m s/rad or N s/m: what the law has for joint i, or near to it.
double Controller::Impl::damping_of(int i) const noexcept {
  const double d = parameters->gains[i].d;
  switch (parameters->law) {
    case Law::feedforward:
    case Law::gravity_compensation: return d;
    case Law::task_space: return parameters->task.posture_d * diagonal_last[i];
    case Law::computed_torque:
    case Law::passivity:
    case Law::adaptive: break;
  }
  return d * diagonal_last[i];
}

// --- Sample: the numbers of a cycle for the validator ----------------------------------------------------------------

// Dropped where no slot is free or the slot is too small. A warm-up fills the next slot and does not commit it.
void Controller::Impl::write_sample(const live::Generation& generation, bool hand_over) noexcept {
  if (ring == nullptr) return;
  live::Sample* const slot = hand_over ? ring->begin() : ring->next();
  if (slot == nullptr) return;
  live::Sample& sample = *slot;
  if (n > std::ssize(sample.q) || generation.active_ramps > std::ssize(sample.ramps)) {
    if (hand_over) ring->drop();
    return;
  }
  const Dynamics& dynamics = generation.dynamics;
  sample.generation = generation.id;
  sample.algorithms = dynamics.algorithms();
  sample.gravity_mps2 = dynamics.tree().gravity;
  sample.n = n;
  std::copy_n(q_hat.data(), n, sample.q.data());
  std::copy_n(v_hat.data(), n, sample.v.data());
  std::copy_n(dynamics.M().data(), n * n, sample.M.data());
  std::copy_n(dynamics.g().data(), n, sample.g.data());
  const auto C = dynamics.C();
  std::fill_n(sample.Cv.data(), n, 0.0);
  for (int j = 0; j < n; ++j) {  // not h - g, which loses digits of C v where g is large
    for (int i = 0; i < n; ++i) sample.Cv[i] += C(i, j) * v_hat[j];
  }
  sample.ramp_count = 0;
  for (int body = 0; body < generation.ramps.size() && generation.active_ramps > 0; ++body) {
    const live::Ramp& ramp = generation.ramps[body];
    if (!ramp.active) continue;
    sample.ramps[sample.ramp_count++] = {body, ramp.progress(), ramp.start};
  }
  if (hand_over) ring->commit();
}

}  // namespace dyn::control
