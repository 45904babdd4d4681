// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The interface between frames_lanes.cpp and its callers: plain numbers and pointers only.
#pragma once

#include "lanes/kernel_set.hpp"

namespace dyn::frames {

// Constants of a block, W doubles each, in this order.
enum Constant : int {
  turn_w,  // unit quaternion: joint frame in the frame of the body before it
  turn_x,
  turn_y,
  turn_z,
  next_x,  // origin of the next joint frame, or of the frame itself, in the body frame, m
  next_y,
  next_z,
  revolute,  // 1 revolute, 0 prismatic
  constants_count
};

// The bodies that move a frame, from the base outwards, as a chain of its own, W of them a block. The lane after the
// last body is the frame itself, fixed to that body. Idle lanes after it have unit rotations.
struct Path {
  int bodies, blocks;
  bool slides;   // there are prismatic joints
  bool columns;  // coordinate first_coordinate + k moves body k: the columns of J are in the order of the bodies
  bool run;      // the bodies are first_body, first_body + 1, ..
  int first_body, first_coordinate;
  const int* body;          // the bodies' numbers
  const double* constants;  // [block][Constant][W]
  double start[3];          // origin of the first joint frame, base frame, m
  double* gathered;         // work where `run` is false: positions, then rates, in whole vectors
  void* states;             // work, aligned to 64 bytes: state_bytes a block
};

// Arrays for results; null: not computed. In base axes, velocities and accelerations of the frame's origin.
struct Output {
  double* pose;    // 12: x, y, z axis and origin of the frame
  double* twist;   // 6
  double* J;       // column-major, 6 x bodies of the path
  double* Jdot_v;  // 6
};

struct FramesKernel {
  unsigned long state_bytes;
  bool (*finite)(const double* q, const double* v, int count);  // v null: q alone
  void (*frame)(const Path& path, const double* q, const double* v, const Output& out);
};

// Defined by frames_lanes.cpp, once for each kernel set.
template <lanes::KernelSet set>
FramesKernel frames_kernel();

}  // namespace dyn::frames
