// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "count/formulas.hpp"

#include <array>

#include "dyn_core/error.hpp"

namespace dyn::cli {
namespace {

constexpr std::string_view jsim = "jsim_algorithm", forward = "forward_dynamics", inverse = "inverse_dynamics";
constexpr std::string_view wang = "000 Table 1", mohan = "001 Table 1", safeea = "003 Table I";
constexpr std::string_view lower_half = "lower triangle only; inertias in the base frame given";
constexpr std::string_view no_bias = "without the bias phi = C v + g";

// Coefficients of 1, n, n^2, n^3.
constexpr Polynomial p(double c0, double c1, double c2 = 0.0, double c3 = 0.0) { return {{c0, c1, c2, c3}}; }

constexpr std::array<PaperFormula, 14> formulas{{
    {jsim, "explicit", "explicit", wang, p(0, 12.5, 16, 3.5), p(0, 6.5, 10, 3.5), lower_half},
    {jsim, "momentum", "generalized momentum", wang, p(0, 3, 12, 7), p(0, 2, 10, 5), ""},
    {jsim, "pseudo_inertia", "pseudo-inertia", wang, p(0, 66, 63, 21), p(0, 43.5, 49.5, 18), ""},
    {jsim, "gdahj", "GDAHJ", safeea, p(-3, 88, 3), p(-18, 95.5, 2.5), "without kinematics"},
    {jsim, "crba", "CRBA", safeea, p(-32, 22, 10), p(-43, 37, 6), "Featherstone's most efficient form"},
    {forward, "denoc", "DeNOC", mohan, p(-128, 173), p(-133, 150), no_bias},
    {forward, "aba", "Featherstone", mohan, p(-198, 199), p(-173, 174), ""},
    {forward, "cholesky", "Walker and Orin", mohan, p(-47, 115.0 / 3, 11.5, 1.0 / 6), p(-46, 233.0 / 6, 7, 1.0 / 6),
     "O(n^3)"},
    {inverse, "rnea", "RNEA", safeea, p(-108, 93), p(-100, 81), ""},
    {forward, "", "Saha", mohan, p(-284, 191), p(-325, 187), "links of any shape"},
    {forward, "", "Valasek", mohan, p(-343, 226), p(-345, 206), ""},
    {forward, "", "Brandl", mohan, p(-222, 250), p(-198, 220), ""},
    {jsim, "", "symbolic-numeric JSIM and C", safeea, p(-16, 9, 17.5, 1.5), p(-28, 64.0 / 3, 11.5, 7.0 / 6), ""},
    {jsim, "unit_acceleration", "RNEA, n columns", safeea, p(0, 0, 93), p(0, 0, 81), "leading terms only"},
}};

}  // namespace

std::span<const PaperFormula> paper_formulas() { return formulas; }

const PaperFormula& paper_formula(std::string_view label) {
  for (const PaperFormula& formula : formulas) {
    if (formula.label == label) return formula;
  }
  throw ModelError("no paper's formula is called '" + std::string(label) + "'");
}

}  // namespace dyn::cli
