// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The robot and the state that Dynamics works on, and everything derived from them: the kernels with their
// constants, the kinematics, the bodies' frames in lanes, the bounds of pivots. Only new_state() and new_inertias()
// invalidate derived values. These are private, and the functions that return them bring them up to date first, so that
// stale results cannot be read.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "forward/mass_factor.hpp"
#include "fused/engine.hpp"
#include "lanes/base_frames.hpp"

namespace dyn {

template <class T>
class StateCache {
 public:
  // double runs lane forms.
  static constexpr bool kLanes = std::is_same_v<T, double>;

  explicit StateCache(const Tree& tree) : engine_(tree), tree_(tree), ws_(tree.size), factor_(tree), frames_(tree) {
    if (!factor_.slides()) survive_state_ |= pivot_scales;
  }

  // The working copy of the model's tree.
  [[nodiscard]] const Tree& tree() const noexcept { return tree_; }
  DYN_REALTIME void set_gravity(const Vec3d& gravity_mps2) noexcept {
    tree_.gravity = gravity_mps2;
    new_inertias();
  }
  DYN_REALTIME void set_body_inertia(int body, const BodyInertia& inertia) noexcept {
    dyn::set_body_inertia(tree_, body, inertia);
    new_inertias();
  }

  // The tree of the same bodies with other inertias and gravity.
  void set_inertias(const Tree& tree) {
    tree_ = tree;
    new_inertias();
  }

  // Loads a state in body order. False, and the state unchanged, where it is not finite.
  DYN_REALTIME bool load_state(const double* q, const double* v) noexcept requires kLanes {
    if (!engine_.load_state(q, v)) return false;
    new_state();
    return true;
  }
  // The same, and computes at once the terms that are not null in `out`.
  DYN_REALTIME bool load_state(const double* q, const double* v, const fused::Output& out) noexcept requires kLanes {
    refresh_engine();
    if (!engine_.terms(q, v, out)) return false;
    new_state();
    return true;
  }
  // The same for terms, which are written to the arrays given to bind(); ready_for_bound() must be true.
  DYN_REALTIME bool load_state_bound(const double* q, const double* v, unsigned terms) noexcept requires kLanes {
    if (!engine_.bound_terms(q, v, terms)) return false;
    new_state();
    return true;
  }
  // The same from a finite state in the user's coordinates, where these are not the bodies.
  DYN_REALTIME bool load_coordinates(const T* q, const T* v, const fused::Output& out) noexcept {
    valid_ &= ~state_in_ws;
    spread_positions(tree_, q, ws_);
    spread_rates(tree_, v, ws_.v);
    if constexpr (kLanes) {
      const bool nothing = out.M == nullptr && out.C == nullptr && out.g == nullptr && out.h == nullptr;
      if (!(nothing ? load_state(ws_.q.data(), ws_.v.data()) : load_state(ws_.q.data(), ws_.v.data(), out)))
        return false;
    } else {
      new_state();
    }
    valid_ |= state_in_ws;
    return true;
  }

  // The arrays for M, C, g and h of load_state_bound(); they must not move.
  void bind(T* M, T* C, T* g, T* h) noexcept {
    if constexpr (kLanes) engine_.bind(M, C, g, h);
  }
  [[nodiscard]] bool ready_for_bound() const noexcept { return (valid_ & bound_is_ready) == bound_is_ready; }

  // The kernels of `fused`, for the loaded state.
  DYN_REALTIME const fused::Engine& engine() noexcept requires kLanes {
    refresh_engine();
    return engine_;
  }

  // The input of the lane forms in base axes: frames and inertias of the bodies.
  DYN_REALTIME const lanes::Plan& plan() noexcept requires kLanes {
    if ((valid_ & frames_inertias) == 0U) frames_.set_inertias(tree_);
    if ((valid_ & frames_placed) == 0U) frames_.set_positions(engine_.q());
    valid_ |= frames_inertias | frames_placed;
    return frames_.plan();
  }

  // The state's rates for these lane forms, and accelerations of the bodies.
  [[nodiscard]] lanes::Rates rates(const double* a = nullptr) const noexcept requires kLanes {
    const Vec3d& g = tree_.gravity;
    return {engine_.v(), a, {g[0], g[1], g[2]}};
  }

  // State and kinematics for the paper forms: the passes in `needs` (kinematics.hpp), each at most once a state.
  DYN_REALTIME const Workspace<T>& workspace(unsigned needs = needs_nothing) noexcept {
    load_workspace();
    update_kinematics(tree_, ws_, needs & ~valid_);
    valid_ |= needs;
    return ws_;
  }
  // Accelerations of the coordinates, for the inverse dynamics by workspace().
  DYN_REALTIME const T* load_accelerations(const T* a) noexcept {
    spread_rates(tree_, a, ws_.a);
    return ws_.a.data();
  }

  // The factorization of M with the bounds of its pivots; the caller writes M into it.
  DYN_REALTIME MassFactor<T>& factor() noexcept {
    if ((valid_ & pivot_scales) == 0U) {
      load_workspace();
      factor_.find_scales(tree_, ws_);
      valid_ |= pivot_scales;
    }
    return factor_;
  }

  // Matrices that are written by lane forms, which skip entries that are zero by structure, and by other algorithms,
  // which may not leave exact zeros there.
  enum Result : unsigned { result_M = 1U << 10U, result_C = 1U << 11U };
  DYN_REALTIME T* for_lanes(Result which, std::vector<T>& matrix) noexcept {
    if ((valid_ & which) == 0U) std::fill(matrix.begin(), matrix.end(), T(0.0));
    valid_ |= which;
    return matrix.data();
  }
  DYN_REALTIME void written_in_full(Result which) noexcept { valid_ &= ~which; }

 private:
  // What is up to date, in addition to the passes of the kinematics (Needs, the lowest four bits).
  enum Valid : unsigned {
    state_in_ws = 1U << 4U,      // else only the engine has the state
    engine_inertias = 1U << 5U,  // and gravity
    frames_inertias = 1U << 6U,
    frames_placed = 1U << 7U,
    pivot_scales = 1U << 8U,
    zeros = result_M | result_C,
    bound_is_ready = engine_inertias | zeros
  };
  static constexpr unsigned pass_positions = needs_positions ^ needs_trigonometry;  // with the centres of mass
  static constexpr unsigned pass_inertias = needs_inertias ^ needs_positions;

  struct None {
    explicit None(const Tree& /*tree*/) {}
  };

  void new_state() noexcept { valid_ &= survive_state_; }
  void new_inertias() noexcept {
    valid_ &= ~(pass_positions | pass_inertias | engine_inertias | frames_inertias | frames_placed | pivot_scales);
  }

  void refresh_engine() noexcept {
    if ((valid_ & engine_inertias) != 0U) return;
    engine_.refresh(tree_);
    valid_ |= engine_inertias;
  }
  void load_workspace() noexcept {
    if constexpr (kLanes) {
      if ((valid_ & state_in_ws) != 0U) return;
      std::copy_n(engine_.q(), tree_.size, ws_.q.data());
      std::copy_n(engine_.v(), tree_.size, ws_.v.data());
      valid_ |= state_in_ws;
    }
  }

  // Members that every cycle with `fused` uses, side by side: few lines of a cold cache.
  unsigned valid_ = state_in_ws | engine_inertias | frames_inertias | zeros;
  unsigned survive_state_ = engine_inertias | frames_inertias | zeros;
  std::conditional_t<kLanes, fused::Engine, None> engine_;
  Tree tree_;
  Workspace<T> ws_;
  MassFactor<T> factor_;
  std::conditional_t<kLanes, lanes::BaseFrames, None> frames_;
};

}  // namespace dyn
