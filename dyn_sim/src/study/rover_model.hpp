// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A whole rover around paper 000's left rear rocker arm (Table 3), which is all of it that the paper gives: its mirror
// image, front arms and a body. Table 3's arm reaches along x, so axles are along x, z is up, left is x > 0, and the
// rover travels against y.
#pragma once

#include <array>
#include <string>

#include "dyn_core/model/description.hpp"

namespace dyn::study {

// How the wheels hang on the body. The front wheel is at one end of the rocker, the bogie's pivot at the other; middle
// and rear wheel are on the bogie.
struct Suspension {
  std::string name;
  double pivot_share;   // where the rocker's pivot is: 0 at the front wheel, 1 at the bogie's pivot
  bool locked = false;  // rockers and bogies do not turn
};

struct Wheel {
  std::string side, place;  // left, right; front, middle, rear
  double x_m, y_m;          // of its centre seen from the body, level ground, steering straight
  [[nodiscard]] std::string name() const { return side + "_" + place; }
};

inline constexpr double wheel_radius_m = 0.045;
inline constexpr double wheel_offset_m = 0.03;  // from the drive joint to the wheel's centre, outwards along x
inline constexpr double wheel_drop_m = 0.08;    // from the body's origin down to the wheels' centres
inline constexpr double turning_arm_m = 0.10;   // from the middle wheels' axis to the front and the rear wheels'

// Joints: base (floating), SIDE_rocker (the right one mirrors the left: a differential), SIDE_bogie, and for each wheel
// NAME_steer and NAME_drive. The wheels' links are NAME_wheel.
[[nodiscard]] RobotDescription rover_description(const Suspension& suspension);
// Left front, middle, rear; right front, middle, rear.
[[nodiscard]] std::array<Wheel, 6> rover_wheels(const Suspension& suspension);

}  // namespace dyn::study
