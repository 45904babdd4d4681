// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Operational space of one frame (Khatib 1987), in base axes at the frame's origin as J_base_axes (frames.hpp), all at
// one state:
//   Lambda = (J M^-1 J^T)^-1          effective inertia at the frame, 6 x 6
//   Jbar   = M^-1 J^T Lambda          dynamically consistent inverse of J, n x 6
//   N      = 1 - Jbar J               null space: J N = 0 for velocities; N^T tau moves no acceleration of the frame
// Where J is nearly singular Lambda grows without bound; the measure is sigma, the smallest singular value of J (rows
// in m and rad). Where sigma is below `damp_below`, the damped form is used:
//   Lambda = (J M^-1 J^T + s diag(l, l, l, a, a, a))^-1,  s = damping (1 - (sigma / damp_below)^2)^2,
//   l and a the means of the diagonal of J M^-1 J^T over the linear and the angular rows;
// Jbar and N follow from it by the same formulas.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "dyn_core/frames.hpp"

namespace dyn {

struct OperationalSpaceOptions {
  double damp_below = 0.0;  // smallest singular value below which Lambda is damped; 0: never
  double damping = 0.01;    // at a singular frame, relative to the mobility J M^-1 J^T
  // Smallest over largest singular value, under which J counts as singular: below, no digit of Lambda is sure.
  double singular_below = 1e-7;
};

struct [[nodiscard]] OperationalSpaceStatus {
  enum class Code : std::uint8_t {
    ok,
    damped,            // near a singular frame: Lambda, Jbar and N are the damped ones
    singular,          // J is, and damping is off, or no joint turns, or none moves, the frame: all are NaN
    singular_inertia,  // M is singular at the body that `inertia` names: NaN
    frame_absent       // the frame's status is absent or not_made: NaN
  };
  Code code = Code::ok;
  double smallest_singular_value = 0.0;  // of J; exact where the code is damped or singular, a lower bound where ok
  Status inertia{};

  [[nodiscard]] constexpr bool ok() const noexcept { return code == Code::ok; }
  // There are numbers, exact or damped.
  [[nodiscard]] constexpr bool usable() const noexcept { return code == Code::ok || code == Code::damped; }
};

class OperationalSpace {
 public:
  static constexpr std::string_view lane_form = "src/forward/mass_lanes.cpp";

  // For robots of at most so many coordinates (with payloads: LiveModel::max_coordinates()). Allocates all memory.
  explicit OperationalSpace(int most_coordinates, const OperationalSpaceOptions& options = {});
  explicit OperationalSpace(const Model& model, const OperationalSpaceOptions& options = {});
  OperationalSpace(OperationalSpace&&) noexcept;
  OperationalSpace& operator=(OperationalSpace&&) noexcept;
  OperationalSpace(const OperationalSpace&) = delete;
  OperationalSpace& operator=(const OperationalSpace&) = delete;
  ~OperationalSpace();

  DYN_REALTIME void set_damping(double damp_below, double damping) noexcept;

  // At the state of the dynamics' last update(), at which the frames must have their J. Real-time safe.
  DYN_REALTIME OperationalSpaceStatus update(Dynamics& dynamics, const Frames& frames, int frame) noexcept;

  [[nodiscard]] DYN_REALTIME ConstMatrixRef<double> Lambda() const noexcept;  // 6 x 6, symmetric

  // Computed by the call from the results of the last update().
  [[nodiscard]] DYN_REALTIME ConstMatrixRef<double> dynamically_consistent_inverse() noexcept;  // Jbar, n x 6
  [[nodiscard]] DYN_REALTIME ConstMatrixRef<double> null_space_projector() noexcept;            // N, n x n
  [[nodiscard]] DYN_REALTIME double smallest_singular_value() noexcept;                         // of J, exact

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn
