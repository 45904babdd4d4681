// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How expressions look: plain text that Python reads too, LaTeX, C++.
#pragma once

#include <string>
#include <vector>

#include "symbolic/formula.hpp"

namespace dyn::symbolic {

enum class Format { text, latex, cpp };

class Style {
 public:
  // q, v: the symbols of coordinates and rates, which C++ takes from arrays.
  Style(Format format, const Arena& arena, const std::vector<int>& q, const std::vector<int>& v);

  [[nodiscard]] Format format() const { return format_; }
  [[nodiscard]] std::string symbol(int number) const;
  [[nodiscard]] std::string entry(const std::string& term, int row, int column) const;  // from 1; column 0: a vector's
  [[nodiscard]] std::string temporary(int number) const;
  [[nodiscard]] std::string number(double value) const;
  [[nodiscard]] std::string function(bool sine, const std::string& argument, int power = 1) const;
  [[nodiscard]] std::string power(const std::string& base, int exponent) const;
  [[nodiscard]] std::string times() const { return format_ == Format::latex ? " \\, " : "*"; }

 private:
  Format format_;
  const Arena& arena_;
  std::vector<std::string> symbols_;
};

// A formula as a sum, its terms one by one with their signs: "+", "-" and what follows.
struct SignedTerm {
  bool negative = false;
  std::string text;
};
[[nodiscard]] std::vector<SignedTerm> written(const Formula& formula, const Style& style, const Monomials& monomials,
                                              const std::vector<int>& q);
[[nodiscard]] std::string joined(const std::vector<SignedTerm>& terms);

}  // namespace dyn::symbolic
