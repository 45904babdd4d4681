// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/regressor/layout.hpp"

#include <algorithm>

namespace dyn::regressor {

Layout::Layout(const Model& model) {
  struct Moving {
    const Link* link;
    const std::string* joint;
  };
  std::vector<Moving> moving;
  for (const JointDescription& moves : model.description().joints) {
    if (moves.type == JointType::fixed) continue;
    moving.push_back({model.find_link(moves.child_link), &moves.name});
  }
  std::sort(moving.begin(), moving.end(), [](const Moving& a, const Moving& b) { return a.link->body < b.link->body; });
  for (const Moving& m : moving) {
    link.push_back(m.link->name);
    joint.push_back(*m.joint);
    body.push_back(m.link->body);
    body_R_link.push_back(m.link->body_T_link.R);
  }
  rotor_of.assign(model.coordinates(), -1);
  for (const JointDescription& moves : model.description().joints) {
    if (!moves.is_rotor) continue;
    const auto place = std::find(joint.begin(), joint.end(), moves.name) - joint.begin();
    rotor_of[model.tree().coordinate[body[place]]] = static_cast<int>(place);
  }
}

void read_parameters(const Tree& tree, const Layout& layout, std::span<double> parameters) noexcept {
  for (int b = 0; b < layout.size(); ++b) {
    const int i = layout.body[b];
    const Mat3d link_R_body = layout.body_R_link[b].transpose();
    const double m = tree.mass[i];
    const Vec3d c = link_R_body * tree.com[i];
    const Mat3d I = link_R_body * tree.inertia_com[i] * link_R_body.transpose() +
                    m * (c.squaredNorm() * Mat3d::Identity() - c * c.transpose());
    const double values[parameters_per_body] = {m,       m * c.x(), m * c.y(), m * c.z(), I(0, 0),
                                                I(0, 1), I(1, 1),   I(0, 2),   I(1, 2),   I(2, 2)};
    std::copy_n(values, parameters_per_body, &parameters[parameters_per_body * b]);
  }
}

}  // namespace dyn::regressor
