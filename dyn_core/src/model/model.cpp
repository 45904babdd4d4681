// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/model.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "dyn_core/model/rotors.hpp"
#include "dyn_core/model/validate.hpp"
#include "model/merged_inertia.hpp"

namespace dyn {

const char* to_string(JointType type) noexcept {
  switch (type) {
    case JointType::fixed: return "fixed";
    case JointType::revolute: return "revolute";
    case JointType::continuous: return "continuous";
    case JointType::prismatic: return "prismatic";
    case JointType::floating: return "floating";
    case JointType::planar: return "planar";
  }
  return "unknown";
}

namespace {

// The smallest rotation from z to the unit vector a; for a with a.z < 0, from -z to a after a rotation about x by pi,
// for accuracy.
Mat3d turn_z_to(const Vec3d& a) {
  const auto least = [](const Vec3d& to) {  // Rodrigues: 1 + [v] + [v]^2 / (1 + cos), v = z x to
    const Mat3d v = skew<double>(Vec3d::UnitZ().cross(to));
    return Mat3d(Mat3d::Identity() + v + v * v / (1.0 + to.z()));
  };
  if (a.z() >= 0.0) return least(a);
  const Mat3d flip = Vec3d(1.0, -1.0, -1.0).asDiagonal();
  return least(-a) * flip;
}

struct SimpleJoint {
  Motion motion;
  Vec3d axis;  // in the joint frame
  const char* suffix;
};

std::vector<SimpleJoint> simple_joints(const JointDescription& joint) {
  switch (joint.type) {
    case JointType::fixed: return {};
    case JointType::revolute:
    case JointType::continuous: return {{Motion::revolute, joint.axis, ""}};
    case JointType::prismatic: return {{Motion::prismatic, joint.axis, ""}};
    case JointType::floating:
      return {{Motion::prismatic, Vec3d::UnitX(), ".x"},    {Motion::prismatic, Vec3d::UnitY(), ".y"},
              {Motion::prismatic, Vec3d::UnitZ(), ".z"},    {Motion::revolute, Vec3d::UnitZ(), ".yaw"},
              {Motion::revolute, Vec3d::UnitY(), ".pitch"}, {Motion::revolute, Vec3d::UnitX(), ".roll"}};
    case JointType::planar: {
      const Mat3d plane = turn_z_to(joint.axis);  // x, y in the plane, z its normal
      return {{Motion::prismatic, plane.col(0), ".x"},
              {Motion::prismatic, plane.col(1), ".y"},
              {Motion::revolute, plane.col(2), ".yaw"}};
    }
  }
  return {};
}

}  // namespace

class ModelBuilder {
 public:
  ModelBuilder(const RobotDescription& description, const ModelOptions& options) {
    model_.description_ = description;
    model_.options_ = options;
    check_gravity(options.gravity_mps2);
    model_.tree_.gravity = options.gravity_mps2;
  }

  Model build() {
    model_.warnings_ = model_.description_.warnings;
    append(model_.warnings_, validate_description(model_.description_));
    make_rotors();
    index_children();
    walk();
    close_subtrees();
    merge_inertias();
    derive_screw_frames();
    number_coordinates();
    follow_mimics();
    append(model_.warnings_, validate_bodies(model_));
    return std::move(model_);
  }

 private:
  struct Visit {
    size_t link;
    int body;
    Pose body_T_link;
  };

  static void append(std::vector<std::string>& to, std::vector<std::string> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  void make_rotors() {
    RobotDescription& robot = model_.description_;
    if (!has_rotors(robot)) return;
    robot = model_.options_.armature ? with_rotor_bodies(robot) : with_locked_rotors(robot);
    (void)validate_description(robot);
  }

  void index_children() {
    const RobotDescription& d = model_.description_;
    for (size_t i = 0; i < d.links.size(); ++i) link_index_[d.links[i].name] = i;
    children_.resize(d.links.size());
    std::vector<bool> is_child(d.links.size(), false);
    for (size_t j = 0; j < d.joints.size(); ++j) {
      children_[link_index_.at(d.joints[j].parent_link)].push_back(j);
      is_child[link_index_.at(d.joints[j].child_link)] = true;
    }
    root_ = static_cast<size_t>(std::find(is_child.begin(), is_child.end(), false) - is_child.begin());
  }

  // Depth-first, with a stack of our own: chains may be long.
  void walk() {
    model_.links_.resize(model_.description_.links.size());
    joint_body_.assign(model_.description_.joints.size(), -1);
    joint_first_body_.assign(model_.description_.joints.size(), -1);
    std::vector<std::pair<Visit, int>> pending;  // visit, joint that leads there (-1: root)
    pending.emplace_back(Visit{root_, -1, Pose{}}, -1);
    while (!pending.empty()) {
      auto [visit, joint] = pending.back();
      pending.pop_back();
      if (joint >= 0) visit = pass_joint(visit, joint);
      enter_link(visit);
      const auto& joints = children_[visit.link];
      for (auto it = joints.rbegin(); it != joints.rend(); ++it) pending.emplace_back(visit, static_cast<int>(*it));
    }
  }

  // From a link over one of its joints to the child link; adds the joint's bodies.
  Visit pass_joint(const Visit& from, size_t j) {
    const JointDescription& joint = model_.description_.joints[j];
    Visit to{link_index_.at(joint.child_link), from.body, from.body_T_link * joint.parent_T_joint};
    for (const SimpleJoint& simple : simple_joints(joint)) {
      const Mat3d turn = turn_z_to(simple.axis);
      to.body = add_body(to.body, Pose{to.body_T_link.R * turn, to.body_T_link.p_m}, simple.motion, joint.name);
      to.body_T_link = Pose{turn.transpose(), Vec3d::Zero()};
      if (joint_first_body_[j] < 0) joint_first_body_[j] = to.body;
    }
    joint_body_[j] = to.body;
    return to;
  }

  int add_body(int parent, const Pose& parent_T_joint, Motion motion, const std::string& joint) {
    Tree& t = model_.tree_;
    t.parent.push_back(parent);
    t.motion.push_back(motion);
    t.parent_R_joint.push_back(parent_T_joint.R);
    t.parent_p_joint.push_back(parent_T_joint.p_m);
    model_.body_joints_.push_back(joint);
    return t.size++;
  }

  void enter_link(const Visit& visit) {
    const LinkDescription& link = model_.description_.links[visit.link];
    model_.links_[visit.link] = Link{link.name, visit.body, visit.body_T_link, link.inertial.value_or(Inertial{})};
  }

  void close_subtrees() {
    Tree& t = model_.tree_;
    t.subtree_end.resize(t.size);
    for (int i = t.size - 1; i >= 0; --i) {
      t.subtree_end[i] = std::max(t.subtree_end[i], i + 1);
      if (t.parent[i] >= 0) {
        int& end = t.subtree_end[t.parent[i]];
        end = std::max(end, t.subtree_end[i]);
      }
    }
  }

  void merge_inertias() {
    Tree& t = model_.tree_;
    const int n = t.size;
    t.mass.assign(n, 0.0);
    t.com.assign(n, Vec3d::Zero());
    t.inertia_com.assign(n, Mat3d::Zero());
    for (const Link& link : model_.links_) {
      if (link.body >= 0) add_mass(t, link);
    }
    for (int b = 0; b < n; ++b) find_com(t, b);
    for (const Link& link : model_.links_) {
      if (link.body >= 0) add_inertia(t, link);
    }
    t.principal.resize(n);
    for (int b = 0; b < n; ++b) t.principal[b] = principal_inertia(t.mass[b], t.com[b], t.inertia_com[b]);
  }

  void derive_screw_frames() {
    model_.tree_.screw = make_screw_frames(model_.tree_);
    for (int i = 0; i < model_.tree_.size; ++i) update_screw_inertia(model_.tree_, i);
  }

  // The user's order: depth-first, the robot's own joints first, then those of each payload in turn.
  void number_coordinates() {
    const auto& joints = model_.description_.joints;
    std::vector<size_t> order(joints.size());
    std::iota(order.begin(), order.end(), size_t{0});
    order.erase(std::remove_if(order.begin(), order.end(),
                               [&](size_t j) { return joints[j].type == JointType::fixed || joints[j].mimic; }),
                order.end());
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(joints[a].payload, joint_body_[a]) < std::pair(joints[b].payload, joint_body_[b]);
    });
    Tree& t = model_.tree_;
    const int n = t.size;
    t.coordinate.assign(n, -1);
    t.ratio.assign(n, 1.0);
    t.offset.assign(n, 0.0);
    for (const size_t j : order) {
      const auto simple = simple_joints(joints[j]);
      model_.joints_.push_back(Joint{joints[j], t.coordinates, static_cast<int>(simple.size()), joint_body_[j]});
      for (size_t s = 0; s < simple.size(); ++s) {
        t.coordinate[static_cast<size_t>(joint_first_body_[j]) + s] = t.coordinates++;
        model_.coordinate_names_.push_back(joints[j].name + simple[s].suffix);
        t.armature.push_back(model_.options_.armature ? diagonal_armature(joints[j]) : 0.0);
      }
    }
  }

  // A mimic joint may follow a mimic joint: q = m1 (m2 q0 + o2) + o1. validate_description has refused circles.
  void follow_mimics() {
    Tree& t = model_.tree_;
    const auto& joints = model_.description_.joints;
    std::map<std::string, size_t> index;
    for (size_t j = 0; j < joints.size(); ++j) index[joints[j].name] = j;
    for (size_t j = 0; j < joints.size(); ++j) {
      if (!joints[j].mimic || joint_first_body_[j] < 0) continue;  // a fixed joint follows nothing
      double ratio = 1.0;
      double offset = 0.0;
      size_t leader = j;
      while (joints[leader].mimic) {
        const Mimic& mimic = *joints[leader].mimic;
        offset += ratio * mimic.offset;
        ratio *= mimic.multiplier;
        leader = index.at(mimic.joint);
      }
      const int b = joint_body_[j];
      t.coordinate[b] = t.coordinate[joint_body_[leader]];
      t.ratio[b] = ratio;
      t.offset[b] = offset;
      t.has_mimic = true;
    }
    t.bodies_are_coordinates = !t.has_mimic;
    for (int i = 0; i < t.size; ++i) {
      if (t.coordinate[i] != i) t.bodies_are_coordinates = false;
    }
  }

  Model model_;
  std::map<std::string, size_t> link_index_;
  std::vector<std::vector<size_t>> children_;  // joints of a link, in the order of the file
  std::vector<int> joint_body_, joint_first_body_;
  size_t root_ = 0;
};

Model Model::build(const RobotDescription& description, const ModelOptions& options) {
  realtime::forbid("Model::build");
  return ModelBuilder(description, options).build();
}

const Link* Model::find_link(std::string_view name) const noexcept {
  const auto it = std::find_if(links_.begin(), links_.end(), [&](const Link& link) { return link.name == name; });
  return it == links_.end() ? nullptr : &*it;
}

}  // namespace dyn
