// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Whether an arm can carry a payload; controllers check it before the payload is attached (LiveOptions::check).
// The torque of gravity of a mass m at p on joint j's axis k through o is -(k x (p - o)) . m g (prismatic: -k . m g).
// Not for the loop.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/model/payload.hpp"

namespace dyn::control {

// Throws ModelError where no body that moves has mass, inertia or armature: there is nothing to compute a torque from.
void check_has_mass(const Model& robot);

// `carrying`: the arm with the payloads that it carries already; q: where it is, coordinates of `carrying`, or of the
// robot alone (payloads' joints at 0); empty: not known. Throws ModelError where
// - the payload's centre of mass (of a chain: one of its links', joints at 0) is farther from its link than twice the
//   arm's length,
// - its mass is more than 1000 times that of the arm,
// - gravity would need more of a driven joint at q than its scaled effort limit, and more than without the payload;
//   where q is not known, in each of 256 postures.
// The last two are warnings where Parameters::allow_heavy_payloads is set. Returns warnings, one also where gravity
// exceeds a joint's effort limit in the worst of 256 postures within the position limits (random, always the same).
std::vector<std::string> check_payload(const Model& carrying, const Payload& payload, std::span<const double> q,
                                       const Vec3d& gravity_mps2, const Actuation& actuation,
                                       const Parameters& parameters);

// The most that adaptation_gain may be at this period, 1/J; infinity where nothing bounds it. With a payload of mass m
// on payload_link that gravity pulls at joint i with m y_i, estimate and sliding velocity s obey
//   s'' + d_i s' + gain (m y_i)^2 / M_ii s = 0,
// of which a step of the period T damps out no more where gain T (m y_i)^2 > d_i M_ii. This is the least of
// d_i M_ii / (T (m y_i)^2) over 256 postures and the driven joints, m the most that the arm can hold in all of them, or
// its own mass where that is less.
[[nodiscard]] double highest_adaptation_gain(const Model& robot, const Actuation& actuation,
                                             const Parameters& parameters, double period_s);

// m: the greatest length along the robot's own joints and links, prismatic joints fully extended.
double arm_length(const Model& robot);

}  // namespace dyn::control
