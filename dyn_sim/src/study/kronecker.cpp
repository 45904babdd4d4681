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
#include "dyn_sim/law_in_mujoco.hpp"
#include "dyn_sim/plant.hpp"
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
        rate(i, j) += derivatives.at_bodies(tree, i, j, k) * v[k];
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

// The feedforward law (72) along (73), to be evaluated at every stage of an integrator.
class Feedforward {
 public:
  explicit Feedforward(const Model& model) : law_(model, {.coriolis = "kronecker"}), qr_(3), vr_(3), ar_(3) {}

  void torque(double t, std::span<double> tau) {
    wanted_->sample(t, qr_, vr_, ar_);
    demand(law_.update_terms(std::span<const double>(qr_), vr_, terms_all), law_.model());
    const Eigen::Map<const Eigen::Vector3d> a(ar_.data()), v(vr_.data());
    Eigen::Map<Eigen::Vector3d>(tau.data()) = law_.M() * a + law_.C() * v + law_.g();
  }
  [[nodiscard]] const std::vector<double>& reference(double t) {
    wanted_->sample(t, qr_, vr_, ar_);
    return qr_;
  }

 private:
  Dynamics law_;
  std::shared_ptr<const sim::Trajectory> wanted_ = sim::paper_004_feedforward().trajectory;  // eq 73
  std::vector<double> qr_, vr_, ar_;
};

struct FeedforwardMotion {
  std::vector<double> t;
  std::array<std::vector<double>, 3> q, reference, error, tau;
  double worst = 0.0;  // largest error, rad

  void note(double at, std::span<const double> state, const std::vector<double>& wanted,
            std::span<const double> torque) {
    t.push_back(at);
    for (size_t i = 0; i < 3; ++i) {
      q[i].push_back(state[i]);
      reference[i].push_back(wanted[i]);
      error[i].push_back(std::abs(state[i] - wanted[i]));
      tau[i].push_back(torque[i]);
      worst = larger_error(worst, error[i].back());
    }
  }
};

constexpr double row_s = 1e-3;
constexpr int rows = 1000, steps_a_row = 10;

// An ideal arm of ours, by Dormand and Prince's Runge-Kutta.
FeedforwardMotion in_our_integrator(const Model& model) {
  Feedforward law(model);
  Dynamics arm(model, {.forward = "aba"});
  std::vector<double> tau(3), x(6, 0.0);
  const auto motion = [&](double t, const std::vector<double>& state, std::vector<double>& rate) {
    law.torque(t, tau);
    std::copy(state.begin() + 3, state.end(), rate.begin());
    demand(arm.update_terms(std::span(state).first(3), std::span(state).subspan(3), 0), model);
    demand(arm.forward(tau, std::span(rate).subspan(3)), model);
  };
  sim::DormandPrince integrator;
  integrator.resize(x.size());
  FeedforwardMotion all;
  for (int k = 0; k <= rows; ++k) {
    law.torque(k * row_s, tau);
    all.note(k * row_s, x, law.reference(k * row_s), tau);
    integrator.fixed(motion, k * row_s, row_s, steps_a_row, x);
  }
  return all;
}

// The same law inside MuJoCo, by its control callback and its RK4.
FeedforwardMotion in_mujoco(const Model& model) {
  Feedforward law(model);
  std::vector<double> tau(3);
  const auto evaluate = [&](double t, std::span<const double>, std::span<const double>, std::span<double> to) {
    law.torque(t, to);
  };
  FeedforwardMotion all;
  for (const sim::MujocoRow& row :
       sim::simulate_in_mujoco(model, evaluate, row_s / steps_a_row, rows * steps_a_row, steps_a_row)) {
    law.torque(row.t_s, tau);
    all.note(row.t_s, row.q, law.reference(row.t_s), tau);
  }
  return all;
}

Figure of_joints(const std::string& file, const std::string& title, const std::string& unit,
                 const FeedforwardMotion& motion, const std::array<std::vector<double>, 3>& values, const Item& item) {
  Figure figure{file, title, "t, s", unit, motion.t, {}};
  for (size_t i = 0; i < 3; ++i) figure.series.push_back({"joint " + std::to_string(i + 1), values[i]});
  figure.item = item;
  return figure;
}

void figures_5_and_6(Record& record, const Model& model) {
  const FeedforwardMotion ours = in_our_integrator(model);
  record.figure(of_joints("fig_5", "Input torques of the feedforward law", "N m", ours, ours.tau,
                          {"Fig. 5", "torques of the law (72) along (73)", "the same law, C by kronecker"}));
  Figure motion = of_joints("fig_6a", "References and responses", "rad", ours, ours.q,
                            {"Fig. 6a", "responses lie on the references", "they do"});
  for (size_t i = 0; i < 3; ++i) {
    motion.series.push_back({"reference " + std::to_string(i + 1), ours.reference[i]});
  }
  record.figure(motion);
  const std::string missing = sim::mujoco_missing();
  Figure tracking = of_joints("fig_6b", "Tracking error of the feedforward law", "rad", ours, ours.error, {});
  tracking.logarithmic = true;
  std::string theirs = "MuJoCo's was not tried: " + missing;
  if (missing.empty()) {
    const FeedforwardMotion mujoco = in_mujoco(model);
    for (size_t i = 0; i < 3; ++i) {
      tracking.series.push_back({"joint " + std::to_string(i + 1) + " in MuJoCo", mujoco.error[i]});
    }
    theirs = number(mujoco.worst, 2) + " in MuJoCo (the law in its control callback, its RK4, steps of 0.1 ms)";
    record.check("tracking error in MuJoCo's integrator, rad", mujoco.worst, 1e-11);
  }
  tracking.item = {"Fig. 6b", "not greater than 1e-12 rad in Simscape Multibody, by its integrator",
                   number(ours.worst, 2) + " in our integrator; " + theirs};
  record.figure(tracking);
  record.compare("tracking error of the feedforward law over 1 s, rad", "not greater than 1e-12", tracking.item.here);
  record.check("tracking error in our integrator, rad", ours.worst, 1e-12);
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
  record.table("Largest errors against eqs 64 to 69, and eq 70, N m and N m s", grid,
               {"", "C by Kronecker products is that of the closed form, and Mdot - 2C is skew-symmetric",
                "so are all of this project's, entry by entry; (70) prints I_3zz for I_3xx in its first two lines"});
  figures_5_and_6(record, model);
  record.check("C against the closed form, entry by entry, N m s", all.C, 1e-12);
  record.check("C v against the closed form, N m", all.Cv, 1e-11);
  record.check("symmetric part of Mdot - 2C, N m s", all.skew, 1e-12);
}

}  // namespace dyn::study
