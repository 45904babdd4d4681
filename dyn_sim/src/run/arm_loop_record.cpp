// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a cycle leaves: figures of the run, numbers for other threads, rows of the record.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "arm_loop.hpp"
#include "dyn_core/numeric/residual.hpp"

namespace dyn::sim {
namespace {

constexpr int most_rows = 60000;
constexpr double most_recorded = 3.2e7;  // numbers of one arm, 256 MB

}  // namespace

// For a run of so many cycles.
void ArmLoop::make_rows(double cycles) {
  const double width =
      static_cast<double>(Signal::count) * static_cast<double>(std::max<size_t>(1, record_.coordinates.size()));
  const double most = std::min<double>(most_rows, std::floor(most_recorded / width));
  record_every_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(cycles / most)));
  rows_max_ = static_cast<int>(cycles / static_cast<double>(record_every_)) + 1;
  record_.time_s.resize(rows_max_);
  record_.jsim.resize(rows_max_);
  record_.flags.resize(rows_max_);
  if (in_task_space()) record_.frame_signals.assign(rows_max_ * frame_signal_count, 0.0);
  record_.signals.assign(rows_max_ * static_cast<size_t>(Signal::count) * record_.coordinates.size(),
                         std::numeric_limits<double>::quiet_NaN());
  record_.collision_begins_s.reserve(ArmRecord::most_collisions);
  record_.reference_cuts.reserve(ArmRecord::most_cuts);
}

// Adds a cycle to the figures of the run, and publishes it to other threads.
void ArmLoop::note(double time_s, const control::CycleReport& report) noexcept {
  const size_t own = robot_n_;
  worst_error_ = 0.0;
  for (size_t i = 0; i < own; ++i) {
    const double e = ref_q_[i] - plant_->q()[i];
    squares_ += stopping_ ? 0.0 : e * e;
    worst_error_ = larger_error(std::abs(e), worst_error_);
    record_.torque_max = larger_error(std::abs(effort_[i]), record_.torque_max);
    const size_t c = column(i);
    judge_.note_joint(time_s, c, plant_->q()[i], ref_q_[i], !stopping_);
    judge_.note(time_s, Signal::q, c, plant_->q()[i]);
    judge_.note(time_s, Signal::v, c, plant_->v()[i]);
    judge_.note(time_s, Signal::applied, c, effort_[i]);
    if (c >= ArmView::most_joints) continue;
    view_.joints[c].q.store(plant_->q()[i], std::memory_order_relaxed);
    view_.joints[c].error.store(e, std::memory_order_relaxed);
    view_.joints[c].effort.store(effort_[i], std::memory_order_relaxed);
    view_.joints[c].external.store(controller_.terms().external[i], std::memory_order_relaxed);
  }
  if (in_task_space()) {
    note_frame(time_s);
  } else if (!stopping_) {
    squared_ += robot_n_;
    record_.tracking_max = larger_error(worst_error_, record_.tracking_max);
  }
  note_passive(time_s);
  note_report(time_s, report);
}

void ArmLoop::note_frame(double time_s) noexcept {
  const control::Vec6d& error = controller_.task().error;
  const double distance = error.head<3>().norm(), angle = error.tail<3>().norm();
  worst_error_ = distance;
  if (stopping_) return;
  const bool touched = !config_.plant.walls.empty() && !plant_->wall_force().isZero();
  judge_.note_frame(time_s, {distance, angle, controller_.task().target.p_m, touched});
  squares_ += distance * distance;
  angle_squares_ += angle * angle;
  ++squared_;
  record_.tracking_max = larger_error(distance, record_.tracking_max);
  record_.angle_max = larger_error(angle, record_.angle_max);
}

void ArmLoop::note_passive(double time_s) noexcept {
  for (size_t i = 0; i < plant_->v().size(); ++i) {
    if (std::cmp_less(i, robot_n_) && passive_[i] == 0) continue;
    const double rate = std::abs(plant_->v()[i]);
    judge_.note(time_s, Signal::v, column(i), rate);
    record_.passive_rate_max = larger_error(rate, record_.passive_rate_max);
    if (time_s >= duration_s_ - 1.0) record_.passive_rate_end = larger_error(rate, record_.passive_rate_end);
  }
}

void ArmLoop::note_report(double time_s, const control::CycleReport& report) noexcept {
  if (report.collision) {
    const bool begins = !view_.collision.load(std::memory_order_relaxed);
    if (begins && record_.collision_begins_s.size() < ArmRecord::most_collisions) {
      record_.collision_begins_s.push_back(time_s);  // memory was reserved before the loop
    }
    ++record_.collision_cycles;
  }
  if (report.reference_limited) ++record_.reference_limited_cycles;
  if (report.reference_cut.count > cuts_seen_ && record_.reference_cuts.size() < ArmRecord::most_cuts) {
    ReferenceCutRecord& cut = record_.reference_cuts.emplace_back(ReferenceCutRecord{time_s, report.reference_cut});
    if (cut.cut.coordinate >= 0) cut.cut.coordinate = columns_[cut.cut.coordinate];
  }
  cuts_seen_ = report.reference_cut.count;
  view_.collision.store(report.collision, std::memory_order_relaxed);
  view_.saturated.store(report.saturated, std::memory_order_relaxed);
  view_.holding.store(report.mode != control::CycleReport::Mode::tracking, std::memory_order_relaxed);
  view_.failed.store(failed(), std::memory_order_relaxed);
  view_.jsim.store(report.algorithms.jsim, std::memory_order_relaxed);
  view_.payloads.store(carried_, std::memory_order_relaxed);
}

double* ArmLoop::row_signal(int row, Signal signal) noexcept {
  return record_.signals.data() +
         (row * static_cast<size_t>(Signal::count) + static_cast<size_t>(signal)) * record_.coordinates.size();
}

void ArmLoop::write_row(double time_s, const control::CycleReport& report) noexcept {
  const int row = record_.rows++;
  const control::Terms& terms = controller_.terms();
  const auto put_of = [&](Signal signal, const double* from, size_t count) {
    double* const to = row_signal(row, signal);
    for (size_t i = 0; i < count; ++i) {
      if (columns_[i] >= 0) to[columns_[i]] = from[i];
    }
  };
  const auto put = [&](Signal signal, const double* from) { put_of(signal, from, robot_n_); };
  const size_t all = plant_->q().size();  // payloads' joints have a motion but no reference
  put_of(Signal::q, plant_->q().data(), all);
  put_of(Signal::v, plant_->v().data(), all);
  put(Signal::q_reference, ref_q_.data());
  put(Signal::v_reference, ref_v_.data());
  put(Signal::a_reference, ref_a_.data());
  put(Signal::inertia, terms.inertia.data());
  put(Signal::coriolis, terms.coriolis.data());
  put(Signal::gravity, terms.gravity.data());
  put(Signal::friction, terms.friction.data());
  put(Signal::feedback, terms.feedback.data());
  put(Signal::applied, terms.applied.data());
  put(Signal::external, terms.external.data());
  plant_->measure_torque(sensed_);
  put(Signal::sensed, sensed_.data());
  plant_->acceleration(sensed_);
  put_of(Signal::a, sensed_.data(), all);
  for (int i = 0; i < robot_n_; ++i) {
    row_signal(row, Signal::position_error)[column(i)] = ref_q_[i] - plant_->q()[i];
    row_signal(row, Signal::velocity_error)[column(i)] = ref_v_[i] - plant_->v()[i];
  }
  if (in_task_space()) write_frame_row(row);
  record_.time_s[row] = time_s;
  record_.jsim[row] = static_cast<std::int16_t>(report.algorithms.jsim);
  using Mode = control::CycleReport::Mode;
  record_.flags[row] = static_cast<std::uint8_t>(
      (report.saturated ? ArmRecord::flag_saturated : 0) | (report.collision ? ArmRecord::flag_collision : 0) |
      (report.ramping ? ArmRecord::flag_ramping : 0) | (report.fallback ? ArmRecord::flag_fallback : 0) |
      (report.mode != Mode::tracking ? ArmRecord::flag_holding : 0));
}

void ArmLoop::write_frame_row(int row) noexcept {
  const control::TaskCycle& task = controller_.task();
  const Vec3d wall = plant_->wall_force();
  record_.wall_force_max = larger_error(wall.norm(), record_.wall_force_max);
  Eigen::Map<Eigen::Matrix<double, static_cast<int>(frame_signal_count), 1>> to(record_.frame_signals.data() +
                                                                                row * frame_signal_count);
  to << task.measured.p_m, task.target.p_m, task.error.head<3>().norm(), task.error.tail<3>().norm(),
      task.force.head<3>(), wall;
}

}  // namespace dyn::sim
