// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/simulated_drives.hpp"

#include <algorithm>
#include <cmath>

namespace dyn_controllers {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }
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
  drives_.resize(at(n_));
  servoed_.resize(at(n_));
  for (auto* x : {&a_, &h_, &torques_}) x->assign(at(n_), 0.0);
}

void SimulatedDrives::set_mode(int coordinate, DriveMode mode, bool on) noexcept {
  Drive& drive = drives_[at(coordinate)];
  drive.mode = static_cast<std::uint8_t>(on ? drive.mode | bit(mode) : drive.mode & ~bit(mode));
  drive.has_last_position = false;
  drive.position = drive.velocity = drive.effort = NAN;
}

void SimulatedDrives::brake_all() noexcept {
  for (Drive& drive : drives_) drive = Drive{};
}

void SimulatedDrives::command(int coordinate, double position, double velocity, double effort) noexcept {
  Drive& drive = drives_[at(coordinate)];
  drive.position = position;
  drive.velocity = velocity;
  drive.effort = effort;
}

// A drive in effort mode that has not got a finite command brakes.
bool SimulatedDrives::takes_effort(const Drive& drive) const noexcept {
  return (drive.mode & bit(DriveMode::effort)) != 0 && std::isfinite(drive.effort);
}

// A servo that is stiff and still well inside of what a torque held for a period can stabilise: 0.2 / T rad/s,
// critically damped. Without a command it brakes: it slows down, then holds where it is.
double SimulatedDrives::servo_acceleration(Drive& drive, double q, double v, double period_s) const noexcept {
  const double w = 0.2 / period_s;
  const bool position = (drive.mode & bit(DriveMode::position)) != 0 && std::isfinite(drive.position);
  const bool velocity = (drive.mode & bit(DriveMode::velocity)) != 0 && std::isfinite(drive.velocity);
  if (position) {
    const double rate = drive.has_last_position ? (drive.position - drive.last_position) / period_s : 0.0;
    drive.last_position = drive.position;
    drive.has_last_position = true;
    drive.holding = false;
    return w * w * (drive.position - q) + 2.0 * w * ((velocity ? drive.velocity : rate) - v);
  }
  if (velocity) {
    drive.holding = false;
    return w * (drive.velocity - v);
  }
  constexpr double slow = 0.02;  // rad/s or m/s
  if (!drive.holding || std::abs(v) > slow) drive.hold = q;
  drive.holding = true;
  return w * w * (drive.hold - q) - 2.0 * w * v;
}

std::span<const double> SimulatedDrives::torques(std::span<const double> q, std::span<const double> v,
                                                 double period_s) noexcept {
  if (!dynamics_->update(q, v).ok()) {
    std::fill(torques_.begin(), torques_.end(), 0.0);
    return torques_;
  }
  for (int i = 0; i < n_; ++i) {
    Drive& drive = drives_[at(i)];
    servoed_[at(i)] = i < robot_n_ && !takes_effort(drive);
    h_[at(i)] = dynamics_->h()[i];
    torques_[at(i)] = 0.0;
    if (i >= robot_n_) continue;
    if (servoed_[at(i)]) {
      a_[at(i)] = servo_acceleration(drive, q[at(i)], v[at(i)], period_s);
      continue;
    }
    const auto both = [&](DriveMode mode, double wanted, double is, double gain) {
      return (drive.mode & bit(mode)) != 0 ? gain * finite_or_zero(wanted - is) : 0.0;
    };
    torques_[at(i)] = drive.effort + both(DriveMode::position, drive.position, q[at(i)], settings_.p) +
                      both(DriveMode::velocity, drive.velocity, v[at(i)], settings_.d);
    drive.holding = false;
    h_[at(i)] -= torques_[at(i)];
  }
  split_->choose(servoed_, n_, n_);
  const dyn::ConstVectorRef<double> h(h_.data(), n_);
  if (!split_->solve_accelerations(dynamics_->M(), h, dyn::VectorRef<double>(a_.data(), n_)).ok()) return torques_;
  for (int i = 0; i < n_; ++i) {
    if (!servoed_[at(i)]) continue;
    double tau = h_[at(i)];
    for (int j = 0; j < n_; ++j) tau += dynamics_->M()(i, j) * a_[at(j)];
    torques_[at(i)] = tau;
  }
  return torques_;
}

}  // namespace dyn_controllers
