// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Friction of a joint over its rate v, smooth where v changes its sign. With s = tanh(v / creep rate):
//   tau_f = offset + (d + dd s) v + (c + dc s + stribeck exp(-(v / stribeck_velocity)^2)) s
//   d = (damping + damping_negative) / 2,  dd = (damping - damping_negative) / 2;  c and dc from friction likewise
// so that a fast joint feels damping v + friction forwards and damping_negative v - friction_negative backwards.
#pragma once

#include <cmath>

#include "dyn_core/error.hpp"
#include "dyn_core/model/description.hpp"

namespace dyn {

struct JointFriction {
  double damping = 0.0, damping_change = 0.0;  // N m s/rad or N s/m: mean of both directions, half their difference
  double coulomb = 0.0, coulomb_change = 0.0;  // N m or N: the same
  double stribeck = 0.0;                       // N m or N: static friction beyond Coulomb's
  double stribeck_velocity = 1e-2;             // rad/s or m/s: where it has fallen to 1/e
  double offset = 0.0;                         // N m or N
};

// A joint that sticks creeps at less than this (plants, replay, identification), rad/s or m/s.
inline constexpr double friction_creep_rate = 1e-3;
// The same where friction is compensated at the velocity of a reference, which must not chatter.
inline constexpr double friction_compensation_rate = 1e-2;

[[nodiscard]] inline JointFriction joint_friction(const JointDescription& joint) noexcept {
  const double damping_negative = joint.damping_negative.value_or(joint.damping);
  const double friction_negative = joint.friction_negative.value_or(joint.friction);
  return {0.5 * (joint.damping + damping_negative),
          0.5 * (joint.damping - damping_negative),
          0.5 * (joint.friction + friction_negative),
          0.5 * (joint.friction - friction_negative),
          joint.stribeck,
          joint.stribeck_velocity,
          joint.friction_offset};
}

// On the way from one to another; share: how far it still is from `to`, 1 to 0.
[[nodiscard]] DYN_REALTIME inline JointFriction blended(const JointFriction& from, const JointFriction& to,
                                                        double share) noexcept {
  const auto mean = [share](double a, double b) { return share * a + (1.0 - share) * b; };
  return {mean(from.damping, to.damping),   mean(from.damping_change, to.damping_change),
          mean(from.coulomb, to.coulomb),   mean(from.coulomb_change, to.coulomb_change),
          mean(from.stribeck, to.stribeck), mean(from.stribeck_velocity, to.stribeck_velocity),
          mean(from.offset, to.offset)};
}

// s: the sign of v, smooth or not.
[[nodiscard]] DYN_REALTIME inline double friction_with_sign(const JointFriction& joint, double v, double s) noexcept {
  const double w = v / joint.stribeck_velocity;
  return joint.offset + (joint.damping + joint.damping_change * s) * v +
         (joint.coulomb + joint.coulomb_change * s + joint.stribeck * std::exp(-w * w)) * s;
}

[[nodiscard]] DYN_REALTIME inline double friction_torque(const JointFriction& joint, double v,
                                                         double creep_rate) noexcept {
  return friction_with_sign(joint, v, std::tanh(v / creep_rate));
}

}  // namespace dyn
