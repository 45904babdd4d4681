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
  double offset[3];  // from the parent's last body's reference point to the first one's here, parent's frame (base), m
};

}  // namespace dyn::lanes
