// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How late torques act: found by the controller from the motion of the simulated arm, whose drives have that delay.
#include <cmath>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "dyn_msgs/msg/controller_state.hpp"
#include "loop_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using diagnostic_msgs::msg::DiagnosticArray, dyn_msgs::msg::ControllerState;

class Delay : public LoopTest, public testing::WithParamInterface<int> {};

TEST_P(Delay, IsMeasuredAndPredictionProposed) {
  bring_up({}, {"<param name='delay'>" + std::to_string(GetParam()) + "</param>", {}});
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_FALSE(computed->arm().observation().delay().known) << "it has not moved";
  for (const double size : {0.4, -0.3, 0.3}) {
    send_goal(size, 1);
    track(1200);
  }
  const auto found = computed->arm().observation().delay();
  std::printf("drives late by %d periods: measured %.3f, deviation %.1g\n", GetParam(), found.periods, found.deviation);
  EXPECT_TRUE(found.known);
  EXPECT_NEAR(found.periods, GetParam(), 0.15);

  ControllerState state;
  state.measured_delay = -1.0;
  auto states = user->create_subscription<ControllerState>(
      "/computed_torque_controller/controller_state", 1,
      [&](const ControllerState::ConstSharedPtr& message) { state = *message; });
  EXPECT_TRUE(spin_until([&] {
    cycle();
    return state.measured_delay > -1.0;
  }));
  EXPECT_NEAR(state.measured_delay, GetParam(), 0.15);
  EXPECT_NEAR(state.proposed_prediction, GetParam() + 0.5, 0.15);

  std::string told;
  auto diagnostics = user->create_subscription<DiagnosticArray>("/diagnostics", 10,
                                                                [&](const DiagnosticArray::ConstSharedPtr& message) {
                                                                  for (const auto& status : message->status) {
                                                                    for (const auto& value : status.values) {
                                                                      if (value.key == "proposed prediction")
                                                                        told = value.value;
                                                                    }
                                                                  }
                                                                });
  EXPECT_TRUE(spin_until([&] {
    cycle();
    return !told.empty();
  }));
  EXPECT_NEAR(std::stod(told), GetParam() + 0.5, 0.16);
}
INSTANTIATE_TEST_SUITE_P(Of, Delay, testing::Values(0, 1, 2, 3));

// Cycles that come 20 ms late: what the arm did meanwhile is not taken for its answer to the last torque.
TEST_F(LoopTest, TheDelayIsMeasuredInALoopThatIsLateNowAndThen) {
  bring_up({}, {"<param name='delay'>1</param>", {}});
  ASSERT_FALSE(HasFatalFailure());
  for (const double size : {0.4, -0.3, 0.3, -0.4}) {
    send_goal(size, 1);
    track(500);
    cycle_after(rclcpp::Duration::from_seconds(0.02));
    track(600);
  }
  const auto found = computed->arm().observation().delay();
  EXPECT_TRUE(found.known) << found.explained << " explained";
  EXPECT_NEAR(found.periods, 1.0, 0.15);
}

// What is proposed is better: the same motion with it, far nearer to the reference.
TEST_F(LoopTest, TheProposedPredictionMakesUpForTheDelay) {
  bring_up({}, {"<param name='delay'>3</param>", {}});
  ASSERT_FALSE(HasFatalFailure());
  send_goal(0.4, 1);
  track(1200);
  const double late = rms();
  send_goal(0.0, 1);
  track(1200);
  const double proposed = computed->arm().observation().delay().proposed_prediction();
  ASSERT_NEAR(proposed, 3.5, 0.15);
  (void)computed->get_node()->set_parameter(rclcpp::Parameter("prediction", proposed));
  track(100);
  squares = 0.0;
  samples = 0;
  send_goal(0.4, 1);
  track(1200);
  std::printf("delay of 3 periods: %.2g rad rms with prediction 0.5, %.2g with the proposed one\n", late, rms());
  EXPECT_LT(rms(), 0.2 * late);
}

}  // namespace
}  // namespace dyn_controllers::test
