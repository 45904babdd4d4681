// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Parameters WHAT.JOINT, a number of at least 0 for each joint of a description that is known only when a controller is
// configured: armature.JOINT, effort_limit.JOINT, acceleration_limit.JOINT. The user's value takes precedence over the
// description's; the parameter shows the value in use. They are read when a model is built and may not be changed while
// it exists. Not for the loop; calls into ROS, so never called with one of our mutexes locked.
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

  // `own`: used if the user gives none. Declares nothing. Throws dyn::ModelError if the value is invalid.
  [[nodiscard]] double of(const std::string& joint, double own) const;
  // These are used from now on, by joint: parameters show them until release().
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
  std::atomic<std::thread::id> showing_{};  // the thread whose change is not a user's
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
        effort_limit(node, "effort_limit",
                     "Limit of the joint's effort, N m or N, in addition to the URDF's; the smaller one counts. 0: the "
                     "URDF's alone."),
        acceleration_limit(
            node, "acceleration_limit",
            "Limit of the reference's acceleration, rad/s^2 or m/s^2; 0: what the remaining effort allows.") {}
  void release() noexcept {
    armature.release();
    effort_limit.release();
    acceleration_limit.release();
  }

  Armature armature;
  JointNumbers effort_limit, acceleration_limit;
};

}  // namespace dyn_controllers
