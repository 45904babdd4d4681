// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 004 (Truc, Quyen and Quang), section 5: the three-link arm, C by Kronecker products against the closed form,
// the skew symmetry of Mdot - 2C, and the feedforward law (72) along (73) with an ideal arm.
#include <array>
#include <cmath>
#include <numbers>

#include "algorithm_families.hpp"
#include "closed_forms.hpp"
#include "dyn_core/kinematics/inertia_derivatives.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_sim/dormand_prince.hpp"
#include "dyn_sim/precision.hpp"
#include "output.hpp"
#include "study/helpers.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;
using closed_forms::ClosedForm;

constexpr double pi = std::numbers::pi;

// Mdot = sum over k of dM/dq_k v_k, from analytic dM/dq: not from C + C^T.
MatX<double> mass_rate(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  const Tree& tree = model.tree();
  Workspace<double> ws(tree.size);
  spread_positions(tree, q.data(), ws);
  update_kinematics(tree, ws, needs_inertias);
  InertiaDerivatives<double> derivatives(tree.size);
  derivatives.prepare(tree, ws);
  MatX<double> rate = MatX<double>::Zero(tree.size, tree.size);
  for (int i = 0; i < tree.size; ++i) {
    for (int j = 0; j < tree.size; ++j) {
      for (int k = 0; k < tree.size; ++k) {
        rate(i, j) += derivatives.at_bodies(tree, i, j, k) * v[static_cast<size_t>(k)];
      }
    }
  }
  return rate;
}

struct Errors {
  double C = 0.0, Cv = 0.0, skew = 0.0;
};

Errors errors_of(Dynamics& dynamics, std::string_view algorithm, const closed_forms::ThreeLinkForm& form) {
  dynamics.set_algorithms({.coriolis = AlgorithmIndex::find_coriolis(algorithm)});
  std::mt19937_64 rng(3);
  Errors worst;
  for (int k = 0; k < 500; ++k) {
    const std::vector<double> q = random_values(rng, 3, pi), v = random_values(rng, 3, 5.0);
    const Eigen::Map<const Eigen::Vector3d> rate(v.data());
    demand(dynamics.update(q, v), dynamics.model());
    const ClosedForm exact = form.closed_form(q, v);
    const MatX<double> C = dynamics.C();
    const MatX<double> N = mass_rate(dynamics.model(), q, v) - 2.0 * C;
    worst.C = larger_error(worst.C, largest_entry(C - exact.C));
    worst.Cv = larger_error(worst.Cv, largest_entry(C * rate - exact.C * rate));
    worst.skew = larger_error(worst.skew, largest_entry(N + N.transpose()));
  }
  return worst;
}

// The law is evaluated at every stage of the integrator. Returns the largest error up to 1 s.
double feedforward(Record& record, const Model& model) {
  Dynamics law(model, {.coriolis = "kronecker"});
  Dynamics arm(model, {.forward = "aba"});
  const std::shared_ptr<const sim::Trajectory> wanted = sim::paper_004_feedforward().trajectory;  // eq 73
  std::vector<double> qr(3), vr(3), ar(3), tau(3);
  const auto torque = [&](double t) {
    wanted->sample(t, qr, vr, ar);
    demand(law.update_terms(std::span<const double>(qr), vr, terms_all), model);
    const Eigen::Map<const Eigen::Vector3d> a(ar.data()), v(vr.data());
    Eigen::Map<Eigen::Vector3d>(tau.data()) = law.M() * a + law.C() * v + law.g();  // eq 72
  };
  const auto motion = [&](double t, const std::vector<double>& x, std::vector<double>& xdot) {
    torque(t);
    std::copy(x.begin() + 3, x.end(), xdot.begin());
    demand(arm.update_terms(std::span(x).first(3), std::span(x).subspan(3), 0), model);
    demand(arm.forward(tau, std::span(xdot).subspan(3)), model);
  };
  Figure torques{"torques", "Input torques of the feedforward law", "t, s", "N m", {}, {}};
  Figure tracking{"tracking", "Tracking error of the feedforward law", "t, s", "rad", {}, {}, true};
  for (const char* name : {"joint 1", "joint 2", "joint 3"}) {
    torques.series.push_back({name, {}});
    tracking.series.push_back({name, {}});
  }
  std::vector<double> x(6, 0.0);
  sim::DormandPrince integrator;
  integrator.resize(x.size());
  double worst = 0.0;
  for (int k = 0; k <= 1000; ++k) {
    const double t = k * 1e-3;
    torque(t);
    torques.x.push_back(t);
    for (size_t i = 0; i < 3; ++i) {
      const double error = std::abs(x[i] - qr[i]);
      worst = larger_error(worst, error);
      torques.series[i].y.push_back(tau[i]);
      tracking.series[i].y.push_back(error);
    }
    integrator.fixed(motion, t, 1e-3, 10, x);
  }
  tracking.x = torques.x;
  record.figure(torques);
  record.figure(tracking);
  return worst;
}

}  // namespace

void kronecker(Record& record) {
  const closed_forms::ThreeLinkForm form;
  const Model model = load_model("three_link", {.gravity_mps2 = {0.0, 0.0, -form.gravity}});
  Dynamics dynamics(model);
  record.say(
      "Paper 004 (Truc, Quyen and Quang), section 5: three-link arm, g = 9.807 m/s^2, against the closed forms "
      "(64) to (69) at 500 random states. In (70), I_3zz beside I_3yy in the first two lines is I_3xx.");
  Grid grid{{"coriolis_algorithm", "C, entry by entry", "C v", "Mdot - 2C + its transpose"}, {}};
  Errors all;
  for (const std::string_view name : cli::family_of("coriolis_algorithm").names) {
    const Errors e = errors_of(dynamics, name, form);
    grid.rows.push_back({std::string(name), number(e.C, 3), number(e.Cv, 3), number(e.skew, 3)});
    all.C = larger_error(all.C, e.C);
    all.Cv = larger_error(all.Cv, e.Cv);
    all.skew = larger_error(all.skew, e.skew);
  }
  record.table("Largest errors, N m and N m s", grid);
  const double worst = feedforward(record, model);
  record.compare("tracking error of the feedforward law over 1 s, rad", "not greater than 1e-12", number(worst, 2));
  record.check("C against the closed form, entry by entry, N m s", all.C, 1e-12);
  record.check("C v against the closed form, N m", all.Cv, 1e-11);
  record.check("symmetric part of Mdot - 2C, N m s", all.skew, 1e-12);
  record.check("tracking error, rad", worst, 1e-12);
}

}  // namespace dyn::study
