// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The errors of every algorithm, and of Pinocchio where it was found, at one case.
#pragma once

#include <functional>
#include <string_view>

#include "stress/families.hpp"

namespace dyn::stress {

// Quantities, and what their errors are relative to:
//   M           largest |dM_ij| / sqrt(M_ii M_jj)
//   eigenvalue  how far the least eigenvalue of M_ij / sqrt(M_ii M_jj) is below 0, in units of n eps
//   C v, Mdot   C v, C + C^T: largest entry
//   passivity   v . (Mdot - 2 C) v: sum of the sizes of its terms
//   power       v . (h - g) - v . Mdot v / 2, h and g as they come: sum of the sizes of its terms
//   g, h, tau   largest entry
//   qdd         largest entry, divided by the condition number of M
//   qdd, plain  largest entry; what the user sees
//   payload     0 where attaching and detaching a payload leaves the bits of M, C v and g as they were, 1 else
// Largest entries are at least Truth::matrix_floor or force_floor, which are small values for the robot.
using Record = std::function<void(const char* quantity, std::string_view algorithm, double error)>;

// Throws ModelError where the robot is refused.
void measure(const Case& at, const Record& record);

inline constexpr std::string_view peer = "Pinocchio";  // the name under which its errors are recorded

}  // namespace dyn::stress
