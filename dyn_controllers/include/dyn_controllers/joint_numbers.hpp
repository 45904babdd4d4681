// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Parameters WHAT.JOINT, a number of at least 0 for each joint of a description that is known only when a controller is
// configured: armature.JOINT, effort_limit.JOINT, acceleration_limit.JOINT. What the user gives counts, else the
// description's; the parameter shows what counts. They are read when a model is made, so that they may not be changed
// while there is one. Off the loop; calls into ROS, so never under a lock of ours.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "dyn_core/model/description.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

namespace dyn_controllers {

class JointNumbers {
 public:
  JointNumbers(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node, const std::string& what,
               const std::string& description);
  ~JointNumbers();
  JointNumbers(const JointNumbers&) = delete;
  JointNumbers& operator=(const JointNumbers&) = delete;
  JointNumbers(JointNumbers&&) = delete;
  JointNumbers& operator=(JointNumbers&&) = delete;

  // `own`: where the user gives none. Declares nothing. Throws dyn::ModelError where the value is no good.
  [[nodiscard]] double of(const std::string& joint, double own) const;
  // These count from now on, by joint: parameters show them, and stay so until release().
  void show(const std::map<std::string, double>& numbers);
  void release() noexcept { fixed_ = false; }

 private:
  // In a parameter file, or set since.
  [[nodiscard]] bool is_given(const std::string& name) const;
  [[nodiscard]] rcl_interfaces::msg::SetParametersResult judge(const std::vector<rclcpp::Parameter>& changes) const;

  rclcpp_lifecycle::LifecycleNode::SharedPtr node_;
  const std::string prefix_, description_;
  std::map<std::string, double> shown_;  // the description's, by parameter
  std::atomic<bool> fixed_{false};
  std::atomic<std::thread::id> showing_{};  // whose change is not a user's
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr on_set_;
};

// The reflected inertia of the drives.
struct Armature : JointNumbers {
  explicit Armature(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node)
      : JointNumbers(node, "armature", "Reflected inertia of the drive, kg m^2 or kg, added to the diagonal of M.") {}
  void put_into(dyn::RobotDescription& robot) const;
  void show_of(const dyn::RobotDescription& robot);
};

// All of them that a controller has.
struct ControllerJointNumbers {
  explicit ControllerJointNumbers(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node)
      : armature(node),
        effort_limit(node, "effort_limit", "N m or N that the joint may use, beside the URDF's; 0: the URDF's alone."),
        acceleration_limit(node, "acceleration_limit",
                           "rad/s^2 or m/s^2 of the reference; 0: what the effort that is left allows.") {}
  void release() noexcept {
    armature.release();
    effort_limit.release();
    acceleration_limit.release();
  }

  Armature armature;
  JointNumbers effort_limit, acceleration_limit;
};

}  // namespace dyn_controllers
