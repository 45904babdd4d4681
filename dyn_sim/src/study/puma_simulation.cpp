// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/puma_simulation.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <numbers>

#include "dyn_core/forward/cholesky.hpp"
#include "dyn_core/forward/denoc.hpp"
#include "dyn_sim/dormand_prince.hpp"
#include "study/helpers.hpp"

namespace dyn::study {
namespace {

constexpr double horizon_s = 10.0;  // of the wanted motion

// Of this thread: other work of the machine does not count.
double cpu_time_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

template <class Algorithm>
Solver scalar_solver(const Model& model, const std::string& name) {
  struct Parts {
    explicit Parts(const Tree& tree) : ws(tree.size), algorithm(tree.size) {}
    Workspace<double> ws;
    Algorithm algorithm;
  };
  const auto parts = std::make_shared<Parts>(model.tree());
  return {name + ", paper form", [&model, parts](auto q, auto v, auto tau, auto qdd) {
            const Tree& tree = model.tree();
            spread_positions(tree, q.data(), parts->ws);
            spread_rates(tree, v.data(), parts->ws.v);
            update_kinematics(tree, parts->ws, Algorithm::needs);
            demand(parts->algorithm.compute(tree, parts->ws, ConstVectorRef<double>(tau.data(), tree.coordinates),
                                            VectorRef<double>(qdd.data(), tree.coordinates)),
                   model);
          }};
}

// The torques that inverse dynamics gives for the wanted motion.
class Torques {
 public:
  explicit Torques(const Model& model) : law_(model, {.inverse = "rnea"}), tau_(puma_joints) {}
  const std::vector<double>& at(double t_s) {
    const WantedMotion w(t_s);
    const std::vector<double> q(puma_joints, w.q), v(puma_joints, w.v), a(puma_joints, w.a);
    demand(law_.update_terms(std::span(q), std::span(v), 0), law_.model());
    law_.inverse(a, tau_);
    return tau_;
  }

 private:
  Dynamics law_;
  std::vector<double> tau_;
};

void note(Simulation& s, double t, const std::vector<double>& x, const std::vector<double>& tau, double acceleration3) {
  const WantedMotion w(t);
  double power = 0.0, wanted_power = 0.0;
  for (size_t i = 0; i < puma_joints; ++i) {
    const double error = std::abs(x[i] - w.q);
    if (!(error <= puma_acceptable)) s.acceptable_s[i] = std::min(s.acceptable_s[i], t);
    s.q[i].push_back(x[i]);
    s.error[i].push_back(error);
    s.tau[i].push_back(tau[i]);
    power += tau[i] * x[puma_joints + i];
    wanted_power += tau[i] * w.v;
  }
  s.t.push_back(t);
  s.acceleration3.push_back(acceleration3);
  s.power.push_back(power);
  s.wanted_power.push_back(wanted_power);
}

}  // namespace

WantedMotion::WantedMotion(double t_s) {
  const double rate = std::numbers::pi / horizon_s, w = 2.0 * rate;
  q = rate * t_s - 0.5 * std::sin(w * t_s);
  v = rate - 0.5 * w * std::cos(w * t_s);
  a = 0.5 * w * w * std::sin(w * t_s);
}

Solver paper_form(const Model& model, const std::string& algorithm) {
  return algorithm == "denoc" ? scalar_solver<forward::Denoc<double>>(model, algorithm)
                              : scalar_solver<forward::Cholesky<double>>(model, algorithm);
}

Solver lane_form(const Model& model, const std::string& algorithm) {
  const auto dynamics = std::make_shared<Dynamics>(model, AlgorithmChoice{.forward = algorithm});
  return {algorithm + ", lane form", [&model, dynamics](auto q, auto v, auto tau, auto qdd) {
            Status status = dynamics->update_terms(q, v, 0);
            if (status.ok()) status = dynamics->forward(tau, qdd);
            demand(status, model);
          }};
}

std::vector<double> puma_torques(const Model& model, double t_s) { return Torques(model).at(t_s); }

double Simulation::shortest_s() const { return *std::min_element(acceptable_s.begin(), acceptable_s.end()); }

Simulation simulate_puma(const Model& model, const Solver& solver, double tolerance, double interval_s) {
  constexpr size_t n = puma_joints;
  Torques torques(model);
  Simulation s;
  s.acceptable_s.fill(puma_shown_s);
  long evaluations = 0;
  const auto motion = [&](double t, const std::vector<double>& x, std::vector<double>& xdot) {
    ++evaluations;
    std::copy(x.begin() + n, x.end(), xdot.begin());
    solver.run(std::span(x).first(n), std::span(x).subspan(n), torques.at(t), std::span(xdot).subspan(n));
  };
  std::vector<double> x(2 * n, 0.0), xdot(2 * n);
  sim::DormandPrince integrator;
  integrator.resize(x.size());
  double spent_ms = 0.0;
  const long rows = std::lround(puma_shown_s / interval_s);
  for (long k = 0; k <= rows; ++k) {
    const double t = static_cast<double>(k) * interval_s;
    const std::vector<double>& tau = torques.at(t);
    solver.run(std::span(x).first(n), std::span(x).subspan(n), tau, std::span(xdot).subspan(n));
    note(s, t, x, tau, xdot[n + 2]);
    s.cpu_ms.push_back(spent_ms);
    if (k == std::lround(puma_compared_s / interval_s)) {
      s.ms = s.cpu_ms.back();
      s.evaluations = evaluations;
    }
    const double start_ms = cpu_time_ms();
    integrator.adaptive(motion, t, interval_s, tolerance, 0.0, x);
    spent_ms += cpu_time_ms() - start_ms;
  }
  return s;
}

// A = [0, 1; d qdd/dq, d qdd/dv] at the wanted state and torque, by central differences.
double growth_rate(const Model& model, const Solver& solver, double t_s) {
  constexpr size_t n = puma_joints;
  constexpr double step = 1e-5;
  const WantedMotion w(t_s);
  const std::vector<double> tau = Torques(model).at(t_s);
  Eigen::Matrix<double, 2 * n, 2 * n> A = Eigen::Matrix<double, 2 * n, 2 * n>::Zero();
  A.topRightCorner<n, n>().setIdentity();
  std::vector<double> x(2 * n, w.q), up(n), down(n);
  std::fill(x.begin() + n, x.end(), w.v);
  for (size_t k = 0; k < 2 * n; ++k) {
    const double centre = x[k];
    x[k] = centre + step;
    solver.run(std::span(x).first(n), std::span(x).subspan(n), tau, up);
    x[k] = centre - step;
    solver.run(std::span(x).first(n), std::span(x).subspan(n), tau, down);
    x[k] = centre;
    for (size_t i = 0; i < n; ++i) {
      A(n + i, k) = (up[i] - down[i]) / (2.0 * step);
    }
  }
  return A.eigenvalues().real().maxCoeff();
}

}  // namespace dyn::study
