// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M, C and g of a robot as expressions in q and v, by running the algorithm templates on them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/model/model.hpp"
#include "symbolic/expression.hpp"

namespace dyn::symbolic {

struct Terms {
  bool M = true, C = true, g = true;
};

// In the user's coordinates; matrices by rows. What was not asked for is empty.
struct RobotExpressions {
  int n = 0;
  std::vector<int> q, v;  // symbols, one a coordinate
  std::vector<Expression> M, C, g;
};

struct Parameter {  // a number of the model that is written as a symbol
  std::string name;
  double value = 0.0;
  std::string meaning;
};

// The model's tree as the expressions see it: numbers that are rounding (below 1e-15 of the largest beside them, as the
// cosine of a right angle) are 0 or 1.
[[nodiscard]] Tree without_rounding(const Tree& tree);

// Masses, centres of mass, inertias and distances between joints become symbols of the arena; zeros stay.
[[nodiscard]] std::vector<Parameter> make_symbols(const Model& model, Tree& tree);

// One algorithm for M and one for C by name (jsim_algorithm, coriolis_algorithm), on the current arena.
[[nodiscard]] RobotExpressions expressions(const Tree& tree, const Terms& terms, std::string_view jsim,
                                           std::string_view coriolis);

// Those algorithms whose expressions take the fewest operations together.
struct Cheapest {
  std::string_view jsim, coriolis;
  long operations = 0;
};
[[nodiscard]] Cheapest cheapest_algorithms(const Tree& tree, const Terms& terms);

// Sums, products and negations that the roots need, each once.
[[nodiscard]] long operations_of(const Arena& arena, const std::vector<Expression>& roots);

}  // namespace dyn::symbolic
