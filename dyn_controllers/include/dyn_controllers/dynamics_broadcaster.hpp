// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The model's terms for an arm that another controller moves: ~/dynamics with M, C, g, the momentum M v and, if the
// hardware measures effort, the residual of the momentum observer. It claims no command interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controller_interface/controller_interface.hpp"
#include "dyn_controllers/broadcaster_parameters.hpp"
#include "dyn_controllers/joint_numbers.hpp"
#include "dyn_controllers/payload_services.hpp"
#include "dyn_core/control/momentum_observer.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_core/lockfree/latest.hpp"
#include "dyn_msgs/msg/dynamics.hpp"

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
  struct Sample {
    std::int64_t stamp_ns = 0;
    std::vector<double> q, v, M, C, g, external;
  };

  void set_up();
  DYN_REALTIME void read() noexcept;
  DYN_REALTIME void observe(const dyn::Dynamics& dynamics) noexcept;
  void publish();

  std::shared_ptr<broadcaster_parameters::ParamListener> listener_;
  std::unique_ptr<Armature> armature_;
  std::vector<std::string> joints_;  // coordinates of the robot
  bool measures_effort_ = false;
  double observer_gain_ = 0.0, period_s_ = 0.0;
  long every_ = 1, cycle_ = 0;
  std::unique_ptr<dyn::live::LiveModel> live_;
  std::unique_ptr<dyn::control::MomentumObserver> observer_;
  bool observing_ = false;
  std::uint64_t generation_ = 0;
  std::vector<double> q_, v_, tau_;
  std::unique_ptr<dyn::lockfree::Latest<Sample>> samples_;
  std::unique_ptr<PayloadServices> payloads_;
  dyn_msgs::msg::Dynamics message_;
  rclcpp::Publisher<dyn_msgs::msg::Dynamics>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace dyn_controllers
