// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a robot picks up. A payload is an extra link fixed to one of the robot's (rigid) or a chain with joints of its
// own (articulated, paper 002: Laus, Simoni and Martins). Its links and joints are called NAME/..., and its joints come
// after all others in q, whatever link it is attached to. Detaching it restores the description that was there before,
// so that the Model is the same to the bit.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dyn_core/model/description.hpp"

namespace dyn {

// A validated value: its name is usable, its mass and inertia are physically possible. The functions that make one
// throw ModelError.
class Payload {
 public:
  // Mass, centre of mass and inertia in the payload's frame.
  static Payload rigid(const std::string& name, const std::string& link, const Inertial& inertial,
                       const Pose& link_T_payload = {});
  // The frame of the chain's root link is the payload's frame.
  static Payload articulated(const std::string& name, const std::string& link, const RobotDescription& chain,
                             const Pose& link_T_payload = {});

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& link() const noexcept { return link_; }
  [[nodiscard]] const Pose& link_T_payload() const noexcept { return link_T_payload_; }
  [[nodiscard]] const Inertial* inertial() const noexcept { return std::get_if<Inertial>(&body_); }
  [[nodiscard]] const RobotDescription* chain() const noexcept { return std::get_if<RobotDescription>(&body_); }

 private:
  Payload(std::string name, std::string link, const Pose& link_T_payload,
          std::variant<Inertial, RobotDescription> body);
  std::string name_, link_;
  Pose link_T_payload_;
  std::variant<Inertial, RobotDescription> body_;
};

// The symmetric tensor; in the order of URDF.
[[nodiscard]] Mat3d inertia_tensor(double ixx, double ixy, double ixz, double iyy, double iyz, double izz);
// As in URDF: turned by roll about x, then pitch about y, then yaw about z, all fixed axes; then moved.
[[nodiscard]] Pose pose_from_xyz_rpy(const Vec3d& xyz_m, const Vec3d& rpy_rad);

// Throw ModelError (the link does not exist, the name is taken, no payload of that name is attached); the argument is
// not changed.
[[nodiscard]] RobotDescription attach(const RobotDescription& robot, const Payload& payload);
[[nodiscard]] RobotDescription detach(const RobotDescription& robot, const std::string& name);

// Names of the attached payloads, in the order of attaching.
[[nodiscard]] std::vector<std::string> attached_payloads(const RobotDescription& robot);

}  // namespace dyn
