// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The model of a running control loop. The loop calls acquire() once a cycle and works with what it returns; any other
// thread may change the robot, its payloads, gravity or the algorithms at any time. Writers are serialised among
// themselves by a mutex the loop never sees; what they change reaches the loop whole, at the beginning of a cycle,
// through a Handover (lockfree/handover.hpp). A change that is refused throws and changes nothing. A rigid payload
// changes inertias alone: its model is a copy, and the loop's memory for it one that the loop has given back.
//
// A change may also be prepared first and put in force later, by the loop itself, at the cycle that it is meant for:
// pass a Change to the call, pass that Change to the loop, and let the loop call apply(). Every change builds on those
// made before it, so changes must be applied in the order in which they were made, with none published in between.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/live/generation.hpp"
#include "dyn_core/lockfree/handover.hpp"
#include "dyn_core/model/joint_changes.hpp"
#include "dyn_core/model/payload.hpp"

namespace dyn::live {

// A further check of a change, from the model before it, the one after it, and the payload that it attaches (null:
// none). Called once for each change, before it is published, on the writer's thread and under the writers' mutex.
// Throws ModelError to refuse it; returns warnings, which come first in Applied::warnings.
using ChangeCheck =
    std::function<std::vector<std::string>(const Model& before, const Model& after, const Payload* attached)>;

struct LiveOptions {
  ModelOptions model{};
  AlgorithmChoice algorithms{};
  int max_payload_dofs = 0;  // coordinates that payloads on passive joints, or other joints of the robot, may add
  // Of Generation::frames, indices in this order: first links, which every robot must have, then names of payloads,
  // whose frames are FrameStatus::absent while they are not attached.
  std::vector<std::string> frames{}, payload_frames{};
  ChangeCheck check{};
};

// What every writer call returns: what was applied.
struct Applied {
  std::uint64_t generation = 0;
  std::vector<std::string> coordinate_names;
  std::vector<std::string> warnings;
};

// Algorithms in place of those chosen by name, and whether to stop: after a breach that the validator found.
struct Fallback {
  int jsim = -1, coriolis = -1;  // positions in the registries, in place of the chosen ones; -1: as chosen
  bool hold = false;             // bring the reference to rest

  bool operator==(const Fallback&) const = default;
  [[nodiscard]] bool any() const noexcept { return *this != Fallback{}; }
};

class LiveModel {
  struct Settings;

 public:
  // A change that a writer prepared; the loop puts it in force.
  class Change {
    friend class LiveModel;
    lockfree::Owned<Generation> generation_;
    lockfree::Owned<Settings> settings_;
  };

  // Throws ModelError where the robot or an algorithm's name is invalid.
  LiveModel(const RobotDescription& robot, const LiveOptions& options);
  LiveModel(const LiveModel&) = delete;
  LiveModel& operator=(const LiveModel&) = delete;
  LiveModel(LiveModel&&) = delete;
  LiveModel& operator=(LiveModel&&) = delete;
  ~LiveModel();

  // --- Writers, any thread, not real-time ---------------------------------------------------------------------------
  // `later`: where to put the change, for apply(); null: it is published at once.
  Applied attach(const Payload& payload, double transition_time_s, Change* later = nullptr);
  Applied detach(const std::string& payload_name, double transition_time_s, Change* later = nullptr);
  // These throw what attach() and detach() would, and change nothing.
  void check_attach(const Payload& payload, double transition_time_s);
  void check_detach(const std::string& payload_name, double transition_time_s);
  // A new description of the same joints, in the same order; payloads stay attached.
  Applied replace_robot(const RobotDescription& robot, double transition_time_s, Change* later = nullptr);
  // A new description whose joints may be others: `map` says what becomes of the coordinates (model/joint_changes.hpp).
  // Payloads stay attached. The loop sees by Generation::joint_keys which coordinate goes on with which.
  Applied replace_joints(const RobotDescription& robot, const CoordinateMap& map, double transition_time_s,
                         Change* later = nullptr, std::shared_ptr<const JointSettings> settings = nullptr);
  // A new choice of algorithm ends a fallback.
  void set_jsim(std::string_view name, Change* later = nullptr);
  void set_coriolis(std::string_view name, Change* later = nullptr);
  void set_gravity(const Vec3d& gravity_mps2, Change* later = nullptr);
  // Replaces LiveOptions::check for all later changes.
  void set_check(ChangeCheck check);
  // In force from the next acquire() on, ahead of prepared changes: for the validator, when the loop's results are
  // wrong.
  void request_fallback(const Fallback& fallback) noexcept {
    requested_fallback_.store(packed(fallback), std::memory_order_relaxed);
  }
  [[nodiscard]] Fallback requested_fallback() const noexcept {
    return unpacked(requested_fallback_.load(std::memory_order_relaxed));
  }
  [[nodiscard]] std::vector<Payload> payloads() const;
  // The model of the newest generation: what the loop uses from its next cycle on.
  [[nodiscard]] std::shared_ptr<const Model> newest_model() const;
  // The model of a published generation; null if `models_remembered` or more were published after it.
  static constexpr std::size_t models_remembered = 128;
  [[nodiscard]] std::shared_ptr<const Model> model_of(std::uint64_t generation) const;
  // Frees what the loop has retired; writers' other calls do this too.
  void collect();

  // --- The loop ----------------------------------------------------------------------------------------------------
  // Newest model and settings; advances ramps by the period (at least 0). Wait-free.
  [[nodiscard]] DYN_REALTIME Generation& acquire(double period_s) noexcept;
  // In force from the next acquire() on.
  DYN_REALTIME void apply(Change& change) noexcept;
  // The one that the last acquire() read.
  [[nodiscard]] DYN_REALTIME const Fallback& fallback() const noexcept { return fallback_; }
  // The gravity of set_gravity() that the last acquire() read.
  [[nodiscard]] DYN_REALTIME const Vec3d& gravity_mps2() const noexcept { return settings_->gravity_mps2; }
  // Coordinates of the first robot without payloads, and the largest number that is allowed.
  [[nodiscard]] int robot_coordinates() const noexcept { return robot_coordinates_; }
  [[nodiscard]] int max_coordinates() const noexcept { return robot_coordinates_ + options_.max_payload_dofs; }

 private:
  struct Settings {
    AlgorithmIndex algorithms;
    Vec3d gravity_mps2;
    std::uint64_t choices = 0;  // how often algorithms were chosen
  };
  // What a generation's model is built from.
  struct Parts {
    RobotDescription robot;
    std::vector<Payload> payloads;
    std::uint64_t geometry = 0;  // counts replace_robot() and replace_joints()
    std::uint64_t joints = 0;    // counts replace_joints()
    std::uint64_t bodies = 0;    // counts changes of more than inertias
    std::vector<int> joint_keys{};
    std::shared_ptr<const JointSettings> joint_settings{};
  };
  struct PublishedInertia {
    Transition transition;
    BodyInertia inertia;
  };
  // In one word, so that the loop reads it atomically.
  static std::uint32_t packed(const Fallback& fallback) noexcept;
  static Fallback unpacked(std::uint32_t word) noexcept;

  [[nodiscard]] std::unique_lock<std::mutex> writer(const char* call) const;
  struct Prepared {
    std::shared_ptr<const Model> model;
    std::vector<std::string> warnings;
  };
  [[nodiscard]] Parts parts_with(const Payload& payload) const;
  [[nodiscard]] Parts parts_without(const std::string& payload_name) const;
  Prepared prepare(Parts& parts, bool attaches, const CoordinateMap* map);
  Applied change(Parts parts, double transition_time_s, Change* later, bool attaches = false,
                 const CoordinateMap* map = nullptr);
  // Of rigid payloads: `attached`, or where it is null the one named `detached`.
  Applied change_inertias(Model next, double transition_time_s, Change* later, const Payload* attached,
                          const std::string& detached);
  [[nodiscard]] lockfree::Owned<Generation> make_generation(const std::shared_ptr<const Model>& model) const;
  [[nodiscard]] lockfree::Owned<Generation> reuse_generation(const std::shared_ptr<const Model>& model);
  Applied hand_over(lockfree::Owned<Generation> generation, std::vector<std::string> warnings, double transition_time_s,
                    Change* later);
  [[nodiscard]] bool has_frame(const std::string& payload) const;
  void check_room(const Parts& parts, const Model& model) const;
  void carry_joints(const Model& model, const CoordinateMap* map, Parts& parts);
  void name_bodies(Generation& generation);
  void change_settings(const Settings& settings, Change* later);
  DYN_REALTIME void apply_settings(const Settings& settings) noexcept;

  LiveOptions options_;
  int robot_coordinates_ = 0;  // of the first robot
  int most_bodies_ = 0;

  // Writers' own, behind the mutex: what was published last.
  mutable std::mutex writers_;
  Parts parts_;
  std::shared_ptr<const Model> model_;
  std::map<std::uint64_t, std::shared_ptr<const Model>> recent_models_;  // by generation
  Indexed<PublishedInertia> published_;                                  // by key
  std::map<std::string, int> keys_;
  int joint_keys_ = 0;  // number of keys assigned so far
  std::uint64_t versions_ = 0;
  std::uint64_t generations_ = 0;  // number of generations published so far
  Settings settings_now_;
  lockfree::Owned<Generation> spare_;  // for the next change of inertias

  lockfree::Handover<Generation> fresh_generations_;
  lockfree::Handover<Settings> fresh_settings_;
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  std::atomic<std::uint32_t> requested_fallback_{0};

  // The loop's own.
  lockfree::Owned<Generation> generation_;
  lockfree::Owned<Settings> settings_;
  Fallback fallback_;
};

}  // namespace dyn::live
