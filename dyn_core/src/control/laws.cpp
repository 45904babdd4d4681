// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/laws.hpp"

#include "dyn_core/precondition.hpp"

namespace dyn::control {
namespace {

double row_dot(const ConstMatrixRef<double>& A, Eigen::Index row, const VectorRef<double>& x) noexcept {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < x.size(); ++j) sum += A(row, j) * x[j];
  return sum;
}

double pid(const LawInput& in, Eigen::Index i) noexcept {
  if (i >= static_cast<Eigen::Index>(in.gains.size())) return 0.0;
  const JointGains& gain = in.gains[i];
  return in.feedback_scale * (gain.p * in.error[i] + gain.d * in.error_rate[i] + in.integral[i]);
}

[[maybe_unused]] bool sizes_fit(const LawInput& in, const LawOutput& out) noexcept {
  const Eigen::Index n = in.v.size();
  bool fit = in.M.rows() == n && in.M.cols() == n && in.C.rows() == n && in.C.cols() == n;
  for (const auto* x : {&in.g, &in.h, &in.error, &in.error_rate, &in.reference_v, &in.reference_a, &in.integral}) {
    fit = fit && x->size() == n;
  }
  for (const auto* x : {&out.inertia, &out.coriolis, &out.gravity, &out.feedback, &out.a, &out.sliding_v, &out.pid}) {
    fit = fit && x->size() == n;
  }
  return fit && in.feedback_scale >= 0.0 && in.feedback_scale <= 1.0;
}

}  // namespace

Status computed_torque(const LawInput& in, PassiveJoints& passive, LawOutput out) noexcept {
  DYN_EXPECTS(sizes_fit(in, out));
  const Eigen::Index n = in.v.size();
  for (Eigen::Index i = 0; i < n; ++i) {
    out.pid[i] = pid(in, i);
    out.a[i] = in.reference_a[i] + out.pid[i];
    out.inertia[i] = out.feedback[i] = 0.0;
  }
  if (const Status status = passive.solve_accelerations(in.M, in.h, out.a); !status.ok()) return status;
  for (Eigen::Index j = 0; j < n; ++j) {  // by columns, as M lies in memory
    const double by_feedback = out.pid[j];
    const double otherwise = out.a[j] - by_feedback;
    for (Eigen::Index i = 0; i < n; ++i) {
      out.inertia[i] += in.M(i, j) * otherwise;
      out.feedback[i] += in.M(i, j) * by_feedback;
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    out.gravity[i] = in.g[i];
    out.coriolis[i] = in.h[i] - in.g[i];
  }
  return {};
}

void feedforward(const LawInput& in, LawOutput out) noexcept {
  DYN_EXPECTS(sizes_fit(in, out));
  for (Eigen::Index i = 0; i < in.v.size(); ++i) {
    out.a[i] = in.reference_a[i];
    out.pid[i] = out.feedback[i] = pid(in, i);
    out.gravity[i] = in.g[i];
    out.coriolis[i] = in.h[i] - in.g[i];
  }
  for (Eigen::Index i = 0; i < in.v.size(); ++i) out.inertia[i] = row_dot(in.M, i, out.a);
}

void gravity_compensation(const LawInput& in, LawOutput out) noexcept {
  DYN_EXPECTS(sizes_fit(in, out));
  for (Eigen::Index i = 0; i < in.v.size(); ++i) {
    const bool own = i < static_cast<Eigen::Index>(in.gains.size());
    out.a[i] = 0.0;
    out.inertia[i] = 0.0;
    out.coriolis[i] = 0.0;
    out.gravity[i] = in.g[i];
    out.feedback[i] = own ? -in.gains[i].d * in.v[i] : 0.0;
  }
}

Status passivity(const LawInput& in, PassiveJoints& passive, LawOutput out) noexcept {
  DYN_EXPECTS(sizes_fit(in, out));
  const Eigen::Index n = in.v.size();
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool own = i < static_cast<Eigen::Index>(in.gains.size());
    const JointGains gain = own ? in.gains[i] : JointGains{};
    const double lambda = gain.d > 0.0 ? in.feedback_scale * gain.p / gain.d : 0.0;
    out.sliding_v[i] = in.reference_v[i] + lambda * in.error[i];
    out.a[i] = in.reference_a[i] + lambda * in.error_rate[i];
    out.gravity[i] = in.g[i];
    out.feedback[i] = -in.feedback_scale * gain.d * in.M(i, i) * (in.v[i] - out.sliding_v[i]);
    out.inertia[i] = out.coriolis[i] = 0.0;
  }
  for (int k = 0; k < passive.count(); ++k) {  // nothing drives these: s = 0
    const Eigen::Index i = passive.coordinate(k);
    out.sliding_v[i] = in.v[i];
    out.feedback[i] = 0.0;
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) out.coriolis[i] += in.C(i, j) * out.sliding_v[j];
  }
  VectorRef<double>& without_a = out.inertia;  // until it gets its own
  for (Eigen::Index i = 0; i < n; ++i) without_a[i] = out.coriolis[i] + in.g[i];
  const Status status = passive.solve_accelerations(in.M, {without_a.data(), n}, out.a);
  for (Eigen::Index i = 0; i < n; ++i) out.inertia[i] = row_dot(in.M, i, out.a);
  return status;
}

Status adaptive(const LawInput& in, PassiveJoints& passive, const Tree& tree, const ConstVectorRef<double>& q,
                PayloadEstimate& payload, LawOutput out) noexcept {
  const Status status = passivity(in, passive, out);
  payload.add_torque(tree, q, in.v, {out.sliding_v.data(), out.sliding_v.size()}, {out.a.data(), out.a.size()},
                     out.feedback);
  return status;
}

}  // namespace dyn::control
