// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Our counts beside the papers': for one robot, as polynomials over chains of several lengths, and the lengths from
// which on one algorithm costs less than another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "count/formulas.hpp"
#include "count/operation_counts.hpp"

namespace dyn::cli {

struct Comparison {  // of multiplications, or of additions
  Polynomial paper;
  std::optional<Fit> fit;           // chains only
  double ours = 0.0, papers = 0.0;  // at this n
  // In percent of the paper's count; the leading one compares the coefficients of the paper's highest power.
  double deviation = 0.0;
  std::optional<double> leading, leading_deviation;
};

struct PaperRow {
  const PaperFormula* formula = nullptr;
  std::optional<Comparison> multiplications, additions;  // empty if this project has no such algorithm
};

struct Crossover {  // the smallest n from which on the first costs less
  std::string first, second, counted;
  std::optional<int> multiplications, additions, both, sum;
  std::string paper_says;
};

constexpr int longest_crossover_chain = 60;

[[nodiscard]] std::vector<PaperRow> compare_with_papers(const std::vector<AlgorithmCount>& counts, int n, bool chains);
[[nodiscard]] std::vector<Crossover> find_crossovers();

}  // namespace dyn::cli
