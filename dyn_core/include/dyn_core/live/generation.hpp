// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A generation: one model as the loop works with it, made whole by a writer, then used by the loop alone until it is
// retired.
//
// Rigid payloads are ramped: a body whose inertia a writer changed moves from the inertia in effect now to the new one
// over `duration_s`, with a rate that is zero at both ends (C1 in time). Bodies are recognised between generations by a
// key that never changes (their joint), since a chain attached in the middle of the tree shifts indices.
//
// A ramp also knows what it started from in terms of published models, as shares that sum to 1: the validator
// can build the inertia in between from the descriptions alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/frames.hpp"
#include "dyn_core/model/body_inertia.hpp"
#include "dyn_core/numeric/indexed.hpp"

namespace dyn::live {

struct Transition {
  int key = -1;               // which body this is, in every generation
  std::uint64_t version = 0;  // of its inertia: a new number each time a writer changed it
  double duration_s = 0.0;    // over which to reach it
};

// The inertia from which a ramp started: those that the body has in these generations, weighted.
struct RampStart {
  struct Share {
    std::uint64_t generation = 0;
    double weight = 0.0;
  };
  static constexpr int most_shares = 6;
  std::array<Share, most_shares> shares;
  int count = 0;  // -1: more ramps were cut short in a row than there is room for

  DYN_REALTIME void add(std::uint64_t generation, double weight) noexcept;
  // None where count is -1.
  [[nodiscard]] DYN_REALTIME const Share* begin() const noexcept { return shares.data(); }
  [[nodiscard]] DYN_REALTIME const Share* end() const noexcept { return shares.data() + (count > 0 ? count : 0); }
};

struct Ramp {
  bool active = false;
  double elapsed_s = 0.0;
  double duration_s = 0.0;
  BodyInertia from;
  RampStart start;  // of `from`

  // How far the linear blend has come, 0 to 1: x^2 (3 - 2 x), its rate zero at both ends.
  [[nodiscard]] double progress() const noexcept {
    const double x = elapsed_s / duration_s;
    return x >= 1.0 ? 1.0 : x * x * (3.0 - 2.0 * x);
  }
};

// What LiveModel::replace_joints() is given for the loop to have from the first cycle of new joints on: limits,
// parameters. Every generation has a copy of its own, which the loop may empty.
class JointSettings {
 public:
  JointSettings() = default;
  JointSettings& operator=(const JointSettings&) = delete;
  JointSettings(JointSettings&&) = delete;
  JointSettings& operator=(JointSettings&&) = delete;
  virtual ~JointSettings() = default;
  [[nodiscard]] virtual std::unique_ptr<JointSettings> copy() const = 0;

 protected:
  JointSettings(const JointSettings&) = default;
};

struct Generation {
  Generation(std::shared_ptr<const Model> shared_model, const AlgorithmChoice& choice,
             std::vector<std::string> frame_names = {})
      : model(std::move(shared_model)),
        dynamics(model, choice),
        frames(model, std::move(frame_names), Frames::Absent::accepted),
        transitions(model->bodies()),
        ramps(model->bodies()),
        changed(model->bodies()),
        previous(model->bodies()) {}

  std::uint64_t id = 0;
  std::uint64_t geometry = 0;  // the same number: the same description of the robot
  std::uint64_t joints = 0;    // the same number: the same joints in the same order
  Indexed<int> joint_keys;     // by coordinate of the robot without payloads: the same wherever that goes on
  std::unique_ptr<JointSettings> joint_settings;  // of these joints; null: none were given
  std::shared_ptr<const Model> model;
  Dynamics dynamics;
  Frames frames;  // an index is the same frame in every generation; whoever wants them calls frames.update(dynamics)
  Indexed<Transition> transitions;  // by body
  Indexed<int> body_of_key;         // -1: not in this generation

  // The loop's own.
  Indexed<Ramp> ramps;  // by body
  int active_ramps = 0;
  Indexed<std::uint8_t> changed;  // by body, in this cycle
  Indexed<BodyInertia> previous;  // by body, of the cycle before, where changed
  int changed_count = 0;
  // In this cycle bodies were taken away, or moved: the momentum step due to that cannot be computed.
  bool momentum_step_unknown = false;

  // The first cycle of a generation, before take_over(), and every later one: nothing has changed yet.
  DYN_REALTIME void begin_cycle() noexcept;

  // A new generation takes over from the one before: bodies that are the same keep their ramp, bodies whose inertia was
  // changed start one at the inertia in effect now.
  DYN_REALTIME void take_over(const Generation& before) noexcept;

  // Moves every active ramp on by one period.
  DYN_REALTIME void advance(double period_s) noexcept;

  // Did some body's inertia change at the beginning of this cycle? Then these put the dynamics back to the inertias of
  // the cycle before, and forth again: a momentum observer has to know the momentum step dM v due to the model change.
  [[nodiscard]] DYN_REALTIME bool inertia_changed() const noexcept { return changed_count > 0; }
  DYN_REALTIME void swap_previous_inertias() noexcept;

 private:
  DYN_REALTIME void change(int body, const BodyInertia& before) noexcept;
  [[nodiscard]] DYN_REALTIME RampStart ramp_start(int body) const noexcept;
};

}  // namespace dyn::live
