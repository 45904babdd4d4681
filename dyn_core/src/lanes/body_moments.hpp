// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// First moment and inertia of each body about its own origin, base axes: for jsim/denoc_lanes.cpp, the eliminations of
// forward/ and composites.hpp.
#pragma once

#include "lanes/rows.hpp"

namespace {

enum : int {
  kWork_h = Row::work,         // first moment
  kWork_I = Row::work + 3,     // inertia
  kWork_free = Row::work + 9,  // the first free row
};

// About the body's origin: h = m c, I + m (c.c 1 - c c^T), with c from that origin.
DYN_INLINE void own_inertias(const Plan& plan) {
  for (int i = 0; i < plan.bodies; i += W) {
    const V3 c = load3(plan, Row::arm_x, i);
    const V3 h = c * load(row(plan, Row::mass) + i);
    Moments I = load6(plan, Row::inertia_xx, i);
    I.xx = I.xx + (h.y * c.y + h.z * c.z);
    I.yy = I.yy + (h.x * c.x + h.z * c.z);
    I.zz = I.zz + (h.x * c.x + h.y * c.y);
    I.xy = I.xy - h.x * c.y;
    I.xz = I.xz - h.x * c.z;
    I.yz = I.yz - h.y * c.z;
    store3(plan, kWork_h, i, h);
    store6(plan, kWork_I, i, I);
  }
}

}  // namespace
