// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "symbolic/straight_line.hpp"

#include <algorithm>

namespace dyn::symbolic {
namespace {

constexpr size_t longest_inside = 90;  // characters of what is written inside another expression

bool is_leaf(const Node& node) { return node.op == Op::constant || node.op == Op::symbol; }

class Lines {
 public:
  Lines(const Arena& arena, const Style& style)
      : arena_(arena), style_(style), uses_(arena.size(), 0), text_(uses_.size()) {}

  StraightLine write(const std::vector<Expression>& roots) {
    for (const Expression& root : roots) use(root.id());
    StraightLine lines;
    // Operands have smaller numbers than what is made of them.
    for (int id = 0; id < arena_.size(); ++id) {
      if (uses_[id] == 0) continue;
      text_[id] = text(id);
      if (is_leaf(arena_[id])) continue;
      const bool small = arena_[id].op == Op::negative && is_name(arena_[id].a);
      if (small || (uses_[id] == 1 && text_[id].size() <= longest_inside)) continue;
      const std::string name = style_.temporary(static_cast<int>(lines.temporaries.size()) + 1);
      lines.temporaries.push_back({name, text_[id]});
      text_[id] = name;
      named_.push_back(id);
    }
    for (const Expression& root : roots) lines.results.push_back(text_[root.id()]);
    return lines;
  }

 private:
  void use(int root) {
    std::vector<int> open{root};
    while (!open.empty()) {
      const int id = open.back();
      open.pop_back();
      if (uses_[id]++ > 0 || is_leaf(arena_[id])) continue;
      open.push_back(arena_[id].a);
      if (arena_[id].b >= 0) open.push_back(arena_[id].b);
    }
  }

  [[nodiscard]] bool is_name(int id) const {
    return is_leaf(arena_[id]) || std::binary_search(named_.begin(), named_.end(), id);
  }
  [[nodiscard]] const std::string& of(int id) const { return text_[id]; }

  // As a factor, or behind a minus.
  [[nodiscard]] std::string factor(int id) const {
    const Node& node = arena_[id];
    const bool bare = is_name(id) ? !(node.op == Op::constant && node.value < 0.0)
                                  : node.op == Op::product || node.op == Op::sine || node.op == Op::cosine;
    return bare && of(id)[0] != '-' ? of(id) : "(" + of(id) + ")";
  }

  [[nodiscard]] std::string text(int id) const {
    const Node& node = arena_[id];
    switch (node.op) {
      case Op::constant: return style_.number(node.value);
      case Op::symbol: return style_.symbol(node.a);
      case Op::sine:
      case Op::cosine: return style_.function(node.op == Op::sine, of(node.a));
      case Op::negative: return "-" + factor(node.a);
      case Op::product: return factor(node.a) + style_.times() + factor(node.b);
      case Op::sum: break;
    }
    if (minus(node.b)) return of(node.a) + " - " + without_minus(node.b);
    if (minus(node.a)) return of(node.b) + " - " + without_minus(node.a);
    return of(node.a) + " + " + of(node.b);
  }

  // Written here as a negative number, not named before.
  [[nodiscard]] bool minus(int id) const {
    const Node& node = arena_[id];
    return !std::binary_search(named_.begin(), named_.end(), id) &&
           (node.op == Op::negative || (node.op == Op::constant && node.value < 0.0));
  }
  [[nodiscard]] std::string without_minus(int id) const {
    return arena_[id].op == Op::negative ? factor(arena_[id].a) : style_.number(-arena_[id].value);
  }

  const Arena& arena_;
  const Style& style_;
  std::vector<int> uses_;
  std::vector<std::string> text_;
  std::vector<int> named_;  // ascending
};

}  // namespace

StraightLine straight_line(const Arena& arena, const std::vector<Expression>& roots, const Style& style) {
  return Lines(arena, style).write(roots);
}

}  // namespace dyn::symbolic
