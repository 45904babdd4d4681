// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "eval/regressor_answer.hpp"

#include <map>
#include <span>

namespace dyn::cli {
namespace {

using nlohmann::ordered_json;

// Damping and Coulomb friction of the joint that moves each body.
ordered_json friction_parameters(const Model& model, const regressor::Layout& layout) {
  std::map<std::string_view, const JointDescription*> joints;
  for (const JointDescription& joint : model.description().joints) joints[joint.name] = &joint;
  ordered_json p = ordered_json::array();
  for (const std::string& name : layout.joint) {
    p.push_back(joints.at(name)->damping);
    p.push_back(joints.at(name)->friction);
  }
  return p;
}

}  // namespace

void add_regressor(Regressor& regressor, const EvalOptions& options, const EvalState& state, ordered_json& answer) {
  const Model& model = regressor.model();
  if (!regressor.update(state.q, state.v, state.a).ok()) throw ModelError("Y of a state that is not finite");
  const Rows rows(model.coordinate_names(), state);
  const regressor::Layout& layout = regressor.layout();
  std::vector<double> p(layout.parameters());
  regressor.parameters(p);
  answer["Y"] = rows.matrix("Y", regressor.Y());
  answer["bodies"] = layout.link;
  answer["p"] = p;
  const int n = model.coordinates();
  const auto columns = [&](const char* key, int count, auto&& write) {
    std::vector<double> numbers(n * count);
    write(std::span<double>(numbers));
    answer[key] = rows.matrix(key, {numbers.data(), n, count, Eigen::OuterStride<>(n)});
  };
  if (options.friction) {
    columns("Y_friction", 2 * layout.size(), [&](std::span<double> to) { regressor.friction(state.v, to); });
    answer["p_friction"] = friction_parameters(model, layout);
  }
  if (options.model.armature) {
    columns("Y_armature", n, [&](std::span<double> to) { regressor.armature(state.a, to); });
    answer["p_armature"] = model.tree().armature;
  }
}

}  // namespace dyn::cli
