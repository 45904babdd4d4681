// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "symbolic/formula.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace dyn::symbolic {
namespace {

constexpr double equal_within = 1e-11;     // of a coefficient's largest number
constexpr std::size_t paired_up_to = 600;  // terms: looking for pairs takes the square of it

bool is_zero(const Harmonics& h) {
  return std::all_of(h.begin(), h.end(), [](int x) { return x == 0; });
}

// Turns the angle so that its first number is positive; whether it was turned.
bool normalize(Harmonics& h) {
  const auto first = std::find_if(h.begin(), h.end(), [](int x) { return x != 0; });
  if (first == h.end() || *first > 0) return false;
  for (int& x : h) x = -x;
  return true;
}

// e^{ih.q} and its conjugate together: 2 Re(c) cos - 2 Im(c) sin.
Formula waves_of(const TrigPolynomial& p, int coordinates, double smallest) {
  std::map<Wave, Coefficient> all;
  for (const auto& [key, value] : p) {
    Harmonics h;
    for (int k = 0; k < coordinates; ++k) h.push_back(key.harmonic(k));
    if (is_zero(h)) {
      if (std::abs(value.real()) > smallest) all[{false, {}}][key.monomial] = value.real();
      continue;
    }
    if (normalize(h)) continue;  // the conjugate's
    if (std::abs(2.0 * value.real()) > smallest) all[{false, h}][key.monomial] = 2.0 * value.real();
    if (std::abs(2.0 * value.imag()) > smallest) all[{true, h}][key.monomial] = -2.0 * value.imag();
  }
  Formula formula;
  for (auto& [wave, coefficient] : all) {
    formula.push_back({wave.angle.empty() ? std::vector<Wave>{} : std::vector{wave}, std::move(coefficient)});
  }
  return formula;
}

// +1 or -1 where b is that times a; 0 else.
int ratio_of(const Coefficient& a, const Coefficient& b) {
  if (a.size() != b.size()) return 0;
  double largest = 0.0;
  for (const auto& [monomial, value] : a) largest = std::max(largest, std::abs(value));
  for (const int sign : {1, -1}) {
    const bool same = std::equal(a.begin(), a.end(), b.begin(), [&](const auto& x, const auto& y) {
      return x.first == y.first && std::abs(x.second - sign * y.second) <= equal_within * largest;
    });
    if (same) return sign;
  }
  return 0;
}

struct Product {
  Wave first, second;
  double factor = 2.0;
};

// cosA + cosB, cosA - cosB, sinA + sinB, sinA - sinB as a product; nothing where (A + B)/2 has halves.
std::optional<Product> product_of(const Wave& a, const Wave& b, int sign) {
  if (a.sine != b.sine || a.angle.size() != b.angle.size()) return std::nullopt;
  Product p;
  for (std::size_t k = 0; k < a.angle.size(); ++k) {
    if ((a.angle[k] + b.angle[k]) % 2 != 0) return std::nullopt;
    p.first.angle.push_back((a.angle[k] + b.angle[k]) / 2);
    p.second.angle.push_back((a.angle[k] - b.angle[k]) / 2);
  }
  if (is_zero(p.first.angle) || is_zero(p.second.angle)) return std::nullopt;
  p.first.sine = a.sine == (sign > 0);  // of (A + B)/2: cos cos, sin sin, sin cos, cos sin
  p.second.sine = sign < 0;
  if (!a.sine && sign < 0) p.factor = -2.0;
  for (Wave* wave : {&p.first, &p.second}) {
    if (normalize(wave->angle) && wave->sine) p.factor = -p.factor;
  }
  return p;
}

int length_of(const Wave& wave) {
  int length = 0;
  for (const int x : wave.angle) length += std::abs(x);
  return length;
}

struct Merge {
  std::size_t i = 0, j = 0, wave = 0;
  Product product;
  int length = 0;  // of the product's angles: the shortest is taken first
};

// The waves in which two terms differ, if it is one each; -1 else.
std::optional<std::pair<std::size_t, std::size_t>> only_difference(const FormulaTerm& a, const FormulaTerm& b) {
  if (a.waves.size() != b.waves.size() || a.waves.empty()) return std::nullopt;
  std::vector<Wave> left, right;
  std::set_difference(a.waves.begin(), a.waves.end(), b.waves.begin(), b.waves.end(), std::back_inserter(left));
  std::set_difference(b.waves.begin(), b.waves.end(), a.waves.begin(), a.waves.end(), std::back_inserter(right));
  if (left.size() != 1 || right.size() != 1) return std::nullopt;
  const auto at = [](const std::vector<Wave>& waves, const Wave& wave) {
    return static_cast<std::size_t>(std::find(waves.begin(), waves.end(), wave) - waves.begin());
  };
  return std::pair(at(a.waves, left[0]), at(b.waves, right[0]));
}

std::optional<Merge> best_merge(const Formula& formula) {
  std::optional<Merge> best;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    for (std::size_t j = i + 1; j < formula.size(); ++j) {
      const int sign = ratio_of(formula[i].coefficient, formula[j].coefficient);
      if (sign == 0) continue;
      const auto differ = only_difference(formula[i], formula[j]);
      if (!differ) continue;
      const auto product = product_of(formula[i].waves[differ->first], formula[j].waves[differ->second], sign);
      if (!product) continue;
      const int length = length_of(product->first) + length_of(product->second);
      if (!best || length < best->length) best = Merge{i, j, differ->first, *product, length};
    }
  }
  return best;
}

void pair_up(Formula& formula) {
  if (formula.size() > paired_up_to) return;
  while (const auto merge = best_merge(formula)) {
    FormulaTerm& kept = formula[merge->i];
    kept.waves[merge->wave] = merge->product.first;
    kept.waves.push_back(merge->product.second);
    std::sort(kept.waves.begin(), kept.waves.end());
    for (auto& [monomial, value] : kept.coefficient) value *= merge->product.factor;
    formula.erase(formula.begin() + static_cast<std::ptrdiff_t>(merge->j));
  }
}

// cos 2A = 2 cos^2 A - 1 and sin 2A = 2 sin A cos A for terms of one wave.
void halve(Formula& formula, double smallest) {
  Coefficient constant;
  for (FormulaTerm& term : formula) {
    if (term.waves.size() != 1) continue;
    Harmonics half = term.waves[0].angle;
    if (std::any_of(half.begin(), half.end(), [](int x) { return x % 2 != 0; })) continue;
    for (int& x : half) x /= 2;
    const bool sine = term.waves[0].sine;
    for (auto& [monomial, value] : term.coefficient) {
      if (!sine) constant[monomial] -= value;
      value *= 2.0;
    }
    term.waves = {{false, half}, {sine, half}};
  }
  if (constant.empty()) return;
  auto at = std::find_if(formula.begin(), formula.end(), [](const FormulaTerm& term) { return term.waves.empty(); });
  if (at == formula.end()) at = formula.insert(formula.begin(), FormulaTerm{});
  for (const auto& [monomial, value] : constant) at->coefficient[monomial] += value;
  std::erase_if(at->coefficient, [&](const auto& entry) { return std::abs(entry.second) <= smallest; });
  if (at->coefficient.empty()) formula.erase(at);
}

}  // namespace

Formula formula_of(const TrigPolynomial& p, int coordinates, double smallest) {
  Formula formula = waves_of(p, coordinates, smallest);
  pair_up(formula);
  halve(formula, smallest);
  std::stable_sort(formula.begin(), formula.end(),
                   [](const FormulaTerm& a, const FormulaTerm& b) { return a.waves.size() < b.waves.size(); });
  return formula;
}

}  // namespace dyn::symbolic
