// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Events of a run take effect between two given cycles, and the loop has no time to prepare them: models and plants
// have to be built. A separate thread prepares them some events ahead; when one is due, the loop exchanges pointers.
// That thread also frees what was replaced.
//
//   writer:  reads the next event, builds, fills a slot of the ring; frees what reclaimed slots hold
//   loop:    due() -> puts the slot in force -> done()
#pragma once

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "columns.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/lockfree/ring.hpp"
#include "dyn_sim/plant.hpp"
#include "dyn_sim/run/config.hpp"
#include "dyn_sim/run/judge.hpp"
#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

class EventWriter {
 public:
  // Another robot: the loop's data for it besides plant and model. Once in force: the previous data.
  struct Robot {
    int coordinates = 0;
    std::shared_ptr<const Trajectory> trajectory;
    std::vector<char> passive;  // by coordinate
    std::vector<Judge::Criteria> criteria;
  };
  struct Ready {
    int event = -1;  // of the configuration; -1: not reported, as the end of a push
    live::LiveModel::Change change;
    lockfree::Owned<control::Parameters> parameters;
    std::unique_ptr<Plant> plant;  // null: unchanged; once in force, the previous one
    std::vector<int> from;         // what it takes over: coordinates of the previous one
    std::vector<int> columns;      // of the record, by coordinate of the plant
    std::vector<int> on_plant;     // by coordinate of the controller's model: that of the plant, -1: it has none
    std::optional<Robot> robot{};  // nothing: unchanged
    int carried = 0;               // change of the number of payloads
    identify::PayloadLearner* learner = nullptr;  // gets every cycle from now on
    bool sensed = false;                          // with the torque sensors' torque
    // Index of the record's estimate that ends: its learner is released, and what it attached is in force; -1: none.
    int estimate_ends = -1;
    bool attached = false;
  };

  // Reasons for refusals are written to the record's events, results of estimates to its estimates; both exist already,
  // one per event. Plants of more than `most_coordinates` are refused.
  EventWriter(const ArmConfig& config, const PlantSettings& plant, live::LiveModel& live,
              control::Controller& controller, const Columns& columns, double period_s, int most_coordinates,
              ArmRecord& record);
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;
  EventWriter(EventWriter&&) = delete;
  EventWriter& operator=(EventWriter&&) = delete;
  ~EventWriter() { stop(); }

  // The loop: the next event if it is due and ready, else null. With `wait` it is ready in any case.
  [[nodiscard]] DYN_REALTIME Ready* due(double time_s, bool wait) noexcept;
  DYN_REALTIME void done() noexcept { ring_.release(); }
  // The estimate of this event is to end now: later events wait for the last block of its learner.
  [[nodiscard]] DYN_REALTIME bool estimate_ends(int event, double time_s) const noexcept;

  // Waits until as many events are ready as there is room for; called before the loop begins.
  void wait_until_ready() const;
  void stop();

 private:
  struct Planned {
    double time_s = 0.0;
    int event = 0;
    bool ends = false;  // the end of the push or the estimate, not the event itself
  };
  static constexpr std::size_t slots = 16;

  void work(const std::stop_token& stop);
  void make_ready(const Planned& planned, Ready& ready, const std::stop_token& stop);
  [[nodiscard]] std::vector<std::string> check(const Payload& payload, double time_s) const;
  void put(const AttachEvent& event, Ready& ready);
  void put(const DetachEvent& event, Ready& ready);
  void put(const SetEvent& event, Ready& ready);
  void put(const PushEvent& event, Ready& ready);
  void put(const RobotEvent& event, Ready& ready);
  void build(const RobotDescription& carried, const std::vector<const PushEvent*>& pushes, const CoordinateMap* map,
             Ready& ready) const;
  [[nodiscard]] control::Parameters parameters_for(const RobotEvent& event) const;
  void put(const EstimateEvent& event, Ready& ready);
  void end_estimate(const EstimateEvent& event, const Planned& planned, Ready& ready, const std::stop_token& stop);
  void attach_learnt(const EstimateEvent& event, const Planned& planned, EstimateRecord& record, Ready& ready);

  const ArmConfig& config_;
  const PlantSettings& plant_settings_;
  live::LiveModel& live_;
  control::Controller& controller_;
  const Columns& columns_;
  const std::size_t most_coordinates_;
  const double period_s_;
  std::vector<EventRecord>& records_;
  std::vector<EstimateRecord>& estimates_;
  std::vector<Planned> planned_;  // by time

  // The writer's own.
  RobotDescription carried_;  // the present robot of the plant, payloads included
  std::vector<Payload> payloads_;
  std::shared_ptr<const Model> plant_;    // the model of the plant, payloads included
  std::vector<const PushEvent*> pushes_;  // those that last
  std::unique_ptr<identify::PayloadLearner> learner_;
  int learning_event_ = -1;                                                 // the event of the present estimate
  std::vector<std::unique_ptr<identify::PayloadLearner>> learners_before_;  // the loop may still use the newest
  std::shared_ptr<const Model> robot_;
  std::shared_ptr<const Trajectory> trajectory_, loop_trajectory_;  // two, one for each thread
  double time_s_ = 0.0;                                             // of the event that is being prepared
  control::Parameters parameters_;

  lockfree::Ring<Ready, lockfree::AfterRelease::reclaim> ring_{slots};
  std::jthread thread_;  // last member: everything else exists when it starts
};

}  // namespace dyn::sim
