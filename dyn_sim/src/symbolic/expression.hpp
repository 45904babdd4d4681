// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A number that is an expression: the algorithm templates run on it, and what they compute can be written down. Equal
// expressions are one node (hash-consing), so that common subexpressions are found on the way.
//
// SymEngine was weighed: it knows more (a general simplifier, numbers of any precision), but is a package of its own
// with no header-only part, its basic type counts references at every operation, and what makes these formulas
// readable, sums of angles of parallel joints, has to be done on top of it all the same (trig_polynomial.hpp).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "dyn_core/numeric/counting.hpp"

namespace dyn::symbolic {

enum class Op : std::uint8_t { constant, symbol, sine, cosine, sum, product, negative };

struct Node {
  Op op = Op::constant;
  int a = -1, b = -1;  // operands; of a symbol its number
  double value = 0.0;  // of a constant
};

// The nodes of all expressions of this thread, as long as it lives. One at a time.
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = delete;
  Arena& operator=(Arena&&) = delete;
  static Arena& current() noexcept { return *current_; }

  [[nodiscard]] const Node& operator[](int id) const { return nodes_[id]; }
  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] const std::string& name(int symbol) const { return names_[symbol]; }
  [[nodiscard]] int symbols() const { return static_cast<int>(names_.size()); }

  int constant(double value);
  int symbol(const std::string& name);  // a new one
  int sine(int a);
  int cosine(int a);
  int sum(int a, int b);
  int product(int a, int b);
  int negative(int a);

  // A constant that stands for a symbol: wherever an algorithm takes this number from the model, it gets the symbol.
  double stand_in(const std::string& name);

 private:
  struct Key {
    Op op;
    int a, b;
    std::uint64_t bits;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  int make(Op op, int a, int b, double value = 0.0);

  static thread_local Arena* current_;
  std::vector<Node> nodes_;
  std::vector<std::string> names_;
  std::unordered_map<Key, int, Hash> known_;
  std::unordered_map<std::uint64_t, int> stand_ins_;  // bits of the constant, node of the symbol
};

class Expression {
 public:
  Expression() = default;  // 0
  // Implicit on purpose: constants of the model enter formulas.
  Expression(double value) : id_(Arena::current().constant(value)) {}  // NOLINT(google-explicit-constructor)
  static Expression node(int id) {
    Expression e;
    e.id_ = id;
    return e;
  }
  [[nodiscard]] int id() const noexcept { return id_; }

  friend Expression operator+(Expression a, Expression b) { return node(Arena::current().sum(a.id_, b.id_)); }
  friend Expression operator-(Expression a) { return node(Arena::current().negative(a.id_)); }
  friend Expression operator-(Expression a, Expression b) { return a + -b; }
  friend Expression operator*(Expression a, Expression b) { return node(Arena::current().product(a.id_, b.id_)); }
  Expression& operator+=(Expression b) { return *this = *this + b; }
  Expression& operator-=(Expression b) { return *this = *this - b; }
  Expression& operator*=(Expression b) { return *this = *this * b; }
  friend bool operator==(Expression a, Expression b) { return a.id_ == b.id_; }
  friend Expression sin(Expression a) { return node(Arena::current().sine(a.id_)); }
  friend Expression cos(Expression a) { return node(Arena::current().cosine(a.id_)); }

 private:
  int id_ = 0;  // of the constant 0 in every arena
};

}  // namespace dyn::symbolic

namespace Eigen {
template <>
struct NumTraits<dyn::symbolic::Expression> : NumTraits<dyn::Counting> {  // as of any number with a history
  using Real = dyn::symbolic::Expression;
  using NonInteger = dyn::symbolic::Expression;
  using Nested = dyn::symbolic::Expression;
};
}  // namespace Eigen
