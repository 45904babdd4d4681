// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Faults on a real controller manager while the arm moves: of the hardware's states below joint_trajectory_controller,
// of the references of a controller above, of the manager's clock, and payloads that are not what was told. Effort
// limits hold in every cycle, and the reaction is the specified one. The figures of docs/safety.md are printed:
//   ctest --test-dir build -V -R FaultsOnRos
#include <cmath>

#include "arm_watch.hpp"
#include "loop_fixture.hpp"

namespace dyn_controllers::test {
namespace {

constexpr double fault_at_s = 15.0;  // of the manager's clock since the hardware's start
constexpr double begin_s = 1.0;      // the manager's clock at the hardware's start

struct Seen {
  double strongest = 0.0;     // share of an effort limit
  double step = 0.0;          // the same, from one cycle to the next
  double farthest_rad = 0.0;  // from the reference given, after the fault
  double off_s = -1.0;   // from the fault's begin until the manager deactivated the controller; negative: it did not
  double back_s = -1.0;  // from the fault's end until the arm follows within 1 mrad for good
};

class FaultsOnRos : public LoopTest, public testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] double moved_s() const { return now.seconds() - begin_s; }
  [[nodiscard]] bool active(const std::string& name) {
    return controller(name)->get_lifecycle_state().id() == State::PRIMARY_STATE_ACTIVE;
  }

  void bring_up_on_engine(const std::string& hardware = "", const std::string& parameters = "") {
    Extras extras;
    extras.hardware_parameters = "<param name='tolerance'>1e-8</param>" + hardware;
    extras.parameters = parameters;
    if (std::string(GetParam()) == "mujoco") extras.hardware_parameters += "<param name='engine'>mujoco</param>";
    bring_up({}, extras);
  }
  // A motion that lasts from before the fault to after it.
  void be_in_motion() {
    while (moved_s() < fault_at_s - 1.2 && !HasFatalFailure()) cycle();
    send_goal(0.8, 3);
    ASSERT_LT(moved_s(), fault_at_s) << "the goal was taken too late";
    may_fail = true;
    while (moved_s() < fault_at_s && !HasFatalFailure()) cycle();
    last = computed->arm().effort();
  }
  // One cycle that is looked at; `elapsed`: what the manager is told.
  void look(Seen& seen) {
    if (seen.off_s < 0.0 && !active("computed_torque_controller")) seen.off_s = moved_s() - fault_at_s;
    if (seen.off_s >= 0.0) return;  // the hardware brakes
    const std::vector<double>& effort = computed->arm().effort();
    for (size_t i = 0; i < 7; ++i) {
      ASSERT_TRUE(std::isfinite(effort[i])) << "joint" << i + 1 << " at " << moved_s();
      ASSERT_LE(std::abs(effort[i]), limits[i].effort * (1.0 + 1e-12)) << "joint" << i + 1 << " at " << moved_s();
      seen.strongest = std::max(seen.strongest, std::abs(effort[i]) / limits[i].effort);
      seen.step = std::max(seen.step, std::abs(effort[i] - last[i]) / limits[i].effort);
    }
    last = effort;
  }
  void look_after(Seen& seen, double since_s) {
    look(seen);
    if (seen.off_s >= 0.0) return;
    double error = 0.0;
    for (size_t i = 0; i < 7; ++i) {
      error = std::max(error, std::abs(computed->arm().q()[i] - wanted[i]));
    }
    wanted = computed->arm().reference_q();
    seen.farthest_rad = std::max(seen.farthest_rad, error);
    if (error > 1e-3) seen.back_s = -1.0;
    if (error <= 1e-3 && seen.back_s < 0.0) seen.back_s = since_s;
  }
  void watch_after(Seen& seen, double seconds) {
    wanted = computed->arm().reference_q();
    const double end_s = moved_s();
    while (moved_s() < end_s + seconds && !HasFatalFailure()) {
      cycle();
      look_after(seen, moved_s() - end_s);
    }
  }
  void print(const std::string& fault, const Seen& seen) const {
    const auto ms = [](double s) { return std::to_string(std::lround(1e3 * s)) + " ms"; };
    std::printf("| %s | %s | %.2f | %.2f | %s | %s | %s |\n", GetParam(), fault.c_str(), seen.strongest, seen.step,
                seen.off_s < 0.0 ? "stays active" : ("deactivated after " + ms(seen.off_s)).c_str(),
                seen.off_s < 0.0 ? (std::to_string(seen.farthest_rad).substr(0, 6) + " rad").c_str() : "-",
                seen.off_s >= 0.0   ? "-"
                : seen.back_s < 0.0 ? "not in 2 s"
                                    : ms(seen.back_s).c_str());
  }

  const std::vector<JointBounds> limits = arm7_bounds();
  std::vector<double> last, wanted;
};

struct StateFaultCase {
  const char* kind;
  double seconds;
  bool deactivates;
};

class StateFaultsOnRos : public FaultsOnRos {
 protected:
  void play(const StateFaultCase& fault) {
    const std::string text =
        std::string(fault.kind) + " " + std::to_string(fault_at_s) + " " + std::to_string(fault.seconds);
    bring_up_on_engine("<param name='state_fault'>" + text + "</param>", "    state_timeout: 0.05\n");
    be_in_motion();
    Seen seen;
    while (moved_s() < fault_at_s + fault.seconds && !HasFatalFailure()) {
      cycle();
      look(seen);
    }
    watch_after(seen, 2.0);
    print(std::string("states ") + fault.kind + " for " + std::to_string(std::lround(1e3 * fault.seconds)) + " ms",
          seen);
    EXPECT_EQ(seen.off_s >= 0.0, fault.deactivates);
    if (fault.deactivates) {
      EXPECT_GT(seen.off_s, 0.49) << "ten times hold_time";
      EXPECT_LT(seen.off_s, 0.75) << "a frozen state shows when the torque has changed, which depends on the motion";
    } else {
      EXPECT_GE(seen.back_s, 0.0) << "it follows again";
    }
  }
};

TEST_P(StateFaultsOnRos, NanFor10ms) { play({"nan", 0.01, false}); }
TEST_P(StateFaultsOnRos, NanFor90ms) { play({"nan", 0.09, false}); }
TEST_P(StateFaultsOnRos, NanFor1000ms) { play({"nan", 1.0, true}); }
TEST_P(StateFaultsOnRos, InfiniteFor90ms) { play({"infinite", 0.09, false}); }
TEST_P(StateFaultsOnRos, FrozenFor10ms) { play({"frozen", 0.01, false}); }
TEST_P(StateFaultsOnRos, FrozenFor90ms) { play({"frozen", 0.09, false}); }
TEST_P(StateFaultsOnRos, FrozenFor1000ms) { play({"frozen", 1.0, true}); }
TEST_P(StateFaultsOnRos, OffsetFor10ms) { play({"offset", 0.01, false}); }
TEST_P(StateFaultsOnRos, OffsetFor90ms) { play({"offset", 0.09, false}); }

// The manager's clock: `told` is one measured period, which the plant did not see.
class ClockFaultsOnRos : public FaultsOnRos {
 protected:
  void play(const std::string& name, double told_s) {
    bring_up_on_engine();
    be_in_motion();
    Seen seen;
    now += period;
    manager->read(now, period);
    now += rclcpp::Duration::from_seconds(told_s);
    set_clock();
    (void)manager->update(now, rclcpp::Duration::from_seconds(told_s));
    manager->write(now, period);
    look(seen);
    watch_after(seen, 2.0);
    print(name, seen);
    EXPECT_LT(seen.off_s, 0.0);
    EXPECT_GE(seen.back_s, 0.0);
  }
};

TEST_P(ClockFaultsOnRos, Forwards) { play("clock jumps 1 s ahead", 1.0); }
TEST_P(ClockFaultsOnRos, Backwards) { play("clock jumps 0.5 s back", -0.5); }

// The whole manager stands still, the arm goes on.
TEST_P(FaultsOnRos, AStallOf50ms) {
  bring_up_on_engine();
  be_in_motion();
  Seen seen;
  const auto stalled = rclcpp::Duration::from_seconds(0.05);
  now += stalled;
  set_clock();
  manager->read(now, stalled);
  (void)manager->update(now, stalled);
  manager->write(now, stalled);
  look(seen);
  watch_after(seen, 2.0);
  print("loop stands for 50 ms", seen);
  EXPECT_GE(seen.back_s, 0.0);
  EXPECT_LT(seen.farthest_rad, 0.05);
}

// A payload that falls off, and one that is twice as heavy as was told.
TEST_P(FaultsOnRos, APayloadFallsOff) {
  bring_up_on_engine();
  (void)take_on(box());
  be_in_motion();
  Seen seen;
  DetachPayload::Request off;
  off.name = "box";
  EXPECT_TRUE(call<DetachPayload>("/simulated_arm/detach_payload", off)->success);
  watch_after(seen, 2.0);
  print("2 kg fall off without a detach", seen);
  EXPECT_LT(seen.off_s, 0.0);
  EXPECT_LT(seen.farthest_rad, 0.1) << "the feedback holds the arm";
}

TEST_P(FaultsOnRos, APayloadIsTwiceAsHeavyAsTold) {
  bring_up_on_engine();
  be_in_motion();
  Seen seen;
  auto payload = box();
  EXPECT_TRUE(call<AttachPayload>("/computed_torque_controller/attach_payload", payload)->success);
  payload.payload.inertia.m *= 2.0;
  EXPECT_TRUE(call<AttachPayload>("/simulated_arm/attach_payload", payload)->success);
  watch_after(seen, 2.0);
  print("4 kg, told as 2 kg", seen);
  EXPECT_LT(seen.off_s, 0.0);
  EXPECT_LT(seen.farthest_rad, 0.1);
}

// Above the computed-torque controller in place of joint_trajectory_controller: gives references, or faults.
class Leader : public controller_interface::ControllerInterface {
 public:
  enum class Fault : std::uint8_t { none, lost, nan, late, out_of_order, jump };

  controller_interface::CallbackReturn on_init() override { return controller_interface::CallbackReturn::SUCCESS; }
  [[nodiscard]] controller_interface::InterfaceConfiguration command_interface_configuration() const override {
    std::vector<std::string> names;
    for (const std::string& joint : arm7_joints()) {
      for (const char* what : {"/position", "/velocity", "/acceleration"}) {
        names.push_back("computed_torque_controller/" + joint + what);
      }
    }
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
  }
  [[nodiscard]] controller_interface::InterfaceConfiguration state_interface_configuration() const override {
    return {controller_interface::interface_configuration_type::NONE, {}};
  }
  return_type update(const rclcpp::Time&, const rclcpp::Duration&) override {
    const long k = count++;
    if (fault == Fault::lost) return return_type::OK;
    const long given = fault == Fault::late ? k - 10 : fault == Fault::out_of_order ? k ^ 1 : k;
    const double t = 1e-3 * static_cast<double>(given);
    for (size_t i = 0; i < 7; ++i) {
      const double offset = fault == Fault::jump && i == 0 ? 0.5 : fault == Fault::nan ? std::nan("") : 0.0;
      (void)command_interfaces_[3 * i].set_value(ready[i] + 0.4 * (1.0 - std::cos(t)) + offset);
      (void)command_interfaces_[3 * i + 1].set_value(0.4 * std::sin(t));
      (void)command_interfaces_[3 * i + 2].set_value(0.4 * std::cos(t));
    }
    return return_type::OK;
  }
  [[nodiscard]] double meant(size_t i) const {
    return ready[i] + 0.4 * (1.0 - std::cos(1e-3 * static_cast<double>(count - 1)));
  }
  long count = 0;
  Fault fault = Fault::none;
};

class ReferenceFaultsOnRos : public FaultsOnRos {
 protected:
  void play(const char* name, Leader::Fault fault, int faulty_cycles) {
    Extras extras;
    extras.hardware_parameters =
        std::string("<param name='tolerance'>1e-8</param><param name='engine'>") + GetParam() + "</param>";
    start(ready, {{"computed_torque_controller", "dyn_controllers/ComputedTorqueController"}}, extras);
    const auto leader = std::make_shared<Leader>();
    ASSERT_EQ(while_cycling([&] {
                return manager->add_controller(leader, "leader", "Leader") != nullptr
                           ? manager->configure_controller("leader")
                           : return_type::ERROR;
              }),
              return_type::OK);
    computed = std::dynamic_pointer_cast<TorqueController>(controller("computed_torque_controller"));
    switch_to({"computed_torque_controller", "leader"}, {});
    cycles(1500);
    last = computed->arm().effort();
    Seen seen;
    leader->fault = fault;
    for (int k = 0; k < faulty_cycles && !HasFatalFailure(); ++k) {
      cycle();
      look(seen);
    }
    const double fastest = *std::max_element(computed->arm().v().begin(), computed->arm().v().end());
    leader->fault = Leader::Fault::none;
    for (int k = 0; k < 2000 && !HasFatalFailure(); ++k) {
      for (size_t i = 0; i < 7; ++i) wanted.resize(7), wanted[i] = leader->meant(i);
      cycle();
      look_after(seen, 1e-3 * k);
    }
    print(std::string("references ") + name + " for " + std::to_string(faulty_cycles) + " cycles", seen);
    EXPECT_LT(seen.off_s, 0.0);
    EXPECT_GE(seen.back_s, 0.0) << "it follows again";
    if (faulty_cycles == 1) {
      EXPECT_LT(seen.farthest_rad, 2e-3) << "one reference is bridged";
    }
    const bool lost = fault == Leader::Fault::lost || fault == Leader::Fault::nan;
    if (lost && faulty_cycles == 1000) {
      EXPECT_LT(std::abs(fastest), 0.01) << "brought to rest";
    }
  }
};

TEST_P(ReferenceFaultsOnRos, LostFor1) { play("lost", Leader::Fault::lost, 1); }
TEST_P(ReferenceFaultsOnRos, LostFor10) { play("lost", Leader::Fault::lost, 10); }
TEST_P(ReferenceFaultsOnRos, LostFor1000) { play("lost", Leader::Fault::lost, 1000); }
TEST_P(ReferenceFaultsOnRos, NanFor10) { play("NaN", Leader::Fault::nan, 10); }
TEST_P(ReferenceFaultsOnRos, NanFor1000) { play("NaN", Leader::Fault::nan, 1000); }
TEST_P(ReferenceFaultsOnRos, LateFor90) { play("10 cycles late", Leader::Fault::late, 90); }
TEST_P(ReferenceFaultsOnRos, OutOfOrderFor90) { play("out of order", Leader::Fault::out_of_order, 90); }
TEST_P(ReferenceFaultsOnRos, OffFor90) { play("0.5 rad off", Leader::Fault::jump, 90); }

#ifdef DYN_HAS_MUJOCO
const auto engines = testing::Values("native", "mujoco");
#else
const auto engines = testing::Values("native");
#endif
const auto named = [](const auto& at) { return std::string(at.param); };
INSTANTIATE_TEST_SUITE_P(Engines, StateFaultsOnRos, engines, named);
INSTANTIATE_TEST_SUITE_P(Engines, ClockFaultsOnRos, engines, named);
INSTANTIATE_TEST_SUITE_P(Engines, FaultsOnRos, engines, named);
INSTANTIATE_TEST_SUITE_P(Engines, ReferenceFaultsOnRos, engines, named);

}  // namespace
}  // namespace dyn_controllers::test
