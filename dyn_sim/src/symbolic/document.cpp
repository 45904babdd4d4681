// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "symbolic/document.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "dyn_core/error.hpp"
#include "output.hpp"
#include "symbolic/latex_lines.hpp"
#include "symbolic/straight_line.hpp"

namespace dyn::symbolic {
namespace {

constexpr long expansion_budget = 20'000'000;  // products of terms
constexpr size_t most_terms = 4000;            // of all entries together; more are written with intermediate results
constexpr double rounding = 1e-13;             // of the largest coefficient beside it

struct Entry {
  std::string term;
  int row = 0, column = 0;  // from 1; column 0: a vector's
  std::vector<SignedTerm> sum;
};

// What the terms are made of, entry by entry.
struct Listed {
  std::vector<Entry> entries;
  std::vector<Expression> roots;
};

Listed listed(const RobotExpressions& all) {
  Listed list;
  const auto matrix = [&](const char* term, const std::vector<Expression>& values) {
    for (size_t k = 0; k < values.size(); ++k) {
      list.entries.push_back({term, static_cast<int>(k) / all.n + 1, static_cast<int>(k) % all.n + 1, {}});
      list.roots.push_back(values[k]);
    }
  };
  matrix("M", all.M);
  matrix("C", all.C);
  for (size_t k = 0; k < all.g.size(); ++k) {
    list.entries.push_back({"g", static_cast<int>(k) + 1, 0, {}});
    list.roots.push_back(all.g[k]);
  }
  return list;
}

// C by eq 52 of paper 004 (Truc, Quyen and Quang), from M's derivatives.
std::vector<TrigPolynomial> coriolis_from(Expansion& expansion, const std::vector<TrigPolynomial>& M,
                                          const RobotExpressions& all) {
  const int n = all.n;
  const size_t size = n;
  const auto at = [size](int i, int j) { return static_cast<size_t>(i) * size + static_cast<size_t>(j); };
  std::vector<TrigPolynomial> dM(size * size * size), C(size * size);
  const auto d = [&](int i, int j, int k) -> TrigPolynomial& { return dM[at(i, j) * size + static_cast<size_t>(k)]; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) d(i, j, k) = i > j ? d(j, i, k) : expansion.derivative(M[at(i, j)], k);
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const int symbol = all.v[k];
        TrigPolynomial minus = d(j, k, i);
        for (auto& term : minus) term.second = -term.second;
        const TrigPolynomial part = Expansion::sum(Expansion::sum(d(i, j, k), d(i, k, j)), minus);
        C[at(i, j)] = Expansion::sum(C[at(i, j)], expansion.times_symbol(part, symbol, 0.5));
      }
    }
  }
  return C;
}

// Coefficients below this are rounding: of C_ij by the M_kk it is made of, of g by its largest.
struct Scales {
  std::vector<double> diagonal;
  double gravity = 0.0;
  [[nodiscard]] double of(const Entry& entry) const {
    if (entry.column == 0) return rounding * gravity;
    return rounding * std::sqrt(diagonal[entry.row - 1] * diagonal[entry.column - 1]);
  }
};

// Every entry as a sum of products of sines and cosines; false where that would be too long, or is not possible.
bool expand(const RobotExpressions& all, const Terms& terms, const Style& style, Listed& list) {
  if (all.n > most_angles) return false;
  Expansion expansion(Arena::current(), all.q, expansion_budget);
  auto M = expansion.expand(all.M);
  auto g = expansion.expand(all.g);
  if (!M || !g) return false;
  Scales scales;
  for (int i = 0; i < all.n && !M->empty(); ++i) {
    scales.diagonal.push_back(largest_coefficient((*M)[static_cast<size_t>(i) * static_cast<size_t>(all.n + 1)]));
  }
  for (const TrigPolynomial& p : *g) scales.gravity = std::max(scales.gravity, largest_coefficient(p));
  size_t count = 0;
  for (const TrigPolynomial& p : *M) count += p.size() / 2;
  if (count > most_terms) return false;
  std::vector<TrigPolynomial> entries;
  if (terms.M) entries.insert(entries.end(), M->begin(), M->end());
  if (terms.C) {
    const std::vector<TrigPolynomial> C = coriolis_from(expansion, *M, all);
    entries.insert(entries.end(), C.begin(), C.end());
  }
  entries.insert(entries.end(), g->begin(), g->end());
  count = 0;
  for (size_t k = 0; k < entries.size(); ++k) {
    const Formula formula = formula_of(entries[k], all.n, scales.of(list.entries[k]));
    list.entries[k].sum = written(formula, style, expansion.monomials(), all.q);
    count += list.entries[k].sum.size();
  }
  return count <= most_terms;
}

std::string coordinates_of(const Model& model) {
  std::string text;
  int k = 0;
  for (const Joint& joint : model.joints()) {
    for (int d = 0; d < joint.degrees; ++d) {
      text += (k == 0 ? "" : ", ") + std::string("q") + std::to_string(k + 1) + " = " + joint.description.name +
              (joint.degrees > 1 ? " (" + std::to_string(d + 1) + ")" : "");
      ++k;
    }
  }
  return text;
}

std::vector<std::string> explanations(const Model& model, const std::vector<Parameter>& parameters,
                                      const Style& style) {
  const Vec3d g = model.options().gravity_mps2;
  const auto three = [&](const Vec3d& x) {
    return style.number(x.x()) + ", " + style.number(x.y()) + ", " + style.number(x.z());
  };
  std::vector<std::string> lines{model.name() + ": M(q) a + C(q, v) v + g(q) = tau, SI units, gravity (" + three(g) +
                                     "); friction, damping and armature are not in it",
                                 coordinates_of(model) + "; v are their rates"};
  for (const Parameter& p : parameters) lines.push_back(p.name + " = " + style.number(p.value) + " " + p.meaning);
  return lines;
}

std::string text_document(const std::vector<std::string>& head, const Listed& list, const StraightLine* lines,
                          const Style& style) {
  std::string text;
  for (const std::string& line : head) text += "# " + cli::one_line(line) + '\n';
  if (lines != nullptr) {
    for (const Assignment& t : lines->temporaries) text += t.name + " = " + t.value + '\n';
  }
  for (size_t k = 0; k < list.entries.size(); ++k) {
    const Entry& e = list.entries[k];
    text +=
        style.entry(e.term, e.row, e.column) + " = " + (lines != nullptr ? lines->results[k] : joined(e.sum)) + '\n';
  }
  return text;
}

std::string latex_text(const std::string& plain) {
  std::string text;
  for (const char c : plain) {
    if (c == '\\') {
      text += "\\textbackslash{}";
    } else if (c == '^' || c == '~') {
      text += std::string("\\") + c + "{}";
    } else {
      if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) text += '\\';
      text += c;
    }
  }
  return text;
}

// One line of an align* for each few terms, so that nothing runs over the page.
std::string aligned(const std::string& name, const std::vector<SignedTerm>& sum) {
  constexpr size_t widest = 110;
  std::string text = name + " &= ", line;
  if (sum.empty()) return text + "0";
  for (size_t k = 0; k < sum.size(); ++k) {
    const std::string sign = k == 0 ? (sum[k].negative ? "-" : "") : (sum[k].negative ? " - " : " + ");
    if (!line.empty() && line.size() + sum[k].text.size() > widest) {
      text += in_lines(line) + new_line;
      line.clear();
    }
    line += sign + sum[k].text;
  }
  return text + in_lines(line);
}

std::string latex_document(const std::vector<std::string>& head, const Listed& list, const StraightLine* lines,
                           const Style& style) {
  std::string text =
      "\\documentclass[a4paper]{article}\n\\usepackage[margin=15mm]{geometry}\n\\usepackage{amsmath}\n"
      "\\allowdisplaybreaks\n\\begin{document}\n";
  for (const std::string& line : head) text += "\\noindent " + latex_text(cli::one_line(line)) + "\\par\n";
  text += "\\begin{align*}\n";
  std::string separator;
  const auto add = [&](const std::string& line) {
    text += separator + line;
    separator = " \\\\\n";
  };
  if (lines != nullptr) {
    for (const Assignment& t : lines->temporaries) add(t.name + " &= " + in_lines(t.value));
  }
  for (size_t k = 0; k < list.entries.size(); ++k) {
    const Entry& e = list.entries[k];
    const std::string name = style.entry(e.term, e.row, e.column);
    add(lines != nullptr ? name + " &= " + in_lines(lines->results[k]) : aligned(name, e.sum));
  }
  return text + "\n\\end{align*}\n\\end{document}\n";
}

// One function of the header.
std::string cpp_function(const std::string& name, const std::string& arguments, const RobotExpressions& all,
                         const Terms& wanted, const Style& style) {
  RobotExpressions part = all;
  if (!wanted.M) part.M.clear();
  if (!wanted.C) part.C.clear();
  if (!wanted.g) part.g.clear();
  const Listed list = listed(part);
  const StraightLine lines = straight_line(Arena::current(), list.roots, style);
  std::string text = "inline void " + name + "(" + arguments + ") noexcept {\n";
  for (const Assignment& t : lines.temporaries) text += "  const double " + t.name + " = " + t.value + ";\n";
  for (size_t k = 0; k < list.entries.size(); ++k) {
    const Entry& e = list.entries[k];
    const int index = e.column == 0 ? e.row - 1 : (e.row - 1) * all.n + e.column - 1;
    text += "  " + e.term + "[" + std::to_string(index) + "] = " + lines.results[k] + ";\n";
  }
  return text + "}\n\n";
}

std::string cpp_document(const std::vector<std::string>& head, const Model& model, const RobotExpressions& all,
                         const Terms& terms, const Style& style) {
  std::string text = "#pragma once\n\n";
  for (const std::string& line : head) text += "// " + cli::one_line(line) + '\n';
  text += "// M and C are n x n by rows. Written by dyn symbolic.\n\n#include <cmath>\n\nnamespace dyn_symbolic::" +
          identifier(model.name()) + " {\n\ninline constexpr int n = " + std::to_string(all.n) + ";\n\n";
  if (terms.M) text += cpp_function("mass_matrix", "const double* q, double* M", all, {true, false, false}, style);
  if (terms.C) {
    text += cpp_function("coriolis_matrix", "const double* q, const double* v, double* C", all, {false, true, false},
                         style);
  }
  if (terms.g) text += cpp_function("gravity", "const double* q, double* g", all, {false, false, true}, style);
  if (terms.M && terms.C && terms.g) {
    text +=
        cpp_function("terms", "const double* q, const double* v, double* M, double* C, double* g", all, terms, style);
  }
  return text + "}  // namespace dyn_symbolic::" + identifier(model.name()) + "\n";
}

}  // namespace

std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool fits =
        (std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128) || c == '_';
    out += fits ? c : '_';
  }
  return out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0 ? "robot_" + out : out;
}

std::string document(const Model& model, const Request& request,
                     const std::function<void(const std::string&)>& progress) {
  if (model.coordinates() > most_coordinates) {
    throw ModelError(model.name() + ": " + std::to_string(model.coordinates()) +
                     " degrees of freedom are too many for expressions, at most " + std::to_string(most_coordinates) +
                     " can be written");
  }
  Tree tree = without_rounding(model.tree());
  Cheapest algorithms{"explicit", "kronecker", 0};
  if (!request.symbols) {
    progress("choosing the algorithms with the fewest operations");
    algorithms = cheapest_algorithms(tree, request.terms);
  }
  Arena arena;
  const std::vector<Parameter> parameters = request.symbols ? make_symbols(model, tree) : std::vector<Parameter>{};
  progress("running the algorithms on expressions");
  Terms made = request.terms;
  made.M = made.M || (made.C && request.format != Format::cpp);  // C is written by M's derivatives
  const RobotExpressions all =
      expressions(tree, made, algorithms.jsim.empty() ? "crba" : algorithms.jsim, algorithms.coriolis);
  const Style style(request.format, arena, all.q, all.v);
  const bool code = request.format == Format::cpp;
  const Style plain(code ? Format::cpp : Format::text, arena, all.q, all.v);  // of sentences
  const std::vector<std::string> head = explanations(model, parameters, plain);
  if (code) {
    if (request.symbols) throw ModelError("dyn symbolic: code has numbers, not symbols, for parameters");
    return cpp_document(head, model, all, request.terms, style);
  }
  RobotExpressions wanted = all;
  if (!request.terms.M) wanted.M.clear();
  Listed list = listed(wanted);
  progress("sums of products of sines and cosines");
  std::optional<StraightLine> lines;
  if (!expand(all, request.terms, style, list)) lines = straight_line(arena, list.roots, style);
  const StraightLine* with = lines ? &*lines : nullptr;
  return request.format == Format::latex ? latex_document(head, list, with, style)
                                         : text_document(head, list, with, style);
}

}  // namespace dyn::symbolic
