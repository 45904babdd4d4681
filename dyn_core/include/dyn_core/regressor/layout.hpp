// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Which bodies have parameters, and in which axes. A Tree has a body for every simple joint, with z along the joint's
// axis; the regressor has one body for each moving joint (a floating joint's six simple joints move one), links fixed
// to it included, in the URDF frame of the link that the joint moves. The origins of both frames coincide.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::regressor {

// m, m c_x, m c_y, m c_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz: about the frame's origin, in its axes; kg, kg m, kg m^2.
inline constexpr int parameters_per_body = 10;

struct Layout {
  explicit Layout(const Model& model);

  [[nodiscard]] int size() const noexcept { return static_cast<int>(body.size()); }
  [[nodiscard]] int parameters() const noexcept { return parameters_per_body * size(); }

  std::vector<std::string> link;   // that the joint moves
  std::vector<std::string> joint;  // that moves the body; mimic joints too
  std::vector<int> body;           // in the Tree, in its order
  std::vector<Mat3d> body_R_link;
  std::vector<int> rotor_of;  // by coordinate: the place of its drive's rotor (model/rotors.hpp), -1: it is no body
};

// The current parameters of a tree's bodies (they change while a payload is ramped in).
DYN_REALTIME void read_parameters(const Tree& tree, const Layout& layout, std::span<double> parameters) noexcept;

}  // namespace dyn::regressor
