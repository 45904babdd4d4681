// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Serial arms from a table of Denavit-Hartenberg parameters with the links of paper 001 (Mohan and Saha), section 3:
// link i is a bent slender rod of uniform mass per length that runs from its joint by b along the joint axis z, then by
// a along x, with a point payload at its tip and a hub at its joint.
//
// From the frame of joint i to that of joint i + 1: turn by theta about z, move by b along z and by a along x, turn by
// alpha about x. For a revolute joint theta = q + theta_rad; for a prismatic one b = q + b_m, and since the length q
// changes, the rod is the part along x alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dyn_core/model/description.hpp"

namespace dyn {

struct DhLink {
  JointType type = JointType::revolute;  // or prismatic, continuous
  double a_m = 0.0;
  double b_m = 0.0;
  double alpha_rad = 0.0;
  double theta_rad = 0.0;
  double mass_kg = 0.0;           // of the rod
  double tip_mass_kg = 0.0;       // of the point payload
  double hub_inertia_kgm2 = 0.0;  // about the joint axis
  double hub_across_kgm2 = 0.0;   // about the axes x and y; 0 in the paper, at least hub_inertia / 2 for real hubs
  std::optional<JointLimits> limits;
};

struct DhTable {
  std::string name;
  std::vector<DhLink> links;
};

// Links base, link1 ... linkN and, fixed to the tip of the last, tool0; joints joint1 ... jointN. Throws ModelError.
[[nodiscard]] RobotDescription describe(const DhTable& table);

// Paper 001, Table 2: six joints; links 4 to 6 are a wrist of hubs without mass.
[[nodiscard]] DhTable puma_table();

// Mass, centre of mass and inertia of link i's rod, payload and hub in the frame of its joint (paper 001, eqs 9-17a).
[[nodiscard]] Inertial slender_inertial(const DhLink& link);

}  // namespace dyn
