// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The largest magnitudes that input may have. Readers refuse larger ones, naming the range; within these, products of a
// few such numbers do not overflow.
#pragma once

namespace dyn::ranges {

inline constexpr double length_m = 1e5;  // between frames, to a centre of mass: an arm 100 km from its base
inline constexpr double mass_kg = 1e9;
inline constexpr double inertia_kgm2 = 1e15;
inline constexpr double position = 1e6;      // of a joint, rad or m
inline constexpr double velocity = 1e6;      // rad/s or m/s
inline constexpr double acceleration = 1e9;  // rad/s^2 or m/s^2
inline constexpr double effort = 1e9;        // N m or N
inline constexpr double gravity_mps2 = 1e4;
inline constexpr double resistance = 1e9;  // damping, friction, armature
inline constexpr double gain = 1e9;
inline constexpr double rate_per_s = 1e6;    // of observers and filters
inline constexpr double duration_s = 1e4;    // of anything that a controller waits for
inline constexpr double effort_rate = 1e12;  // N m/s or N/s
inline constexpr double mimic_ratio = 1e6;

}  // namespace dyn::ranges
