// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Motor rotors as bodies of their own with their transmission ratio (paper 002, footnote 2). A joint's armature A is
// N^2 J of a rotor with the moment of inertia J about its axis a, which is fixed to the parent link p and turns at N
// times the joint's rate relative to it. Of the rotor's kinetic energy
//   T = 1/2 J (a . w_p + N qd)^2 = 1/2 J (a . w_p)^2 + J N (a . w_p) qd + 1/2 A qd^2
// the diagonal of M has the last term; the middle one couples the joint with those that turn its parent link. Here all
// three come from a body without mass, with the inertia J a a^T, on a joint that follows the driven one N times. Its
// mass, and its inertia as if it were locked to the parent link, are in that link's <inertial> already, as CAD programs
// and identification on the joint's side count them: hence J a a^T, the first term, is taken out of the link.
#pragma once

#include "dyn_core/model/description.hpp"

namespace dyn {

// J = A / N^2, kg m^2. The joint has a rotor.
[[nodiscard]] double rotor_inertia(const JointDescription& joint) noexcept;

// What of the joint's armature is added to M's diagonal: all of it, or nothing where the rotor is a body.
[[nodiscard]] double diagonal_armature(const JointDescription& joint) noexcept;

[[nodiscard]] bool has_rotors(const RobotDescription& robot) noexcept;

// Every rotor becomes link and joint `<joint>_rotor`, after all others; where the parent link does not turn because it
// is fixed to the base, the armature says the same and stays. What is a body already stays, so a description may pass
// through here twice. Throws ModelError where such a name is taken. Of a valid description.
[[nodiscard]] RobotDescription with_rotor_bodies(const RobotDescription& robot);

// The inverse, up to rounding: rotors are locked to their parent links again.
[[nodiscard]] RobotDescription with_locked_rotors(const RobotDescription& robot);

}  // namespace dyn
