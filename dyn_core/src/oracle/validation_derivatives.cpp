// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "validation_derivatives.hpp"

#include <cmath>
#include <limits>

#include "dyn_core/numeric/residual.hpp"

namespace dyn::oracle {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double derivative_tolerance = 1e-11;
constexpr double acceleration_tolerance = 1e-12;  // times the condition number of M
constexpr double infinity = std::numeric_limits<double>::infinity();

std::span<double> span(Matrix& m) { return {m.data(), static_cast<size_t>(m.size())}; }

}  // namespace

void DerivativeComparison::at(PinocchioModel& oracle, const State& state, const Scales& scales, const Record& record) {
  compare_inverse(oracle, state, scales, record);
  compare_forward(oracle, state, scales, record);
  compare_regressor(oracle, state, scales, record);
}

void DerivativeComparison::compare_inverse(PinocchioModel& oracle, const State& s, const Scales& scales,
                                           const Record& record) {
  const Eigen::Index n = s.q.size();
  Matrix dq(n, n), dv(n, n);
  oracle.inverse_derivatives(s.q, s.v, s.a, span(dq), span(dv));
  const bool ok = derivatives_.update_inverse(s.q, s.v, s.a).ok();
  record("derivative", "dtau/dq", derivative_tolerance,
         ok ? relative_error(derivatives_.dtau_dq(), dq, scales.force_floor) : infinity);
  record("derivative", "dtau/dv", derivative_tolerance,
         ok ? relative_error(derivatives_.dtau_dv(), dv, scales.matrix_floor) : infinity);
}

// Where M is singular there are no derivatives, and the status must say so.
void DerivativeComparison::compare_forward(PinocchioModel& oracle, const State& s, const Scales& scales,
                                           const Record& record) {
  const Eigen::Index n = s.q.size();
  Matrix dq(n, n), dv(n, n), dtau(n, n);
  const bool regular =
      std::isfinite(scales.condition) && oracle.forward_derivatives(s.q, s.v, s.tau, span(dq), span(dv), span(dtau));
  const bool ok = derivatives_.update_forward(s.q, s.v, s.tau).ok();
  const auto compare = [&](const char* name, const ConstMatrixRef<double>& ours, const Matrix& truth) {
    double error = ok ? infinity : 0.0;
    if (regular) error = ok ? relative_error(ours, truth) / scales.condition : infinity;
    record("derivative", name, acceleration_tolerance, error);
  };
  compare("dqdd/dq", derivatives_.dqdd_dq(), dq);
  compare("dqdd/dv", derivatives_.dqdd_dv(), dv);
  compare("dqdd/dtau", derivatives_.dqdd_dtau(), dtau);
}

// Y, and Y p (with armature) against the torque, which finds wrong inertias too.
void DerivativeComparison::compare_regressor(PinocchioModel& oracle, const State& s, const Scales& scales,
                                             const Record& record) {
  const Eigen::Index n = s.q.size();
  const regressor::Layout& layout = regressor_.layout();
  Matrix Y(n, layout.parameters());
  Vector tau(n), p(layout.parameters());
  oracle.regressor(s.q, s.v, s.a, layout.link, span(Y));
  oracle.inverse(s.q, s.v, s.a, {tau.data(), s.q.size()});
  regressor_.parameters({p.data(), static_cast<size_t>(p.size())});
  const bool ok = regressor_.update(s.q, s.v, s.a).ok();
  record("regressor", "Y", derivative_tolerance, ok ? relative_error(regressor_.Y(), Y) : infinity);
  Vector ours = regressor_.Y() * p;
  for (Eigen::Index i = 0; i < n; ++i) {
    ours[i] += regressor_.model().tree().armature[i] * s.a[i];
  }
  record("regressor", "Y p", derivative_tolerance, ok ? relative_error(ours, tau, scales.force_floor) : infinity);
}

}  // namespace dyn::oracle
