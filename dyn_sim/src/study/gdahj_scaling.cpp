// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 003 (Safeea, Neto and Bearee), section IV: GDAHJ against CRBA on random chains, 20 of each length, by
// operations (Table I) and by time (Fig. 4), and the difference between their results (eq 32, Fig. 5). With and without
// the kinematics that GDAHJ builds on and the paper leaves out.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "count/chain.hpp"
#include "count/formulas.hpp"
#include "count/operation_counts.hpp"
#include "count/polynomial.hpp"
#include "dyn_core/jsim/crba.hpp"
#include "dyn_core/jsim/gdahj.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "output.hpp"
#include "study/helpers.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;

double operations(const OperationCount& count) { return static_cast<double>(count.multiplications + count.additions); }

constexpr int robots = 20;  // of each length
constexpr int rounds = 9;   // of each robot, of which the median counts

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}
double median(const std::vector<double>& values) { return quantile(values, 0.5); }

double microseconds(const std::function<void()>& work, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < repeats; ++k) work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / repeats;
}

// Chains of one length: operations, which all of them cost alike, and a number a robot for times (us) and differences.
struct Row {
  int n = 0;
  double gdahj_operations = 0.0, crba_operations = 0.0, kinematics_of_gdahj = 0.0, kinematics_of_crba = 0.0;
  std::vector<double> gdahj, crba, gdahj_with_kinematics, crba_with_kinematics;
  std::vector<double> error;  // eq 32

  [[nodiscard]] double time_ratio() const { return median(crba) / median(gdahj); }
  [[nodiscard]] double time_ratio_with_kinematics() const {
    return median(crba_with_kinematics) / median(gdahj_with_kinematics);
  }
};

void count(Row& row, const Model& model) {
  const cli::AlgorithmCount gdahj = cli::count_algorithms(model, "jsim_algorithm", "gdahj").front();
  const cli::AlgorithmCount crba = cli::count_algorithms(model, "jsim_algorithm", "crba").front();
  row.gdahj_operations = operations(gdahj.compute);
  row.crba_operations = operations(crba.compute);
  row.kinematics_of_gdahj = operations(gdahj.kinematics);
  row.kinematics_of_crba = operations(crba.kinematics);
}

// One robot: the two in turns on random states.
void time(Row& row, const Model& model, std::mt19937_64& rng) {
  const Tree& tree = model.tree();
  Workspace<double> ws(tree.size);
  jsim::Gdahj<double> gdahj(tree.size);
  jsim::Crba<double> crba(tree.size);
  MatX<double> A(tree.size, tree.size), B(tree.size, tree.size);
  const auto by_gdahj = [&] { gdahj.compute(tree, ws, matrix_view(A.data(), tree.size, tree.size)); };
  const auto by_crba = [&] { crba.compute(tree, ws, matrix_view(B.data(), tree.size, tree.size)); };
  const int repeats = std::max(3, 6000 / (tree.size * tree.size + 20 * tree.size));
  std::array<std::vector<double>, 4> all;
  double error = 0.0;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> q = random_values(rng, tree.size, 3.0);
    spread_positions(tree, q.data(), ws);
    update_kinematics(tree, ws, needs_all);
    all[0].push_back(microseconds(by_gdahj, repeats));
    all[1].push_back(microseconds(by_crba, repeats));
    all[2].push_back(
        microseconds([&] { update_kinematics(tree, ws, jsim::Gdahj<double>::needs), by_gdahj(); }, repeats));
    all[3].push_back(microseconds([&] { update_kinematics(tree, ws, jsim::Crba<double>::needs), by_crba(); }, repeats));
    error = larger_error(error, (A - B).cwiseAbs().sum() / largest_entry((A + B) / 2.0));  // eq 32
  }
  row.gdahj.push_back(median(all[0]));
  row.crba.push_back(median(all[1]));
  row.gdahj_with_kinematics.push_back(median(all[2]));
  row.crba_with_kinematics.push_back(median(all[3]));
  row.error.push_back(error);
}

// The least n from which on the first costs less than the second, up to the longest chain; "never" else.
std::string crossing(const std::vector<Row>& rows, const std::function<bool(const Row&)>& cheaper) {
  int from = -1;
  for (const Row& row : rows) {
    if (!cheaper(row))
      from = -1;
    else if (from < 0)
      from = row.n;
  }
  return from < 0 ? "never up to " + std::to_string(rows.back().n) : std::to_string(from) + " joints";
}

Figure over_joints(const std::string& file, const std::string& title, const std::string& unit,
                   const std::vector<Row>& rows) {
  Figure figure{file, title, "joints", unit, {}, {}, true};
  for (const Row& row : rows) figure.x.push_back(row.n);
  return figure;
}

// Median, and where a tenth lies below and above.
void add_spread(Figure& figure, const std::string& name, const std::vector<Row>& rows,
                const std::vector<double> Row::*values) {
  for (const auto& [share, label] : {std::pair(0.5, " median"), {0.1, " 10 %"}, {0.9, " 90 %"}}) {
    Series series{name + label, {}};
    for (const Row& row : rows) series.y.push_back(quantile(row.*values, share));
    figure.series.push_back(series);
  }
}

void figure_4(Record& record, const std::vector<Row>& rows) {
  Figure times =
      over_joints("fig_4", "Time of one M on random chains, 20 of each length, kinematics given", "us", rows);
  add_spread(times, "GDAHJ", rows, &Row::gdahj);
  add_spread(times, "CRBA", rows, &Row::crba);
  const auto faster = [&](double (Row::*ratio)() const) {
    return crossing(rows, [ratio](const Row& r) { return (r.*ratio)() > 1.0; });
  };
  const auto largest = [&](double (Row::*ratio)() const) {
    double best = 0.0;
    for (const Row& row : rows) best = std::max(best, (row.*ratio)());
    return number(best, 3);
  };
  times.item = {"Fig. 4", "GDAHJ is faster above 13 joints, by up to 2.2 times (Matlab, kinematics left out)",
                "faster from " + faster(&Row::time_ratio) + ", by up to " + largest(&Row::time_ratio) + " times (C++)"};
  record.figure(times);
  Figure whole = over_joints("with_kinematics", "The same with the kinematics that each of them needs", "us", rows);
  add_spread(whole, "GDAHJ", rows, &Row::gdahj_with_kinematics);
  add_spread(whole, "CRBA", rows, &Row::crba_with_kinematics);
  whole.item = {"Fig. 4", "left out",
                "GDAHJ is faster from " + faster(&Row::time_ratio_with_kinematics) + ", by up to " +
                    largest(&Row::time_ratio_with_kinematics) + " times"};
  record.figure(whole);
}

void figure_5(Record& record, const std::vector<Row>& rows) {
  Figure error = over_joints("fig_5", "Difference between GDAHJ and CRBA, eq 32", "relative", rows);
  add_spread(error, "eq 32", rows, &Row::error);
  double most = 0.0;
  for (const Row& row : rows) {
    for (const double e : row.error) most = larger_error(most, e / (row.n * row.n));
  }
  error.item = {"Fig. 5", "small, by rounding",
                "the measure sums n^2 entries; an entry differs by " + number(most, 2) + " of the largest at most"};
  record.figure(error);
  record.check("difference between GDAHJ and CRBA, eq 32, per element of M", most, 1e-13);
}

void table_1(Record& record, const std::vector<Row>& rows) {
  const auto paper = [](const char* label, double n) {
    const cli::PaperFormula& f = cli::paper_formula(label);
    return f.multiplications(n) + f.additions(n);
  };
  Grid grid{{"n", "GDAHJ counted", "GDAHJ formula", "CRBA counted", "CRBA formula", "GDAHJ + kinematics",
             "CRBA + kinematics"},
            {},
            "table_1"};
  Figure counts = over_joints("operations", "Operations of one M (multiplications + additions)", "operations", rows);
  counts.series = {
      {"GDAHJ", {}}, {"CRBA", {}}, {"GDAHJ + kinematics", {}}, {"GDAHJ formula", {}}, {"CRBA formula", {}}};
  for (const Row& r : rows) {
    const double whole = r.gdahj_operations + r.kinematics_of_gdahj;
    const double values[] = {r.gdahj_operations, r.crba_operations, whole, paper("GDAHJ", r.n), paper("CRBA", r.n)};
    for (size_t k = 0; k < counts.series.size(); ++k) counts.series[k].y.push_back(values[k]);
    if (r.n % 10 != 0 && r.n != 4 && r.n != 7 && r.n != 13) continue;
    grid.rows.push_back({std::to_string(r.n), number(values[0], 9), number(values[3], 9), number(values[1], 9),
                         number(values[4], 9), number(whole, 9), number(r.crba_operations + r.kinematics_of_crba, 9)});
  }
  const Item item{"Table I", "GDAHJ needs fewer operations above 13 joints, kinematics left out",
                  "from " + crossing(rows, [](const Row& r) { return r.gdahj_operations < r.crba_operations; }) +
                      "; kinematics included from " + crossing(rows, [](const Row& r) {
                        return r.gdahj_operations + r.kinematics_of_gdahj < r.crba_operations + r.kinematics_of_crba;
                      })};
  record.table("Multiplications and additions of one M", grid, item);
  counts.item = item;
  record.figure(counts);
}

}  // namespace

void gdahj_scaling(Record& record) {
  record.say(
      "Paper 003 (Safeea, Neto and Bearee), section IV: chains of n revolute joints with random Denavit-Hartenberg "
      "parameters, masses from 1 to 10 kg, inertias of solid boxes turned at random; 20 of each length, " +
      std::to_string(rounds) + " states each.");
  std::mt19937_64 rng(13);
  std::vector<Row> rows;
  for (const int n : {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100}) {
    record.progress("gdahj-scaling: " + std::to_string(n) + " of 100 joints");
    Row row;
    row.n = n;
    for (int k = 0; k < robots; ++k) {
      const Model model = Model::build(cli::generic_chain(n, 2026 + static_cast<std::uint64_t>(k)));
      if (k == 0) count(row, model);
      time(row, model, rng);
    }
    rows.push_back(row);
  }
  table_1(record, rows);
  figure_4(record, rows);
  figure_5(record, rows);
}

}  // namespace dyn::study
