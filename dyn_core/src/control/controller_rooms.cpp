// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The rooms of a control cycle (controller_impl.hpp). The loop's thread; no allocation, lock or system call.
#include <algorithm>
#include <cmath>

#include "controller_impl.hpp"

namespace dyn::control {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

}  // namespace

void Controller::Impl::take_parameters() noexcept {
  auto fresh = fresh_parameters.take();
  if (fresh) fresh_parameters.retire(std::exchange(parameters, std::move(fresh)));
}

bool Controller::Impl::finite() const noexcept {
  double sum = 0.0;  // NaN and infinity survive multiplication by zero
  for (size_t i = 0; i < at(n); ++i) sum += 0.0 * (state.q[i] + state.v[i]);
  if (state.gravity_mps2 != nullptr) sum += 0.0 * state.gravity_mps2->sum();
  return sum == 0.0;
}

void Controller::Impl::note_model_change(live::Generation& generation) noexcept {
  first_cycle_of_generation = first_cycle_of_generation || generation.id != generation_id;
  generation_id = generation.id;
  if (!first_cycle_of_generation) return;
  n = generation.model->coordinates();
  passive.choose(actuation.actuated, robot_n, n);
  place_payload(generation.model->tree());
}

void Controller::Impl::place_payload(const Tree& tree) noexcept {
  int body = -1;
  for (int i = 0; i < tree.size && payload_coordinate >= 0; ++i) {
    if (tree.coordinate[at(i)] == payload_coordinate) body = i;
  }
  payload.choose(tree, body, body_T_payload);
}

Status Controller::Impl::evaluate(live::Generation& generation) noexcept {
  if (parameters->law == Law::feedforward) {  // eq 72 has the model at the reference
    for (size_t i = 0; i < at(robot_n); ++i) {
      if (!actuation.actuated[i]) continue;
      q_hat[i] = ref_q[i];
      v_hat[i] = ref_v[i];
    }
  }
  const Status model = generation.dynamics.update(std::span<const double>(q_hat.data(), at(n)),
                                                  std::span<const double>(v_hat.data(), at(n)));
  if (!model.ok()) return model;
  for (size_t i = 0; i < at(robot_n); ++i) {
    const double clamp = parameters->gains[i].i_clamp;
    integral_term[i] = std::clamp(parameters->gains[i].i * integral[i], -clamp, clamp);
  }
  give_way(generation.dynamics);
  if (const Status law = apply_law(generation.dynamics); !law.ok()) return law;
  add_friction();
  sum_terms();
  for (size_t i = 0; i < at(n); ++i) {
    if (!std::isfinite(terms.demanded[i])) return Status::not_finite(static_cast<int>(i), terms.demanded[i]);
  }
  return {};
}

LawInput Controller::Impl::law_input(const Dynamics& dynamics) const noexcept {
  return {dynamics.M(),
          dynamics.C(),
          dynamics.g(),
          dynamics.h(),
          read(v_hat, n),
          read(terms.position_error, n),
          read(terms.velocity_error, n),
          read(ref_v, n),
          read(wanted_a, n),
          read(integral_term, n),
          parameters->gains,
          feedback_scale()};
}

Status Controller::Impl::apply_law(Dynamics& dynamics) noexcept {
  const LawOutput out{write(terms.inertia, n),  write(terms.coriolis, n), write(terms.gravity, n),
                      write(terms.feedback, n), write(a_command, n),      write(sliding_v, n)};
  const LawInput in = law_input(dynamics);
  learning = parameters->law == Law::adaptive && !holding;
  switch (parameters->law) {
    case Law::computed_torque: return computed_torque(in, passive, out);
    case Law::feedforward: feedforward(in, out); return {};
    case Law::gravity_compensation: gravity_compensation(in, out); return {};
    case Law::passivity: return passivity(in, passive, out);
    case Law::adaptive: return adaptive(in, passive, dynamics.tree(), read(q_hat, n), payload, out);
  }
  return {};
}

// Viscous and Coulomb friction at the reference velocity, which does not chatter.
void Controller::Impl::add_friction() noexcept {
  constexpr double smooth = 1e-2;  // rad/s or m/s
  for (size_t i = 0; i < at(n); ++i) {
    const bool on = parameters->friction_compensation && i < at(robot_n) && actuation.actuated[i];
    terms.friction[i] =
        on ? actuation.damping[i] * ref_v[i] + actuation.friction[i] * std::tanh(ref_v[i] / smooth) : 0.0;
  }
}

void Controller::Impl::sum_terms() noexcept {
  for (size_t i = 0; i < at(n); ++i) {
    const double gravity = parameters->gravity_compensation == GravityCompensation::full ? terms.gravity[i] : 0.0;
    const bool driven = i < at(robot_n) && actuation.actuated[i];
    terms.demanded[i] =
        driven ? terms.inertia[i] + terms.coriolis[i] + gravity + terms.friction[i] + terms.feedback[i] : 0.0;
  }
}

// None stays none: of joints that are followed.
double Controller::Impl::effort_bound(size_t i) const noexcept {
  const double limit = effort_limit(actuation, *parameters, i);
  return std::isinf(limit) ? limit : parameters->effort_limit_scale * limit;
}

// The rate limit, then effort limits, which come first where both cannot be; integrals of joints that are at a limit do
// not wind up further into it.
void Controller::Impl::limit(CycleReport& report) noexcept {
  for (size_t i = 0; i < at(n); ++i) {
    double tau = terms.demanded[i];
    if (i < at(robot_n) && actuation.actuated[i]) {
      if (parameters->effort_rate_limit > 0.0 && has_effort) {
        const double step = parameters->effort_rate_limit * period_s;
        tau = std::clamp(tau, effort_last[i] - step, effort_last[i] + step);
      }
      const double bound = effort_bound(i);
      tau = std::clamp(tau, -bound, bound);
      const double lost = terms.demanded[i] - tau;
      report.saturated = report.saturated || lost != 0.0;
      const double error = terms.position_error[i];
      if (lost * error <= 0.0 && parameters->gains[i].i > 0.0) {
        const double clamp = parameters->gains[i].i_clamp / parameters->gains[i].i;
        integral[i] = std::clamp(integral[i] + error * period_s, -clamp, clamp);
      }
    }
    terms.applied[i] = tau;
  }
}

// The momentum step due to a model change, dM v, is none of an external torque's. Nothing is left to do for observe()
// where the observer begins anew.
void Controller::Impl::rebase_observer(live::Generation& generation) noexcept {
  Dynamics& dynamics = generation.dynamics;
  if (!observer_ready) {
    observer.reset(dynamics.M(), read(v_seen, n));
    observer_ready = observer_begins = true;
    first_cycle_of_generation = false;
    return;
  }
  const int kept = first_cycle_of_generation ? std::min(robot_n, n) : n;
  first_cycle_of_generation = false;
  observer_begins = generation.momentum_step_unknown;
  if (observer_begins) {
    observer.carry_over(dynamics.M(), read(v_hat, n), parameters->observer_gain, kept);
    return;
  }
  if (!generation.inertia_changed() && kept == n) return;
  const std::span<const double> q(q_hat.data(), at(n));
  const std::span<const double> v(v_hat.data(), at(n));
  generation.swap_previous_inertias();
  if (!dynamics.update_terms(q, v, term_M).ok()) observer_ready = false;
  for (int i = 0; i < n; ++i) {
    double before = 0.0;
    for (int j = 0; j < n; ++j) before += dynamics.M()(i, j) * v_seen[at(j)];
    momentum_before[at(i)] = before;
  }
  generation.swap_previous_inertias();
  if (!dynamics.update_terms(q, v, term_M).ok()) observer_ready = false;
  for (int i = 0; i < n; ++i) {
    double now = 0.0;
    for (int j = 0; j < n; ++j) now += dynamics.M()(i, j) * v_seen[at(j)];
    momentum_before[at(i)] = now - momentum_before[at(i)];
  }
  observer.rebase(dynamics.M(), read(v_seen, n), read(momentum_before, n), kept);
}

void Controller::Impl::observe(Dynamics& dynamics, CycleReport& report) noexcept {
  for (size_t i = 0; i < at(n); ++i) momentum_before[i] = terms.applied[i] - terms.friction[i];
  if (!observer_begins) {
    observer.update(dynamics.M(), dynamics.C(), dynamics.g(), read(v_seen, n), read(momentum_before, n),
                    parameters->observer_gain, period_s);
  }
  const auto residual = observer.residual();
  // While a payload is ramped in or out, the arm does not carry what the model says: that is no collision, nor is what
  // the observer still has of it some time constants later.
  constexpr double settled = 6.0;
  unsettled_s = report.ramping ? settled / std::max(parameters->observer_gain, 1e-3) : unsettled_s - period_s;
  for (int i = 0; i < n; ++i) {
    terms.external[at(i)] = residual[i];
    if (parameters->collision_threshold > 0.0 && i < robot_n && unsettled_s <= 0.0) {
      report.collision = report.collision || std::abs(residual[i]) > parameters->collision_threshold;
    }
  }
}

void Controller::Impl::remember_good(const Dynamics& dynamics) noexcept {
  remember_model(dynamics);
  for (int i = 0; i < n; ++i) {
    effort_last[at(i)] = terms.applied[at(i)];
    const bool driven = i < robot_n && actuation.actuated[at(i)];
    commands[at(i)].push(driven ? wanted_a[at(i)] - a_command[at(i)] : a_command[at(i)]);
    const Point sway = Point{sway_q[at(i)], sway_v[at(i)], sway_a[at(i)]}.after(period_s);
    sway_q[at(i)] = sway.q;
    sway_v[at(i)] = sway.v;
  }
  has_effort = true;
  bad_s = 0.0;
}

void Controller::Impl::remember_model(const Dynamics& dynamics) noexcept {
  const auto M = dynamics.M();
  const auto g = dynamics.g();
  const auto h = dynamics.h();
  const bool ours = parameters->gravity_compensation == GravityCompensation::full;
  for (int i = 0; i < n; ++i) {
    gravity_last[at(i)] = g[i];
    diagonal_last[at(i)] = M(i, i);
    bias_last[at(i)] = ours ? h[i] : h[i] - g[i];
  }
  for (int j = 0; j < robot_n; ++j) std::copy_n(M.data() + j * M.outerStride(), robot_n, M_last.data() + j * robot_n);
  model_known = true;
}

// The first cycle has no model of a cycle before, which the limits of the reference take.
Status Controller::Impl::know_model(Dynamics& dynamics) noexcept {
  if (model_known) return {};
  const Status status = dynamics.update(state.q.first(at(n)), state.v.first(at(n)));
  if (status.ok()) remember_model(dynamics);
  return status;
}

// A state or result that is not finite never reaches the motors: the last good torque for hold_time, then gravity and
// damping from what is still known, and after ten times hold_time the cycle reports failure.
void Controller::Impl::fail_safe(CycleReport& report) noexcept {
  bad_s += period_s;
  observer_ready = false;
  const bool hold = has_effort && bad_s <= parameters->hold_time_s;
  report.mode = hold                                      ? CycleReport::Mode::holding_torque
                : bad_s <= 10.0 * parameters->hold_time_s ? CycleReport::Mode::safe_torque
                                                          : CycleReport::Mode::failed;
  for (size_t i = 0; i < at(n); ++i) {
    if (!has_effort) {
      terms.applied[i] = 0.0;
    } else if (hold) {
      terms.applied[i] = effort_last[i];
    } else {
      const bool driven = i < at(robot_n) && actuation.actuated[i];
      const double speed = std::isfinite(state.v[i]) ? state.v[i] : 0.0;
      const double damping = driven ? parameters->gains[i].d * diagonal_last[i] * speed : 0.0;
      const double bound = driven ? effort_bound(i) : 0.0;
      const double gravity = parameters->gravity_compensation == GravityCompensation::full ? gravity_last[i] : 0.0;
      terms.applied[i] = driven ? std::clamp(gravity - damping, -bound, bound) : 0.0;
    }
  }
}

double Controller::Impl::feedback_scale() const noexcept {
  if (parameters->ramp_in_s <= 0.0 || active_s >= parameters->ramp_in_s) return 1.0;
  const double x = active_s / parameters->ramp_in_s;
  return x * x * (3.0 - 2.0 * x);
}

void Controller::Impl::write_sample(const live::Generation& generation) noexcept {
  live::Sample* const sample = ring != nullptr ? ring->begin() : nullptr;
  if (sample == nullptr) return;
  if (fill(*sample, generation)) {
    ring->commit();
  } else {
    ring->drop();
  }
}

// False where the slot is too small.
bool Controller::Impl::fill(live::Sample& sample, const live::Generation& generation) const noexcept {
  const Dynamics& dynamics = generation.dynamics;
  if (at(n) > sample.q.size() || at(generation.active_ramps) > sample.ramps.size()) return false;
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
  for (int j = 0; j < n; ++j) {  // not h - g, which would lose what C v has of digits beside g
    for (int i = 0; i < n; ++i) sample.Cv[at(i)] += C(i, j) * v_hat[at(j)];
  }
  sample.ramp_count = 0;
  for (int body = 0; body < generation.ramps.size() && generation.active_ramps > 0; ++body) {
    const live::Ramp& ramp = generation.ramps[body];
    if (!ramp.active) continue;
    sample.ramps[at(sample.ramp_count++)] = {body, ramp.progress(), ramp.start};
  }
  return true;
}

}  // namespace dyn::control
