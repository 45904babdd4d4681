// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The operation counts that the papers print, for serial chains of n revolute joints.
#pragma once

#include <span>
#include <string_view>

#include "count/polynomial.hpp"

namespace dyn::cli {

struct PaperFormula {
  std::string_view parameter, algorithm;  // ours; the algorithm is empty if this project has none of that kind
  std::string_view label, source;
  Polynomial multiplications, additions;
  std::string_view note;
};

[[nodiscard]] std::span<const PaperFormula> paper_formulas();
[[nodiscard]] const PaperFormula& paper_formula(std::string_view label);

}  // namespace dyn::cli
