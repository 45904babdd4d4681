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
    std::unique_ptr<Plant> plant;  // null: stays; once in force, the one before
    std::vector<int> from;         // what it takes over: coordinates of the one before
    std::vector<int> columns;      // of the record, by coordinate of the plant
    std::optional<Robot> robot{};  // nothing: stays
    int carried = 0;               // payloads more, or less
  };

  // Reasons of refusals go into `records`, one an event. Plants of more than `most_coordinates` are refused.
  EventWriter(const ArmConfig& config, const PlantSettings& plant, live::LiveModel& live,
              control::Controller& controller, const Columns& columns, int most_coordinates,
              std::vector<EventRecord>& records);
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;
  EventWriter(EventWriter&&) = delete;
  EventWriter& operator=(EventWriter&&) = delete;
  ~EventWriter() { stop(); }

  // The loop: the next event if its time has come and it is ready, else null. With `wait` it is ready in any case.
  [[nodiscard]] DYN_REALTIME Ready* due(double time_s, bool wait) noexcept;
  DYN_REALTIME void done() noexcept { ring_.release(); }

  // Until as much is ready as there is room for; before the loop begins.
  void wait_until_ready() const;
  void stop();

 private:
  struct Planned {
    double time_s = 0.0;
    int event = 0;
    bool push_ends = false;  // and not the event itself
  };
  static constexpr std::size_t slots = 16;

  void work(const std::stop_token& stop);
  void make_ready(const Planned& planned, Ready& ready);
  [[nodiscard]] std::vector<std::string> check(const AttachEvent& event, const Planned& planned) const;
  void put(const AttachEvent& event, Ready& ready);
  void put(const DetachEvent& event, Ready& ready);
  void put(const SetEvent& event, Ready& ready);
  void put(const PushEvent& event, Ready& ready);
  void put(const RobotEvent& event, Ready& ready);
  void build(const RobotDescription& carried, const PushEvent* push, const CoordinateMap* map, Ready& ready) const;
  [[nodiscard]] control::Parameters parameters_for(const RobotEvent& event) const;

  const ArmConfig& config_;
  const PlantSettings& plant_settings_;
  live::LiveModel& live_;
  control::Controller& controller_;
  const Columns& columns_;
  const std::size_t most_coordinates_;
  std::vector<EventRecord>& records_;
  std::vector<Planned> planned_;  // by time

  // The writer's own.
  RobotDescription carried_;  // what the plant is, payloads included
  std::vector<Payload> payloads_;
  std::shared_ptr<const Model> plant_;  // the model of the plant, payloads included
  const PushEvent* push_ = nullptr;
  std::shared_ptr<const Model> robot_;
  std::shared_ptr<const Trajectory> trajectory_, loop_trajectory_;  // two: one thread's alone each
  double time_s_ = 0.0;                                             // of the event that is made ready
  control::Parameters parameters_;

  lockfree::Ring<Ready, lockfree::AfterRelease::reclaim> ring_{slots};
  std::jthread thread_;  // last: everything else is there when it starts
};

}  // namespace dyn::sim
