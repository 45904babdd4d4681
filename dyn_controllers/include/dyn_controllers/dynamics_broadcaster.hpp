// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The model's terms for an arm that another controller moves: ~/dynamics with M, C, g, the momentum M v and, if the
// hardware measures effort, the residual of the momentum observer. It claims no command interface.
//
// States are claimed for the robot of on_configure(). After ~/replace_joints the model may have fewer of its joints, in
// another order: states of the others are ignored, and the message names those that the model has.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "controller_interface/controller_interface.hpp"
#include "dyn_controllers/broadcaster_parameters.hpp"
#include "dyn_controllers/callback_gate.hpp"
#include "dyn_controllers/joint_numbers.hpp"
#include "dyn_controllers/joint_service.hpp"
#include "dyn_controllers/payload_services.hpp"
#include "dyn_core/control/momentum_observer.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_core/lockfree/latest.hpp"
#include "dyn_msgs/msg/dynamics.hpp"
#include "std_msgs/msg/string.hpp"

namespace dyn_controllers {

class DynamicsBroadcaster : public controller_interface::ControllerInterface {
 public:
  using CallbackReturn = controller_interface::CallbackReturn;
  using State = rclcpp_lifecycle::State;

  CallbackReturn on_init() override;
  [[nodiscard]] controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  [[nodiscard]] controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  CallbackReturn on_configure(const State& previous) override;
  CallbackReturn on_activate(const State& previous) override;
  CallbackReturn on_cleanup(const State& previous) override;
  controller_interface::return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  // By coordinate of the model: its place in joints_. Every generation of a replaced robot has one.
  struct Entries : dyn::live::JointSettings {
    std::vector<int> of;
    [[nodiscard]] std::unique_ptr<JointSettings> copy() const override { return std::make_unique<Entries>(*this); }
  };
  // Room for all joints; the first n coordinates are the model's.
  struct Sample {
    std::int64_t stamp_ns = 0;
    size_t n = 0;
    std::vector<int> entries;
    std::vector<double> q, v, M, C, g, external;
  };

  void set_up();
  void offer_services();
  dyn::live::Applied replace_joints(const std::string& urdf, const dyn::CoordinateMap& map, double transition_time_s);
  void take_description(const std::string& urdf);
  // The states of these joints.
  DYN_REALTIME void read(std::span<const int> entries) noexcept;
  DYN_REALTIME void observe(const dyn::Dynamics& dynamics) noexcept;
  DYN_REALTIME void show(std::int64_t stamp_ns, std::span<const int> entries, const dyn::Dynamics& dynamics) noexcept;
  void publish();

  std::shared_ptr<broadcaster_parameters::ParamListener> listener_;
  std::unique_ptr<Armature> armature_;
  std::string urdf_;                 // in use; of the services' callbacks, one at a time
  dyn::ModelOptions model_options_;  // of every model
  std::vector<std::string> joints_;  // coordinates of the robot of on_configure()
  std::vector<int> every_entry_;     // of joints_: the entries before any joints were replaced
  bool measures_effort_ = false;
  double observer_gain_ = 0.0, period_s_ = 0.0;
  long every_ = 1, cycle_ = 0;
  std::unique_ptr<dyn::live::LiveModel> live_;
  std::unique_ptr<dyn::control::MomentumObserver> observer_;
  bool observing_ = false;
  std::uint64_t generation_ = 0;
  std::vector<double> q_, v_, tau_;  // by coordinate of the model
  size_t n_ = 0;                     // its coordinates in this cycle
  std::unique_ptr<dyn::lockfree::Latest<Sample>> samples_;
  std::unique_ptr<PayloadServices> payloads_;
  std::unique_ptr<JointService> other_joints_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  dyn_msgs::msg::Dynamics message_;
  rclcpp::Publisher<dyn_msgs::msg::Dynamics>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::unique_ptr<CallbackGate> gate_;  // from on_configure() to on_cleanup()
};

}  // namespace dyn_controllers
