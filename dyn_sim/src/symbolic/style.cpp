// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "symbolic/style.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace dyn::symbolic {
namespace {

// The fewest digits that give the number back to 6e-16 of it: 0.1 rather than 0.10000000000000001.
std::string digits_of(double value) {
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::abs(std::strtod(text, nullptr) - value) <= 6e-16 * std::abs(value)) break;
  }
  return text;
}

// q2 -> q_{2}, v2 -> \dot{q}_{2}, c2x -> c_{2x}
std::string in_latex(const std::string& name) {
  const std::string letter = name[0] == 'v' ? "\\dot{q}" : name.substr(0, 1);
  return letter + "_{" + name.substr(1) + "}";
}

std::string monomial_text(const Powers& powers, const Style& style) {
  std::string text;
  for (const auto& [symbol, power] : powers) {
    text += (text.empty() ? "" : style.times()) + style.power(style.symbol(symbol), power);
  }
  return text;
}

std::string product_text(double factor, const std::string& rest, const Style& style) {
  if (rest.empty()) return style.number(factor);
  return factor == 1.0 ? rest : style.number(factor) + style.times() + rest;
}

std::string angle_text(const Harmonics& angle, const Style& style, const std::vector<int>& q) {
  std::vector<SignedTerm> terms;
  for (size_t k = 0; k < angle.size(); ++k) {
    if (angle[k] == 0) continue;
    terms.push_back({angle[k] < 0, product_text(std::abs(angle[k]), style.symbol(q[k]), style)});
  }
  return joined(terms);
}

std::string waves_text(const std::vector<Wave>& waves, const Style& style, const std::vector<int>& q) {
  std::string text;
  for (size_t k = 0; k < waves.size();) {
    size_t end = k;
    while (end < waves.size() && waves[end] == waves[k]) ++end;
    text += (text.empty() ? "" : style.times()) +
            style.function(waves[k].sine, angle_text(waves[k].angle, style, q), static_cast<int>(end - k));
    k = end;
  }
  return text;
}

// All numbers over the smallest of them, where those are whole: 0.3 (2 v2 + v3).
double common_factor(const Coefficient& coefficient) {
  double smallest = std::abs(coefficient.begin()->second);
  for (const auto& [monomial, value] : coefficient) smallest = std::min(smallest, std::abs(value));
  for (const auto& [monomial, value] : coefficient) {
    const double ratio = std::abs(value) / smallest;
    if (std::abs(ratio - std::round(ratio)) > 1e-11 * ratio || ratio > 64.0) return 1.0;
  }
  return smallest;
}

SignedTerm coefficient_times(const Coefficient& coefficient, const std::string& waves, const Style& style,
                             const Monomials& monomials) {
  const double factor = common_factor(coefficient);
  const bool negative = coefficient.begin()->second < 0.0;
  std::vector<SignedTerm> sum;
  for (const auto& [monomial, value] : coefficient) {
    double part = std::abs(value) / factor;
    if (factor != 1.0 || std::abs(part - std::round(part)) < 1e-11) part = std::round(part * 1e11) / 1e11;
    sum.push_back({(value < 0.0) != negative, product_text(part, monomial_text(monomials[monomial], style), style)});
  }
  if (sum.size() == 1) {
    const std::string monomial = monomial_text(monomials[coefficient.begin()->first], style);
    const std::string rest = monomial.empty() || waves.empty() ? monomial + waves : monomial + style.times() + waves;
    return {negative, product_text(std::abs(coefficient.begin()->second), rest, style)};
  }
  const std::string bracket = "(" + joined(sum) + ")" + style.times() + waves;
  return {negative, product_text(factor, bracket, style)};
}

}  // namespace

Style::Style(Format format, const Arena& arena, const std::vector<int>& q, const std::vector<int>& v)
    : format_(format), arena_(arena) {
  for (int k = 0; k < arena_.symbols(); ++k) {
    symbols_.push_back(format_ == Format::latex ? in_latex(arena_.name(k)) : arena_.name(k));
  }
  if (format_ != Format::cpp) return;
  for (size_t i = 0; i < q.size(); ++i) {
    symbols_[q[i]] = "q[" + std::to_string(i) + "]";
    symbols_[v[i]] = "v[" + std::to_string(i) + "]";
  }
}

std::string Style::symbol(int number) const { return symbols_[number]; }

std::string Style::entry(const std::string& term, int row, int column) const {
  const std::string i = std::to_string(row), j = std::to_string(column);
  if (format_ == Format::latex)
    return term + "_{" + i + (column == 0 ? "" : (row > 9 || column > 9 ? "," : "") + j) + "}";
  return term + "[" + i + "]" + (column == 0 ? "" : "[" + j + "]");
}

std::string Style::temporary(int number) const {
  return format_ == Format::latex ? "t_{" + std::to_string(number) + "}" : "t" + std::to_string(number);
}

std::string Style::number(double value) const {
  if (format_ == Format::cpp) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    const std::string digits = text;
    return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
  }
  std::string text = digits_of(value);
  const size_t e = text.find('e');
  if (format_ == Format::text || e == std::string::npos) return text;
  return text.substr(0, e) + " \\cdot 10^{" + std::to_string(std::atoi(text.c_str() + e + 1)) + "}";
}

std::string Style::function(bool sine, const std::string& argument, int power) const {
  const std::string name = sine ? "sin" : "cos";
  if (format_ == Format::latex) {
    return "\\" + name + (power == 1 ? "" : "^{" + std::to_string(power) + "}") + "(" + argument + ")";
  }
  return this->power((format_ == Format::cpp ? "std::" : "") + name + "(" + argument + ")", power);
}

std::string Style::power(const std::string& base, int exponent) const {
  if (exponent == 1) return base;
  const std::string number = std::to_string(exponent);
  return format_ == Format::latex ? base + "^{" + number + "}" : base + "**" + number;
}

std::vector<SignedTerm> written(const Formula& formula, const Style& style, const Monomials& monomials,
                                const std::vector<int>& q) {
  std::vector<SignedTerm> terms;
  for (const FormulaTerm& term : formula) {
    const std::string waves = waves_text(term.waves, style, q);
    if (waves.empty()) {  // constant in the angles: one by one
      for (const auto& entry : term.coefficient) terms.push_back(coefficient_times({entry}, "", style, monomials));
    } else {
      terms.push_back(coefficient_times(term.coefficient, waves, style, monomials));
    }
  }
  return terms;
}

std::string joined(const std::vector<SignedTerm>& terms) {
  if (terms.empty()) return "0";
  std::string text;
  for (size_t k = 0; k < terms.size(); ++k) {
    if (k == 0) {
      text += (terms[k].negative ? "-" : "") + terms[k].text;
    } else {
      text += (terms[k].negative ? " - " : " + ") + terms[k].text;
    }
  }
  return text;
}

}  // namespace dyn::symbolic
