// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The model of a running control loop. The loop calls acquire() once a cycle and works with what it returns; any other
// thread may change the robot, its payloads, gravity or the algorithms at any time. Writers are serialised among
// themselves by a mutex the loop never sees; what they change reaches the loop whole, at the beginning of a cycle,
// through a Handover (its state machine is written there). A change that is refused throws and changes nothing.
//
// A change may also be made ready first and put in force later, by the loop itself, at the cycle that it is meant for:
// give the call a Change to put it into, hand that to the loop, and let it call enact(). Every change builds on those
// made before it, so changes have to be enacted in the order in which they were made, with none published in between.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/live/generation.hpp"
#include "dyn_core/live/handover.hpp"
#include "dyn_core/model/payload.hpp"

namespace dyn::live {

struct LiveOptions {
  ModelOptions model{};
  AlgorithmChoice algorithms{};
  int max_payload_dofs = 0;  // coordinates that payloads on passive joints may add
};

// What every writer call returns: what was applied.
struct Applied {
  std::uint64_t generation = 0;
  std::vector<std::string> coordinate_names;
  std::vector<std::string> warnings;
};

// What the loop goes on with from some cycle on, whatever the algorithms chosen by name are.
struct Gate {
  int jsim = -1, coriolis = -1;  // positions in the registries, in place of the chosen ones; -1: as chosen
  bool hold = false;             // bring the reference to rest

  bool operator==(const Gate&) const = default;
  [[nodiscard]] bool closed() const noexcept { return *this != Gate{}; }
};

class LiveModel {
  struct Settings;

 public:
  // A change that was made ready by a writer; the loop puts it in force.
  class Change {
    friend class LiveModel;
    std::unique_ptr<Generation> generation_;
    std::unique_ptr<Settings> settings_;
  };

  // Throws ModelError where the robot or an algorithm's name is no good.
  LiveModel(const RobotDescription& robot, const LiveOptions& options);
  LiveModel(const LiveModel&) = delete;
  LiveModel& operator=(const LiveModel&) = delete;
  LiveModel(LiveModel&&) = delete;
  LiveModel& operator=(LiveModel&&) = delete;
  ~LiveModel();

  // --- Writers, any thread, not real-time ---------------------------------------------------------------------------
  // `later`: where to put the change, for enact(); null: it is published at once.
  Applied attach(const Payload& payload, double transition_time_s, Change* later = nullptr);
  Applied detach(const std::string& payload_name, double transition_time_s, Change* later = nullptr);
  // A new description of the same joints, in the same order; payloads stay attached.
  Applied replace_robot(const RobotDescription& robot, double transition_time_s, Change* later = nullptr);
  // A new choice of algorithm opens the gate again.
  void set_jsim(std::string_view name, Change* later = nullptr);
  void set_coriolis(std::string_view name, Change* later = nullptr);
  void set_gravity(const Vec3d& gravity_mps2, Change* later = nullptr);
  // At once, past everything that is waiting for its cycle: for whoever found the loop's numbers wrong.
  void close_gate(const Gate& gate) noexcept { gate_.store(packed(gate), std::memory_order_relaxed); }
  [[nodiscard]] Gate requested_gate() const noexcept { return unpacked(gate_.load(std::memory_order_relaxed)); }
  [[nodiscard]] std::vector<Payload> payloads() const;
  // The model of the newest generation: what the loop uses from its next cycle on.
  [[nodiscard]] std::shared_ptr<const Model> newest_model() const;
  // The model of a generation that was published; null if it is long ago.
  [[nodiscard]] std::shared_ptr<const Model> model_of(std::uint64_t generation) const;
  // Frees what the loop has given back; writers' other calls do this too.
  void collect();

  // --- The loop ----------------------------------------------------------------------------------------------------
  // Newest model and settings, ramps moved on by one period. Wait-free.
  [[nodiscard]] DYN_REALTIME Generation& acquire(double period_s) noexcept;
  // The next acquire() has it.
  DYN_REALTIME void enact(Change& change) noexcept;
  // As the last acquire() found it.
  [[nodiscard]] const Gate& gate() const noexcept { return gate_seen_; }
  // Coordinates of the robot without payloads, and the most that payloads may make of them.
  [[nodiscard]] int robot_coordinates() const noexcept { return robot_coordinates_; }
  [[nodiscard]] int max_coordinates() const noexcept { return robot_coordinates_ + options_.max_payload_dofs; }

 private:
  struct Settings {
    AlgorithmIndex algorithms;
    Vec3d gravity_mps2;
    std::uint64_t choices = 0;  // how often algorithms were chosen
    Settings* next_retired = nullptr;
  };
  // In one word, so that the loop sees it whole.
  static std::uint32_t packed(const Gate& gate) noexcept;
  static Gate unpacked(std::uint32_t word) noexcept;

  std::unique_ptr<Generation> make(const RobotDescription& robot, const std::vector<Payload>& payloads,
                                   double transition_time_s);
  Applied publish(std::unique_ptr<Generation> generation, Change* later, std::uint64_t geometry);
  void name_bodies(Generation& generation, double transition_time_s);
  void remember(const Generation& generation);
  void publish_settings(const Settings& settings, Change* later);
  void apply(const Settings& settings) noexcept;

  LiveOptions options_;
  int robot_coordinates_ = 0;

  // Writers' own, behind the mutex: what was published last.
  mutable std::mutex writers_;
  RobotDescription robot_;
  std::vector<Payload> payloads_;
  std::shared_ptr<const Model> model_;
  std::map<std::uint64_t, std::shared_ptr<const Model>> recent_models_;  // by generation
  std::vector<Transition> transitions_;                                  // by key, as the inertias beside them
  std::vector<BodyInertia> inertias_;
  std::map<std::string, int> keys_;
  std::uint64_t versions_ = 0;
  std::uint64_t generations_ = 0;
  std::uint64_t geometry_ = 0;
  Settings settings_now_;

  Handover<Generation> fresh_generations_;
  Handover<Settings> fresh_settings_;
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  std::atomic<std::uint32_t> gate_{0};

  // The loop's own.
  Generation* generation_ = nullptr;
  Settings* settings_ = nullptr;
  Gate gate_seen_;
};

}  // namespace dyn::live
