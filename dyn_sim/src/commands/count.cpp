// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn count: operations of every algorithm, beside the papers' formulas.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "count/chain.hpp"
#include "count/report.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

using nlohmann::ordered_json;
constexpr auto right = Table::Align::right;

struct Arguments {
  RobotCall robot;
  int chain = 0;
  bool json = false;
};

struct Report {
  std::string name;
  int n = 0;
  std::vector<PassCount> kinematics;
  std::vector<AlgorithmCount> algorithms;
  std::vector<PaperRow> papers;
  std::vector<Crossover> crossovers;
};

Report make_report(const Arguments& arguments) {
  const bool chain = arguments.chain > 0;
  const Model model = chain ? Model::build(generic_chain(arguments.chain)) : load(arguments.robot);
  Report report;
  report.name = model.name();
  report.n = model.coordinates();
  report.kinematics = count_kinematics(model);
  report.algorithms = count_algorithms(model);
  report.papers = compare_with_papers(report.algorithms, report.n, chain);
  if (chain) report.crossovers = find_crossovers();
  return report;
}

ordered_json as_json(const OperationCount& count) {
  return {{"multiplications", count.multiplications},
          {"additions", count.additions},
          {"trigonometric", count.trigonometric}};
}

ordered_json as_json(const std::optional<int>& n) { return n ? ordered_json(*n) : ordered_json(nullptr); }

ordered_json as_json(const Polynomial& paper, const std::optional<Comparison>& c, int n) {
  ordered_json out;
  out["formula"] = paper.text();
  out["paper"] = paper(n);
  if (!c) return out;
  out["ours"] = c->ours;
  out["deviation_percent"] = c->deviation;
  if (!c->fit) return out;
  out["fitted"] = c->fit->polynomial.text();
  out["fitted_coefficients"] = c->fit->polynomial.c;
  out["fit_error"] = c->fit->largest_error;
  out["leading_paper"] = paper.leading();
  out["leading_ours"] = *c->leading;
  out["leading_deviation_percent"] = *c->leading_deviation;
  return out;
}

ordered_json as_json(const Report& report) {
  ordered_json out;
  out["robot"] = report.name;
  out["n"] = report.n;
  for (const PassCount& pass : report.kinematics) out["kinematics"][std::string(pass.pass)] = as_json(pass.count);
  out["algorithms"] = ordered_json::array();
  for (const AlgorithmCount& a : report.algorithms) {
    ordered_json row{{"parameter", a.parameter}, {"name", a.name}, {"source", a.source}};
    row.update(as_json(a.compute));
    row["kinematics"] = as_json(a.kinematics);
    out["algorithms"].push_back(row);
  }
  out["papers"] = ordered_json::array();
  for (const PaperRow& row : report.papers) {
    const PaperFormula& f = *row.formula;
    out["papers"].push_back({{"parameter", f.parameter},
                             {"algorithm", f.algorithm.empty() ? ordered_json(nullptr) : ordered_json(f.algorithm)},
                             {"label", f.label},
                             {"source", f.source},
                             {"note", f.note},
                             {"multiplications", as_json(f.multiplications, row.multiplications, report.n)},
                             {"additions", as_json(f.additions, row.additions, report.n)}});
  }
  out["crossovers"] = ordered_json::array();
  for (const Crossover& c : report.crossovers) {
    out["crossovers"].push_back({{"first", c.first},
                                 {"second", c.second},
                                 {"counted", c.counted},
                                 {"multiplications", as_json(c.multiplications)},
                                 {"additions", as_json(c.additions)},
                                 {"both", as_json(c.both)},
                                 {"sum", as_json(c.sum)},
                                 {"paper_says", c.paper_says}});
  }
  return out;
}

std::string signed_percent(double percent) { return (percent > 0.0 ? "+" : "") + number(percent, 3) + " %"; }
std::string whole(double count) { return number(count, 12); }

void print_counts(const Report& report) {
  std::cout << heading(one_line(report.name)) << ", n = " << report.n << ": operations of one call\n\n";
  Table passes({{"kinematics"}, {"mult", right}, {"add", right}, {"sin, cos", right}});
  for (const PassCount& p : report.kinematics) {
    passes.add({std::string(p.pass), std::to_string(p.count.multiplications), std::to_string(p.count.additions),
                std::to_string(p.count.trigonometric)});
  }
  passes.print();
  std::cout << '\n';
  Table table({{"parameter"},
               {"algorithm"},
               {"mult", right},
               {"add", right},
               {"+ kinematics: mult", right},
               {"add", right},
               {"source"}});
  for (const AlgorithmCount& a : report.algorithms) {
    table.add({std::string(a.parameter), std::string(a.name), std::to_string(a.compute.multiplications),
               std::to_string(a.compute.additions),
               std::to_string(a.compute.multiplications + a.kinematics.multiplications),
               std::to_string(a.compute.additions + a.kinematics.additions), std::string(a.source)});
  }
  table.print();
  std::cout << "\n  The paper forms are counted, on scalars. For double the library runs lane forms of the same\n"
               "  formulas: docs/algorithms.md.\n";
}

void add_comparison(Table& table, const PaperFormula& f, const char* operation, const Polynomial& paper,
                    const std::optional<Comparison>& c, int n) {
  const bool fit = c && c->fit;
  table.add({f.algorithm.empty() ? "-" : std::string(f.algorithm), std::string(f.label), std::string(f.source),
             operation, paper.text(), fit ? c->fit->polynomial.text() : "-",
             fit ? signed_percent(*c->leading_deviation) : "-", whole(paper(n)), c ? whole(c->ours) : "-",
             c ? signed_percent(c->deviation) : "-"});
}

void print_papers(const Report& report) {
  std::cout << "\n"
            << heading("Beside the papers")
            << " (compute() alone, with the bias given where the paper leaves it out; formulas are for serial revolute "
               "chains)\n\n";
  Table table({{"algorithm"},
               {"the paper's name"},
               {"table"},
               {"op"},
               {"formula"},
               {"ours, fitted"},
               {"leading", right},
               {"formula at n", right},
               {"ours at n", right},
               {"deviation", right}});
  for (const PaperRow& row : report.papers) {
    const PaperFormula& f = *row.formula;
    add_comparison(table, f, "mult", f.multiplications, row.multiplications, report.n);
    add_comparison(table, f, "add", f.additions, row.additions, report.n);
  }
  table.print();
  std::cout << '\n';
  for (const PaperRow& row : report.papers) {
    if (!row.formula->note.empty()) std::cout << "  " << row.formula->label << ": " << row.formula->note << '\n';
  }
}

void print_crossovers(const Report& report) {
  if (report.crossovers.empty()) return;
  const auto text = [](const std::optional<int>& n) { return n ? std::to_string(*n) : std::string("never"); };
  std::cout << "\n"
            << heading("Crossovers") << ": the smallest n from which on the first costs less (ours: chains up to "
            << longest_crossover_chain << ")\n\n";
  Table table({{"first"},
               {"second"},
               {"counted"},
               {"mult", right},
               {"add", right},
               {"both", right},
               {"mult + add", right},
               {"the paper"}});
  for (const Crossover& c : report.crossovers) {
    table.add({c.first, c.second, c.counted, text(c.multiplications), text(c.additions), text(c.both), text(c.sum),
               c.paper_says});
  }
  table.print();
}

}  // namespace

Action declare_count(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.footer(
      "Counted by running the same code on a number type that counts: divisions and square roots are multiplications,\n"
      "subtractions are additions. Kinematics (kinematics.hpp) has separate rows, since algorithms share it.\n"
      "--chain fits polynomials over chains of 8 to 32 joints.");
  auto* group = app.add_option_group("robot", "one of");
  add_robot(app, arguments->robot, group);
  group->add_option("--chain", arguments->chain, "A serial chain of N revolute joints with generic parameters")
      ->type_name("N")
      ->check(CLI::Range(1, 200));
  group->require_option(1);
  add_json(app, arguments->json);
  return [arguments] {
    const Report report = make_report(*arguments);
    if (arguments->json) return print_json(as_json(report));
    print_counts(report);
    print_papers(report);
    print_crossovers(report);
  };
}

}  // namespace dyn::cli
