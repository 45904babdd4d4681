// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 001 (Mohan and Saha), sections 4.2 and 5: the PUMA with slender links driven by the torques that inverse
// dynamics gives for eq 38, integrated open loop by Runge-Kutta 5(4) with tolerance 1e-8. How long is the motion that
// comes out the wanted one, with each forward dynamics, and what limits it?
#include <cmath>

#include "count/operation_counts.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "output.hpp"
#include "study/helpers.hpp"
#include "study/puma_simulation.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;

constexpr double interval_s = 0.01;  // between two rows of the figures
constexpr int rounds = 5;            // of which the least CPU time counts

const char* const algorithms[] = {"denoc", "cholesky"};

struct Pair {
  Simulation recursive, non_recursive;  // paper form
};

void inputs(Record& record, const Model& model, const Simulation& s) {
  Figure torque{"fig_4", "Torques of the six joints along the wanted motion", "t, s", "N m", {}, {}};
  Figure angle{"fig_5", "Angles, simulated with denoc, and the wanted one", "t, s", "rad", s.t, {}};
  std::vector<double> wanted;
  for (const double t : s.t) wanted.push_back(WantedMotion(t).q);
  angle.series.push_back({"wanted (all joints)", wanted});
  for (size_t i = 0; i < puma_joints; ++i) {
    torque.series.push_back({"joint " + std::to_string(i + 1), {}});
    angle.series.push_back({"joint " + std::to_string(i + 1), s.q[i]});
  }
  for (int k = 0; k <= 500; ++k) {  // the whole 10 s
    const std::vector<double> tau = puma_torques(model, 0.02 * k);
    torque.x.push_back(0.02 * k);
    for (size_t i = 0; i < puma_joints; ++i) torque.series[i].y.push_back(tau[i]);
  }
  torque.item = {"Fig. 4", "torques from inverse dynamics for eq 38", "the same, by rnea; largest at joint 2"};
  angle.item = {"Fig. 5", "joints 1, 2 and 4 match throughout, 3, 5 and 6 up to 5.5 s",
                "all joints match up to " + number(s.shortest_s(), 3) + " s, then all leave the wanted motion"};
  record.figure(torque);
  record.figure(angle);
}

void outputs(Record& record, const Pair& pair) {
  const auto& [recursive, other] = pair;
  for (size_t i = 0; i < puma_joints; ++i) {
    const std::string letter(1, static_cast<char>('a' + i)), joint = "joint " + std::to_string(i + 1);
    Figure error{"fig_6" + letter, "Error of " + joint, "t, s", "rad", recursive.t, {}, true};
    error.series = {{"denoc", recursive.error[i]}, {"cholesky", other.error[i]}};
    error.item = {"Fig. 6" + letter, "the recursive algorithm is accurate for longer than Cholesky's",
                  "both leave together: " + number(recursive.acceptable_s[i], 3) + " and " +
                      number(other.acceptable_s[i], 3) + " s"};
    record.figure(error);
  }
  std::vector<double> wanted;
  for (const double t : recursive.t) wanted.push_back(WantedMotion(t).a);
  record.figure({"fig_7",
                 "Acceleration of joint 3",
                 "t, s",
                 "rad/s^2",
                 recursive.t,
                 {{"wanted", wanted}, {"denoc (7a)", recursive.acceleration3}, {"cholesky (7b)", other.acceleration3}},
                 false,
                 false,
                 {"Fig. 7", "the recursive algorithm's is smooth for longer, about 5.5 s",
                  "the two lie on each other until the motion breaks up at about 6 s"}});
  record.figure({"fig_8",
                 "Power of the torques: wanted, and of the simulated motion",
                 "t, s",
                 "W",
                 recursive.t,
                 {{"wanted", recursive.wanted_power}, {"denoc", recursive.power}, {"cholesky", other.power}},
                 false,
                 false,
                 {"Fig. 8", "powers match for longer with the recursive algorithm", "they part at the same time"}});
}

std::vector<std::string> durations(const std::string& name, double tolerance, const Simulation& s) {
  std::vector<std::string> row{name, number(tolerance)};
  for (const double t : s.acceptable_s) row.push_back(number(t, 4));
  return row;
}

// Table 3. Returns how far the largest difference between two algorithms at one tolerance goes, s.
double table_3(Record& record, const Model& model, const Pair& pair) {
  Grid grid{{"forward dynamics", "tolerance", "joint 1", "2", "3", "4", "5", "6"}, {}, "table_3"};
  grid.rows.push_back(durations("denoc, paper form", 1e-8, pair.recursive));
  grid.rows.push_back(durations("cholesky, paper form", 1e-8, pair.non_recursive));
  double apart = 0.0;
  for (size_t i = 0; i < puma_joints; ++i) {
    apart = larger_error(apart, std::abs(pair.recursive.acceptable_s[i] - pair.non_recursive.acceptable_s[i]));
  }
  double tighter = puma_shown_s;
  for (const char* algorithm : algorithms) {
    const Simulation s = simulate_puma(model, paper_form(model, algorithm), 1e-12, interval_s);
    grid.rows.push_back(durations(std::string(algorithm) + ", paper form", 1e-12, s));
    tighter = std::min(tighter, s.shortest_s());
  }
  record.table(
      "Acceptable duration of each joint, s (until it is 0.01 rad off)", grid,
      {"Table 3", "recursive 5.4 to 5.6 s, non-recursive 4.8 to 5.1 s (the text says about 1.5 s of the latter)",
       "both " + number(pair.recursive.shortest_s(), 3) + " to " +
           number(*std::max_element(pair.recursive.acceptable_s.begin(), pair.recursive.acceptable_s.end()), 3) +
           " s; a tolerance of 1e-12 makes it " + number(tighter, 3) + " s: not the algorithm limits it"});
  record.check("seconds by which a tighter tolerance lasts less long than 1e-8", pair.recursive.shortest_s() - tighter,
               0.0);
  return apart;
}

struct Timed {
  Solver solver;
  Simulation best;
};

// In turns; the same bias within a pair.
std::vector<Timed> time_all(const Model& model) {
  std::vector<Timed> all;
  for (const char* algorithm : algorithms) all.push_back({paper_form(model, algorithm), {}});
  for (const char* algorithm : algorithms) all.push_back({lane_form(model, algorithm), {}});
  for (int round = 0; round < rounds; ++round) {
    for (Timed& timed : all) {
      Simulation s = simulate_puma(model, timed.solver, 1e-8, interval_s);
      if (round == 0 || s.ms < timed.best.ms) timed.best = std::move(s);
    }
  }
  return all;
}

void figure_9(Record& record, const Model& model) {
  const std::vector<Timed> all = time_all(model);
  Figure figure{"fig_9", "CPU time of the simulation", "simulated time, s", "CPU time, ms", {}, {}};
  const auto rows = static_cast<std::ptrdiff_t>(std::lround(puma_compared_s / interval_s)) + 1;
  figure.x.assign(all[0].best.t.begin(), all[0].best.t.begin() + rows);
  Grid grid{{"forward dynamics", "bias C v + g", "mult a call, bias given", "add a call, bias given",
             "evaluations to 6 s", "ms to 6 s", "us an evaluation"},
            {},
            "fig_9_times"};
  for (const Timed& timed : all) {
    const std::string algorithm = timed.solver.name.substr(0, timed.solver.name.find(','));
    const OperationCount count = cli::count_algorithms(model, "forward_dynamics", algorithm).front().papers;
    const bool lanes = timed.solver.name.ends_with("lane form");
    grid.rows.push_back(
        {timed.solver.name, lanes ? "fused" : "rnea", lanes ? "-" : std::to_string(count.multiplications),
         lanes ? "-" : std::to_string(count.additions), std::to_string(timed.best.evaluations),
         number(timed.best.ms, 3), number(1e3 * timed.best.ms / static_cast<double>(timed.best.evaluations), 3)});
    figure.series.push_back({timed.solver.name, {timed.best.cpu_ms.begin(), timed.best.cpu_ms.begin() + rows}});
  }
  figure.item = {"Fig. 9", "the recursive algorithm takes less time, since its accelerations stay smooth for longer",
                 "Cholesky takes " + number(all[1].best.ms / all[0].best.ms, 3) +
                     " times the recursive one's time in paper form, " + number(all[3].best.ms / all[2].best.ms, 3) +
                     " times in lane form, by its operations; the number of evaluations is the same"};
  record.figure(figure);
  record.table("CPU times, least of 5 simulations each, in turns (torques of the law included)", grid, figure.item);
}

void step_sizes(Record& record, const Model& model) {
  Grid grid{{"interval, s", "denoc, s", "cholesky, s", "evaluations", "denoc, ms", "cholesky, ms"}, {}, "step_sizes"};
  double least = puma_shown_s, most = 0.0;
  for (const double interval : {0.1, 0.01, 0.001, 0.0001}) {
    record.progress("puma: steps of at most " + number(interval) + " s");
    const Simulation a = simulate_puma(model, paper_form(model, "denoc"), 1e-8, interval);
    const Simulation b = simulate_puma(model, paper_form(model, "cholesky"), 1e-8, interval);
    grid.rows.push_back({number(interval), number(a.shortest_s(), 4), number(b.shortest_s(), 4),
                         std::to_string(a.evaluations), number(a.ms, 3), number(b.ms, 3)});
    least = std::min({least, a.shortest_s(), b.shortest_s()});
    most = std::max({most, a.shortest_s(), b.shortest_s()});
  }
  record.table(
      "Step sizes (section 5): acceptable duration (shortest joint) and CPU time to 6 s", grid,
      {"Fig. 9, step sizes", "0.1, 0.01, 0.001 and 0.0001 made no significant difference",
       "the duration is " + number(least, 3) + " to " + number(most, 3) +
           " s whatever the interval; here the integrator's steps end at each row, so short intervals cost time"});
}

// exp of the integral of the growth rate.
double growth(const Figure& rate, double from_s, double to_s) {
  double integral = 0.0;
  for (size_t k = 1; k < rate.x.size(); ++k) {
    if (rate.x[k] <= from_s || rate.x[k] > to_s + 1e-9) continue;
    integral += 0.5 * (rate.series[0].y[k] + rate.series[0].y[k - 1]) * (rate.x[k] - rate.x[k - 1]);
  }
  return std::exp(integral);
}

void instability(Record& record, const Model& model) {
  const Solver solver = paper_form(model, "denoc");
  Figure figure{"instability",
                "Largest growth rate of the motion linearised about the wanted one",
                "t, s",
                "1/s",
                {},
                {{"largest real part of the eigenvalues", {}}}};
  for (int k = 0; k <= 130; ++k) {
    figure.x.push_back(0.05 * k);
    figure.series[0].y.push_back(growth_rate(model, solver, 0.05 * k));
  }
  const auto at = [&](size_t seconds) { return figure.series[0].y[20 * seconds]; };
  figure.item = {"", "the zero eigenvalue of the system, and the algorithm's numerical stability, limit the duration",
                 number(at(0), 2) + " /s at 0 s, " + number(at(5), 2) + " /s at 5 s, " + number(at(6), 2) +
                     " /s at 6 s: from 3 s to 6 s an error grows by " + number(growth(figure, 3.0, 6.0), 2) +
                     ", whatever the algorithm"};
  record.figure(figure);
  record.compare("what limits the duration", "the algorithm's numerical stability", figure.item.here);
  record.check("growth rate at 0 s, 1/s", std::abs(at(0)), 0.1);
  record.check("growth rate at 5 s, off 2.5 /s", std::abs(at(5) - 2.5), 0.3);
  record.check("growth rate at 6 s, off 30 /s", std::abs(at(6) - 30.0), 3.0);
}

}  // namespace

void puma(Record& record) {
  const Model model = load_model("puma");
  record.say(
      "Paper 001 (Mohan and Saha), sections 4.2 and 5: PUMA of Table 2, torques from inverse dynamics along eq 38, "
      "open loop for 7 of its 10 s. A joint's motion counts as acceptable until it is " +
      number(puma_acceptable) + " rad off (the paper does not say what it calls acceptable).");
  record.progress("puma: Table 3");
  const Pair pair{simulate_puma(model, paper_form(model, "denoc"), 1e-8, interval_s),
                  simulate_puma(model, paper_form(model, "cholesky"), 1e-8, interval_s)};
  inputs(record, model, pair.recursive);
  outputs(record, pair);
  const double apart = table_3(record, model, pair);
  figure_9(record, model);
  step_sizes(record, model);
  instability(record, model);
  record.check("recursive, shortest acceptable duration off 5.99 s", std::abs(pair.recursive.shortest_s() - 5.99),
               0.03);
  record.check("the two algorithms' durations apart, s", apart, 0.03);
}

}  // namespace dyn::study
