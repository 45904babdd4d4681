// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "arm_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>
#include <utility>

#include "dyn_core/numeric/residual.hpp"

namespace dyn::sim {
namespace {

constexpr int ring_slots = 256;

live::LiveOptions live_options(const ArmConfig& config) {
  live::LiveOptions options = config.live;
  options.algorithms.jsim = config.jsim;
  options.algorithms.coriolis = config.coriolis;
  return options;
}

control::Actuation actuation(const Model& model, const ArmConfig& config) {
  control::Actuation what = control::Actuation::from_model(model, config.passive_joints);
  what.payload_link = config.payload_link;
  return what;
}

PlantSettings that_give_up(PlantSettings settings, const std::atomic<bool>& flag) {
  settings.give_up = &flag;
  return settings;
}

}  // namespace

ArmLoop::ArmLoop(const ArmConfig& config, double rate_hz, double duration_s, const std::atomic<bool>& give_up,
                 ArmRecord& record, ArmView& view)
    : config_(config),
      plant_settings_(that_give_up(config.plant, give_up)),
      period_s_(1.0 / rate_hz),
      record_(record),
      view_(view),
      live_(config.description, live_options(config)),
      controller_(live_, actuation(*live_.newest_model(), config), config.controller, period_s_),
      plant_(make_plant(config.description, plant_settings_, config.live.model.gravity_mps2)),
      trajectory_(config.trajectory),
      ahead_(*trajectory_),
      ring_(ring_slots, live_.max_coordinates(), live_.newest_model()->bodies() + config.live.max_payload_dofs),
      robot_n_(live_.robot_coordinates()),
      passive_(passive_coordinates(*live_.newest_model(), config)),
      record_columns_(config, *live_.newest_model()),
      judge_(*live_.newest_model(), config, record_columns_.names().size()),
      duration_s_(duration_s) {
  const size_t n = live_.max_coordinates();
  for (auto* x : {&q_, &v_, &ref_q_, &ref_v_, &ref_a_, &effort_, &zero_, &plant_q_, &plant_v_, &sensed_}) {
    x->assign(n, 0.0);
  }
  record_.config = &config;
  record_.model = live_.newest_model();
  record_.coordinates = record_columns_.names();
  record_.added_units = record_columns_.added_units();
  record_.partial_columns = record_columns_.partial_columns();
  columns_ = record_columns_.of(plant_->model());
  on_plant_ = same_coordinates(plant_->model(), *live_.newest_model());
  make_rows(std::ceil(duration_s * rate_hz) + 1.0);
  for (const Event& event : config.events) {
    const auto* const estimate = std::get_if<EstimateEvent>(&event.what);
    if (estimate != nullptr) {
      record_.estimates.push_back({static_cast<int>(record_.events.size()), estimate->name, estimate->link});
    }
    record_.events.push_back({event.time_s, -1.0, event.label, {}});
  }

  const std::span<double> q(ref_q_.data(), robot_n_), v(ref_v_.data(), robot_n_), a(ref_a_.data(), robot_n_);
  config.trajectory->sample(0.0, q, v, a);
  if (config.start_q.empty()) {
    plant_->reset(q, v);
  } else {
    plant_->reset(config.start_q, std::span<const double>(zero_.data(), robot_n_));
  }
  controller_.activate({plant_->q(), plant_->v()});
  start_validator(rate_hz);
  sample_in(0);
  events_ = std::make_unique<EventWriter>(config, plant_settings_, live_, controller_, record_columns_, period_s_,
                                          live_.max_coordinates(), record_);
  events_->wait_until_ready();
}

ArmLoop::~ArmLoop() = default;

void ArmLoop::start_validator(double rate_hz) {
  auto& validation = record_.validation;
  if (config_.validation.mode == "off") {
    validation.unavailable_reason = "validation.mode is off";
    return;
  }
#ifdef DYN_HAS_ORACLE
  sample_every_ = std::max<std::int64_t>(1, std::llround(rate_hz / config_.validation.rate_hz));
  validation.available = true;
  const oracle::ValidatorSettings settings{
      config_.validation.mode == "gate" ? oracle::ValidatorMode::gate : oracle::ValidatorMode::monitor,
      config_.validation.tolerance, config_.validation.fallback};
  validator_ = std::make_unique<oracle::Validator>(live_, ring_, settings, [this](const oracle::Residual& r) {
    const std::scoped_lock lock(residual_mutex_);
    record_.residuals.push_back({now_s_.load(std::memory_order_relaxed), r.M, r.Cv, r.g});
    view_.residual.store(larger_error(r.M, larger_error(r.Cv, r.g)), std::memory_order_relaxed);
  });
#else
  (void)rate_hz;
  if (config_.validation.mode == "gate") {
    throw ModelError("arm '" + config_.name +
                     "': validation.mode: 'gate' needs a build with Pinocchio, and this is one "
                     "without");
  }
  validation.unavailable_reason = "this program was built without Pinocchio";
#endif
}

void ArmLoop::stop() noexcept {
  stopping_ = true;
  if (config_.controller.reference_timeout_s > 0.0) return;  // otherwise the controller waits for a reference forever
  live::Fallback fallback = live_.requested_fallback();
  fallback.hold = true;
  live_.request_fallback(fallback);
}

void ArmLoop::apply_due_events(double time_s, bool wait) noexcept {
  if (failed()) return;
  while (true) {
    if (learner_ != nullptr && events_->estimate_ends(learning_event_, time_s)) end_learning(wait);
    EventWriter::Ready* const ready = events_->due(time_s, wait);
    if (ready == nullptr) return;
    live_.apply(ready->change);
    if (ready->parameters) {
      judge_.note_law(ready->parameters->law);
      controller_.apply(std::move(ready->parameters));
    }
    if (ready->plant) {
      ready->plant->take_over(*plant_, ready->from);
      plant_.swap(ready->plant);
      columns_.swap(ready->columns);
    }
    on_plant_.swap(ready->on_plant);
    if (ready->robot) become(*ready->robot);
    carried_ += ready->carried;
    if (ready->learner != nullptr) {
      learner_ = ready->learner;
      learning_event_ = ready->event;
      learns_from_sensors_ = ready->sensed;
    }
    if (ready->estimate_ends >= 0) {
      learner_ = nullptr;
      if (ready->attached) record_.estimates[ready->estimate_ends].attached_s = time_s;
    }
    if (ready->event >= 0) record_.events[ready->event].applied_s = time_s;
    events_->done();
  }
}

void ArmLoop::become(EventWriter::Robot& robot) noexcept {
  std::swap(robot_n_, robot.coordinates);
  passive_.swap(robot.passive);
  trajectory_.swap(robot.trajectory);
  ahead_.follow(*trajectory_);
  judge_.judge_by(robot.criteria, columns_);
}

// Its last block goes to the thread that solves; with `wait` even if it has to wait for a free slot.
void ArmLoop::end_learning(bool wait) noexcept {
  learner_->finish();
  while (wait && !learner_->over()) {
    const timespec moment{0, 50'000};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, nullptr);
    learner_->finish();
  }
}

// The controller's model may carry other payloads than the plant, or the same in another order. Joints that only the
// model has are at rest at 0.
void ArmLoop::measure(double time_s) noexcept {
  const size_t n = plant_->q().size();
  sim::measure(*plant_, plant_settings_.state_fault, time_s, {plant_q_.data(), n}, {plant_v_.data(), n});
  for (size_t i = 0; i < on_plant_.size(); ++i) {
    const int k = on_plant_[i];
    q_[i] = k < 0 ? 0.0 : plant_q_[k];
    v_[i] = k < 0 ? 0.0 : plant_v_[k];
  }
}

void ArmLoop::cycle(std::int64_t number, double time_s) noexcept {
  if (failed()) {
    update_ns_ = 0.0;
    return;
  }
  measure(time_s);
  const size_t own = robot_n_;
  trajectory_->sample(time_s, {ref_q_.data(), own}, {ref_v_.data(), own}, {ref_a_.data(), own});
  ahead_.stand_at(time_s);
  control::ReferenceInput reference{
      {ref_q_.data(), own}, {ref_v_.data(), own}, {ref_a_.data(), own}, !stopping_, &ahead_};
  if (in_task_space()) {
    task_reference_ = config_.poses->sample(time_s);
    reference = {{q_.data(), own}, {v_.data(), own}, {zero_.data(), own}, !stopping_, nullptr, &task_reference_};
  }

  const auto begin = std::chrono::steady_clock::now();
  const control::CycleReport report = controller_.step({q_, v_}, reference, effort_);
  update_ns_ = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();

  judge_.note(time_s, report, !stopping_);
  now_s_.store(time_s, std::memory_order_relaxed);
  // There is none for the joints, or no more.
  if (in_task_space() || (stopping_ && report.mode != control::CycleReport::Mode::tracking)) {
    std::copy_n(plant_->q().data(), own, ref_q_.data());
    std::copy_n(plant_->v().data(), own, ref_v_.data());
    std::fill_n(ref_a_.data(), own, 0.0);
  }
  note(time_s, report);
  plant_->command({effort_.data(), plant_->q().size()});
  if (number % record_every_ == 0 && record_.rows < rows_max_) write_row(time_s, report);
  if (learner_ != nullptr) {
    if (learns_from_sensors_) plant_->measure_torque(sensed_);
    learner_->add(q_, v_, effort_, sensed_, report.generation, report.ramping);
  }
  plant_->hold(period_s_);
  sample_in(number + 1);
}

// Called before a warm-up, which runs a cycle up to its sample.
void ArmLoop::sample_in(std::int64_t number) noexcept {
  controller_.set_sample_ring(number % sample_every_ == 0 && record_.validation.available ? &ring_ : nullptr);
}

void ArmLoop::finish(const Ending& ending) {
  events_->stop();
  const double counted = static_cast<double>(std::max<std::int64_t>(squared_, 1));
  record_.tracking_rms = std::sqrt(squares_ / counted);
  record_.angle_rms = std::sqrt(angle_squares_ / counted);
#ifdef DYN_HAS_ORACLE
  if (validator_) {
    const auto dropped = ring_.dropped();
    while (ring_.written() > validator_->statistics().samples + validator_->statistics().skipped) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto numbers = validator_->statistics();
    validator_.reset();
    auto& v = record_.validation;
    v.samples = numbers.samples;
    v.dropped = dropped;
    v.breaches = numbers.breaches;
    v.ramping = numbers.ramping;
    v.skipped = numbers.skipped;
    v.fallbacks = numbers.fallbacks;
    v.holds = numbers.holds;
    v.max_M = numbers.max_M;
    v.max_Cv = numbers.max_Cv;
    v.max_g = numbers.max_g;
  }
#endif
  judge_.write_failures(ending, record_);
}

}  // namespace dyn::sim
