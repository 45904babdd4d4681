// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A tree is cut into segments: chains without branches. A segment's bodies fill blocks of W lanes, one body a lane; the
// last block may have idle lanes at its end.
#pragma once

namespace dyn::lanes {

struct Segment {
  int first_body, bodies;
  int first_block, blocks;
  int parent;        // segment; -1: the base
  double offset[3];  // to the first body's reference point from that of the parent segment's last body, in whose frame
                     // (base: the base frame), m
};

}  // namespace dyn::lanes
