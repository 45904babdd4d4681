// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 000 (Wang and Ju), section 6: Fig. 3 and Tables 1 and 2, the cost of three explicit methods for M as chains
// grow, counted beside the paper's formulas; and its promise that elements can be computed side by side, measured.
#include <array>

#include "count/chain.hpp"
#include "count/formulas.hpp"
#include "count/operation_counts.hpp"
#include "output.hpp"
#include "study/elements_side_by_side.hpp"
#include "study/helpers.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;

constexpr int longest = 50;                  // joints, as in Fig. 3
constexpr double additions_a_product = 1.1;  // the paper's exchange rate
constexpr double allowed_percent = 5;  // of the multiplications from the formulas, on chains of 20 joints and more

struct Method {
  const char *algorithm, *label;
};
constexpr std::array<Method, 3> methods{
    {{"explicit", "explicit"}, {"momentum", "generalized momentum"}, {"pseudo_inertia", "pseudo-inertia"}}};

struct Cost {
  double multiplications = 0.0, additions = 0.0;
  [[nodiscard]] double equivalent() const { return additions_a_product * multiplications + additions; }
};

Cost counted(const Model& model, const char* algorithm) {
  const OperationCount count = cli::count_algorithms(model, "jsim_algorithm", algorithm).front().compute;
  return {static_cast<double>(count.multiplications), static_cast<double>(count.additions)};
}

Cost printed(const char* label, int n) {
  const cli::PaperFormula& formula = cli::paper_formula(label);
  return {formula.multiplications(n), formula.additions(n)};
}

std::string whole(double count) { return number(count, 12); }
std::string percent(double ratio) { return number(100.0 * ratio, 3) + " %"; }

struct Counts {
  std::array<std::array<Cost, longest + 1>, methods.size()> of{};  // by method, by n
};

Counts count_all(const Record& record) {
  Counts counts;
  for (int n = 1; n <= longest; ++n) {
    record.progress("explicit-complexity: " + std::to_string(n) + " of 50 joints");
    const Model model = Model::build(cli::generic_chain(n));
    for (size_t m = 0; m < methods.size(); ++m) {
      counts.of[m][n] = counted(model, methods[m].algorithm);
    }
  }
  return counts;
}

// Largest difference between counted and printed multiplications for n from 20 on, relative.
double largest_deviation(const Counts& counts, size_t m) {
  double largest = 0.0;
  for (int n = 20; n <= longest; ++n) {
    const double paper = printed(methods[m].label, n).multiplications;
    largest = std::max(largest, std::abs(counts.of[m][n].multiplications / paper - 1.0));
  }
  return largest;
}

void figure_3(Record& record, const Counts& counts) {
  Figure figure{"fig_3",  "Equivalent additions of one M (1 multiplication = 1.1 additions)",
                "joints", "equivalent additions",
                {},       {}};
  figure.logarithmic = true;
  for (const Method& method : methods) {
    figure.series.push_back({std::string(method.algorithm) + " counted", {}});
    figure.series.push_back({std::string(method.algorithm) + " formula", {}});
  }
  for (int n = 1; n <= longest; ++n) {
    figure.x.push_back(n);
    for (size_t m = 0; m < methods.size(); ++m) {
      figure.series[2 * m].y.push_back(counts.of[m][n].equivalent());
      figure.series[2 * m + 1].y.push_back(printed(methods[m].label, n).equivalent());
    }
  }
  const auto cheapest_from = [](const auto& cost) {  // method, n: the least n from which on explicit costs least
    int from = longest + 1;
    for (int n = longest; n >= 1 && cost(0, n) < std::min(cost(1, n), cost(2, n)); --n) from = n;
    return std::to_string(from);
  };
  const auto counted_cost = [&](size_t m, int n) { return counts.of[m][n].equivalent(); };
  const auto printed_cost = [](size_t m, int n) { return printed(methods[m].label, n).equivalent(); };
  const auto times_explicit = [&](size_t m) { return number(counted_cost(m, longest) / counted_cost(0, longest), 3); };
  figure.item = {"Fig. 3", "explicit costs least, and the gap grows with n",
                 "so it does from n = " + cheapest_from(counted_cost) + " on counted, from n = " +
                     cheapest_from(printed_cost) + " on by the formulas; at n = 50 momentum costs " +
                     times_explicit(1) + " and pseudo-inertia " + times_explicit(2) + " times as much"};
  record.figure(figure);
}

void table_1(Record& record, const Counts& counts) {
  Grid grid{
      {"method", "n", "mult counted", "mult formula", "add counted", "add formula", "equivalent additions off by"},
      {},
      "table_1"};
  for (size_t m = 0; m < methods.size(); ++m) {
    for (const int n : {3, 7, 20, 50}) {
      const Cost ours = counts.of[m][n], paper = printed(methods[m].label, n);
      grid.rows.push_back({methods[m].algorithm, std::to_string(n), whole(ours.multiplications),
                           whole(paper.multiplications), whole(ours.additions), whole(paper.additions),
                           percent(ours.equivalent() / paper.equivalent() - 1.0)});
    }
    record.check(
        std::string(methods[m].algorithm) + ": multiplications counted against formula from 20 joints on, percent",
        100.0 * largest_deviation(counts, m), allowed_percent);
  }
  record.table("Operations of three explicit methods, counted by running this project's code on a counting number",
               grid,
               {"Table 1", "formulas for chains of n revolute joints, positions and inertias in the base frame given",
                "the same code that computes M, counted; no zeros left out, as in the paper. Momentum: step 5 adds n "
                "matrices of n x n, n^3 additions that the paper's 5 n^3 leaves out"});
}

// What each method builds on the way to M, as this project's code does it.
void table_2(Record& record) {
  const Grid grid{{"process", "crba", "momentum", "pseudo_inertia", "explicit"},
                  {{"parameter substitution", "needed", "needed", "needed", "needed"},
                   {"pseudo-inertia matrix", "no (composite inertia instead; the paper: needed)", "no", "needed", "no"},
                   {"Jacobian matrix", "no", "needed", "no (dT/dq of each body: the same work)", "no"},
                   {"recursion within the method", "needed: composites from the tips inwards", "no", "no", "no"},
                   {"recursion before it, for frames", "needed (link frames only)", "needed", "needed", "needed"}},
                  "table_2"};
  record.table(
      "What each method needs, told for this project's code", grid,
      {"Table 2", "explicit needs parameter substitution only; no method but the recursive ones needs a recursion",
       "so it is inside the method; but axes, origins, centres of mass and inertias in the base frame are given "
       "to it, and those come from one recursion along the chain (or n products of rotations for each element)"});
}

}  // namespace

void explicit_complexity(Record& record) {
  record.say(
      "Paper 000 (Wang and Ju), section 6: multiplications and additions of the explicit method, of generalized "
      "momentum "
      "and of pseudo-inertia matrices on chains of n revolute joints with generic parameters.");
  const Counts counts = count_all(record);
  figure_3(record, counts);
  table_1(record, counts);
  table_2(record);
  elements_side_by_side(record);
}

}  // namespace dyn::study
