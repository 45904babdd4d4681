// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The interface between the lane forms in base axes and their callers: plain numbers and pointers only. base_frames.cpp
// makes a Plan once a model for a given width W.
#pragma once

#include "lanes/segment.hpp"

namespace dyn::lanes {

// Constants of a block: W doubles each, in this order; 0 in idle lanes (turn_w: 1).
struct Fixed {
  enum Name : int {
    turn_w,  // unit quaternion: joint frame in the frame of the body before it
    turn_x,
    turn_y,
    turn_z,
    next_x,  // joint frame of the next body in the segment, from here, body frame, m
    next_y,
    next_z,
    slides,  // 1 prismatic, 0 revolute
    mass,
    mass_subtree,
    mass_beyond,  // of the next body's subtree, 0 at a segment's end
    com_x,        // centre of mass, body frame, m
    com_y,
    com_z,
    inertia_xx,  // about the centre of mass, body axes, kg m^2: its zz, half of what xx and yy have more than zz,
    inertia_yy,  // and the rest
    inertia_zz,
    inertia_xy,
    inertia_xz,
    inertia_yz,
    count
  };
};

// Quantities of the bodies in base axes: rows of `stride` numbers, one a body in body order. `stride` leaves room for W
// numbers after the last body. Positions are relative to the origin of the first body on the way from the base, so that
// a robot far from its base, or on a carriage, loses no digits.
struct Row {
  enum Name : int {
    axis_x,
    axis_y,
    axis_z,
    origin_x,
    origin_y,
    origin_z,
    com_x,
    com_y,
    com_z,
    inertia_xx,  // about the centre of mass
    inertia_yy,
    inertia_zz,
    inertia_xy,
    inertia_xz,
    inertia_yz,
    mass,
    mass_subtree,
    slides,
    frame_x,  // three rows each: x and y axis of the body frame; z is the joint's
    frame_y = frame_x + 3,
    step_x = frame_y + 3,  // three rows each: from the parent body's origin to the body's; 0 of bodies on the base
    arm_x = step_x + 3,    // from the body's origin to its centre of mass
    // Computed on demand by twists.hpp and composites.hpp.
    rate = arm_x + 3,
    acceleration,
    omega_x,                        // three rows each: angular velocity,
    outer_x = omega_x + 3,          // that of the parent body,
    velocity_x = outer_x + 3,       // velocity of the body's origin,
    composite_h = velocity_x + 3,   // first moment of the subtree about that,
    composite_I = composite_h + 3,  // six rows: its inertia
    work = composite_I + 6,         // from here on: work rows of the algorithm
    work_count = 48,
    count = work + work_count
  };
};

// Constants of a body for the sums over links.
struct Link {
  enum Name : int {
    axes,               // nine: principal axes in the body frame, one after the other
    radii = axes + 9,   // three: of gyration, m; where there is no mass, roots of the moments of inertia
    heavy = radii + 3,  // 1 with mass, 0 without
    weight,             // m/2 with mass, 1 without, kg
    count
  };
};

// Of the bodies.
struct Rates {
  const double *v, *a;  // a: null where only v matters
  double gravity[3];
};

struct Plan {
  int bodies, segments, stride;
  bool slides;  // there are prismatic joints
  const Segment* segment;
  const int *segment_of, *parent, *subtree_end;  // of bodies
  const double* constants;                       // [block][Fixed][W]
  const double* links;                           // [body][Link]
  double* rows;                                  // [Row][stride]
  double* squares;                               // work: two times [bodies + W][stride]
  double* wrenches;                              // work: [segment][6][stride]
  void* bridges;                                 // work, aligned to 64 bytes: bridge_bytes a segment
};

}  // namespace dyn::lanes
