// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/simulated_drives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dyn_controllers {
namespace {

constexpr auto bit(DriveMode mode) { return static_cast<std::uint8_t>(mode); }
double finite_or_zero(double x) { return std::isfinite(x) ? x : 0.0; }

}  // namespace

SimulatedDrives::SimulatedDrives(const dyn::Model& model, const DriveSettings& settings)
    : settings_(settings), robot_n_(model.coordinates()) {
  set_model(model);
}

void SimulatedDrives::set_model(const dyn::Model& model) {
  n_ = model.coordinates();
  dynamics_ = std::make_unique<dyn::Dynamics>(std::make_shared<const dyn::Model>(model));
  split_ = std::make_unique<dyn::control::PassiveJoints>(n_);
  drives_.resize(n_);
  servoed_.resize(n_);
  for (auto* x : {&a_, &h_, &torques_, &still_}) x->assign(n_, 0.0);
  set_limits(model);
}

void SimulatedDrives::set_robot(const dyn::Model& model, std::span<const int> from,
                                std::span<const std::uint8_t> modes) {
  const std::vector<Drive> before = drives_;
  drives_.assign(model.coordinates(), Drive{});
  robot_n_ = static_cast<int>(modes.size());
  for (size_t i = 0; i < modes.size(); ++i) {
    Drive& drive = drives_[i];
    if (from[i] >= 0) drive = before[from[i]];
    if (drive.mode == modes[i]) continue;
    drive = Drive{};
    drive.mode = modes[i];
    drive.position = drive.velocity = drive.effort = NAN;
  }
  set_model(model);
}

void SimulatedDrives::set_limits(const dyn::Model& model) {
  constexpr double none = std::numeric_limits<double>::infinity();
  limits_.assign(n_, {none, none});
  for (const dyn::Joint& joint : model.joints()) {
    const auto& limits = joint.description.limits;
    if (!settings_.limits || !limits) continue;
    for (int k = 0; k < joint.degrees; ++k) {
      limits_[joint.first_coordinate + k] = {limits->effort, limits->velocity > 0.0 ? limits->velocity : none};
    }
  }
}

void SimulatedDrives::set_mode(int coordinate, DriveMode mode, bool on) noexcept {
  Drive& drive = drives_[coordinate];
  drive.mode = static_cast<std::uint8_t>(on ? drive.mode | bit(mode) : drive.mode & ~bit(mode));
  drive.has_last_position = false;
  drive.position = drive.velocity = drive.effort = NAN;
}

void SimulatedDrives::brake_all() noexcept {
  for (Drive& drive : drives_) drive = Drive{};
}

void SimulatedDrives::command(int coordinate, double position, double velocity, double effort) noexcept {
  Drive& drive = drives_[coordinate];
  drive.position = position;
  drive.velocity = velocity;
  drive.effort = effort;
}

// A drive in effort mode without a finite command brakes.
bool SimulatedDrives::takes_effort(const Drive& drive) const noexcept {
  return (drive.mode & bit(DriveMode::effort)) != 0 && std::isfinite(drive.effort);
}

// A servo that is stiff but far from the stability limit of a torque held for a period: w = 0.2 / T rad/s, critically
// damped, a = 2 w (w/2 e + rate - v). Without a command it brakes: it slows down, then holds its position.
double SimulatedDrives::servo_acceleration(Drive& drive, size_t i, double q, double v, double period_s) const noexcept {
  const double w = 0.2 / period_s;
  const double fastest = limits_[i].velocity;
  const bool position = (drive.mode & bit(DriveMode::position)) != 0 && std::isfinite(drive.position);
  const bool velocity = (drive.mode & bit(DriveMode::velocity)) != 0 && std::isfinite(drive.velocity);
  if (position) {
    // Half of the effort left after gravity and the like is sure to brake: v^2 / 2 a is the stopping distance.
    const double M = dynamics_->M()(static_cast<int>(i), static_cast<int>(i));
    const double brakes = 0.5 * std::max(limits_[i].effort - std::abs(h_[i]), 0.1 * limits_[i].effort) / M;
    const double error = drive.position - q;
    const double most = std::isfinite(brakes) ? std::sqrt(2.0 * brakes * std::abs(error)) : fastest;
    const double step = drive.has_last_position ? (drive.position - drive.last_position) / period_s : 0.0;
    const double rate = velocity ? drive.velocity : step;
    drive.last_position = drive.position;
    drive.has_last_position = true;
    drive.holding = false;
    return 2.0 * w * (std::clamp(std::clamp(0.5 * w * error, -most, most) + rate, -fastest, fastest) - v);
  }
  if (velocity) {
    drive.holding = false;
    return w * (std::clamp(drive.velocity, -fastest, fastest) - v);
  }
  constexpr double slow = 0.02;  // rad/s or m/s
  if (!drive.holding || std::abs(v) > slow) drive.hold = q;
  drive.holding = true;
  return w * w * (drive.hold - q) - 2.0 * w * v;
}

double SimulatedDrives::commanded_effort(const Drive& drive, size_t i, double q, double v) const noexcept {
  const auto both = [&](DriveMode mode, double wanted, double is, double gain) {
    return (drive.mode & bit(mode)) != 0 ? gain * finite_or_zero(wanted - is) : 0.0;
  };
  const double effort = drive.effort + both(DriveMode::position, drive.position, q, settings_.p) +
                        both(DriveMode::velocity, drive.velocity, v, settings_.d);
  return std::clamp(effort, -limits_[i].effort, limits_[i].effort);
}

std::span<const double> SimulatedDrives::torques(std::span<const double> q, std::span<const double> v,
                                                 double period_s) noexcept {
  std::fill(torques_.begin(), torques_.end(), 0.0);
  if (!dynamics_->update(q, v).ok()) return torques_;
  for (int i = 0; i < n_; ++i) {
    Drive& drive = drives_[i];
    servoed_[i] = i < robot_n_ && !takes_effort(drive);
    h_[i] = dynamics_->h()[i];
    a_[i] = 0.0;
    if (i >= robot_n_ || servoed_[i]) continue;
    torques_[i] = commanded_effort(drive, i, q[i], v[i]);
    drive.holding = false;
    h_[i] -= torques_[i];
  }
  split_->choose(servoed_, n_, n_);
  if (!servo_torques(still_)) return torques_;
  for (int i = 0; i < robot_n_; ++i) {
    if (servoed_[i]) a_[i] = servo_acceleration(drives_[i], i, q[i], v[i], period_s);
  }
  if (!servo_torques(torques_)) return torques_;
  scale_servos();
  return torques_;
}

bool SimulatedDrives::servo_torques(std::vector<double>& torques) noexcept {
  const dyn::ConstVectorRef<double> h(h_.data(), n_);
  if (!split_->solve_accelerations(dynamics_->M(), h, dyn::VectorRef<double>(a_.data(), n_)).ok()) return false;
  for (int i = 0; i < n_; ++i) {
    if (!servoed_[i]) continue;
    double tau = h_[i];
    for (int j = 0; j < n_; ++j) tau += dynamics_->M()(i, j) * a_[j];
    torques[i] = tau;
  }
  return true;
}

// tau(s) = tau(0) + s (tau(1) - tau(0)) for accelerations scaled by s: the largest s of at most 1 that keeps all
// torques within their limits, so that a moving arm slows down along its path. A joint whose limit is too small even
// for s = 0 gets its limit.
void SimulatedDrives::scale_servos() noexcept {
  double scale = 1.0;
  for (int i = 0; i < robot_n_; ++i) {
    const double limit = limits_[i].effort, way = torques_[i] - still_[i];
    if (!servoed_[i] || std::abs(still_[i]) >= limit || std::abs(torques_[i]) <= limit) continue;
    scale = std::min(scale, (std::copysign(limit, way) - still_[i]) / way);
  }
  for (int i = 0; i < robot_n_; ++i) {
    if (!servoed_[i]) continue;
    const double tau = still_[i] + scale * (torques_[i] - still_[i]);
    torques_[i] = std::clamp(tau, -limits_[i].effort, limits_[i].effort);
  }
}

}  // namespace dyn_controllers
