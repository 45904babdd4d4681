// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The model of a running control loop. The loop calls acquire() once a cycle and works with what it returns; any other
// thread may change the robot, its payloads, gravity or the algorithms at any time. Writers are serialised among
// themselves by a mutex the loop never sees; what they change reaches the loop whole, at the beginning of a cycle,
// through a Handover (its state machine is written there). A change that is refused throws and changes nothing.
#pragma once

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
  ModelOptions model;
  AlgorithmChoice algorithms;
  int max_payload_dofs = 0;  // coordinates that payloads on passive joints may add
};

// What every writer call returns: what was applied.
struct Applied {
  std::uint64_t generation = 0;
  std::vector<std::string> coordinate_names;
  std::vector<std::string> warnings;
};

class LiveModel {
 public:
  // Throws ModelError where the robot or an algorithm's name is no good.
  LiveModel(const RobotDescription& robot, const LiveOptions& options);
  LiveModel(const LiveModel&) = delete;
  LiveModel& operator=(const LiveModel&) = delete;
  LiveModel(LiveModel&&) = delete;
  LiveModel& operator=(LiveModel&&) = delete;
  ~LiveModel();

  // --- Writers, any thread, not real-time ---------------------------------------------------------------------------
  Applied attach(const Payload& payload, double transition_time_s);
  Applied detach(const std::string& payload_name, double transition_time_s);
  // A new description of the same actuated joints, in the same order; payloads stay attached.
  Applied replace_robot(const RobotDescription& robot, double transition_time_s);
  void set_jsim(std::string_view name);
  void set_coriolis(std::string_view name);
  void set_gravity(const Vec3d& gravity_mps2);
  [[nodiscard]] std::vector<Payload> payloads() const;
  // The model of the newest generation: what the loop uses from its next cycle on.
  [[nodiscard]] std::shared_ptr<const Model> newest_model() const;
  // The model of a generation that was published; null if it is long ago.
  [[nodiscard]] std::shared_ptr<const Model> model_of(std::uint64_t generation) const;
  // Frees what the loop has given back; writers' other calls do this too.
  void collect();

  // --- The loop
  // ------------------------------------------------------------------------------------------------------- Newest
  // model and settings, ramps moved on by one period. Wait-free.
  [[nodiscard]] DYN_REALTIME Generation& acquire(double period_s) noexcept;
  // Coordinates of the robot without payloads, and the most that payloads may make of them.
  [[nodiscard]] int robot_coordinates() const noexcept { return robot_coordinates_; }
  [[nodiscard]] int max_coordinates() const noexcept { return robot_coordinates_ + options_.max_payload_dofs; }

 private:
  struct Settings {
    AlgorithmIndex algorithms;
    Vec3d gravity_mps2;
    Settings* next_retired = nullptr;
  };

  std::unique_ptr<Generation> make(const RobotDescription& robot, const std::vector<Payload>& payloads,
                                   double transition_time_s);
  Applied publish(std::unique_ptr<Generation> generation);
  void name_bodies(Generation& generation, double transition_time_s);
  void remember(const Generation& generation);
  void publish_settings();
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
  Settings settings_now_;

  Handover<Generation> fresh_generations_;
  Handover<Settings> fresh_settings_;

  // The loop's own.
  Generation* generation_ = nullptr;
  Settings* settings_ = nullptr;
};

}  // namespace dyn::live
