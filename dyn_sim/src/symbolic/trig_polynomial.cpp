// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "symbolic/trig_polynomial.hpp"

#include <algorithm>
#include <cmath>

namespace dyn::symbolic {
namespace {

struct KeyHash {
  size_t operator()(const TrigKey& key) const noexcept {
    std::uint64_t h = (key.harmonics ^ (std::uint64_t{key.monomial} << 48U) ^ key.monomial) * 0x9e3779b97f4a7c15U;
    return h ^ (h >> 29U);
  }
};
using Sum = std::unordered_map<TrigKey, std::complex<double>, KeyHash>;

TrigPolynomial terms_of(const Sum& sum) {
  TrigPolynomial terms;
  terms.reserve(sum.size());
  for (const auto& term : sum) {
    if (term.second != 0.0) terms.push_back(term);
  }
  return terms;
}

// Each coordinate's four bits by themselves.
std::uint64_t add_harmonics(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t low = 0x7777777777777777U, high = 0x8888888888888888U;
  return ((a & low) + (b & low)) ^ ((a ^ b) & high);
}

std::uint64_t unit_harmonic(int coordinate, int harmonic) {
  return static_cast<std::uint64_t>(static_cast<unsigned>(harmonic) & 15U) << static_cast<unsigned>(4 * coordinate);
}

}  // namespace

std::uint32_t Monomials::of(const Powers& powers) {
  const auto at = std::find(all_.begin(), all_.end(), powers);
  if (at != all_.end()) return static_cast<std::uint32_t>(at - all_.begin());
  all_.push_back(powers);
  return static_cast<std::uint32_t>(all_.size() - 1);
}

std::uint32_t Monomials::product(std::uint32_t a, std::uint32_t b) {
  if (a == 0 || b == 0) return a + b;
  const auto [at, is_new] = products_.try_emplace(std::uint64_t{std::min(a, b)} << 32U | std::max(a, b), 0U);
  if (!is_new) return at->second;
  Powers powers = all_[a];
  for (const auto& [symbol, power] : all_[b]) {
    const auto place = std::lower_bound(powers.begin(), powers.end(), std::pair(symbol, 0));
    if (place != powers.end() && place->first == symbol) {
      place->second += power;
    } else {
      powers.insert(place, {symbol, power});
    }
  }
  return at->second = of(powers);
}

int TrigKey::harmonic(int coordinate) const noexcept {
  const auto bits = static_cast<int>(harmonics >> static_cast<unsigned>(4 * coordinate) & 15U);
  return bits < 8 ? bits : bits - 16;
}

Expansion::Expansion(const Arena& arena, const std::vector<int>& q, long budget)
    : arena_(arena), coordinate_(arena.symbols(), -1), budget_(budget) {
  for (size_t i = 0; i < q.size(); ++i) coordinate_[q[i]] = static_cast<int>(i);
}

std::optional<std::vector<TrigPolynomial>> Expansion::expand(const std::vector<Expression>& roots) {
  done_.resize(arena_.size());
  std::vector<TrigPolynomial> all;
  for (const Expression& root : roots) {
    if (!expand_node(root.id())) return std::nullopt;
    all.push_back(*done_[root.id()]);
  }
  return all;
}

// As deep as the expression is: some hundred levels for the largest robots.
bool Expansion::expand_node(int id) {
  std::optional<TrigPolynomial>& out = done_[id];
  if (out) return true;
  const Node node = arena_[id];
  TrigPolynomial p;
  if (node.op == Op::constant) {
    if (node.value != 0.0) p = {{TrigKey{}, node.value}};
  } else if (node.op == Op::symbol) {
    p = {{TrigKey{0, monomials_.of({{node.a, 1}})}, 1.0}};
  } else if (node.op == Op::sine || node.op == Op::cosine) {
    const Node& angle = arena_[node.a];
    const int k = angle.op == Op::symbol ? coordinate_[angle.a] : -1;
    if (k < 0) return false;
    const std::complex<double> half = node.op == Op::cosine ? std::complex(0.5, 0.0) : std::complex(0.0, -0.5);
    p = {{TrigKey{unit_harmonic(k, 1), 0}, half}, {TrigKey{unit_harmonic(k, -1), 0}, std::conj(half)}};
  } else {
    if (!expand_node(node.a) || (node.b >= 0 && !expand_node(node.b))) return false;
    const TrigPolynomial& a = *done_[node.a];
    if (node.op == Op::negative) {
      p = a;
      for (auto& term : p) term.second = -term.second;
    } else if (node.op == Op::sum) {
      p = sum(a, *done_[node.b]);
    } else if (!product(a, *done_[node.b], p)) {
      return false;
    }
  }
  done_[id] = std::move(p);
  return true;
}

TrigPolynomial Expansion::sum(const TrigPolynomial& a, const TrigPolynomial& b) {
  Sum all(a.begin(), a.end());
  for (const auto& [key, value] : b) all[key] += value;
  return terms_of(all);
}

bool Expansion::product(const TrigPolynomial& a, const TrigPolynomial& b, TrigPolynomial& to) {
  budget_ -= static_cast<long>(a.size() * b.size());
  if (budget_ < 0) return false;
  Sum all;
  all.reserve(a.size() + b.size());
  for (const auto& [x, u] : a) {
    for (const auto& [y, w] : b) {
      all[{add_harmonics(x.harmonics, y.harmonics), monomials_.product(x.monomial, y.monomial)}] += u * w;
    }
  }
  to = terms_of(all);
  return true;
}

// Of e^{i h.q}: i h; of a monomial: power down by one.
TrigPolynomial Expansion::derivative(const TrigPolynomial& p, int coordinate) {
  const auto symbol = std::find(coordinate_.begin(), coordinate_.end(), coordinate) - coordinate_.begin();
  Sum all;
  for (const auto& [key, value] : p) {
    if (const int h = key.harmonic(coordinate); h != 0) all[key] += value * std::complex(0.0, double(h));
    Powers powers = monomials_[key.monomial];
    for (auto& [of, power] : powers) {
      if (of != symbol) continue;
      const double factor = power--;
      std::erase_if(powers, [](const auto& entry) { return entry.second == 0; });
      all[{key.harmonics, monomials_.of(powers)}] += factor * value;
      break;
    }
  }
  return terms_of(all);
}

TrigPolynomial Expansion::times_symbol(const TrigPolynomial& p, int symbol, double factor) {
  const std::uint32_t one = monomials_.of({{symbol, 1}});
  TrigPolynomial out = p;
  for (auto& [key, value] : out) {
    key.monomial = monomials_.product(key.monomial, one);
    value *= factor;
  }
  return out;
}

double largest_coefficient(const TrigPolynomial& p) {
  double largest = 0.0;
  for (const auto& [key, value] : p) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace dyn::symbolic
