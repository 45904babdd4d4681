// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One arm in the closed loop: live model, controller, validator, plant and its timed events.
//
//   cycle():      measure -> Controller::step -> plant holds the torque for a period -> record   (nothing allocated)
//   apply_due_events(): events that are due, between two cycles, made ready by the event writer's thread (nothing
//   allocated)
//
// The controller's model is changed through LiveModel; the plant's payloads by exchanging the plant for one that was
// built beside the loop and continues from the same state. An event on both takes effect in the same cycle.
#pragma once

#include <memory>
#include <mutex>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/live/sample_ring.hpp"
#include "dyn_sim/run/judge.hpp"
#include "dyn_sim/run/runner.hpp"
#include "event_writer.hpp"

#ifdef DYN_HAS_ORACLE
#include "dyn_core/oracle/validator.hpp"
#endif

namespace dyn::sim {

// The trajectory, as the controller evaluates it ahead of time.
class TrajectoryAhead final : public control::ReferenceSource {
 public:
  explicit TrajectoryAhead(const Trajectory& trajectory) : trajectory_(&trajectory) {}
  void follow(const Trajectory& trajectory) noexcept { trajectory_ = &trajectory; }
  void stand_at(double time_s) noexcept { time_s_ = time_s; }
  void sample(double ahead_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
    trajectory_->sample(time_s_ + ahead_s, q, v, a);
  }

 private:
  const Trajectory* trajectory_;
  double time_s_ = 0.0;
};

class ArmLoop {
 public:
  // `give_up`: set by another thread; the plant then does not finish its period.
  ArmLoop(const ArmConfig& config, double rate_hz, double duration_s, const std::atomic<bool>& give_up,
          ArmRecord& record, ArmView& view);
  ~ArmLoop();
  ArmLoop(const ArmLoop&) = delete;
  ArmLoop& operator=(const ArmLoop&) = delete;
  ArmLoop(ArmLoop&&) = delete;
  ArmLoop& operator=(ArmLoop&&) = delete;

  void preallocate() { plant_->preallocate(); }
  // With `wait` every event is in time, however long it takes to prepare; else one that is not ready comes a cycle
  // later.
  void apply_due_events(double time_s, bool wait) noexcept;
  void cycle(std::int64_t number, double time_s) noexcept;
  // No new reference from now on: the controller brings the arm to rest and holds it.
  void stop() noexcept;
  void warm_up() noexcept { controller_.warm_up(); }
  void finish(const Ending& ending);

  [[nodiscard]] double last_update_ns() const noexcept { return update_ns_; }
  [[nodiscard]] double worst_error() const noexcept { return worst_error_; }
  // The controller has failed: this arm's record ends here, whatever the others do.
  [[nodiscard]] bool failed() const noexcept { return judge_.failed(); }

 private:
  void make_rows(double cycles);
  void start_validator(double rate_hz);
  void sample_in(std::int64_t number) noexcept;
  void become(EventWriter::Robot& robot) noexcept;
  void measure(double time_s) noexcept;
  void end_learning(bool wait) noexcept;
  void note(double time_s, const control::CycleReport& report) noexcept;
  void note_passive(double time_s) noexcept;
  void note_report(double time_s, const control::CycleReport& report) noexcept;
  void write_row(double time_s, const control::CycleReport& report) noexcept;
  void note_frame(double time_s) noexcept;
  void write_frame_row(int row) noexcept;
  [[nodiscard]] bool in_task_space() const noexcept { return config_.poses != nullptr; }
  [[nodiscard]] double* row_signal(int row, Signal signal) noexcept;
  [[nodiscard]] size_t column(size_t coordinate) const noexcept { return static_cast<size_t>(columns_[coordinate]); }

  const ArmConfig& config_;
  const PlantSettings plant_settings_;
  const double period_s_;
  ArmRecord& record_;
  ArmView& view_;
  live::LiveModel live_;
  control::Controller controller_;
  std::unique_ptr<Plant> plant_;
  std::shared_ptr<const Trajectory> trajectory_;
  TrajectoryAhead ahead_;
  live::SampleRing ring_;
  std::mutex residual_mutex_;  // of record_.residuals, between validator and finish()
#ifdef DYN_HAS_ORACLE
  std::unique_ptr<oracle::Validator> validator_;
#endif

  int robot_n_, rows_max_;
  std::int64_t sample_every_ = 1, record_every_ = 1;
  std::vector<double> q_, v_, ref_q_, ref_v_, ref_a_, effort_, zero_;  // by coordinate of the controller's model
  std::vector<double> plant_q_, plant_v_, sensed_;                     // readings, by coordinate of the plant
  std::vector<int> on_plant_;  // by coordinate of the controller's model: that of the plant, -1: it has none
  std::vector<char> passive_;  // of the robot's coordinates
  Columns record_columns_;
  std::vector<int> columns_;  // of the record, by coordinate of the present plant
  double squares_ = 0.0, angle_squares_ = 0.0;
  std::int64_t squared_ = 0;
  control::TaskReference task_reference_;
  double update_ns_ = 0.0, worst_error_ = 0.0;
  std::atomic<double> now_s_{0.0};
  int carried_ = 0;
  identify::PayloadLearner* learner_ = nullptr;  // during an estimate; belongs to the event writer
  int learning_event_ = -1;
  bool learns_from_sensors_ = false;
  std::uint32_t cuts_seen_ = 0;
  bool stopping_ = false;
  Judge judge_;
  double duration_s_;
  std::unique_ptr<EventWriter> events_;  // last member: its thread uses all of the above
};

}  // namespace dyn::sim
