// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "count/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "count/chain.hpp"

namespace dyn::cli {
namespace {

double multiplications_of(const OperationCount& count) { return static_cast<double>(count.multiplications); }
double additions_of(const OperationCount& count) { return static_cast<double>(count.additions); }

// All algorithms on chains of some lengths, to which the polynomials are fitted.
struct ChainCounts {
  std::vector<double> n;
  std::vector<std::vector<AlgorithmCount>> counts;  // of each length

  ChainCounts() {
    for (const int joints : {8, 12, 16, 24, 32}) {
      n.push_back(joints);
      counts.push_back(count_algorithms(Model::build(generic_chain(joints))));
    }
  }
  template <class Operations>
  [[nodiscard]] Fit fit(size_t algorithm, Operations&& operations) const {
    std::vector<double> values;
    for (const auto& at_n : counts) values.push_back(operations(at_n[algorithm].papers));
    return fit_polynomial(n, values);
  }
};

double percent(double ours, double papers) { return 100.0 * (ours - papers) / papers; }

Comparison compare(const Polynomial& paper, double ours, int n, const std::optional<Fit>& fit) {
  Comparison c;
  c.paper = paper;
  c.fit = fit;
  c.ours = ours;
  c.papers = paper(n);
  c.deviation = percent(c.ours, c.papers);
  if (fit) {
    c.leading = fit->polynomial.c[paper.degree()];
    c.leading_deviation = percent(*c.leading, paper.leading());
  }
  return c;
}

// Costs of one algorithm on chains of 1 to longest_crossover_chain joints.
class Costs {
 public:
  Costs(std::string_view parameter, std::string_view name) {
    for (int n = 1; n <= longest_crossover_chain; ++n) {
      for (const AlgorithmCount& count : count_algorithms(Model::build(generic_chain(n)), parameter, name)) {
        counts_.push_back(count);
      }
    }
  }
  [[nodiscard]] bool known() const noexcept { return !counts_.empty(); }
  [[nodiscard]] double multiplications(int n, bool kinematics) const {
    return multiplications_of(at(n).compute) + (kinematics ? multiplications_of(at(n).kinematics) : 0.0);
  }
  [[nodiscard]] double additions(int n, bool kinematics) const {
    return additions_of(at(n).compute) + (kinematics ? additions_of(at(n).kinematics) : 0.0);
  }

 private:
  [[nodiscard]] const AlgorithmCount& at(int n) const { return counts_[n - 1]; }
  std::vector<AlgorithmCount> counts_;
};

struct CostPair {  // of two algorithms: multiplications and additions
  Cost m1, m2, a1, a2;
};

void fill(Crossover& c, const CostPair& p, int last) {
  c.multiplications = crossover(p.m1, p.m2, last);
  c.additions = crossover(p.a1, p.a2, last);
  if (c.multiplications && c.additions) c.both = std::max(*c.multiplications, *c.additions);
  c.sum = crossover([&](int n) { return p.m1(n) + p.a1(n); }, [&](int n) { return p.m2(n) + p.a2(n); }, last);
}

Crossover by_formulas(const PaperFormula& first, const PaperFormula& second, const char* says) {
  Crossover c{std::string(first.label), std::string(second.label), "papers' formulas", {}, {}, {}, {}, says};
  fill(c, {first.multiplications, second.multiplications, first.additions, second.additions}, 1000);
  return c;
}

struct Pair {
  std::string_view parameter, first, second;
  std::string_view first_label, second_label;
  const char* says;
};
constexpr std::array<Pair, 5> pairs{{
    {"jsim_algorithm", "gdahj", "crba", "GDAHJ", "CRBA", "003: above 13, without kinematics"},
    {"forward_dynamics", "denoc", "cholesky", "DeNOC", "Walker and Orin", "001: 10 (mult), 12 (both)"},
    {"forward_dynamics", "aba", "cholesky", "Featherstone", "Walker and Orin", "001: 12 (mult), 14 (both)"},
    {"jsim_algorithm", "explicit", "momentum", "explicit", "generalized momentum", "000: lower, gap grows with n"},
    {"jsim_algorithm", "explicit", "pseudo_inertia", "explicit", "pseudo-inertia", "000: lower, gap grows with n"},
}};

}  // namespace

std::vector<PaperRow> compare_with_papers(const std::vector<AlgorithmCount>& counts, int n, bool chains) {
  const std::optional<ChainCounts> fitted = chains ? std::optional<ChainCounts>(std::in_place) : std::nullopt;
  std::vector<PaperRow> rows;
  for (const PaperFormula& formula : paper_formulas()) {
    PaperRow row{&formula, {}, {}};
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i].parameter != formula.parameter || counts[i].name != formula.algorithm) continue;
      std::optional<Fit> fit_m, fit_a;
      if (fitted) fit_m = fitted->fit(i, multiplications_of);
      if (fitted) fit_a = fitted->fit(i, additions_of);
      row.multiplications = compare(formula.multiplications, multiplications_of(counts[i].papers), n, fit_m);
      row.additions = compare(formula.additions, additions_of(counts[i].papers), n, fit_a);
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<Crossover> find_crossovers() {
  std::vector<Crossover> crossovers;
  for (const Pair& pair : pairs) {
    crossovers.push_back(by_formulas(paper_formula(pair.first_label), paper_formula(pair.second_label), pair.says));
    const Costs first(pair.parameter, pair.first);
    const Costs second(pair.parameter, pair.second);
    if (!first.known() || !second.known()) continue;
    for (const bool kinematics : {false, true}) {
      Crossover c{std::string(pair.first),
                  std::string(pair.second),
                  kinematics ? "ours with kinematics" : "ours without kinematics",
                  {},
                  {},
                  {},
                  {},
                  ""};
      fill(c,
           {[&](int n) { return first.multiplications(n, kinematics); },
            [&](int n) { return second.multiplications(n, kinematics); },
            [&](int n) { return first.additions(n, kinematics); },
            [&](int n) { return second.additions(n, kinematics); }},
           longest_crossover_chain);
      crossovers.push_back(c);
    }
  }
  return crossovers;
}

}  // namespace dyn::cli
