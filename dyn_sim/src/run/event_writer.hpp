// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The events of a run happen at the boundary of a certain cycle, and the loop has no time for what they take: models
// and plants to be built. A thread of its own makes them ready some events ahead; the loop, when one is due, exchanges
// pointers. What was replaced is freed by this thread too.
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
#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

class EventWriter {
 public:
  // Another robot: what the loop has of it beside plant and model. Once in force, what it had before.
  struct Robot {
    int coordinates = 0;
    std::shared_ptr<const Trajectory> trajectory;
    std::vector<char> passive;  // by coordinate
  };
  struct Ready {
    int event = -1;  // of the configuration; -1: nothing that is told of, as the end of a push
    live::LiveModel::Change change;
    lockfree::Owned<control::Parameters> parameters;
    std::unique_ptr<Plant> plant;                 // null: stays; once in force, the one before
    std::vector<int> from;                        // what it takes over: coordinates of the one before
    std::vector<int> columns;                     // of the record, by coordinate of the plant
    std::optional<Robot> robot{};                 // nothing: stays
    int carried = 0;                              // payloads more, or less
    identify::PayloadLearner* learner = nullptr;  // to be given every cycle from now on
    bool sensed = false;                          // with the torque sensors' torque
    int estimate_ends = -1;                       // of the record's: its learner goes, what was attached is in force
    bool attached = false;
  };

  // Reasons of refusals go into the record's events, and into its estimates what they learn; both are there, one an
  // event. Plants of more than `most_coordinates` are refused.
  EventWriter(const ArmConfig& config, const PlantSettings& plant, live::LiveModel& live,
              control::Controller& controller, const Columns& columns, double period_s, int most_coordinates,
              ArmRecord& record);
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;
  EventWriter(EventWriter&&) = delete;
  EventWriter& operator=(EventWriter&&) = delete;
  ~EventWriter() { stop(); }

  // The loop: the next event if its time has come and it is ready, else null. With `wait` it is ready in any case.
  [[nodiscard]] DYN_REALTIME Ready* due(double time_s, bool wait) noexcept;
  DYN_REALTIME void done() noexcept { ring_.release(); }
  // The estimate of this event is to end now: what comes next waits for its learner's last block.
  [[nodiscard]] DYN_REALTIME bool estimate_ends(int event, double time_s) const noexcept;

  // Until as much is ready as there is room for; before the loop begins.
  void wait_until_ready() const;
  void stop();

 private:
  struct Planned {
    double time_s = 0.0;
    int event = 0;
    bool ends = false;  // the push or the estimate, and not the event itself
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
  void build(const RobotDescription& carried, const PushEvent* push, const CoordinateMap* map, Ready& ready) const;
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
  RobotDescription carried_;  // what the plant is, payloads included
  std::vector<Payload> payloads_;
  std::shared_ptr<const Model> plant_;  // the model of the plant, payloads included
  const PushEvent* push_ = nullptr;
  std::unique_ptr<identify::PayloadLearner> learner_;
  int learning_event_ = -1;                                                 // whose it is
  std::vector<std::unique_ptr<identify::PayloadLearner>> learners_before_;  // the loop may still have the newest
  std::shared_ptr<const Model> robot_;
  std::shared_ptr<const Trajectory> trajectory_, loop_trajectory_;  // two: one thread's alone each
  double time_s_ = 0.0;                                             // of the event that is made ready
  control::Parameters parameters_;

  lockfree::Ring<Ready, lockfree::AfterRelease::reclaim> ring_{slots};
  std::jthread thread_;  // last: everything else is there when it starts
};

}  // namespace dyn::sim
