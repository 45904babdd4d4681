// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the kernels of all instruction sets and the code that calls them agree on: plain numbers and pointers only.
// See docs/speed.md for the idea. A Plan is made once a model by plan.cpp for a given width W.
//
// A tree is cut into segments: chains without branches. A segment's bodies fill blocks of W lanes, one body a lane; the
// last block may have idle lanes at its end. Work memory: a State a block, a Bridge a segment.
#pragma once

namespace dyn::fused {

// Constants of a block: W doubles each, in this order.
enum Constant : int {
  parent_qw,  // unit quaternion: joint frame in the frame of the body before it
  parent_qx,
  parent_qy,
  parent_qz,
  next_x,  // from this body's reference point to the next one's in the segment, body frame, m
  next_y,
  next_z,
  moment_x,  // what is left of the inertia after regrouping (plan.cpp): first moment, kg m
  moment_y,
  half_xx,  // and second moments about the reference point, kg m^2: half of the diagonal ones
  half_yy,
  second_xy,
  second_xz,
  second_yz,
  revolute,      // 1 revolute, 0 prismatic; from here on used only where the model has prismatic joints
  point_mass,    // of this body, at the reference point: prismatic joints only
  subtree_mass,  // sum of point masses over the subtree
  constants_count
};

struct Segment {
  int first_body, bodies;
  int first_block, blocks;
  int parent;        // segment; -1: the base
  double offset[3];  // from the parent's last body's reference point to the first one's here, parent's frame (base), m
};

enum Term : unsigned { want_M = 1, want_C = 2, want_g = 4, want_h = 8 };

struct Plan {
  int bodies, segments, blocks;
  bool slides;  // there are prismatic joints
  const Segment* segment;
  const double* constants;  // [block][Constant][W]
  double gravity[3];
  void* states;   // work, aligned to 64 bytes: state_bytes a block
  void* bridges;  // likewise: bridge_bytes a segment
};

// Where results go, in body order; null: not wanted. Matrices are column-major with `bodies` rows; what is zero by
// structure is not written.
struct Output {
  double *M, *C, *g;
  double* h;  // C v + g; where C is not wanted, M a + C v + g for a given. With C, g must be given too.
};

struct Kernels {
  const char* name;
  int width;
  unsigned long state_bytes, bridge_bytes;
  // False, and nothing written, where q or v is not finite. a may be null: zero.
  bool (*terms)(const Plan&, const double* q, const double* v, const double* a, const Output&);
};

extern const Kernels kernels_baseline;
#if defined(__x86_64__)
extern const Kernels kernels_v3, kernels_v4;
#endif

}  // namespace dyn::fused
