// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The first cycle in which the robot has other joints: the numbers of every continued joint move to its new coordinate.
// And where a caller with room for joints that the robot may get has each coordinate.
#include <algorithm>
#include <utility>

#include "control/cycle.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::control {

size_t Controller::Impl::entry_of(int i) const noexcept {
  const auto own = static_cast<int>(actuation.entries.size());
  return static_cast<size_t>(i < own ? actuation.entries[i] : actuation.payload_entry + i - own);
}

// The caller's arrays in the order of the coordinates. A reference has none for payloads.
void Controller::Impl::read_entries(int coordinates) noexcept {
  if (actuation.entries.empty()) return;
  const auto read = [this](std::span<const double>& from, std::vector<double>& to, int count) {
    for (int i = 0; i < count; ++i) {
      DYN_EXPECTS(entry_of(i) < from.size());
      to[i] = from[entry_of(i)];
    }
    from = {to.data(), static_cast<size_t>(count)};
  };
  const auto own = static_cast<int>(actuation.entries.size());
  read(state.q, inputs.q, coordinates);
  read(state.v, inputs.v, coordinates);
  if (reference.source != nullptr || reference.q.empty()) return;
  read(reference.q, inputs.ref_q, own);
  read(reference.v, inputs.ref_v, own);
  read(reference.a, inputs.ref_a, own);
}

void Controller::Impl::write_effort(std::span<double> effort) const noexcept {
  if (!actuation.entries.empty()) std::fill(effort.begin(), effort.end(), 0.0);
  for (int i = 0; i < n; ++i) {
    DYN_EXPECTS(entry_of(i) < effort.size());
    effort[entry_of(i)] = terms.applied[i];
  }
}

void Controller::Impl::change_joints(live::Generation& generation) noexcept {
  find_carried(generation);
  for (auto* x : {&given_q,
                  &given_v,
                  &given_a,
                  &followed_q,
                  &followed_v,
                  &followed_a,
                  &ref_q,
                  &ref_v,
                  &ref_a,
                  &ref_now_q,
                  &ref_now_v,
                  &ref_now_a,
                  &last_ref_a,
                  &offset_q,
                  &offset_v,
                  &offset_a,
                  &integral,
                  &effort_last,
                  &bias_last,
                  &gravity_last,
                  &diagonal_last,
                  &terms.inertia,
                  &terms.coriolis,
                  &terms.gravity,
                  &terms.friction,
                  &terms.feedback,
                  &terms.demanded,
                  &terms.applied,
                  &terms.external,
                  &terms.position_error,
                  &terms.velocity_error}) {
    carry(*x);
  }
  std::copy(limiters.begin(), limiters.end(), limiters_before.begin());
  std::copy(commands.begin(), commands.end(), commands_before.begin());
  for (int i = 0; i < n; ++i) {
    const int before = carried[i];
    if (before < 0) {
      begin_joint(i);
    } else {
      limiters[i] = limiters_before[before];
      commands[i] = commands_before[before];
    }
  }
  carry_friction();
  observer.reorder({carried.data(), static_cast<size_t>(n)});
  task.begins = true;
  watch.reset();
  model_known = false;
}

// Parameters and limits of the new joints, unless newer ones are in force: a later set_parameters() may have come
// first.
void Controller::Impl::take_settings(live::Generation& generation) noexcept {
  auto* const settings = static_cast<RobotSettings*>(generation.joint_settings.get());
  if (settings == nullptr) return;
  if (settings->parameters && settings->parameters->version > parameters->version) {
    std::swap(parameters, settings->parameters);
  }
  if (settings->actuation.version > actuation.version) {
    std::swap(actuation, settings->actuation);
    begin_friction_ramp(settings->actuation);
  }
  payload_place = settings->payload;
}

// carried[i]: the previous coordinate with the key of i; -1 for new ones and for those of payloads.
void Controller::Impl::find_carried(const live::Generation& generation) noexcept {
  const int now_n = generation.joint_keys.size();
  for (int i = 0; i < n; ++i) {
    carried[i] = -1;
    for (int before = 0; i < now_n && before < robot_n; ++before) {
      if (joint_keys[before] == generation.joint_keys[i]) carried[i] = before;
    }
  }
  robot_n = now_n;
  joints = generation.joints;
  std::copy(generation.joint_keys.begin(), generation.joint_keys.end(), joint_keys.begin());
}

void Controller::Impl::carry(std::vector<double>& values) noexcept {
  std::copy(values.begin(), values.end(), values_before.begin());
  for (int i = 0; i < n; ++i) values[i] = carried[i] < 0 ? 0.0 : values_before[carried[i]];
  std::fill(values.begin() + n, values.end(), 0.0);
}

// The friction from which that of the actuation is approached; a new joint has its own from the beginning.
void Controller::Impl::carry_friction() noexcept {
  for (int i = 0; i < robot_n; ++i) {
    friction_carried[i] = carried[i] < 0 ? actuation.friction[i] : friction_before[carried[i]];
  }
  std::copy_n(friction_carried.begin(), robot_n, friction_before.begin());
}

// A new joint starts at its state, without a torque.
void Controller::Impl::begin_joint(int i) noexcept {
  commands[i].reset();
  given_q[i] = followed_q[i] = ref_q[i] = ref_now_q[i] = state.q[i];
  limiters[i].reset(state.q[i], state.v[i]);
}

}  // namespace dyn::control
