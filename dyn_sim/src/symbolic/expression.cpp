// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "symbolic/expression.hpp"

#include <bit>
#include <cmath>
#include <functional>
#include <utility>

namespace dyn::symbolic {

thread_local Arena* Arena::current_ = nullptr;

Arena::Arena() {
  current_ = this;
  (void)make(Op::constant, -1, -1, 0.0);  // node 0
}

Arena::~Arena() { current_ = nullptr; }

std::size_t Arena::Hash::operator()(const Key& key) const noexcept {
  std::uint64_t h = key.bits + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(key.op);
  h = (h ^ static_cast<std::uint32_t>(key.a)) * 0xff51afd7ed558ccdU;
  h = (h ^ (h >> 29U) ^ static_cast<std::uint32_t>(key.b)) * 0xc4ceb9fe1a85ec53U;
  return h ^ (h >> 32U);
}

int Arena::make(Op op, int a, int b, double value) {
  const auto [at, is_new] = known_.try_emplace({op, a, b, std::bit_cast<std::uint64_t>(value)}, size());
  if (is_new) nodes_.push_back({op, a, b, value});
  return at->second;
}

int Arena::constant(double value) {
  if (value == 0.0) return 0;
  if (const auto at = stand_ins_.find(std::bit_cast<std::uint64_t>(value)); at != stand_ins_.end()) return at->second;
  return make(Op::constant, -1, -1, value);
}

int Arena::symbol(const std::string& name) {
  names_.push_back(name);
  return make(Op::symbol, symbols() - 1, -1);
}

// A quiet NaN with a number of its own: nothing that a model has, and copied bit by bit.
double Arena::stand_in(const std::string& name) {
  const std::uint64_t bits = 0x7ff8d00000000000U + stand_ins_.size() + 1;
  stand_ins_[bits] = symbol(name);
  return std::bit_cast<double>(bits);
}

int Arena::sine(int a) {
  if ((*this)[a].op == Op::constant) return constant(std::sin((*this)[a].value));
  return make(Op::sine, a, -1);
}

int Arena::cosine(int a) {
  if ((*this)[a].op == Op::constant) return constant(std::cos((*this)[a].value));
  return make(Op::cosine, a, -1);
}

int Arena::sum(int a, int b) {
  if (a == 0) return b;
  if (b == 0) return a;
  const Node x = (*this)[a], y = (*this)[b];
  if (x.op == Op::constant && y.op == Op::constant) return constant(x.value + y.value);
  if ((x.op == Op::negative && x.a == b) || (y.op == Op::negative && y.a == a)) return 0;
  if (x.op == Op::negative && y.op == Op::negative) return negative(sum(x.a, y.a));
  if (a > b) std::swap(a, b);
  return make(Op::sum, a, b);
}

// A constant stands first.
int Arena::product(int a, int b) {
  if (a == 0 || b == 0) return 0;
  if ((*this)[b].op == Op::constant || ((*this)[a].op != Op::constant && a > b)) std::swap(a, b);
  const Node x = (*this)[a], y = (*this)[b];
  if (x.op == Op::constant) {
    if (y.op == Op::constant) return constant(x.value * y.value);
    if (x.value == 1.0) return b;
    if (x.value == -1.0) return negative(b);
    if (y.op == Op::negative) return product(constant(-x.value), y.a);
    if (y.op == Op::product && (*this)[y.a].op == Op::constant) {
      return product(constant(x.value * (*this)[y.a].value), y.b);
    }
  } else if (x.op == Op::negative) {
    return negative(product(x.a, b));
  } else if (y.op == Op::negative) {
    return negative(product(a, y.a));
  }
  return make(Op::product, a, b);
}

int Arena::negative(int a) {
  const Node x = (*this)[a];
  if (x.op == Op::constant) return constant(-x.value);
  if (x.op == Op::negative) return x.a;
  if (x.op == Op::product && (*this)[x.a].op == Op::constant) return product(constant(-(*this)[x.a].value), x.b);
  return make(Op::negative, a, -1);
}

}  // namespace dyn::symbolic
