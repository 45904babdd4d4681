// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The action ~/estimate_payload on a real controller manager: the simulated arm takes a box that nobody tells the
// controller of.
#include <cmath>
#include <thread>

#include "dyn_controllers/torque_controller.hpp"
#include "dyn_msgs/action/estimate_payload.hpp"
#include "dyn_msgs/srv/list_payloads.hpp"
#include "handle_locks.hpp"
#include "loop_fixture.hpp"
#include "rclcpp_action/rclcpp_action.hpp"
#include "support/allocation_counter.hpp"

namespace dyn_controllers::test {
namespace {

using namespace std::chrono_literals;
using Estimate = dyn_msgs::action::EstimatePayload;
using Handle = rclcpp_action::ClientGoalHandle<Estimate>;
using rclcpp_action::ResultCode;

// Whoever asks for an estimate; `spin` runs the executor of both sides for a moment.
class Asker {
 public:
  Asker(const rclcpp::Node::SharedPtr& node, const std::string& controller, std::function<void()> spin)
      : spin_(std::move(spin)),
        client_(rclcpp_action::create_client<Estimate>(node, "/" + controller + "/estimate_payload")) {}

  void ask(const Estimate::Goal& goal) {
    result = {};
    feedbacks.clear();
    EXPECT_TRUE(until([&] { return client_->action_server_is_ready(); }));
    rclcpp_action::Client<Estimate>::SendGoalOptions options;
    options.feedback_callback = [this](const Handle::SharedPtr&, const std::shared_ptr<const Estimate::Feedback>& now) {
      feedbacks.push_back(now->estimate);
    };
    options.result_callback = [this](const Handle::WrappedResult& wrapped) { result = wrapped; };
    auto accepted = client_->async_send_goal(goal, options);
    EXPECT_TRUE(until([&] { return accepted.wait_for(0s) == std::future_status::ready; }));
    handle = accepted.get();
    EXPECT_NE(handle, nullptr);
  }
  [[nodiscard]] bool is_over() const { return result.result != nullptr; }
  bool wait() {
    return until([&] { return is_over(); });
  }
  void cancel() { (void)client_->async_cancel_goal(handle); }

  Handle::SharedPtr handle;
  Handle::WrappedResult result;
  std::vector<dyn_msgs::msg::PayloadEstimate> feedbacks;

 private:
  template <class Condition>
  bool until(Condition&& condition) {
    const auto end = std::chrono::steady_clock::now() + 50s;  // on a busy machine
    while (!condition() && std::chrono::steady_clock::now() < end) spin_();
    return condition();
  }
  std::function<void()> spin_;
  rclcpp_action::Client<Estimate>::SharedPtr client_;
};

Estimate::Goal on_tool(bool attach = false) {
  Estimate::Goal goal;
  goal.link = "tool0";
  goal.attach = attach;
  return goal;
}

class PayloadEstimates : public LoopTest {
 protected:
  void begin(const Extras& extras = {}) {
    bring_up({}, extras);
    if (HasFatalFailure()) return;
    asker = std::make_unique<Asker>(user, "computed_torque_controller", [this] { executor->spin_once(10ms); });
    track(100);
  }
  // 2 s of motion, a tenth after which nothing is left to be summed up, and what comes out of it.
  const Estimate::Result& estimate(const Estimate::Goal& goal, double size) {
    asker->ask(goal);
    send_goal(size, 2);
    track(2200);
    EXPECT_TRUE(asker->wait());
    return *asker->result.result;
  }
  AttachPayload::Response on_arm() {
    const auto answer = call<AttachPayload>("/simulated_arm/attach_payload", box());
    EXPECT_TRUE(answer->success) << answer->message;
    return *answer;
  }
  std::size_t attached() {
    using dyn_msgs::srv::ListPayloads;
    return call<ListPayloads>("/computed_torque_controller/list_payloads", ListPayloads::Request())->payloads.size();
  }
  double error_of_a_move(double size) {
    squares = 0.0;
    samples = 0;
    send_goal(size, 1);
    track(1000);
    return rms();
  }
  std::unique_ptr<Asker> asker;
};

void expect_box(const dyn_msgs::msg::PayloadEstimate& estimate) {
  EXPECT_TRUE(estimate.converged) << estimate.text;
  EXPECT_NEAR(estimate.inertia.m, 2.0, 0.02);
  EXPECT_NEAR(estimate.inertia.com.x, 0.05, 5e-3);
  EXPECT_LT(std::hypot(estimate.inertia.com.y, estimate.inertia.com.z), 5e-3);
  EXPECT_EQ(estimate.header.frame_id, "tool0");
}

// Drives that add gravity exactly are those of an arm without weight.
TEST_F(PayloadEstimates, DrivesThatAddGravityThemselvesCarryNothing) {
  begin({"<param name='gravity'>0 0 0</param>", {}, "    gravity_compensation: hardware\n"});
  const Estimate::Result& found = estimate(on_tool(), 0.5);
  EXPECT_TRUE(found.estimate.converged) << found.estimate.text;
  EXPECT_NEAR(found.estimate.inertia.m, 0.0, 0.02);
  EXPECT_NE(found.proposal, "attach") << found.text;
}

TEST_F(PayloadEstimates, IsProposedAndAttachedWhereThatIsWanted) {
  begin();
  on_arm();
  Estimate::Goal goal = on_tool();
  goal.name = "crate";
  dyn_msgs::msg::PayloadEstimate shown;
  const auto topic = user->create_subscription<dyn_msgs::msg::PayloadEstimate>(
      "/computed_torque_controller/payload_estimate", 1,
      [&](const dyn_msgs::msg::PayloadEstimate::ConstSharedPtr& message) { shown = *message; });
  const Estimate::Result proposed = estimate(goal, 0.5);
  expect_box(proposed.estimate);
  EXPECT_EQ(asker->result.code, ResultCode::SUCCEEDED);
  EXPECT_EQ(proposed.proposal, "attach") << proposed.text;
  EXPECT_EQ(proposed.estimate.name, "crate");
  EXPECT_FALSE(proposed.attached);
  EXPECT_FALSE(asker->feedbacks.empty());
  EXPECT_EQ(attached(), 0U);
  EXPECT_TRUE(spin_until([&] { return shown.converged; }));
  const double without = error_of_a_move(0.0);

  const Estimate::Result found = estimate(on_tool(true), 0.5);
  expect_box(found.estimate);
  EXPECT_TRUE(found.attached) << found.text;
  EXPECT_EQ(attached(), 1U);
  track(1000);
  EXPECT_LT(error_of_a_move(0.0), 0.1 * without);
}

TEST_F(PayloadEstimates, KeepsWhatWasToldAndNoticesWhatWasDropped) {
  begin();
  take_on(box());
  EXPECT_EQ(estimate(on_tool(true), 0.5).proposal, "keep") << asker->result.result->text;
  DetachPayload::Request off;
  off.name = "box";
  EXPECT_TRUE(call<DetachPayload>("/simulated_arm/detach_payload", off)->success);
  const Estimate::Result& dropped = estimate(on_tool(true), 0.0);
  EXPECT_EQ(dropped.proposal, "detach") << dropped.text;
  EXPECT_EQ(dropped.payloads, std::vector<std::string>{"box"});
  EXPECT_EQ(attached(), 1U) << "it is proposed, not done";
}

TEST_F(PayloadEstimates, WhatDisagreesWithATellingIsNotAttached) {
  begin();
  on_arm();
  AttachPayload::Request told = box();
  told.payload.inertia.m = 1.0;
  EXPECT_TRUE(call<AttachPayload>("/computed_torque_controller/attach_payload", told)->success);
  track(1);
  const Estimate::Result& found = estimate(on_tool(true), 0.5);
  EXPECT_EQ(found.proposal, "none");
  EXPECT_NE(found.text.find("disagrees with the told payload 'box'"), std::string::npos) << found.text;
  EXPECT_FALSE(found.attached);
  EXPECT_EQ(attached(), 1U);
}

TEST_F(PayloadEstimates, WhatHasNotConvergedOrIsTooHeavyIsNotAttached) {
  begin();
  on_arm();
  Estimate::Goal still = on_tool(true);
  still.duration.nanosec = 500'000'000;
  asker->ask(still);
  cycles(600);
  ASSERT_TRUE(asker->wait());
  EXPECT_EQ(asker->result.result->proposal, "none");
  EXPECT_NE(asker->result.result->text.find("not converged"), std::string::npos) << asker->result.result->text;

  asker->ask(on_tool(true));
  send_goal(0.5, 2);
  track(2200);
  ASSERT_TRUE(computed->get_node()->set_parameter({"effort_limit_scale", 0.1}).successful);
  ASSERT_TRUE(asker->wait());
  EXPECT_NE(asker->result.result->text.find("gravity takes"), std::string::npos) << asker->result.result->text;
  EXPECT_EQ(asker->result.result->proposal, "none");
  EXPECT_EQ(attached(), 0U);
}

TEST_F(PayloadEstimates, AreCanceledAndEndedByDeactivationAndByOtherConditions) {
  begin();
  const auto text = [&] { return asker->result.result->text; };
  asker->ask(on_tool());
  cycles(300);
  asker->cancel();
  ASSERT_TRUE(asker->wait());
  EXPECT_EQ(asker->result.code, ResultCode::CANCELED);

  asker->ask(on_tool());
  cycles(300);
  ASSERT_TRUE(computed->get_node()->set_parameter({"friction_compensation", true}).successful);
  ASSERT_TRUE(asker->wait());
  EXPECT_EQ(asker->result.code, ResultCode::ABORTED);
  EXPECT_NE(text().find("changed meanwhile"), std::string::npos) << text();

  asker->ask(on_tool());
  cycles(300);
  switch_to({}, {"joint_trajectory_controller", "computed_torque_controller"});
  ASSERT_TRUE(asker->wait());
  EXPECT_EQ(asker->result.code, ResultCode::ABORTED);
  EXPECT_NE(text().find("was deactivated"), std::string::npos) << text();

  asker->ask(on_tool());
  ASSERT_TRUE(asker->wait());
  EXPECT_EQ(text(), "the controller is not active");
}

TEST_F(PayloadEstimates, WhatCannotBeIsRefusedInOneSentence) {
  begin();
  const auto refused = [&](const Estimate::Goal& goal, const std::string& why) {
    asker->ask(goal);
    EXPECT_TRUE(asker->wait());
    EXPECT_EQ(asker->result.code, ResultCode::ABORTED);
    EXPECT_NE(asker->result.result->text.find(why), std::string::npos) << asker->result.result->text;
  };
  Estimate::Goal goal = on_tool();
  goal.link = "nowhere";
  refused(goal, "no such link");
  goal = on_tool();
  goal.duration.sec = -1;
  refused(goal, "duration");
  goal = on_tool();
  goal.cutoff = 1000.0;
  refused(goal, "cutoff");

  asker->ask(on_tool());
  Asker other(user, "computed_torque_controller", [this] { executor->spin_once(10ms); });
  other.ask(on_tool());
  EXPECT_TRUE(other.wait());
  EXPECT_NE(other.result.result->text.find("another estimate is going on"), std::string::npos);
  EXPECT_FALSE(asker->is_over());
}

// From the learner's coming to its being taken away.
TEST(PayloadEstimatesRealTime, UpdateAllocatesNothingAndTakesNoLockOfOurs) {
  Plugin<ComputedTorqueController> plugin;
  plugin.start(false);
  ASSERT_EQ(plugin.update(), return_type::OK);
  Room room(*plugin.controller->get_node());
  Asker asker(room.node, "controller", [&] { room.executor.spin_once(10ms); });
  const auto locks_of_cycle = locks_of_handles(plugin, 14, 7);
  std::int64_t more_locks = 0;
  dyn::test::AllocationCount total;
  const auto counted = [&](int cycles) {
    for (int k = 0; k < cycles; ++k) {
      more_locks += locks_and_allocations([&] { EXPECT_EQ(plugin.update(), return_type::OK); }, total) - locks_of_cycle;
    }
  };
  for (int round = 0; round < 2; ++round) {
    asker.ask(on_tool());
    counted(2100);
    ASSERT_TRUE(asker.wait());
    EXPECT_NEAR(asker.result.result->estimate.motion, 2.0, 0.01);
    counted(10);
  }
  EXPECT_EQ(total.allocations, 0);
  EXPECT_EQ(total.frees, 0);
  EXPECT_EQ(more_locks, 0);
}

}  // namespace
}  // namespace dyn_controllers::test
