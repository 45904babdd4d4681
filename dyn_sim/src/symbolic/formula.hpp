// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A trigonometric polynomial as people write it: sums of coefficients times products of sines and cosines of sums of
// angles, with  cos A + cos B = 2 cos((A+B)/2) cos((A-B)/2)  and alike used where that makes one term of two, and
// cos 2A = 2 cos^2 A - 1,  sin 2A = 2 sin A cos A.
#pragma once

#include <map>
#include <vector>

#include "symbolic/trig_polynomial.hpp"

namespace dyn::symbolic {

struct Wave {
  bool sine = false;
  Harmonics angle;                                // integers, one a coordinate; the first that is not 0 is positive
  auto operator<=>(const Wave&) const = default;  // NOLINT(modernize-use-nullptr): it takes the 0 of <=> for a pointer
};

using Coefficient = std::map<std::uint32_t, double>;  // by monomial

struct FormulaTerm {
  std::vector<Wave> waves;  // sorted; none: constant in the angles
  Coefficient coefficient;
};

using Formula = std::vector<FormulaTerm>;

// Coefficients below `smallest` are rounding and left out.
[[nodiscard]] Formula formula_of(const TrigPolynomial& p, int coordinates, double smallest);

}  // namespace dyn::symbolic
