// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "eval/derivatives_answer.hpp"

#include <map>
#include <string_view>

namespace dyn::cli {
namespace {

// d(friction)/dv: the damping of a coordinate, for mimic joints times the square of their ratio. Coulomb friction is
// constant in v except at v = 0.
VecX<double> damping(const Model& model) {
  std::map<std::string_view, double> of_joint;
  for (const JointDescription& joint : model.description().joints) of_joint[joint.name] = joint.damping;
  const Tree& tree = model.tree();
  VecX<double> sum = VecX<double>::Zero(tree.coordinates);
  for (int body = 0; body < tree.size; ++body) {
    sum[tree.coordinate[body]] += tree.ratio[body] * tree.ratio[body] * of_joint.at(model.body_joint(body));
  }
  return sum;
}

}  // namespace

void add_derivatives(Derivatives& derivatives, const EvalOptions& options, const EvalState& state,
                     const std::vector<double>& resistance, nlohmann::ordered_json& answer) {
  const Model& model = derivatives.model();
  const int n = model.coordinates();
  const Rows rows(model.coordinate_names(), state);
  const auto put = [&](const char* key, const MatX<double>& X) {
    answer[key] = rows.matrix(key, {X.data(), n, n, Eigen::OuterStride<>(n)});
  };
  const VecX<double> damped = options.friction ? damping(model) : VecX<double>(VecX<double>::Zero(n));
  if (!derivatives.update_inverse(state.q, state.v, state.a).ok()) {
    throw ModelError("derivatives of a state that is not finite");
  }
  put("dtau_dq", derivatives.dtau_dq());
  put("dtau_dv", derivatives.dtau_dv() + MatX<double>(damped.asDiagonal()));
  std::vector<double> tau = state.tau;
  for (size_t i = 0; i < tau.size(); ++i) tau[i] -= resistance[i];
  if (answer["qdd"].is_null() || !derivatives.update_forward(state.q, state.v, tau).ok()) {
    for (const char* key : {"dqdd_dq", "dqdd_dv", "dqdd_dtau"}) answer[key] = nullptr;
    return;
  }
  put("dqdd_dq", derivatives.dqdd_dq());
  put("dqdd_dv", derivatives.dqdd_dv() - derivatives.dqdd_dtau() * damped.asDiagonal());
  put("dqdd_dtau", derivatives.dqdd_dtau());
}

}  // namespace dyn::cli
