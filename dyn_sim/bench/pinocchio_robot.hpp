// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pinocchio/algorithm/crba.hpp>  // Pinocchio 3 and 4 have the model in different files
#include <string>

#include "peer.hpp"

namespace {

// The tree as Pinocchio's model; entry(x) converts an entry x of the rotations.
template <class Entry>
pinocchio::Model pinocchio_robot(const dyn::bench::PeerTree& tree, Entry&& entry) {
  pinocchio::Model model;
  for (int i = 0; i < tree.bodies; ++i) {
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(tree.R + 9 * i), I(tree.inertia + 9 * i);
    const Eigen::Map<const Eigen::Vector3d> p(tree.p + 3 * i), c(tree.com + 3 * i);
    const pinocchio::SE3 placement(Eigen::Matrix3d(R.unaryExpr(entry)), p);
    const auto parent = static_cast<pinocchio::JointIndex>(tree.parent[i] + 1);
    const std::string name = "j" + std::to_string(i);
    const auto joint = tree.prismatic[i] ? model.addJoint(parent, pinocchio::JointModelPZ(), placement, name)
                                         : model.addJoint(parent, pinocchio::JointModelRZ(), placement, name);
    model.appendBodyToJoint(joint, pinocchio::Inertia(tree.mass[i], c, I), pinocchio::SE3::Identity());
  }
  model.gravity.linear() << tree.gravity[0], tree.gravity[1], tree.gravity[2];
  return model;
}

}  // namespace
