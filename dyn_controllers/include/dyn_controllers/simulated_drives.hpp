// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The drives of a simulated arm: from commands to torques. A servo demands an acceleration; the torques that cause it
// while other joints get theirs as commanded follow from the partly linearised dynamics of paper 002, with the two
// kinds of joints in exchanged roles (control/passive_joints.hpp). No drive exceeds the effort limit of its joint:
// where a servo or a brake would, the accelerations of all servos are scaled down together; and no servo exceeds the
// velocity limit, or a velocity from which it could not stop in time. No ROS.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dyn_core/control/passive_joints.hpp"
#include "dyn_core/dynamics.hpp"

namespace dyn_controllers {

enum class DriveMode : std::uint8_t { brake = 0, position = 1, velocity = 2, effort = 4 };  // bits

struct DriveSettings {
  double p = 0.0, d = 0.0;  // N m/rad and N m s/rad beside effort, where position or velocity is commanded too
  bool limits = true;       // of effort and velocity, as given for the joints
};

class SimulatedDrives {
 public:
  SimulatedDrives(const dyn::Model& model, const DriveSettings& settings);

  // A plant with other payloads; modes and commands are kept. Payloads' joints have no drive: they swing freely.
  void set_model(const dyn::Model& model);
  // A plant whose robot has other joints. By coordinate of the robot: the coordinate before whose drive goes on, or -1,
  // and the modes in which it is commanded; a drive whose modes differ brakes until a command comes.
  void set_robot(const dyn::Model& model, std::span<const int> from, std::span<const std::uint8_t> modes);

  void set_mode(int coordinate, DriveMode bit, bool on) noexcept;
  void brake_all() noexcept;
  void command(int coordinate, double position, double velocity, double effort) noexcept;

  // Torques for the next period, from the state at its beginning.
  std::span<const double> torques(std::span<const double> q, std::span<const double> v, double period_s) noexcept;

 private:
  struct Drive {
    std::uint8_t mode = 0;
    double position = 0.0, velocity = 0.0, effort = 0.0;  // commanded
    double last_position = 0.0;                           // commanded, a period ago
    bool has_last_position = false;
    bool holding = false;
    double hold = 0.0;  // position that a braked joint holds
  };

  struct Limit {
    double effort, velocity;
  };

  void set_limits(const dyn::Model& model);
  double servo_acceleration(Drive& drive, size_t i, double q, double v, double period_s) const noexcept;
  [[nodiscard]] bool takes_effort(const Drive& drive) const noexcept;
  [[nodiscard]] double commanded_effort(const Drive& drive, size_t i, double q, double v) const noexcept;
  // torques_ of the servos, for their accelerations in a_. False if they cannot be computed.
  [[nodiscard]] bool servo_torques(std::vector<double>& torques) noexcept;
  void scale_servos() noexcept;

  DriveSettings settings_;
  int n_ = 0, robot_n_ = 0;  // with and without payloads' coordinates
  std::unique_ptr<dyn::Dynamics> dynamics_;
  std::unique_ptr<dyn::control::PassiveJoints> split_;
  std::vector<Drive> drives_;
  std::vector<bool> servoed_;
  std::vector<Limit> limits_;
  std::vector<double> a_, h_, torques_, still_;  // still_: torques of servos that demand no acceleration
};

}  // namespace dyn_controllers
