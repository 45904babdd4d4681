// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Every registered algorithm against Pinocchio on random states within the joints' limits. Behind `dyn validate`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"
#include "dyn_core/oracle/pinocchio_model.hpp"

namespace dyn::oracle {

struct State {
  std::vector<double> q, v, a, tau;
};

// One algorithm over all states. How `error` is measured:
//   jsim, element  largest |dM_ij| / sqrt(M_ii M_jj); where M_ii or M_jj is 0, relative to the largest M_kk
//   coriolis       the larger one of C v and C + C^T (which is Mdot), each relative to its largest entry
//   gravity, bias, inverse  relative to the largest entry
//   forward        relative to the largest acceleration, divided by the condition number of M; where M is singular, the
//                  algorithm must say so: infinite if it does not
//   derivative     relative to the largest entry; those of qdd as forward
//   regressor      of Y, and of Y p as the torque: relative to the largest entry
//   frame          of all links, in all axes, relative to the frame's distance from the base or a metre; Lambda
//                  relative to the largest entry, divided by the condition numbers of M and J M^-1 J^T (their sum)
//   M^-1           relative to the largest entry, divided by the condition number of M
// Where the truth is (nearly) 0, as g of an upright axis, errors are relative to a small value for this robot.
struct AlgorithmResult {
  std::string kind, name;
  double error = 0.0;
  double tolerance = 0.0;
  int worst_state = 0;  // index into ValidationReport::states
  [[nodiscard]] bool pass() const noexcept { return error <= tolerance; }
};

struct ValidationReport {
  std::string robot;
  std::string reference;  // "Pinocchio 4.1.0"
  std::uint64_t seed = 0;
  std::vector<State> states;
  std::vector<AlgorithmResult> results;
  std::vector<std::string> notes;  // what is singular, where, in how many states
  double largest_condition = 0.0;  // of M, over the states where it is regular

  [[nodiscard]] bool pass() const noexcept;
};

[[nodiscard]] ValidationReport validate(const Model& model, int states, std::uint64_t seed);
// Against an oracle that the caller made.
[[nodiscard]] ValidationReport validate(const Model& model, PinocchioModel& oracle, int states, std::uint64_t seed);

// A state within the limits; where a joint has none: a turn, a metre, 2 rad/s, 10 N m. The pitch of a floating joint
// stays below 1.2 rad, away from the singularity of its angles.
[[nodiscard]] State random_state(const Model& model, std::uint64_t seed);

}  // namespace dyn::oracle
