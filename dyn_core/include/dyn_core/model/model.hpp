// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The immutable robot. Built once, off the loop, from a description; shared by const reference between threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/model/description.hpp"
#include "dyn_core/model/tree.hpp"

namespace dyn {

struct ModelOptions {
  Vec3d gravity_mps2 = Vec3d(0.0, 0.0, -9.81);
  bool armature = false;                  // joints' armature, on M's diagonal or as rotors (model/rotors.hpp)
  bool allow_impossible_inertia = false;  // take bodies that break the triangle inequality, with a warning each
};

// A joint as users see it: its entries in q, v, a, tau are [first_coordinate, first_coordinate + degrees).
struct Joint {
  JointDescription description;
  int first_coordinate = 0;
  int degrees = 0;
  int body = 0;  // the body that carries the child link
};

struct Link {
  std::string name;
  int body = -1;     // -1: fixed to the base
  Pose body_T_link;  // in the base frame when body is -1
  Inertial inertial;
};

class Payload;

class Model {
 public:
  // Validates (throws ModelError naming link or joint and value), merges fixed joints, turns axes, orders.
  static Model build(const RobotDescription& description, const ModelOptions& options = {});

  // The same robot with one more rigid payload, or without one: what build() makes of the description after attach() or
  // detach() (payload.hpp), to the bit, for the cost of a copy, since only one body's inertia is computed. Nothing
  // where that does not suffice: a payload with joints, or a body whose inertia is doubtful or wrong. Throws as they
  // do.
  [[nodiscard]] std::optional<Model> with(const Payload& payload) const;
  [[nodiscard]] std::optional<Model> without(const std::string& payload) const;

  [[nodiscard]] const std::string& name() const noexcept { return description_.name; }
  [[nodiscard]] const RobotDescription& description() const noexcept { return description_; }
  [[nodiscard]] const ModelOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Tree& tree() const noexcept { return tree_; }
  [[nodiscard]] int bodies() const noexcept { return tree_.size; }
  [[nodiscard]] int coordinates() const noexcept { return tree_.coordinates; }
  [[nodiscard]] const std::vector<Joint>& joints() const noexcept { return joints_; }  // in the order of q; no mimic
  [[nodiscard]] const std::vector<Link>& links() const noexcept { return links_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }
  // The joint's name; for a joint of several degrees of freedom followed by the coordinate's: base.yaw.
  [[nodiscard]] const std::vector<std::string>& coordinate_names() const noexcept { return coordinate_names_; }
  // The joint (mimic ones too) that moves a body, for messages.
  [[nodiscard]] const std::string& body_joint(int body) const { return body_joints_.at(body); }
  [[nodiscard]] const Link* find_link(std::string_view name) const noexcept;

 private:
  friend class ModelBuilder;
  [[nodiscard]] bool merge_anew(int body);
  RobotDescription description_;
  ModelOptions options_;
  Tree tree_;
  std::vector<Joint> joints_;
  std::vector<Link> links_;
  std::vector<std::string> coordinate_names_;
  std::vector<std::string> body_joints_;
  std::vector<std::string> warnings_;
};

}  // namespace dyn
