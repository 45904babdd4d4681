// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The part that runs in the loop, and the constructor.
#include "dyn_core/identify/payload_learner.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dyn::identify {
namespace {

constexpr double block_s = 0.1;
constexpr std::size_t slots = 32;  // blocks that may wait for collect()
constexpr int body_columns = regressor::parameters_per_body;

Inertial in_link_frame(const Payload& payload) {
  return inertial_of(
      parameters_of(moved(pseudo_inertia(parameters_of(*payload.inertial())), payload.link_T_payload())));
}

}  // namespace

std::vector<PayloadLearner::Torque> PayloadLearner::known_torques(const LearnerSettings& settings, const Model& model) {
  std::vector<Torque> known;
  for (const bool sensed : {false, true}) {
    if (sensed && !settings.sensors) continue;
    for (std::size_t i = 0; i < settings.known.size() && i < static_cast<std::size_t>(model.coordinates()); ++i) {
      if (settings.known[i]) known.push_back({i, sensed});
    }
  }
  if (known.empty()) {
    throw ModelError("a payload on link '" + settings.link + "': there is no joint whose torque is known");
  }
  return known;
}

PayloadLearner::PayloadLearner(const std::shared_ptr<const Model>& model, const std::vector<Payload>& attached,
                               LearnerSettings settings)
    : settings_(std::move(settings)),
      regressor_(model),
      known_(known_torques(settings_, *model)),
      block_(known_.size()),
      ring_(slots, block_) {
  const std::string who = "a payload on link '" + settings_.link + "'";
  const Link* const link = model->find_link(settings_.link);
  if (link == nullptr) throw ModelError(who + ": the robot has no such link");
  const auto& layout = regressor_.layout();
  const auto body = std::find(layout.body.begin(), layout.body.end(), link->body);
  if (body == layout.body.end()) throw ModelError(who + ": the link does not move");
  if (!(settings_.duration_s >= 0.5 && settings_.duration_s <= 3600.0)) {
    throw ModelError(who + ": a duration of " + std::to_string(settings_.duration_s) + " s is not in 0.5 to 3600 s");
  }
  const double period = settings_.period_s;
  if (!(period > 0.0 && settings_.cutoff_hz >= 0.5 && settings_.cutoff_hz * period <= 0.25)) {
    throw ModelError(who + ": a cutoff of " + std::to_string(settings_.cutoff_hz) +
                     " Hz is not between 0.5 Hz and a quarter of the loop's rate");
  }
  const std::size_t place = body - layout.body.begin();
  column_ = body_columns * static_cast<int>(place);
  const Mat3d to_link = link->body_T_link.R.transpose();
  link_T_moved_ = {to_link * layout.body_R_link[place], -to_link * link->body_T_link.p_m};

  if (settings_.gravity_mps2) regressor_.set_gravity(*settings_.gravity_mps2);
  p0_.resize(layout.parameters());
  regressor_.parameters(p0_);
  Eigen::Matrix4d told = Eigen::Matrix4d::Zero();
  for (const Payload& payload : attached) {
    if (payload.link() != settings_.link) continue;
    if (payload.inertial() == nullptr) throw ModelError(who + ": chain '" + payload.name() + "' hangs on it");
    told_names_.push_back(payload.name());
    told += pseudo_inertia(parameters_of(in_link_frame(payload)));
  }
  if (!told_names_.empty()) {
    told_ = inertial_of(parameters_of(told));
    const Pose moved_T_link{link_T_moved_.R.transpose(), -link_T_moved_.R.transpose() * link_T_moved_.p_m};
    const Parameters10 less = parameters_of(moved(told, moved_T_link));
    for (int k = 0; k < body_columns; ++k)
      p0_[static_cast<std::size_t>(column_) + static_cast<std::size_t>(k)] -= less[k];
  }

  armature_ = rotor_ = model->tree().armature;
  for (const Joint& joint : model->joints()) {
    if (layout.rotor_of[joint.first_coordinate] >= 0) rotor_[joint.first_coordinate] = joint.description.armature;
  }
  // Bilinear transform of a Butterworth of second order.
  const double w = std::tan(std::numbers::pi * settings_.cutoff_hz * period), w2 = w * w;
  const double norm = 1.0 / (1.0 + std::numbers::sqrt2 * w + w2);
  b_ = w2 * norm;
  a1_ = 2.0 * (w2 - 1.0) * norm;
  a2_ = (1.0 - std::numbers::sqrt2 * w + w2) * norm;
  constexpr double noise_bandwidth = 1.11;  // of the low-pass, relative to its cutoff
  independent_ = std::min(1.0, 2.0 * noise_bandwidth * settings_.cutoff_hz * period);

  const std::size_t known = known_.size();
  const std::size_t width = known * static_cast<std::size_t>(columns);
  for (auto* x : {&momentum_, &rate_, &momentum_before_, &rate_before_}) x->assign(width, 0.0);
  for (auto* x : {&v_before_, &tau_before_, &sensed_before_, &sensed_mean_, &friction_before_}) {
    x->assign(armature_.size(), 0.0);
  }
  memory_.resize(width);
}

void PayloadLearner::add(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                         std::span<const double> sensed, std::uint64_t generation, bool ramping) noexcept {
  if (over_) return;
  if (!has_generation_) generation_ = generation;
  has_generation_ = true;
  if (generation != generation_) return end_block(true, true);
  const std::size_t n = regressor_.model().coordinates();
  DYN_EXPECTS(q.size() >= n && v.size() >= n && tau.size() >= n && (!settings_.sensors || sensed.size() >= n));
  if (ramping || !regressor_.update_momentum(q.first(n), v.first(n)).ok()) {
    has_before_ = has_friction_ = false;
    return;
  }
  take_state(v);
  if (has_before_) {
    if (settings_.sensors) halve_period(v);
    for (std::size_t k = 0; k < known_.size(); ++k) {
      const std::size_t i = known_[k].coordinate;
      sum_up(k, v[i], known_[k].sensed ? sensed_mean_[i] : tau_before_[i]);
    }
    block_.duration_s += settings_.period_s;
    summed_s_ += settings_.period_s;
  }
  has_before_ = true;
  momentum_.swap(momentum_before_);
  rate_.swap(rate_before_);
  for (std::size_t i = 0; i < n; ++i) {
    v_before_[i] = v[i];
    tau_before_[i] = tau[i];
    if (settings_.sensors) sensed_before_[i] = sensed[i];
  }
  if (has_all() || block_.duration_s >= block_s - 0.5 * settings_.period_s) end_block(has_all(), false);
}

// A reading holds for the whole period but for the friction, which goes on changing until its middle: f + (f - f of the
// period before) / 2, with f = tau - sensed - (rotor's inertial torque, here as if its parent link did not turn).
void PayloadLearner::halve_period(std::span<const double> v) noexcept {
  for (std::size_t i = 0; i < sensed_mean_.size(); ++i) {
    const double rotor = rotor_[i] * (v[i] - v_before_[i]) / settings_.period_s;
    const double friction = tau_before_[i] - sensed_before_[i] - rotor;
    sensed_mean_[i] = sensed_before_[i] - (has_friction_ ? 0.5 * (friction - friction_before_[i]) : 0.0);
    friction_before_[i] = friction;
  }
  has_friction_ = true;
}

// By torque, of Y_momentum and Y_rate: the ten columns of the body, and the columns of all bodies times p0. A sensor
// does not feel the rotor of its own drive.
void PayloadLearner::take_state(std::span<const double> v) noexcept {
  const auto Ym = regressor_.Y_momentum(), Yr = regressor_.Y_rate();
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const std::size_t place = known_[k].coordinate;
    const Eigen::Index i = place;
    double* const momentum = &momentum_[k * columns];
    double* const rate = &rate_[k * columns];
    for (int c = 0; c < body_columns; ++c) {
      momentum[c] = Ym(i, column_ + c);
      rate[c] = Yr(i, column_ + c);
    }
    double own = known_[k].sensed ? 0.0 : armature_[place] * v[place], own_rate = 0.0;
    const int unfelt = known_[k].sensed ? regressor_.layout().rotor_of[place] : -1;
    for (std::size_t c = 0; c < p0_.size(); ++c) {
      if (static_cast<int>(c) / body_columns == unfelt) continue;
      own += Ym(i, c) * p0_[c];
      own_rate += Yr(i, c) * p0_[c];
    }
    momentum[body_columns] = own;
    rate[body_columns] = own_rate;
  }
}

double PayloadLearner::low_pass(Filtered& memory, double x) const noexcept {
  const double y = b_ * x + memory.before;
  memory.before = 2.0 * b_ * x - a1_ * y + memory.between;
  memory.between = b_ * x - a2_ * y;
  return y;
}

// Adds one torque's row [W y] of the period that ends in this cycle to [W y]^T [W y].
void PayloadLearner::sum_up(std::size_t k, double v, double mean_torque) noexcept {
  const std::size_t joint = known_[k].coordinate;
  const double v_mean = 0.5 * (v_before_[joint] + v);
  double friction = 0.0;
  bool sticks = false;
  if (!known_[k].sensed && joint < settings_.friction.size()) {
    constexpr double slow = 0.02;  // rad/s or m/s: below, static friction is not known
    const JointFriction& f = settings_.friction[joint];
    friction = friction_torque(f, v_mean, friction_creep_rate);
    sticks = (f.coulomb > 0.0 || f.stribeck > 0.0) && std::abs(v_mean) < slow;
  }
  double row[columns];
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t at = k * columns + c;
    const double change = (momentum_[at] - momentum_before_[at]) / settings_.period_s;
    const double needed = change - 0.5 * (rate_[at] + rate_before_[at]);
    row[c] = low_pass(memory_[at], c == body_columns ? mean_torque - friction - needed : needed);
  }
  if (sticks) return;
  double* sum = &block_.sum[k * sums];
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t d = c; d < columns; ++d) *sum++ += row[c] * row[d];
  }
  block_.count[k] += 1.0;
}

void PayloadLearner::finish() noexcept {
  if (!over_) end_block(true, false);
}

// Where no slot is free, the block is continued; the last one is kept until a slot is free.
void PayloadLearner::end_block(bool last, bool model_changed) noexcept {
  Block* const slot = ring_.next();
  if (slot == nullptr) return;
  over_ = last;
  std::copy(block_.sum.begin(), block_.sum.end(), slot->sum.begin());
  std::copy(block_.count.begin(), block_.count.end(), slot->count.begin());
  slot->duration_s = block_.duration_s;
  slot->last = over_;
  slot->model_changed = model_changed;
  ring_.commit();
  std::fill(block_.sum.begin(), block_.sum.end(), 0.0);
  std::fill(block_.count.begin(), block_.count.end(), 0.0);
  block_.duration_s = 0.0;
}

}  // namespace dyn::identify
