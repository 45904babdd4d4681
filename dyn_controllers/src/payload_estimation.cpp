// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/payload_estimation.hpp"

#include <chrono>
#include <utility>

#include "dyn_controllers/message_duration.hpp"
#include "dyn_controllers/vector_messages.hpp"
#include "dyn_core/model/name_limit.hpp"

namespace dyn_controllers {
namespace {

constexpr std::chrono::milliseconds solves_every{50};
constexpr double usual_duration_s = 2.0, usual_cutoff_hz = 10.0;

geometry_msgs::msg::Inertia inertia_message(const dyn::Inertial& body) {
  geometry_msgs::msg::Inertia message;
  const dyn::Mat3d& I = body.inertia_com_kgm2;
  message.m = body.mass_kg;
  put(body.com_m, message.com);
  message.ixx = I(0, 0);
  message.ixy = I(0, 1);
  message.ixz = I(0, 2);
  message.iyy = I(1, 1);
  message.iyz = I(1, 2);
  message.izz = I(2, 2);
  return message;
}

}  // namespace

PayloadEstimation::PayloadEstimation(rclcpp_lifecycle::LifecycleNode& node, Arm& arm, PayloadServices& payloads)
    : arm_(arm),
      payloads_(payloads),
      logger_(node.get_logger()),
      clock_(node.get_clock()),
      publisher_(rclcpp::create_publisher<Message>(node, "~/payload_estimate", rclcpp::SystemDefaultsQoS())) {
  timer_ = node.create_wall_timer(solves_every, gate_.guard([this] { go_on(); }), payloads.one_at_a_time());
  timer_->cancel();
  server_ = rclcpp_action::create_server<Action>(
      node.get_node_base_interface(), node.get_node_clock_interface(), node.get_node_logging_interface(),
      node.get_node_waitables_interface(), "~/estimate_payload",
      [](const rclcpp_action::GoalUUID&, const Action::Goal::ConstSharedPtr&) {
        return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;  // what is refused is aborted, with the reason
      },
      [](const std::shared_ptr<GoalHandle>&) { return rclcpp_action::CancelResponse::ACCEPT; },
      gate_.guard([this](const std::shared_ptr<GoalHandle>& goal) { begin(goal); }),
      rcl_action_server_get_default_options(), payloads.one_at_a_time());
}

PayloadEstimation::~PayloadEstimation() {
  gate_.close();
  if (goal_) end(End::aborted, result_so_far("the controller is cleaned up"));
}

void PayloadEstimation::begin(const std::shared_ptr<GoalHandle>& goal) {
  const Action::Goal& wanted = *goal->get_goal();
  try {
    if (goal_) throw dyn::ModelError("another estimate is going on");
    dyn::check_name_length("link", wanted.link);
    dyn::check_name_length("the name of payload", wanted.name);
    const double duration_s = seconds(wanted.duration);
    activation_ = arm_.activation();
    conditions_ = arm_.conditions();
    if (!Arm::is_active(activation_)) throw dyn::ModelError("the controller is not active");
    model_ = arm_.live().newest_model();
    learner_ = arm_.make_learner(wanted.link, duration_s == 0.0 ? usual_duration_s : duration_s,
                                 wanted.cutoff == 0.0 ? usual_cutoff_hz : wanted.cutoff);
  } catch (const std::exception& error) {
    auto refused = std::make_shared<Action::Result>();
    refused->proposal = to_string(dyn::identify::Proposal::none);
    refused->text = error.what();
    RCLCPP_ERROR(logger_, "estimate_payload refused: %s", error.what());
    goal->abort(refused);
    return;
  }
  goal_ = goal;
  name_ = wanted.name.empty() ? "learnt" : wanted.name;
  learnt_ = {};
  arm_.learner().put(learner_);
  timer_->reset();
}

// Why what has come is no good; empty if it is.
std::string PayloadEstimation::interruption() const {
  if (arm_.activation() != activation_) return "the controller was deactivated";
  if (arm_.conditions() != conditions_) return "gravity or what is compensated for was changed meanwhile";
  return {};
}

void PayloadEstimation::go_on() {
  if (!goal_) return;
  if (goal_->is_canceling()) return end(End::canceled, result_so_far("canceled"));
  if (const std::string why = interruption(); !why.empty()) return end(End::aborted, result_so_far(why));
  bool more = false;
  while (learner_->collect()) more = true;
  if (!more) return;
  learnt_ = learner_->solve();
  auto feedback = std::make_shared<Action::Feedback>();
  feedback->estimate = message();
  publisher_->publish(feedback->estimate);
  goal_->publish_feedback(feedback);
  if (!learner_->complete()) return;
  const auto result = result_so_far({});
  propose(*result);
  end(End::succeeded, result);
}

PayloadEstimation::Message PayloadEstimation::message() const {
  Message message;
  message.header.stamp = clock_->now();
  message.header.frame_id = learner_->link();
  message.name = name_;
  message.inertia = inertia_message(learnt_.inertial);
  message.mass_sigma = learnt_.sigma.mass_kg;
  put(learnt_.sigma.com_m, message.com_sigma);
  message.inertia_sigma = learnt_.sigma.inertia_kgm2;
  message.motion = learnt_.time_s;
  message.converged = learnt_.converged;
  message.text = learnt_.why_not;
  return message;
}

void PayloadEstimation::propose(Action::Result& result) {
  const dyn::identify::PayloadProposal proposal = learner_->propose(learnt_);
  result.proposal = to_string(proposal.what);
  result.text = proposal.text;
  result.payloads = proposal.payloads;
  const Action::Goal& wanted = *goal_->get_goal();
  if (wanted.attach && proposal.what == dyn::identify::Proposal::attach) attach(wanted, result);
}

void PayloadEstimation::attach(const Action::Goal& wanted, Action::Result& result) {
  dyn_msgs::srv::AttachPayload::Request request;
  request.payload.name = name_;
  request.payload.link = wanted.link;
  request.payload.inertia = result.estimate.inertia;
  request.transition_time = wanted.transition_time;
  dyn_msgs::srv::AttachPayload::Response response;
  if (arm_.live().newest_model() == model_) {
    payloads_.attach(request, response);
  } else {
    response.message = "the model changed meanwhile";
  }
  result.attached = response.success;
  result.generation = response.generation;
  if (response.success) {
    result.text += "; " + response.message;
  } else {
    result.proposal = to_string(dyn::identify::Proposal::none);
    result.text = "not attached: " + response.message;
  }
}

PayloadEstimation::Action::Result::SharedPtr PayloadEstimation::result_so_far(const std::string& text) const {
  auto result = std::make_shared<Action::Result>();
  result->estimate = message();
  result->proposal = to_string(dyn::identify::Proposal::none);
  result->text = text;
  return result;
}

void PayloadEstimation::end(End how, const Action::Result::SharedPtr& result) {
  timer_->cancel();
  arm_.learner().put(nullptr);
  learner_.reset();
  model_.reset();
  RCLCPP_INFO(logger_, "estimate_payload: %s", result->text.c_str());
  const std::shared_ptr<GoalHandle> goal = std::exchange(goal_, nullptr);
  switch (how) {
    case End::succeeded: goal->succeed(result); break;
    case End::canceled: goal->canceled(result); break;
    case End::aborted: goal->abort(result); break;
  }
}

}  // namespace dyn_controllers
