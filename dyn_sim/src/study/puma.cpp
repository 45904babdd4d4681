// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 001 (Mohan and Saha), section 4.2 and 5: the PUMA with slender links driven by the torques that inverse
// dynamics gives for eq 38, integrated open loop by Runge-Kutta 5(4) with tolerance 1e-8. How long is the motion that
// comes out the wanted one, with each forward dynamics?
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>

#include "dyn_core/model/robot_library.hpp"
#include "dyn_sim/dormand_prince.hpp"
#include "output.hpp"
#include "study/helpers.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;

constexpr size_t joints = 6;
constexpr double horizon_s = 10.0;     // of the wanted motion
constexpr double shown_s = 7.0;        // by then no simulation follows it any more
constexpr double row_s = 0.01;         // between two rows of the figures
constexpr double acceptable = 0.01;    // rad
constexpr double paper_horizon_s = 6;  // for which the paper compares CPU times

// Eq 38: from 0 to pi in 10 s.
struct Wanted {
  double q, v, a;
  explicit Wanted(double t) {
    const double rate = std::numbers::pi / horizon_s, w = 2.0 * rate;
    q = rate * t - 0.5 * std::sin(w * t);
    v = rate - 0.5 * w * std::cos(w * t);
    a = 0.5 * w * w * std::sin(w * t);
  }
};

struct Run {
  std::string algorithm;
  double tolerance = 0.0;
  std::array<double, joints> acceptable_s{};  // until the error of each joint exceeds `acceptable`
  std::vector<double> t;
  std::array<std::vector<double>, joints> error;
  std::vector<double> power, wanted_power;
  double seconds_to_6s = 0.0;
  long evaluations_to_6s = 0;
};

// One open-loop simulation.
Run simulate(const Model& model, const std::string& algorithm, double tolerance) {
  Dynamics law(model, {.inverse = "rnea"}), arm(model, {.forward = algorithm});
  std::vector<double> tau(joints);
  const auto torque = [&](double t) {
    const Wanted w(t);
    demand(law.update_terms(std::vector<double>(joints, w.q), std::vector<double>(joints, w.v), 0), model);
    law.inverse(std::vector<double>(joints, w.a), tau);
  };
  Run run;
  run.algorithm = algorithm;
  run.tolerance = tolerance;
  run.acceptable_s.fill(shown_s);
  long evaluations = 0;
  const auto motion = [&](double t, const std::vector<double>& x, std::vector<double>& xdot) {
    ++evaluations;
    torque(t);
    std::copy(x.begin() + joints, x.end(), xdot.begin());
    Status status = arm.update_terms(std::span(x).first(joints), std::span(x).subspan(joints), 0);
    if (status.ok()) status = arm.forward(tau, std::span(xdot).subspan(joints));
    demand(status, model);
  };
  std::vector<double> x(2 * joints, 0.0);
  sim::DormandPrince integrator;
  integrator.resize(x.size());
  const auto start = std::chrono::steady_clock::now();
  const int rows = static_cast<int>(shown_s / row_s);
  for (int k = 0; k <= rows; ++k) {
    const double t = k * row_s;
    const Wanted w(t);
    torque(t);
    double power = 0.0, wanted_power = 0.0;
    for (size_t i = 0; i < joints; ++i) {
      const double error = std::abs(x[i] - w.q);
      if (!(error <= acceptable)) run.acceptable_s[i] = std::min(run.acceptable_s[i], t);
      run.error[i].push_back(error);
      power += tau[i] * x[joints + i];
      wanted_power += tau[i] * w.v;
    }
    run.t.push_back(t);
    run.power.push_back(power);
    run.wanted_power.push_back(wanted_power);
    if (k == static_cast<int>(paper_horizon_s / row_s)) {
      run.seconds_to_6s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      run.evaluations_to_6s = evaluations;
    }
    integrator.adaptive(motion, t, row_s, tolerance, 0.0, x);
  }
  return run;
}

void draw(Record& record, const Run& recursive, const Run& other) {
  Figure error{"error", "Error of joint 3, tolerance 1e-8", "t, s", "rad", recursive.t, {}, true};
  error.series = {{recursive.algorithm, recursive.error[2]}, {other.algorithm, other.error[2]}};
  record.figure(error);
  Figure power{"power", "Power of the torques", "t, s", "W", recursive.t, {}};
  power.series = {
      {"wanted", recursive.wanted_power}, {recursive.algorithm, recursive.power}, {other.algorithm, other.power}};
  record.figure(power);
}

double shortest(const Run& run) { return *std::min_element(run.acceptable_s.begin(), run.acceptable_s.end()); }

}  // namespace

void puma(Record& record) {
  const Model model = load_model("puma");
  record.say(
      "Paper 001 (Mohan and Saha), sections 4.2 and 5: PUMA of Table 2, torques from inverse dynamics along eq 38, "
      "open loop for 7 of its 10 s. A joint's motion counts as acceptable until it is " +
      number(acceptable) + " rad off (the paper does not say what it calls acceptable).");
  std::vector<Run> runs;
  for (const double tolerance : {1e-8, 1e-12}) {
    for (const char* algorithm : {"denoc", "cholesky", "aba", "fused"}) {
      record.progress(std::string("puma: ") + algorithm + ", tolerance " + number(tolerance));
      runs.push_back(simulate(model, algorithm, tolerance));
    }
  }
  Grid grid{{"forward_dynamics", "tolerance", "joint 1", "2", "3", "4", "5", "6", "evaluations to 6 s", "ms to 6 s"},
            {}};
  for (const Run& run : runs) {
    std::vector<std::string> row{run.algorithm, number(run.tolerance)};
    for (const double t : run.acceptable_s) row.push_back(t < shown_s ? number(t, 4) : "all " + number(shown_s));
    row.push_back(std::to_string(run.evaluations_to_6s));
    row.push_back(number(1e3 * run.seconds_to_6s, 3));
    grid.rows.push_back(row);
  }
  record.table("Acceptable duration of each joint, s", grid);
  draw(record, runs[0], runs[1]);
  record.compare("acceptable duration, recursive, s", "5.4 to 5.6", number(shortest(runs[0]), 4) + " (shortest joint)");
  record.compare("acceptable duration, non-recursive, s", "4.8 to 5.1",
                 number(shortest(runs[1]), 4) + " (shortest joint)");
  record.compare("which limits it", "the algorithm's numerical stability",
                 "the motion is unstable open loop: a tighter tolerance of the integrator gives " +
                     number(shortest(runs[4]), 4) + " and " + number(shortest(runs[5]), 4) + " s");
  record.check("seconds by which recursive falls short of the paper's 5.4", 5.4 - shortest(runs[0]), 0.0);
  record.check("seconds by which non-recursive falls short of the paper's 4.8", 4.8 - shortest(runs[1]), 0.0);
}

}  // namespace dyn::study
