// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "identify/rotor_columns.hpp"

#include <algorithm>

#include "dyn_core/model/rotors.hpp"

namespace dyn::sim::identify {
namespace {

constexpr int columns = regressor::parameters_per_body;

bool has_rotor_bodies(const Model& model) {
  const auto& joints = model.description().joints;
  return std::any_of(joints.begin(), joints.end(), [](const JointDescription& joint) { return joint.is_rotor; });
}

// Of a body without mass and with the inertia scale a a^T.
Eigen::Matrix<double, columns, 1> parameters_about(const Vec3d& a, double scale) {
  Eigen::Matrix<double, columns, 1> p;
  p << 0.0, 0.0, 0.0, 0.0, a.x() * a.x(), a.x() * a.y(), a.y() * a.y(), a.x() * a.z(), a.y() * a.z(), a.z() * a.z();
  return scale * p;
}

}  // namespace

std::shared_ptr<const Model> locked_model(const std::shared_ptr<const Model>& model) {
  if (!has_rotor_bodies(*model)) return model;
  ModelOptions options = model->options();
  options.armature = false;
  return std::make_shared<const Model>(Model::build(model->description(), options));
}

RotorColumns::RotorColumns(const std::shared_ptr<const Model>& model) {
  if (!has_rotor_bodies(*model)) return;
  regressor_ = std::make_unique<Regressor>(model);
  const regressor::Layout& layout = regressor_->layout();
  const Tree& tree = model->tree();
  for (int c = 0; c < model->coordinates(); ++c) {
    const int place = layout.rotor_of[c];
    if (place < 0) continue;
    const int body = layout.body[place];
    const auto parent = std::find(layout.body.begin(), layout.body.end(), tree.parent[body]) - layout.body.begin();
    const double share = 1.0 / (tree.ratio[body] * tree.ratio[body]);
    const Vec3d in_own = layout.body_R_link[place].transpose() * Vec3d::UnitZ();
    const Vec3d in_parent = layout.body_R_link[parent].transpose() * tree.parent_R_joint[body].col(2);
    rotors_.push_back(
        {place, static_cast<int>(parent), parameters_about(in_own, share), parameters_about(in_parent, share)});
    coordinates_.push_back(c);
  }
}

Status RotorColumns::update(std::span<const double> q, std::span<const double> v, std::span<const double> a) {
  return regressor_ ? regressor_->update(q, v, a) : Status{};
}

double RotorColumns::torque(std::size_t k, int row) const {
  const Rotor& rotor = rotors_[k];
  const auto Y = regressor_->Y();
  return Y.block<1, columns>(row, columns * rotor.place).dot(rotor.own) -
         Y.block<1, columns>(row, columns * rotor.parent).dot(rotor.locked);
}

}  // namespace dyn::sim::identify
