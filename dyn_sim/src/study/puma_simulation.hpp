// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 001's simulation of the PUMA: torques from inverse dynamics along eq 38, integrated open loop.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::study {

inline constexpr size_t puma_joints = 6;
inline constexpr double puma_shown_s = 7.0;      // by then no simulation follows the wanted motion any more
inline constexpr double puma_acceptable = 0.01;  // rad off; the paper does not say what it calls acceptable
inline constexpr double puma_compared_s = 6.0;   // for which the paper compares CPU times

// Eq 38: every joint from 0 to pi in 10 s.
struct WantedMotion {
  double q, v, a;
  explicit WantedMotion(double t_s);
};

// qdd at (q, v, tau); throws ModelError where M is singular.
using ForwardDynamics = std::function<void(std::span<const double> q, std::span<const double> v,
                                           std::span<const double> tau, std::span<double> qdd)>;
struct Solver {
  std::string name;
  ForwardDynamics run;
};
// The two algorithms the paper compares, with the same bias C v + g: in the form that the papers print, on scalars,
// with RNEA's; and in lane form, with fused's. The model must outlive them.
[[nodiscard]] Solver paper_form(const Model& model, const std::string& algorithm);  // denoc, cholesky
[[nodiscard]] Solver lane_form(const Model& model, const std::string& algorithm);

// The torques of inverse dynamics for eq 38.
[[nodiscard]] std::vector<double> puma_torques(const Model& model, double t_s);

struct Simulation {
  std::array<double, puma_joints> acceptable_s{};  // until a joint is puma_acceptable off
  std::vector<double> t;
  std::array<std::vector<double>, puma_joints> q, error, tau;
  std::vector<double> acceleration3, power, wanted_power;
  std::vector<double> cpu_ms;  // since the start
  long evaluations = 0;        // of the forward dynamics, up to puma_compared_s
  double ms = 0.0;             // up to puma_compared_s

  [[nodiscard]] double shortest_s() const;
};

// Runge-Kutta 5(4); a row every `interval_s`, at which the integrator's steps end too.
[[nodiscard]] Simulation simulate_puma(const Model& model, const Solver& solver, double tolerance, double interval_s);

// The largest real part of the eigenvalues of the motion linearised about the wanted one at time t, 1/s: errors grow as
// exp of its integral.
[[nodiscard]] double growth_rate(const Model& model, const Solver& solver, double t_s);

}  // namespace dyn::study
