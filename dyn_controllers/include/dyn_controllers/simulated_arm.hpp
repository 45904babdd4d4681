// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The plant of `dyn run` as ros2_control hardware: every joint has a drive that takes effort, or position and velocity
// through a servo, or both (effort added to a PD). A joint without a command is braked, since only hardware can hold an
// arm. Between two reads the torques are held and the plant is integrated over the measured period.
//
// Hardware parameters (all optional): engine (native or mujoco), gravity ("0 0 -9.81"), friction, armature, limits
// (true), tolerance (1e-10), delay (cycles, 0), drive_p, drive_d (PD beside effort), fail_after (s of motion after
// which read() reports an error, once: to test the reaction to failing hardware), state_fault ("KIND BEGIN DURATION", s
// of motion: meanwhile the states of all joints are nan, infinite or frozen, or the first joint's position has an
// offset of 0.5). scenario (a `dyn run` configuration) and scenario_arm (if it has several) give all settings of a
// plant, including noise and overrides, and its initial position; other parameters given beside them take precedence.
// `initial_value` of a position state is the initial position of a joint. Its node has ~/attach_payload and the like,
// for what the arm really carries, whatever is in a controller's model; ~/replace_joints, for a robot that gets or
// loses some of the tag's joints while it runs, whose states are 0 and whose commands have no effect while it does not
// have them; and ~/push: a force on a link. ~/wall_force is that of a scenario's walls. The joints of a payload swing
// freely; a <sensor name="PAYLOAD/JOINT"> in the tag has position and velocity of one (0 while it is not attached).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dyn_controllers/joint_service.hpp"
#include "dyn_controllers/payload_services.hpp"
#include "dyn_controllers/simulated_arm_settings.hpp"
#include "dyn_controllers/simulated_drives.hpp"
#include "dyn_msgs/srv/push.hpp"
#include "dyn_sim/plant.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "hardware_interface/system_interface.hpp"

namespace dyn_controllers {

class SimulatedArm : public hardware_interface::SystemInterface {
 public:
  using CallbackReturn = hardware_interface::CallbackReturn;
  using return_type = hardware_interface::return_type;
  using State = rclcpp_lifecycle::State;

  CallbackReturn on_init(const hardware_interface::HardwareComponentInterfaceParams& params) override;
  CallbackReturn on_configure(const State& previous) override;
  CallbackReturn on_deactivate(const State& previous) override;
  CallbackReturn on_error(const State& previous) override;
  return_type prepare_command_mode_switch(const std::vector<std::string>& start,
                                          const std::vector<std::string>& stop) override;
  return_type perform_command_mode_switch(const std::vector<std::string>& start,
                                          const std::vector<std::string>& stop) override;
  return_type read(const rclcpp::Time& time, const rclcpp::Duration& period) override;
  return_type write(const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  // One joint of the <ros2_control> tag; a joint that mimics another follows its coordinate.
  struct JointHandles {
    std::string name;
    int coordinate = -1;     // -1: the robot does not have it now
    std::uint8_t modes = 0;  // DriveMode bits of the command interfaces that are claimed
    double multiplier = 1.0, offset = 0.0;
    bool mimics = false;
    hardware_interface::StateInterface::SharedPtr position, velocity, effort;  // may be null
    hardware_interface::CommandInterface::SharedPtr position_command, velocity_command, effort_command;
  };

  // A joint that a payload may bring.
  struct PayloadJoint {
    std::string name;
    int coordinate = -1;  // -1: not attached
    hardware_interface::StateInterface::SharedPtr position, velocity;
  };

  struct Push {
    std::string link;
    dyn::Vec3d force_N, point_m;  // frame of the root link; of the link
    double ends_s;                // as moved_s_ counts
  };

  void make_plant();
  [[nodiscard]] dyn::RobotDescription own_robot(const std::string& urdf) const;
  static void find_joint(JointHandles& handles, const dyn::Model& model);
  void place_joint(const hardware_interface::ComponentInfo& component);
  void find_handles();
  void offer_services();
  void push(const dyn_msgs::srv::Push::Request& request, dyn_msgs::srv::Push::Response& response);
  void end_push();
  void tell_walls();
  bool move(double measured_s);
  void show_state(std::span<const double> torques);
  void brake_all() noexcept;
  // `map`: of coordinates, where the robot has other joints than before; null: it is the same robot.
  dyn::live::Applied carry(const dyn::RobotDescription& carried, const dyn::CoordinateMap* map);
  dyn::live::Applied replace_joints(const std::string& urdf, const dyn::CoordinateMap& map);
  void fit_joints(const dyn::Model& model, std::span<const int> from);
  void fit_payload_joints(const dyn::Model& model);
  // INTERFACE is "JOINT/position" and so on; null if it does not belong to this hardware.
  JointHandles* handles_of(const std::string& interface, DriveMode& mode);

  SimulatedArmSettings settings_;
  double moved_s_ = 0.0;
  std::mutex plant_mutex_;  // between payload services and the loop: a simulation may wait
  std::unique_ptr<dyn::sim::Plant> plant_;
  dyn::RobotDescription carried_;         // the robot with its payloads, as last set by the services
  std::vector<dyn::Payload> attached_;    // those payloads
  std::vector<std::string> every_joint_;  // of the first robot that moves, ours or not
  std::unique_ptr<SimulatedDrives> drives_;
  std::vector<JointHandles> joints_;
  std::vector<PayloadJoint> payload_joints_;
  std::map<std::string, double> start_q_;  // by coordinate; without an entry: 0
  std::vector<double> q_, v_;
  std::optional<Push> push_;  // the last one, while it lasts
  std::unique_ptr<PayloadServices> payloads_;
  std::unique_ptr<JointService> other_joints_;
  rclcpp::Service<dyn_msgs::srv::Push>::SharedPtr push_service_;
  rclcpp::Publisher<geometry_msgs::msg::WrenchStamped>::SharedPtr walls_;
  rclcpp::TimerBase::SharedPtr walls_timer_;
};

}  // namespace dyn_controllers
