// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What an arm gives to the learner of a payload.
#include <algorithm>
#include <iterator>

#include "dyn_controllers/arm.hpp"
#include "dyn_controllers/parameter_conversion.hpp"

namespace dyn_controllers {

using dyn::ModelError;

LearnerSlot::Learner Arm::make_learner(const std::string& link, double duration_s, double cutoff_hz) {
  if (std::any_of(commands_.begin(), commands_.end(), [](Command what) { return what != Command::effort; })) {
    throw ModelError("command_interfaces: the torque of drives that close a loop of their own is not known");
  }
  if (base_moves()) throw ModelError("base_orientation: no payload is learnt on a base that moves");
  const std::scoped_lock lock(writers_);
  dyn::identify::LearnerSettings settings;
  settings.link = link;
  settings.period_s = period_s_;
  settings.duration_s = duration_s;
  settings.cutoff_hz = cutoff_hz;
  settings.gravity_mps2 = gravity(params_);
  std::transform(actuation_.actuated.begin(), actuation_.actuated.end(), actuation_.followed.begin(),
                 std::back_inserter(settings.known),
                 [](bool actuated, bool followed) { return actuated && !followed; });
  if (params_.friction_compensation) settings.friction = actuation_.friction;
  return std::make_shared<dyn::identify::PayloadLearner>(live_->newest_model(), live_->payloads(), settings);
}

void Arm::deactivate() noexcept {
  const std::uint64_t before = activation_.load(std::memory_order_relaxed);
  activation_.store(before + (is_active(before) ? 1U : 0U), std::memory_order_relaxed);
  posture_->back().known = false;
  posture_->publish();
}

// A cycle that came late had another period, and of one without a good state the dynamics are not known.
void Arm::learn(const dyn::control::CycleReport& report) noexcept {
  dyn::identify::PayloadLearner* const learner = learner_.get();
  if (learner == nullptr) return;
  const dyn::live::Generation* const generation = controller_->last_generation();
  const auto& applied = controller_->terms().applied;
  std::copy(applied.begin(), applied.end(), acting_.begin());
  if (generation != nullptr && drive_adds_gravity_.load(std::memory_order_relaxed)) {
    const auto g = generation->dynamics.g();
    for (Eigen::Index i = 0; i < g.size(); ++i) acting_[i] += g[i];
  }
  learner->add(controller_->state().q, controller_->state().v, acting_, {}, report.generation,
               report.ramping || report.late || generation == nullptr);
}

}  // namespace dyn_controllers
