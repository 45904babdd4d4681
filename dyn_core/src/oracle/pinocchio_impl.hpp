// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Builds Pinocchio's model from the description, and maps to the user's coordinates. Part of pinocchio_model.cpp, the
// only file that includes it.
#pragma once

#include <algorithm>
#include <map>
#include <pinocchio/algorithm/frames.hpp>
#include <utility>

#include "dyn_core/model/rotors.hpp"
#include "dyn_core/oracle/pinocchio_model.hpp"

namespace dyn::oracle {
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using ConstRef = Eigen::Ref<const Eigen::VectorXd>;
using Inputs = std::span<const double>;

// An inertia that was turned or is a difference is symmetric but for rounding; Pinocchio asserts that it is exactly so.
inline pinocchio::Inertia pinocchio_inertia(double mass_kg, const Vec3d& com_m, const Mat3d& I_com) {
  return {mass_kg, com_m, Mat3d(0.5 * (I_com + I_com.transpose()))};
}

inline pinocchio::SE3 placement(const Pose& pose) { return {pose.R, pose.p_m}; }

// The axes x, y and normal of a planar joint: z is rotated to the joint's axis by the smallest rotation; for an axis
// with z < 0 by the smallest rotation of -z, after half a turn about x.
inline Mat3d plane_of(const Vec3d& axis) {
  const Vec3d z = Vec3d::UnitZ();
  if (axis.z() >= 0.0) return Eigen::Quaterniond::FromTwoVectors(z, axis).toRotationMatrix();
  const Mat3d half_turn = Vec3d(1.0, -1.0, -1.0).asDiagonal();
  return Eigen::Quaterniond::FromTwoVectors(z, -axis).toRotationMatrix() * half_turn;
}

struct OneDegree {
  pinocchio::JointModel joint;
  const char* suffix;
};
inline OneDegree turning(const Vec3d& axis, const char* suffix = "") {
  return {pinocchio::JointModelRevoluteUnaligned(axis), suffix};
}
inline OneDegree sliding(const Vec3d& axis, const char* suffix = "") {
  return {pinocchio::JointModelPrismaticUnaligned(axis), suffix};
}

inline std::vector<OneDegree> degrees_of(const JointDescription& joint) {
  const Vec3d x = Vec3d::UnitX();
  const Vec3d y = Vec3d::UnitY();
  const Vec3d z = Vec3d::UnitZ();
  switch (joint.type) {
    case JointType::fixed: return {};
    case JointType::revolute:
    case JointType::continuous: return {turning(joint.axis)};
    case JointType::prismatic: return {sliding(joint.axis)};
    case JointType::floating:
      return {sliding(x, ".x"),   sliding(y, ".y"),     sliding(z, ".z"),
              turning(z, ".yaw"), turning(y, ".pitch"), turning(x, ".roll")};
    case JointType::planar: {
      const Mat3d plane = plane_of(joint.axis);
      return {sliding(plane.col(0), ".x"), sliding(plane.col(1), ".y"), turning(plane.col(2), ".yaw")};
    }
  }
  return {};
}

// How a degree of freedom of Pinocchio's model follows the user's coordinates: q = ratio q_user + offset.
struct Follows {
  int coordinate = -1;
  double ratio = 1.0;
  double offset = 0.0;
};

struct PinocchioModel::Impl {
  Impl(const RobotDescription& d, const ModelOptions& options) : description(d) {
    model.gravity.linear(options.gravity_mps2);
    model.gravity.angular().setZero();
    index();
    visit_link(root(), 0, pinocchio::SE3::Identity());
    if (links_seen != description.links.size()) throw ModelError(description.source + ": the links are not one tree");
    number(options.armature);
    data = std::make_unique<pinocchio::Data>(model);  // in place: its copy constructor reads uninitialised members
    built_inertias = model.inertias;
    full_q = full_v = full_a = Vector::Zero(model.nv);
  }

  void index() {
    for (size_t j = 0; j < description.joints.size(); ++j) {
      children[description.joints[j].parent_link].push_back(j);
      joint_index[description.joints[j].name] = j;
    }
    for (size_t l = 0; l < description.links.size(); ++l) link_index[description.links[l].name] = l;
    first_degree.assign(description.joints.size(), -1);
  }

  const LinkDescription& root() const {
    for (const LinkDescription& link : description.links) {
      const auto leads_there = [&](const JointDescription& joint) { return joint.child_link == link.name; };
      if (std::none_of(description.joints.begin(), description.joints.end(), leads_there)) return link;
    }
    throw ModelError(description.source + ": no link without a parent");
  }

  // Depth-first: in any other order Pinocchio's crba and Coriolis matrix are silently wrong.
  void visit_link(const LinkDescription& link, pinocchio::JointIndex carrier, const pinocchio::SE3& carrier_T_link) {
    if (++links_seen > description.links.size()) throw ModelError(description.source + ": the joints form a loop");
    frame_of_link[link.name] =
        model.addFrame(pinocchio::Frame(link.name, carrier, carrier_T_link, pinocchio::OP_FRAME));
    if (link.inertial) {
      const Inertial& body = *link.inertial;
      model.appendBodyToJoint(carrier, pinocchio_inertia(body.mass_kg, body.com_m, body.inertia_com_kgm2),
                              carrier_T_link);
    }
    for (const size_t j : children[link.name]) {
      const JointDescription& joint = description.joints[j];
      pinocchio::JointIndex last = carrier;
      pinocchio::SE3 last_T_next = carrier_T_link * placement(joint.parent_T_joint);
      for (const OneDegree& degree : degrees_of(joint)) {
        last = model.addJoint(last, degree.joint, last_T_next, joint.name + degree.suffix);
        last_T_next.setIdentity();
        if (first_degree[j] < 0) first_degree[j] = model.joints[last].idx_v();
      }
      const LinkDescription& child = description.links[link_index.at(joint.child_link)];
      visit_link(child, last, last_T_next);
    }
  }

  // The user's order: depth-first, the robot's own joints first, then those of each payload in turn.
  void number(bool with_armature) {
    std::vector<size_t> order;
    for (size_t j = 0; j < description.joints.size(); ++j) {
      if (first_degree[j] >= 0 && !description.joints[j].mimic) order.push_back(j);
    }
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(description.joints[a].payload, first_degree[a]) <
             std::pair(description.joints[b].payload, first_degree[b]);
    });
    follows.resize(model.nv);
    for (const size_t j : order) {
      int degree = first_degree[j];
      for (const OneDegree& d : degrees_of(description.joints[j])) {
        if (with_armature) model.armature[degree] = diagonal_armature(description.joints[j]);
        follows[degree++].coordinate = static_cast<int>(names.size());
        names.push_back(description.joints[j].name + d.suffix);
      }
    }
    for (size_t j = 0; j < description.joints.size(); ++j) {
      if (!description.joints[j].mimic || first_degree[j] < 0) continue;
      follows[first_degree[j]] = resolve(description.joints[j], 0);
      mimic = true;
    }
  }

  Follows resolve(const JointDescription& joint, size_t depth) const {
    if (depth > description.joints.size()) throw ModelError(joint.name + ": mimic joints in a circle");
    const size_t leader = joint_index.at(joint.mimic->joint);
    Follows f = description.joints[leader].mimic ? resolve(description.joints[leader], depth + 1)
                                                 : follows[first_degree[leader]];
    f.ratio *= joint.mimic->multiplier;
    f.offset = f.offset * joint.mimic->multiplier + joint.mimic->offset;
    return f;
  }

  // Index of a degree of freedom of a joint by name among those of `other`, which must turn about the same axis; 0:
  // none.
  pinocchio::JointIndex same_degree(const Impl& other, const std::string& joint, int degree) const {
    const auto mine = joint_index.find(joint);
    const auto its = other.joint_index.find(joint);
    if (mine == joint_index.end() || its == other.joint_index.end()) return 0;
    const JointDescription& a = description.joints[mine->second];
    const JointDescription& b = other.description.joints[its->second];
    const int first = other.first_degree[its->second];
    if (a.type != b.type || a.axis != b.axis || first < 0) return 0;
    return static_cast<pinocchio::JointIndex>(first) + static_cast<pinocchio::JointIndex>(degree) + 1;
  }

  ConstRef positions(Inputs q) {
    for (size_t i = 0; i < follows.size(); ++i) {
      full_q[i] = follows[i].ratio * q[follows[i].coordinate] + follows[i].offset;
    }
    return full_q;
  }
  ConstRef rates(Inputs user, Vector& full) const {
    for (size_t i = 0; i < follows.size(); ++i) {
      full[i] = follows[i].ratio * user[follows[i].coordinate];
    }
    return full;
  }

  // G^T full G and G^T full, with full degrees = G user coordinates + offsets.
  void project(const Matrix& full, std::span<double> user) const {
    std::fill(user.begin(), user.end(), 0.0);
    for (Eigen::Index c = 0; c < full.cols(); ++c) {
      const Follows& fc = follows[c];
      for (Eigen::Index r = 0; r < full.rows(); ++r) {
        const Follows& fr = follows[r];
        user[static_cast<size_t>(fr.coordinate) + static_cast<size_t>(fc.coordinate) * names.size()] +=
            fr.ratio * full(r, c) * fc.ratio;
      }
    }
  }
  void project(const Vector& full, std::span<double> user) const {
    std::fill(user.begin(), user.end(), 0.0);
    for (size_t i = 0; i < follows.size(); ++i) {
      user[follows[i].coordinate] += follows[i].ratio * full[i];
    }
  }

  RobotDescription description;
  std::map<std::string, std::vector<size_t>> children;  // child joints of a link, in the order of the file
  std::map<std::string, size_t> joint_index, link_index;
  std::map<std::string, pinocchio::FrameIndex> frame_of_link;
  std::vector<int> first_degree;  // of a joint, in Pinocchio's v; -1: none
  size_t links_seen = 0;
  pinocchio::Model model;
  std::unique_ptr<pinocchio::Data> data;
  decltype(pinocchio::Model::inertias) built_inertias;
  std::vector<Follows> follows;  // one a degree of freedom of Pinocchio's model
  std::vector<std::string> names;
  bool mimic = false;
  Vector full_q, full_v, full_a;
};

}  // namespace dyn::oracle
