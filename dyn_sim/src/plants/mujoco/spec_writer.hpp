// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A Model as a specification of MuJoCo's: bodies, joints and inertias from our tree, walls of the plant; and as MJCF
// for other programs, with actuators and shapes.
#pragma once

#include <string>
#include <vector>

#include "body_friction.hpp"
#include "compiled.hpp"

namespace dyn::sim::mujoco {

class SpecWriter {
 public:
  SpecWriter(const Model& model, const PlantSettings& settings);

  // These throw ModelError naming joint and link if MuJoCo cannot simulate a body.
  Compiled compile();
  std::string mjcf();

 private:
  void write();
  void refuse_rotors() const;
  void options();
  int add(int i);
  void inertia(int i, mjsBody& body);
  void joint(int k, int i, mjsBody& body);
  void friction(int k, mjsJoint& joint) const;
  void stops(const Joint& own, mjsJoint& joint) const;
  void follow(int i);
  void wall(const Wall& wall, const std::string& number);
  void rough(mjsPair& pair, double friction);
  mjsGeom* geom(mjsBody* body, mjtGeom type, const std::string& name);
  void motors();
  void shapes(int i);
  void shape(mjsBody* body, const Link& link, const Visual& visual);
  [[nodiscard]] std::string joint_name(int k) const;

  const Model& model_;
  const Tree& tree_;
  const PlantSettings& settings_;
  const Library& mj_;
  SpecPointer spec_;
  std::vector<mjsBody*> bodies_;
  std::vector<mjsJoint*> joints_;
  std::vector<int> lead_;
  std::vector<BodyFriction> frictions_;  // by body
  bool named_ = false;                   // by joints and links; else by numbers
};

// The joint that moves a body, and a link of that body, for messages that begin with the robot.
[[nodiscard]] std::string who(const Model& model, int body);

}  // namespace dyn::sim::mujoco
