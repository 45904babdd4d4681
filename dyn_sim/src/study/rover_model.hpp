// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A whole rover around paper 000's rear rocker arm (Table 3), which is all of it that the paper gives: its mirror
// image, front arms, a body, and the ground. Travel is along y, axles along x, z is up.
#pragma once

#include <array>
#include <string>

#include "dyn_core/model/description.hpp"

namespace dyn::study {

struct Wheel {
  std::string side, place;  // left, right; front, middle, rear
  double x_m, y_m;          // of its centre seen from the body, level ground, steering straight
  [[nodiscard]] std::string name() const { return side + "_" + place; }
};

inline constexpr double wheel_radius_m = 0.045;

// Joints: base (floating), SIDE_rocker (the right one mirrors the left: a differential), SIDE_bogie, and for each wheel
// NAME_steer and NAME_drive. The wheels' links are NAME_wheel.
[[nodiscard]] RobotDescription rover_description();
[[nodiscard]] const std::array<Wheel, 6>& rover_wheels();
inline constexpr double wheel_offset_m = 0.03;  // from the drive joint to the wheel's centre, outwards along x

// Rugged ground: height over x, y, and its upward normal.
[[nodiscard]] double ground_height(double x_m, double y_m);
[[nodiscard]] Vec3d ground_normal(double x_m, double y_m);

}  // namespace dyn::study
