// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A generation: one published version of the live model with all memory that the loop needs for it. A writer makes it;
// then the loop alone uses it until it retires it.
//
// Rigid payloads are ramped: a body whose inertia a writer changed moves from the inertia in effect now to the new one
// over `duration_s`, with a rate that is zero at both ends (C1 in time). A body has the same key (by the name of its
// joint) in every generation, since its index shifts where a chain is attached in the middle of the tree.
//
// A ramp also stores the inertia it started from as a weighted sum of published models (weights that sum to 1): so the
// validator can compute the blended inertia from the descriptions alone.
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
  double duration_s = 0.0;    // of the ramp to that inertia
};

// The inertia from which a ramp started: those that the body has in these generations, weighted.
struct RampStart {
  struct Share {
    std::uint64_t generation = 0;
    double weight = 0.0;
  };
  static constexpr int most_shares = 6;
  std::array<Share, most_shares> shares;
  int count = 0;  // -1: unknown, since more ramps in a row were interrupted than there is room for

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

// What LiveModel::replace_joints() passes to the loop with new joints, for use from their first cycle on: limits,
// parameters. Every generation has a copy of its own, which the loop may consume.
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
  std::uint64_t geometry = 0;  // equal numbers: the same description of the robot
  std::uint64_t bodies = 0;    // equal numbers: the same bodies, joints and frames; inertias may differ
  std::uint64_t joints = 0;    // equal numbers: the same joints in the same order
  Indexed<int> joint_keys;     // by coordinate of the robot without payloads: the same key in every generation
  std::unique_ptr<JointSettings> joint_settings;  // of these joints; null: none were given
  std::shared_ptr<const Model> model;
  Dynamics dynamics;
  Frames frames;  // an index is the same frame in every generation; updated only by those who use them
  Indexed<Transition> transitions;  // by body
  Indexed<int> body_of_key;         // -1: not in this generation

  // Writers: as made anew for a model whose inertias alone differ, from a generation that the loop has retired.
  void begin_anew(std::shared_ptr<const Model> next);

  // The loop's own.
  Indexed<Ramp> ramps;  // by body
  int active_ramps = 0;
  Indexed<std::uint8_t> changed;  // by body, in this cycle
  Indexed<BodyInertia> previous;  // by body, of the cycle before, where changed
  int changed_count = 0;
  // In this cycle bodies were taken away, or moved: the momentum step due to that cannot be computed.
  bool momentum_step_unknown = false;

  // At the beginning of every cycle (the first one of a generation: before take_over()): clears `changed`.
  DYN_REALTIME void begin_cycle() noexcept;

  // In the first cycle of a generation: bodies that are the same keep their ramp, bodies whose inertia was changed
  // start one at the inertia in effect now.
  DYN_REALTIME void take_over(const Generation& before) noexcept;

  // Moves every active ramp on by one period.
  DYN_REALTIME void advance(double period_s) noexcept;

  // Did some body's inertia change at the beginning of this cycle? Then swap_previous_inertias() gives the dynamics the
  // inertias of the cycle before, and at the second call the current ones again: so the momentum observer computes dM
  // v, the momentum step due to the model change.
  [[nodiscard]] DYN_REALTIME bool inertia_changed() const noexcept { return changed_count > 0; }
  DYN_REALTIME void swap_previous_inertias() noexcept;

 private:
  DYN_REALTIME void change(int body, const BodyInertia& before) noexcept;
  [[nodiscard]] DYN_REALTIME RampStart ramp_start(int body) const noexcept;
};

}  // namespace dyn::live
