// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The interface between the kernels of all instruction sets and their callers: plain numbers and pointers only.
// docs/speed.md has the method. plan.cpp makes a Plan once a model for a given width W.
//
// Segments, blocks and lanes as in lanes/segment.hpp. Work memory: a State a block, a Bridge a segment.
#pragma once

#include "dyn_core/terms.hpp"
#include "lanes/kernel_set.hpp"
#include "lanes/segment.hpp"

namespace dyn::fused {

using lanes::Segment;

// Constants of a block: W doubles each, in this order.
enum Constant : int {
  parent_qw,  // unit quaternion: joint frame in the frame of the body before it (see middle.hpp where from_middle)
  parent_qx,
  parent_qy,
  parent_qz,
  back_x,    // from the next body's reference point in the segment to this one's, body frame, m; with from_middle, for
  back_y,    // bodies from the middle on, in the opposite direction
  back_z,    // 0 for revolute joints
  moment_x,  // of the inertia after regrouping (plan.cpp): first moment, kg m
  moment_y,  // 0 where lanes are bodies
  half_xx,   // and second moments about the reference point, kg m^2: half of the diagonal ones
  half_yy,
  second_xy,
  second_xz,
  second_yz,
  revolute,      // 1 revolute, 0 prismatic; from here on used only where the model has prismatic joints
  point_mass,    // of this body, at the reference point: prismatic joints only
  subtree_mass,  // sum of point masses over the subtree
  turn_xx,       // joint frame in the frame of the body before it, by columns: used where lanes are states
  turn_yx,
  turn_zx,
  turn_xy,
  turn_yy,
  turn_zy,
  turn_xz,
  turn_yz,
  turn_zz,
  constants_count
};

// A joint frame whose axes are those of the body before it except for order and sign, as in most robots: column c of
// the rotation is sign[c] times axis[c]. Used where lanes are states.
struct AxisPermutation {
  bool applies;
  int axis[3];
  double sign[3];
};

struct Plan {
  int bodies, segments, blocks;
  bool slides;       // there are prismatic joints
  bool from_middle;  // a single chain for middle.hpp: constants laid out for it, gravity in joint frame 0
  const Segment* segment;
  const double* constants;              // [block][Constant][W]
  const AxisPermutation* permutations;  // one a body
  double gravity[3];
  double *q, *v;  // the last state, in whole vectors
  void* states;   // work, aligned to 64 bytes: state_bytes a block
  void* bridges;  // likewise: bridge_bytes a segment
};

// Arrays for results in body order; null: not computed. Matrices are column-major with `bodies` rows; entries that are
// zero by structure are not written.
struct Output {
  double* M = nullptr;
  double* C = nullptr;
  double* g = nullptr;
  double* h = nullptr;  // C v + g; where C is null, M a + C v + g for a given a. With C, g must be given too.
};

// For a state that has been loaded, from the plan's copy or the caller's. a may be null: zero.
using Evaluate = void (*)(const Plan&, const double* q, const double* v, const double* a, const Output&);
// Loads a state and evaluates for it; false, and nothing written, where it is not finite.
using LoadAndEvaluate = bool (*)(const Plan&, const double* q, const double* v, const Output&);
struct KernelPair {
  Evaluate evaluate;
  LoadAndEvaluate load_and_evaluate;
};

struct Kernels {
  unsigned long state_bytes, bridge_bytes;
  // Copies q and v into the plan, in whole vectors. False, and nothing written, where they are not finite.
  bool (*load_state)(const Plan&, const double* q, const double* v);
  // The kernels for the outputs that are not null and a plan of this shape.
  KernelPair (*choose)(const Plan&, const Output&);

  // For as many states side by side as a vector has lanes, with a Plan of one body a block. All numbers here are
  // [entry][lane]. A state that is not finite has NaN results in its own lane only, and NaN in `not_finite`, which is
  // else 0.
  void (*states)(const Plan&, const double* q, const double* v, const Output&, double* not_finite);
  // From and to states in memory one after the other, of so many entries each.
  void (*to_lanes)(const double* states, int entries, double* lanes);
  void (*from_lanes)(const double* lanes, int entries, double* states);
};

// Defined by fused_lanes.cpp, once for each kernel set.
template <lanes::KernelSet set>
Kernels kernels();
template <>
Kernels kernels<lanes::KernelSet::baseline>();
template <>
Kernels kernels<lanes::KernelSet::v3>();
template <>
Kernels kernels<lanes::KernelSet::v4>();

}  // namespace dyn::fused
