// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The control laws: plain functions of plain structs, one torque from one state, no memory between cycles (integrals
// and limits are the controller's). n coordinates: the robot's, then those of payloads on passive joints. They run on
// the loop's thread and are in src/control/stages/law.cpp.
#pragma once

#include <span>

#include "dyn_core/control/parameters.hpp"
#include "dyn_core/control/passive_joints.hpp"
#include "dyn_core/control/payload_estimate.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn::control {

// Everything at the predicted time. Errors are reference minus state, wrapped for continuous joints. Matrices are n x
// n, vectors have n entries (debug builds check it), gains at most n.
struct LawInput {
  ConstMatrixRef<double> M, C;
  ConstVectorRef<double> g, h;                      // h = C v + g
  ConstVectorRef<double> v;                         // of the state
  ConstVectorRef<double> error, error_rate;         // n; 0 for passive coordinates
  ConstVectorRef<double> reference_v, reference_a;  // n; 0 for passive coordinates
  ConstVectorRef<double> integral;                  // n; the term i int e, in the unit of the law's feedback
  std::span<const JointGains> gains;                // the robot's coordinates
  std::span<const double> feedback_scale = {};      // of each of the gains, 0 to 1; empty: 1
};

// Torques by coordinate; their sum is the demanded torque. `a`: the acceleration that the law commands; sliding_v: the
// v_s of passivity and adaptive; pid: p e + d edot + i int e, in the unit of the law's feedback.
struct LawOutput {
  VectorRef<double> inertia, coriolis, gravity, feedback, a, sliding_v, pid;
};

// tau = M (a_ref + p e + d edot + i int e) + C v + g; the feedback's share M (p e + ...) is a term of its own.
// Passive joints have the acceleration that follows from the actuated ones (passive_joints.hpp).
[[nodiscard]] DYN_REALTIME Status computed_torque(const LawInput& in, PassiveJoints& passive, LawOutput out) noexcept;

// Paper 004 eq 72: tau = M(q_r) a_r + C(q_r, v_r) v_r + g(q_r) + PD; M, C, g at the *reference*.
DYN_REALTIME void feedforward(const LawInput& in, LawOutput out) noexcept;

// tau = g - d v: hand guiding.
DYN_REALTIME void gravity_compensation(const LawInput& in, LawOutput out) noexcept;

// Slotine and Li: with Lambda = p/d, e = -error, v_s = v_r - Lambda e, a_s = a_r - Lambda edot, s = v - v_s:
// tau = M a_s + C v_s + g - K s, K = d M_ii so that gains mean the same as in computed torque. V = s^T M s / 2 falls
// because Mdot - 2 C is skew. Passive joints have s = 0 and the a_s that follows from the others': with the arm's tau =
// 0 there, M_pp a_p = -(M_pa a_a + (C v_s + g)_p).
[[nodiscard]] DYN_REALTIME Status passivity(const LawInput& in, PassiveJoints& passive, LawOutput out) noexcept;

// Passivity with the torque of the payload estimate, the part of the payload that the model lacks; it is part of the
// feedback. q: where M, C and g were evaluated.
[[nodiscard]] DYN_REALTIME Status adaptive(const LawInput& in, PassiveJoints& passive, const Tree& tree,
                                           const ConstVectorRef<double>& q, PayloadEstimate& payload,
                                           LawOutput out) noexcept;

}  // namespace dyn::control
