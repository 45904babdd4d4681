// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 003 (Safeea, Neto and Bearee), section IV: GDAHJ against CRBA on random chains, by operations (Table I) and by
// time (Fig. 4), and the difference between their results (eq 32, Fig. 5). With and without the kinematics that GDAHJ
// builds on and the paper leaves out.
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

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double seconds(const std::function<void()>& work, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < repeats; ++k) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats;
}

struct Row {
  int n = 0;
  double gdahj_operations = 0.0, crba_operations = 0.0, kinematics_of_gdahj = 0.0, kinematics_of_crba = 0.0;
  double gdahj_s = 0.0, crba_s = 0.0, gdahj_with_kinematics_s = 0.0, crba_with_kinematics_s = 0.0;
  double error = 0.0;  // eq 32

  [[nodiscard]] double time_ratio() const { return crba_s / gdahj_s; }
  [[nodiscard]] double time_ratio_with_kinematics() const { return crba_with_kinematics_s / gdahj_with_kinematics_s; }
};

void count(Row& row, const Model& model) {
  const cli::AlgorithmCount gdahj = cli::count_algorithms(model, "jsim_algorithm", "gdahj").front();
  const cli::AlgorithmCount crba = cli::count_algorithms(model, "jsim_algorithm", "crba").front();
  row.gdahj_operations = operations(gdahj.compute);
  row.crba_operations = operations(crba.compute);
  row.kinematics_of_gdahj = operations(gdahj.kinematics);
  row.kinematics_of_crba = operations(crba.kinematics);
}

// The two in turns, medians of 25 rounds on random states.
void time(Row& row, const Model& model, std::mt19937_64& rng) {
  const Tree& tree = model.tree();
  Workspace<double> ws(tree.size);
  jsim::Gdahj<double> gdahj(tree.size);
  jsim::Crba<double> crba(tree.size);
  MatX<double> A(tree.size, tree.size), B(tree.size, tree.size);
  const auto by_gdahj = [&] { gdahj.compute(tree, ws, matrix_view(A.data(), tree.size, tree.size)); };
  const auto by_crba = [&] { crba.compute(tree, ws, matrix_view(B.data(), tree.size, tree.size)); };
  const int repeats = std::max(4, 20000 / (tree.size * tree.size + 20 * tree.size));
  std::array<std::vector<double>, 4> all;
  for (int round = 0; round < 25; ++round) {
    const std::vector<double> q = random_values(rng, tree.size, 3.0);
    spread_positions(tree, q.data(), ws);
    update_kinematics(tree, ws, needs_all);
    all[0].push_back(seconds(by_gdahj, repeats));
    all[1].push_back(seconds(by_crba, repeats));
    all[2].push_back(seconds([&] { update_kinematics(tree, ws, jsim::Gdahj<double>::needs), by_gdahj(); }, repeats));
    all[3].push_back(seconds([&] { update_kinematics(tree, ws, jsim::Crba<double>::needs), by_crba(); }, repeats));
    row.error = larger_error(row.error, (A - B).cwiseAbs().sum() / largest_entry((A + B) / 2.0));  // eq 32
  }
  row.gdahj_s = median(all[0]);
  row.crba_s = median(all[1]);
  row.gdahj_with_kinematics_s = median(all[2]);
  row.crba_with_kinematics_s = median(all[3]);
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

void draw(Record& record, const std::vector<Row>& rows) {
  Figure counts{"operations", "Operations of one M (multiplications + additions)", "joints", "operations", {}, {},
                true};
  counts.series = {{"GDAHJ", {}}, {"CRBA", {}}, {"GDAHJ + kinematics", {}}, {"GDAHJ, paper", {}}, {"CRBA, paper", {}}};
  Figure ratio{"ratio", "Time of CRBA over time of GDAHJ", "joints", "ratio", {}, {}};
  ratio.series = {{"without kinematics", {}}, {"with kinematics", {}}};
  Figure error{"error", "Difference between GDAHJ and CRBA, eq 32", "joints", "relative", {}, {{"largest", {}}}, true};
  const auto paper = [](const char* label, double n) {
    const cli::PaperFormula& f = cli::paper_formula(label);
    return f.multiplications(n) + f.additions(n);
  };
  for (const Row& row : rows) {
    counts.x.push_back(row.n);
    const double values[] = {row.gdahj_operations, row.crba_operations, row.gdahj_operations + row.kinematics_of_gdahj,
                             paper("GDAHJ", row.n), paper("CRBA", row.n)};
    for (size_t k = 0; k < counts.series.size(); ++k) counts.series[k].y.push_back(values[k]);
    ratio.series[0].y.push_back(row.time_ratio());
    ratio.series[1].y.push_back(row.time_ratio_with_kinematics());
    error.series[0].y.push_back(row.error);
  }
  ratio.x = error.x = counts.x;
  record.figure(counts);
  record.figure(ratio);
  record.figure(error);
}

void tell(Record& record, const std::vector<Row>& rows) {
  Grid grid{{"n", "GDAHJ ops", "CRBA ops", "GDAHJ + kinematics", "CRBA + kinematics", "GDAHJ us", "CRBA us",
             "CRBA / GDAHJ", "with kinematics", "eq 32"},
            {}};
  for (const Row& r : rows) {
    if (r.n % 10 != 0 && r.n != 4 && r.n != 7) continue;
    grid.rows.push_back({std::to_string(r.n), number(r.gdahj_operations), number(r.crba_operations),
                         number(r.gdahj_operations + r.kinematics_of_gdahj),
                         number(r.crba_operations + r.kinematics_of_crba), number(1e6 * r.gdahj_s, 3),
                         number(1e6 * r.crba_s, 3), number(r.time_ratio(), 3),
                         number(r.time_ratio_with_kinematics(), 3), number(r.error, 2)});
  }
  record.table("GDAHJ and CRBA on chains of n revolute joints (times: medians on this machine)", grid);
  const double best = std::max_element(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
                        return a.time_ratio() < b.time_ratio();
                      })->time_ratio();
  record.compare("GDAHJ needs fewer operations from", "more than 13 joints",
                 crossing(rows, [](const Row& r) { return r.gdahj_operations < r.crba_operations; }));
  record.compare("the same, kinematics included", "left out", crossing(rows, [](const Row& r) {
                   return r.gdahj_operations + r.kinematics_of_gdahj < r.crba_operations + r.kinematics_of_crba;
                 }));
  record.compare("GDAHJ is faster from", "more than 13 joints",
                 crossing(rows, [](const Row& r) { return r.time_ratio() > 1.0; }));
  record.compare("the same, kinematics included", "left out",
                 crossing(rows, [](const Row& r) { return r.time_ratio_with_kinematics() > 1.0; }));
  record.compare("largest ratio CRBA / GDAHJ in time", "2.2", number(best, 3));
}

}  // namespace

void gdahj_scaling(Record& record) {
  record.say("Paper 003 (Safeea, Neto and Bearee), section IV: chains of n revolute joints with generic parameters.");
  std::mt19937_64 rng(13);
  std::vector<Row> rows;
  double error = 0.0;
  for (int n = 4; n <= 100; n += n < 30 ? 1 : 5) {
    record.progress("gdahj-scaling: " + std::to_string(n) + " of 100 joints");
    const Model model = Model::build(cli::generic_chain(n));
    Row row{.n = n};
    count(row, model);
    time(row, model, rng);
    error = larger_error(error, row.error / (n * n));
    rows.push_back(row);
  }
  tell(record, rows);
  draw(record, rows);
  record.check("difference between GDAHJ and CRBA, eq 32, per element of M", error, 1e-13);
}

}  // namespace dyn::study
