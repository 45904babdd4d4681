// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "symbolic/latex_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace dyn::symbolic {
namespace {

struct Glyph {
  std::string_view text;
  double width_pt;
};
constexpr std::array<Glyph, 15> glyphs{{{"\\quad", 10.0},
                                        {"\\cos", 14.5},
                                        {"\\sin", 12.3},
                                        {"\\cdot", 7.2},
                                        {"\\dot", 0.0},
                                        {"\\,", 1.7},
                                        {"_{", 0.0},
                                        {"^{", 0.0},
                                        {"+", 12.2},  // with the space around it
                                        {"-", 12.2},
                                        {"(", 3.9},
                                        {")", 3.9},
                                        {".", 2.8},
                                        {",", 2.8},
                                        {" ", 0.0}}};
constexpr double letter_pt = 5.3, small = 0.8;  // of an index or exponent

// The + and - before which a line may end, and the end of the formula.
std::vector<std::size_t> ends_of(std::string_view formula) {
  std::vector<std::size_t> ends;
  std::vector<bool> argument;  // of sin or cos, for each open bracket
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (formula[k] == '(') argument.push_back(k > 0 && std::isalpha(static_cast<unsigned char>(formula[k - 1])) != 0);
    if (formula[k] == ')' && !argument.empty()) argument.pop_back();
    const std::string_view here = formula.substr(k, 3);
    const bool inside = std::find(argument.begin(), argument.end(), true) != argument.end();
    if (!inside && (here == " + " || here == " - ")) ends.push_back(k);
  }
  ends.push_back(formula.size());
  return ends;
}

}  // namespace

double width_pt(std::string_view formula) {
  double width = 0.0, scale = 1.0;
  while (!formula.empty()) {
    const auto known =
        std::find_if(glyphs.begin(), glyphs.end(), [&](const Glyph& g) { return formula.starts_with(g.text); });
    const bool is_known = known != glyphs.end();
    if (is_known && (known->text == "_{" || known->text == "^{")) scale = small;
    if (formula.front() == '}') scale = 1.0;
    const bool bracket = formula.front() == '{' || formula.front() == '}';
    width += scale * (is_known ? known->width_pt : bracket ? 0.0 : letter_pt);
    formula.remove_prefix(is_known ? known->text.size() : 1);
  }
  return width;
}

std::string in_lines(const std::string& formula) {
  constexpr double widest_pt = 440.0;  // of the 512 of the page: the left side and the indent need the rest
  std::string text;
  std::size_t begin = 0, end = 0;
  for (const std::size_t next : ends_of(formula)) {
    if (end > begin && width_pt(std::string_view(formula).substr(begin, next - begin)) > widest_pt) {
      text += formula.substr(begin, end - begin) + new_line + "\\quad";
      begin = end;
    }
    end = next;
  }
  return text + formula.substr(begin);
}

}  // namespace dyn::symbolic
