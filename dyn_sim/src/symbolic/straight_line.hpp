// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Expressions as a list of assignments in which every common subexpression is computed once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "symbolic/style.hpp"

namespace dyn::symbolic {

struct Assignment {
  std::string name, value;
};
struct StraightLine {
  std::vector<Assignment> temporaries;
  std::vector<std::string> results;  // of the roots, in their order
};

[[nodiscard]] StraightLine straight_line(const Arena& arena, const std::vector<Expression>& roots, const Style& style);

}  // namespace dyn::symbolic
