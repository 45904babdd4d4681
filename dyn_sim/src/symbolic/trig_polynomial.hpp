// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What M, C and g are in the joints' angles: sums of  c * monomial * e^{i h.q}  with integers h, the only form there is
// of each, so that terms which cancel are gone. A monomial is a product of symbols that are no angles: rates, positions
// of prismatic joints, parameters.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "symbolic/expression.hpp"

namespace dyn::symbolic {

using Harmonics = std::vector<int>;               // one a coordinate
using Powers = std::vector<std::pair<int, int>>;  // symbol and power, by symbol

// Monomials by number; 0 is 1.
class Monomials {
 public:
  Monomials() : all_{{}} {}
  [[nodiscard]] const Powers& operator[](std::uint32_t number) const { return all_[number]; }
  std::uint32_t of(const Powers& powers);
  std::uint32_t product(std::uint32_t a, std::uint32_t b);

 private:
  std::vector<Powers> all_;
  std::unordered_map<std::uint64_t, std::uint32_t> products_;
};

constexpr int most_angles = 16;  // coordinates, each with harmonics from -7 to 7

struct TrigKey {
  std::uint64_t harmonics = 0;  // four bits a coordinate, two's complement
  std::uint32_t monomial = 0;
  bool operator==(const TrigKey&) const = default;
  [[nodiscard]] int harmonic(int coordinate) const noexcept;
};

using TrigPolynomial = std::vector<std::pair<TrigKey, std::complex<double>>>;

class Expansion {
 public:
  // q: symbols of the coordinates. `budget`: products of terms after which it gives up.
  Expansion(const Arena& arena, const std::vector<int>& q, long budget);

  // Of each root; nothing where the budget was used up, or an angle is no coordinate by itself.
  [[nodiscard]] std::optional<std::vector<TrigPolynomial>> expand(const std::vector<Expression>& roots);

  // d/dq of a coordinate.
  [[nodiscard]] TrigPolynomial derivative(const TrigPolynomial& p, int coordinate);
  [[nodiscard]] TrigPolynomial times_symbol(const TrigPolynomial& p, int symbol, double factor);
  [[nodiscard]] static TrigPolynomial sum(const TrigPolynomial& a, const TrigPolynomial& b);
  [[nodiscard]] Monomials& monomials() { return monomials_; }

 private:
  bool expand_node(int id);
  bool product(const TrigPolynomial& a, const TrigPolynomial& b, TrigPolynomial& to);

  const Arena& arena_;
  std::vector<int> coordinate_;  // by symbol; -1: none
  long budget_;
  Monomials monomials_;
  std::vector<std::optional<TrigPolynomial>> done_;  // by node
};

[[nodiscard]] double largest_coefficient(const TrigPolynomial& p);

}  // namespace dyn::symbolic
