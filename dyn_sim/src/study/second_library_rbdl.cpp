// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Where the build finds RBDL (DYN_RBDL_INCLUDE, DYN_RBDL_LIBRARY), in place of second_library.cpp.
#include <rbdl/rbdl.h>

#include <map>

#include "study/second_library.hpp"

namespace dyn::study {
namespace {

namespace rbdl = RigidBodyDynamics;

struct Peer {
  rbdl::Model model;
  std::map<std::string, unsigned> q_index;  // by joint
};

rbdl::Body body_of(const LinkDescription& link) {
  if (!link.inertial) return {0.0, rbdl::Math::Vector3d(0, 0, 0), rbdl::Math::Matrix3d(rbdl::Math::Matrix3d::Zero())};
  return {link.inertial->mass_kg, rbdl::Math::Vector3d(link.inertial->com_m),
          rbdl::Math::Matrix3d(link.inertial->inertia_com_kgm2)};
}

// RBDL's frames turn vectors of the parent into those of the child: the transposed rotation.
rbdl::Math::SpatialTransform frame_of(const Pose& parent_T_joint) {
  return {rbdl::Math::Matrix3d(parent_T_joint.R.transpose()), rbdl::Math::Vector3d(parent_T_joint.p_m)};
}

// From the description, link after link; our tree, its merged bodies and its turned axes have no part in it.
void add_children(const RobotDescription& robot, const std::string& parent, unsigned parent_body, Peer& peer) {
  for (const JointDescription& joint : robot.joints) {
    if (joint.parent_link != parent) continue;
    if (joint.type != JointType::revolute && joint.type != JointType::continuous) {
      throw ModelError(robot.source + ": joint '" + joint.name + "' is " + to_string(joint.type) +
                       "; the comparison with RBDL takes revolute joints only");
    }
    rbdl::Body body;
    for (const LinkDescription& link : robot.links) {
      if (link.name == joint.child_link) body = body_of(link);
    }
    const rbdl::Joint turn(rbdl::JointTypeRevolute, rbdl::Math::Vector3d(joint.axis));
    const unsigned id = peer.model.AddBody(parent_body, frame_of(joint.parent_T_joint), turn, body, joint.child_link);
    peer.q_index[joint.name] = peer.model.mJoints[id].q_index;
    add_children(robot, joint.child_link, id, peer);
  }
}

}  // namespace

std::string second_library() {
  const int version = rbdl_get_api_version();
  return "RBDL " + std::to_string(version >> 16 & 0xff) + '.' + std::to_string(version >> 8 & 0xff) + '.' +
         std::to_string(version & 0xff);
}

std::vector<MatX<double>> second_mass_matrices(const Model& model, const std::vector<std::vector<double>>& positions) {
  Peer peer;
  const RobotDescription& robot = model.description();
  add_children(robot, model.links().front().name, 0, peer);
  const int n = model.coordinates();
  std::vector<unsigned> place;  // by coordinate of ours
  for (const std::string& name : model.coordinate_names()) place.push_back(peer.q_index.at(name));
  std::vector<MatX<double>> all;
  for (const std::vector<double>& q : positions) {
    rbdl::Math::VectorNd theirs = rbdl::Math::VectorNd::Zero(n);
    for (int i = 0; i < n; ++i) theirs[place[i]] = q[i];
    rbdl::Math::MatrixNd H = rbdl::Math::MatrixNd::Zero(n, n);
    rbdl::CompositeRigidBodyAlgorithm(peer.model, theirs, H, true);
    MatX<double>& M = all.emplace_back(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) M(i, j) = H(place[i], place[j]);
    }
  }
  return all;
}

}  // namespace dyn::study
