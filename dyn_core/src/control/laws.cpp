// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/laws.hpp"

namespace dyn::control {
namespace {

double row_dot(const ConstMatrixRef<double>& A, Eigen::Index row, const VectorRef<double>& x) noexcept {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < x.size(); ++j) sum += A(row, j) * x[j];
  return sum;
}

double pid(const LawInput& in, Eigen::Index i) noexcept {
  if (i >= static_cast<Eigen::Index>(in.gains.size())) return 0.0;
  const JointGains& gain = in.gains[static_cast<size_t>(i)];
  return in.feedback_scale * (gain.p * in.error[i] + gain.d * in.error_rate[i] + in.integral[i]);
}

}  // namespace

Status computed_torque(const LawInput& in, PassiveJoints& passive, LawOutput out) noexcept {
  const Eigen::Index n = in.v.size();
  for (Eigen::Index i = 0; i < n; ++i) out.a[i] = in.reference_a[i] + pid(in, i);
  passive.damp_swing(in.M, in.v, in.passive_damping, out.a);
  if (const Status status = passive.solve_accelerations(in.M, in.h, out.a); !status.ok()) return status;
  for (Eigen::Index i = 0; i < n; ++i) {
    double feedback = 0.0;
    double total = 0.0;
    for (Eigen::Index j = 0; j < n; ++j) {
      total += in.M(i, j) * out.a[j];
      feedback += in.M(i, j) * pid(in, j);
    }
    out.feedback[i] = feedback;
    out.inertia[i] = total - feedback;
    out.gravity[i] = in.g[i];
    out.coriolis[i] = in.h[i] - in.g[i];
  }
  return {};
}

void feedforward(const LawInput& in, LawOutput out) noexcept {
  for (Eigen::Index i = 0; i < in.v.size(); ++i) {
    out.a[i] = in.reference_a[i];
    out.feedback[i] = pid(in, i);
    out.gravity[i] = in.g[i];
    out.coriolis[i] = in.h[i] - in.g[i];
  }
  for (Eigen::Index i = 0; i < in.v.size(); ++i) out.inertia[i] = row_dot(in.M, i, out.a);
}

void gravity_compensation(const LawInput& in, LawOutput out) noexcept {
  for (Eigen::Index i = 0; i < in.v.size(); ++i) {
    const bool own = i < static_cast<Eigen::Index>(in.gains.size());
    out.a[i] = 0.0;
    out.inertia[i] = 0.0;
    out.coriolis[i] = 0.0;
    out.gravity[i] = in.g[i];
    out.feedback[i] = own ? -in.gains[static_cast<size_t>(i)].d * in.v[i] : 0.0;
  }
}

void passivity(const LawInput& in, LawOutput out) noexcept {
  const Eigen::Index n = in.v.size();
  const auto lambda = [&](Eigen::Index i) {
    if (i >= static_cast<Eigen::Index>(in.gains.size())) return 0.0;
    const JointGains& gain = in.gains[static_cast<size_t>(i)];
    return gain.d > 0.0 ? gain.p / gain.d : 0.0;
  };
  const auto sliding_v = [&](Eigen::Index i) {
    return in.reference_v[i] + in.feedback_scale * lambda(i) * in.error[i];
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    out.a[i] = in.reference_a[i] + in.feedback_scale * lambda(i) * in.error_rate[i];
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    double coriolis = 0.0;
    for (Eigen::Index j = 0; j < n; ++j) coriolis += in.C(i, j) * sliding_v(j);
    const double s = in.v[i] - sliding_v(i);
    const bool own = i < static_cast<Eigen::Index>(in.gains.size());
    out.inertia[i] = row_dot(in.M, i, out.a);
    out.coriolis[i] = coriolis;
    out.gravity[i] = in.g[i];
    out.feedback[i] = own ? -in.feedback_scale * in.gains[static_cast<size_t>(i)].d * in.M(i, i) * s : 0.0;
  }
}

}  // namespace dyn::control
