// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// The writer's thread, except for due().
#include "event_writer.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "dyn_core/control/payload_check.hpp"
#include "later_trajectory.hpp"

namespace dyn::sim {
namespace {

std::shared_ptr<const Model> model_of(const Plant& plant) { return std::make_shared<const Model>(plant.model()); }

}  // namespace

EventWriter::EventWriter(const ArmConfig& config, const PlantSettings& plant, live::LiveModel& live,
                         control::Controller& controller, const Columns& columns, double period_s, int most_coordinates,
                         ArmRecord& record)
    : config_(config),
      plant_settings_(plant),
      live_(live),
      controller_(controller),
      columns_(columns),
      most_coordinates_(most_coordinates),
      period_s_(period_s),
      records_(record.events),
      estimates_(record.estimates),
      carried_(config.description),
      plant_(live.newest_model()),
      robot_(live.newest_model()),
      trajectory_(config.trajectory),
      loop_trajectory_(config.trajectory),
      parameters_(config.controller) {
  for (std::size_t k = 0; k < config.events.size(); ++k) {
    const Event& event = config.events[k];
    planned_.push_back({event.time_s, static_cast<int>(k), false});
    const auto* const push = std::get_if<PushEvent>(&event.what);
    if (push != nullptr) planned_.push_back({event.time_s + push->duration_s, static_cast<int>(k), true});
    const auto* const estimate = std::get_if<EstimateEvent>(&event.what);
    if (estimate != nullptr) planned_.push_back({event.time_s + estimate->duration_s, static_cast<int>(k), true});
  }
  std::stable_sort(planned_.begin(), planned_.end(),
                   [](const Planned& a, const Planned& b) { return a.time_s < b.time_s; });
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

EventWriter::Ready* EventWriter::due(double time_s, bool wait) noexcept {
  const std::uint64_t next = ring_.released();
  if (next >= planned_.size() || planned_[next].time_s > time_s + 1e-9) return nullptr;
  Ready* ready = ring_.front();
  while (ready == nullptr && wait) {
    const timespec moment{0, 50'000};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, nullptr);
    ready = ring_.front();
  }
  return ready;
}

bool EventWriter::estimate_ends(int event, double time_s) const noexcept {
  const std::uint64_t next = ring_.released();
  return next < planned_.size() && planned_[next].time_s <= time_s + 1e-9 && planned_[next].ends &&
         planned_[next].event == event;
}

// The result of an estimate is known only when the loop has moved the arm for its duration.
void EventWriter::wait_until_ready() const {
  const auto waits_for_the_loop = [this](const Planned& planned) {
    return planned.ends && std::holds_alternative<EstimateEvent>(config_.events[planned.event].what);
  };
  const auto first = std::find_if(planned_.begin(), planned_.end(), waits_for_the_loop);
  const std::size_t enough = std::min<std::size_t>(static_cast<std::size_t>(first - planned_.begin()), slots);
  while (ring_.committed() < enough) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void EventWriter::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void EventWriter::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    while (Ready* const done = ring_.reclaim()) *done = Ready{};
    live_.collect();
    controller_.collect();
    const std::uint64_t planned = ring_.committed();
    Ready* const ready = planned < planned_.size() ? ring_.next() : nullptr;
    if (ready != nullptr) {
      make_ready(planned_[planned], *ready, stop);
      ring_.commit();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

// A refusal changes neither model nor plant.
void EventWriter::make_ready(const Planned& planned, Ready& ready, const std::stop_token& stop) {
  const std::size_t number = planned.event;
  const auto& what = config_.events[number].what;
  time_s_ = planned.time_s;
  try {
    if (!planned.ends) {
      ready.event = planned.event;
      const auto* const attach = std::get_if<AttachEvent>(&what);
      if (attach != nullptr &&
          attach->target != Target::plant) {  // an event on the plant alone does not affect the model
        records_[number].warnings = check(attach->payload, planned.time_s);
      }
      std::visit([&](const auto& event) { put(event, ready); }, what);
      if (ready.learner != nullptr) learning_event_ = planned.event;
    } else if (const auto* const estimate = std::get_if<EstimateEvent>(&what)) {
      end_estimate(*estimate, planned, ready, stop);
    } else if (std::erase(pushes_, std::get_if<PushEvent>(&what)) > 0) {  // else it was refused
      build(carried_, pushes_, nullptr, ready);
    }
  } catch (const ModelError& error) {
    ready = Ready{};
    if (!planned.ends) records_[number].error = error.what();
  }
  ready.on_plant = same_coordinates(*plant_, *live_.newest_model());
}

// Whether the arm can carry it in the posture of the trajectory at that time.
std::vector<std::string> EventWriter::check(const Payload& payload, double time_s) const {
  std::vector<double> q(robot_->coordinates()), v(q.size()), a(q.size());
  trajectory_->sample(time_s, q, v, a);
  return control::check_payload(
      *live_.newest_model(), payload, q, config_.live.model.gravity_mps2,
      control::Actuation::from_model(*robot_, own_passive_joints(*robot_, config_.passive_joints)), parameters_);
}

void EventWriter::put(const AttachEvent& event, Ready& ready) {
  RobotDescription carried = carried_;
  if (event.target != Target::model) {
    carried = dyn::attach(carried_, event.payload);
    build(carried, pushes_, nullptr, ready);
    ready.carried = 1;
  }
  if (event.target != Target::plant) (void)live_.attach(event.payload, event.transition_time_s, &ready.change);
  if (event.target != Target::model) payloads_.push_back(event.payload);
  carried_ = std::move(carried);
  if (ready.plant) plant_ = model_of(*ready.plant);
}

void EventWriter::put(const DetachEvent& event, Ready& ready) {
  RobotDescription carried = carried_;
  if (event.target != Target::model) {
    carried = dyn::detach(carried_, event.payload);
    build(carried, pushes_, nullptr, ready);
    ready.carried = -1;
  }
  if (event.target != Target::plant) (void)live_.detach(event.payload, event.transition_time_s, &ready.change);
  if (event.target != Target::model) {
    std::erase_if(payloads_, [&](const Payload& p) { return p.name() == event.payload; });
  }
  carried_ = std::move(carried);
  if (ready.plant) plant_ = model_of(*ready.plant);
}

void EventWriter::put(const SetEvent& event, Ready& ready) {
  set_parameter(event.parameter, event.value, *robot_, parameters_, live_, &ready.change);
  ready.parameters = controller_.ready(parameters_);
}

void EventWriter::put(const PushEvent& event, Ready& ready) {
  std::vector<const PushEvent*> pushes = pushes_;
  pushes.push_back(&event);
  build(carried_, pushes, nullptr, ready);
  pushes_ = std::move(pushes);
}

void EventWriter::put(const RobotEvent& event, Ready& ready) {
  const Model& robot = *event.robot;
  const std::vector<int> from = carried_coordinates(*robot_, robot, event.map);
  const RobotDescription carried = with_payloads(robot.description(), payloads_);
  build(carried, pushes_, &event.map, ready);
  const control::Parameters parameters = parameters_for(event);
  auto what = control::Actuation::from_model(robot, own_passive_joints(robot, config_.passive_joints));
  what.payload_link = config_.payload_link;
  const auto trajectory_of = [&](const std::shared_ptr<const Trajectory>& before) {
    return event.trajectory ? make_later(event.trajectory, time_s_) : make_carried(before, robot_->coordinates(), from);
  };
  ready.robot = Robot{robot.coordinates(), trajectory_of(loop_trajectory_), passive_coordinates(robot, config_),
                      Judge::criteria(robot, config_)};
  (void)controller_.replace_joints(robot, event.map, what, parameters, event.transition_time_s, &ready.change);
  loop_trajectory_ = ready.robot->trajectory;
  trajectory_ = trajectory_of(trajectory_);
  parameters_ = parameters;
  robot_ = event.robot;
  carried_ = carried;
  plant_ = model_of(*ready.plant);
}

// Joints that continue keep gains and limits; the others get the default gains, and only the description's limits.
control::Parameters EventWriter::parameters_for(const RobotEvent& event) const {
  control::Parameters all = parameters_;
  const std::vector<int> from = carried_coordinates(*robot_, *event.robot, event.map);
  const auto carry = [&](auto& values, const auto& otherwise) {
    if (values.empty()) return;
    const auto before = values;
    values.assign(from.size(), otherwise);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] >= 0) values[i] = before[from[i]];
    }
  };
  carry(all.gains, config_.default_gains);
  carry(all.effort_limit, 0.0);
  carry(all.acceleration_limit, 0.0);
  return all;
}

void EventWriter::put(const EstimateEvent& event, Ready& ready) {
  if (learner_ != nullptr) throw ModelError("another estimate is going on");
  const control::Actuation actuation =
      control::Actuation::from_model(*robot_, own_passive_joints(*robot_, config_.passive_joints));
  identify::LearnerSettings settings;
  settings.link = event.link;
  settings.period_s = period_s_;
  settings.duration_s = event.duration_s;
  settings.cutoff_hz = event.cutoff_hz;
  settings.known = actuation.actuated;
  settings.sensors = event.sensed;
  if (parameters_.friction_compensation) settings.friction = actuation.friction;
  learner_ = std::make_unique<identify::PayloadLearner>(live_.newest_model(), live_.payloads(), std::move(settings));
  ready.learner = learner_.get();
  ready.sensed = event.sensed;
}

// Solves while the loop's blocks come, until the last one.
void EventWriter::end_estimate(const EstimateEvent& event, const Planned& planned, Ready& ready,
                               const std::stop_token& stop) {
  if (learning_event_ != planned.event) return;  // it was refused
  const auto found = std::find_if(estimates_.begin(), estimates_.end(),
                                  [&planned](const EstimateRecord& e) { return e.event == planned.event; });
  EstimateRecord& record = *found;
  while (!learner_->complete() && !stop.stop_requested()) {
    if (learner_->collect()) {
      record.history.push_back(learner_->solve());
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  learners_before_.push_back(std::move(learner_));
  if (!learners_before_.back()->complete()) {
    record.proposal.text = "the run ended before the estimate";
    return;
  }
  record.over = true;
  record.proposal = learners_before_.back()->propose(record.history.back());
  ready.estimate_ends = static_cast<int>(found - estimates_.begin());
  if (event.attach && record.proposal.what == identify::Proposal::attach) {
    attach_learnt(event, planned, record, ready);
  }
}

// Into the model only: the plant already carries it.
void EventWriter::attach_learnt(const EstimateEvent& event, const Planned& planned, EstimateRecord& record,
                                Ready& ready) {
  try {
    const Payload payload = Payload::rigid(event.name, event.link, record.history.back().inertial);
    for (const std::string& warning : check(payload, planned.time_s)) {
      records_[planned.event].warnings.push_back(warning);
    }
    (void)live_.attach(payload, event.transition_time_s, &ready.change);
    ready.attached = true;
  } catch (const ModelError& error) {
    record.proposal = {identify::Proposal::none, std::string("not attached: ") + error.what(), {}};
  }
}

void EventWriter::build(const RobotDescription& carried, const std::vector<const PushEvent*>& pushes,
                        const CoordinateMap* map, Ready& ready) const {
  auto plant = make_plant(carried, plant_settings_, config_.live.model.gravity_mps2);
  const Model& model = plant->model();
  if (plant->q().size() > most_coordinates_) {
    throw ModelError("the arm would have " + std::to_string(plant->q().size()) +
                     " degrees of freedom; max_payload_dofs leaves room for " + std::to_string(most_coordinates_));
  }
  std::vector<Push> forces;
  for (const PushEvent* push : pushes) forces.push_back({push->link, push->force_N, push->point_m});
  plant->set_pushes(forces);
  ready.from = map == nullptr ? same_coordinates(*plant_, model) : carried_through(*plant_, model, *map);
  ready.columns = columns_.of(model);
  ready.plant = std::move(plant);
}

}  // namespace dyn::sim
