// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The action ~/estimate_payload: what a link carries, learnt from the motion that is going on
// (dyn_core/identify/payload_learner.hpp), and the topic ~/payload_estimate with it as it converges. The loop sums up;
// a timer of the node's executor solves, in the callback group of the payload services, so that nothing here runs
// beside a call of theirs. It ends with a proposal. What is attached goes through ~/attach_payload's own function, and
// is refused by what refuses it there. Deactivation ends it.
#pragma once

#include <memory>
#include <string>

#include "dyn_controllers/arm.hpp"
#include "dyn_controllers/callback_gate.hpp"
#include "dyn_controllers/payload_services.hpp"
#include "dyn_msgs/action/estimate_payload.hpp"
#include "rclcpp_action/rclcpp_action.hpp"

namespace dyn_controllers {

class PayloadEstimation {
 public:
  // Both live longer.
  PayloadEstimation(rclcpp_lifecycle::LifecycleNode& node, Arm& arm, PayloadServices& payloads);
  ~PayloadEstimation();
  PayloadEstimation(const PayloadEstimation&) = delete;
  PayloadEstimation& operator=(const PayloadEstimation&) = delete;
  PayloadEstimation(PayloadEstimation&&) = delete;
  PayloadEstimation& operator=(PayloadEstimation&&) = delete;

 private:
  using Action = dyn_msgs::action::EstimatePayload;
  using GoalHandle = rclcpp_action::ServerGoalHandle<Action>;
  using Message = dyn_msgs::msg::PayloadEstimate;

  void begin(const std::shared_ptr<GoalHandle>& goal);
  void go_on();
  [[nodiscard]] std::string interruption() const;
  [[nodiscard]] Message message() const;
  void propose(Action::Result& result);
  void attach(const Action::Goal& wanted, Action::Result& result);
  // Of the goal that is going on; the loop's learner is taken away.
  enum class End : std::uint8_t { succeeded, canceled, aborted };
  void end(End how, const Action::Result::SharedPtr& result);
  [[nodiscard]] Action::Result::SharedPtr result_so_far(const std::string& text) const;

  Arm& arm_;
  PayloadServices& payloads_;
  rclcpp::Logger logger_;
  rclcpp::Clock::SharedPtr clock_;

  // Of the goal that is going on; null where none is.
  std::shared_ptr<GoalHandle> goal_;
  LearnerSlot::Learner learner_;
  std::shared_ptr<const dyn::Model> model_;  // that it was begun with
  std::uint64_t activation_ = 0, conditions_ = 0;
  std::string name_;
  dyn::identify::LearntPayload learnt_;

  rclcpp::Publisher<Message>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
  rclcpp_action::Server<Action>::SharedPtr server_;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
