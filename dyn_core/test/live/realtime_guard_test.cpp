// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The guard of the real-time path fires wherever the loop does what it must not, and nowhere else.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_core/realtime.hpp"
#include "live/arm.hpp"
#include "support/wait.hpp"

namespace dyn::live {
namespace {

// The first violation, and how many there were. Written by the thread that is in the loop.
struct Seen {
  const char* entry_point = "";
  const char* what = "";
  int count = 0;
};
Seen seen;

void note(const char* entry_point, const char* what) noexcept {
  if (seen.count++ == 0) seen = {entry_point, what, 1};
}

class RealtimeGuard : public testing::Test {
 protected:
  RealtimeGuard() {
    seen = {};
    realtime::set_violation_handler(&note);
  }
  ~RealtimeGuard() override { realtime::set_violation_handler(nullptr); }

  template <class F>
  static std::string fired_in_loop(F&& f) {
    seen = {};
    {
      const realtime::Scope loop("a cycle");
      f();
    }
    return seen.what;
  }

  LiveModel live_{test::small_arm(), {.max_payload_dofs = 1}};
};

TEST_F(RealtimeGuard, WritersMayDoWhatTheyDo) {
  (void)live_.attach(test::box("box", 1.0), 0.0);
  live_.set_jsim("crba");
  (void)live_.detach("box", 0.0);
  live_.collect();
  EXPECT_EQ(seen.count, 0) << seen.what;
}

TEST_F(RealtimeGuard, TheLoopMayDoWhatItDoes) {
  LiveModel::Change change;
  (void)live_.attach(test::box("box", 1.0), 0.01, &change);
  (void)live_.attach(test::bucket("bucket"), 0.0);
  {
    const realtime::Scope loop("a cycle");
    for (int k = 0; k < 20; ++k) {
      (void)live_.acquire(1e-3);
      if (k == 3) live_.apply(change);
    }
  }
  EXPECT_EQ(seen.count, 0) << seen.what;
}

TEST_F(RealtimeGuard, FiresAtEveryWritersCallInTheLoop) {
  const Payload box = test::box("box", 1.0);
  const RobotDescription robot = test::small_arm();
  const std::string name = "box";
  EXPECT_EQ(fired_in_loop([&] { (void)live_.attach(box, 0.0); }), "LiveModel::attach");
  EXPECT_EQ(fired_in_loop([&] { (void)live_.detach(name, 0.0); }), "LiveModel::detach");
  EXPECT_EQ(fired_in_loop([&] { (void)live_.replace_robot(robot, 0.0); }), "LiveModel::replace_robot");
  EXPECT_EQ(fired_in_loop([&] { live_.set_jsim("crba"); }), "LiveModel::set_jsim");
  EXPECT_EQ(fired_in_loop([&] { live_.set_coriolis("fused"); }), "LiveModel::set_coriolis");
  EXPECT_EQ(fired_in_loop([&] { live_.set_gravity(Vec3d::Zero()); }), "LiveModel::set_gravity");
  EXPECT_EQ(fired_in_loop([&] { (void)live_.payloads(); }), "LiveModel::payloads");
  EXPECT_EQ(fired_in_loop([&] { (void)live_.newest_model(); }), "LiveModel::newest_model");
  EXPECT_EQ(fired_in_loop([&] { (void)live_.model_of(0); }), "LiveModel::model_of");
  EXPECT_EQ(fired_in_loop([&] { live_.collect(); }), "Handover::collect");
}

TEST_F(RealtimeGuard, FiresAtBuildingPublishingParsingAndFreeing) {
  const RobotDescription robot = test::small_arm();
  EXPECT_EQ(fired_in_loop([&] { (void)Model::build(robot); }), "Model::build");
  const std::string text = "<robot", source = "x";
  EXPECT_EQ(fired_in_loop([&] { EXPECT_THROW((void)parse_urdf(text, source), ModelError); }), "parse_urdf");
  lockfree::Handover<int> box;
  auto value = lockfree::Owned<int>::make(1);
  EXPECT_EQ(fired_in_loop([&] { box.publish(std::move(value)); }), "Handover::publish");
  auto owned = std::make_unique<lockfree::Owned<int>>(lockfree::Owned<int>::make(2));
  EXPECT_EQ(fired_in_loop([&] { *owned = {}; }), "freeing a value of a Handover");
  *owned = lockfree::Owned<int>::make(3);
  EXPECT_EQ(fired_in_loop([&] { owned.reset(); }), "freeing a value of a Handover");
}

TEST_F(RealtimeGuard, FiresAtMemoryTakenAndGivenBack) {
  std::unique_ptr<std::vector<int>> numbers;
  EXPECT_EQ(fired_in_loop([&] { numbers = std::make_unique<std::vector<int>>(100); }), "allocating memory");
  EXPECT_EQ(fired_in_loop([&] { numbers.reset(); }), "freeing memory");
}

// The loop's entry points open a realtime::Scope: a forbidden call in a trajectory source is reported.
class Attaching : public control::ReferenceSource {
 public:
  explicit Attaching(std::function<void()> what) : what_(std::move(what)) {}
  void sample(double, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
    what_();
    for (auto x : {q, v, a}) std::fill(x.begin(), x.end(), 0.0);
  }

 private:
  std::function<void()> what_;
};

TEST_F(RealtimeGuard, AStepIsTheLoop) {
  control::Parameters parameters;
  parameters.gains.assign(3, {100.0, 20.0, 0.0, 0.0});
  control::Controller controller(live_, control::Actuation::from_model(*live_.newest_model(), {}), parameters, 1e-3);
  std::vector<double> q(4, 0.1), v(4, 0.0), effort(4, 0.0);
  controller.activate({q, v});
  const auto fired = [&](const std::function<void()>& what) {
    seen = {};
    const Attaching source(what);
    (void)controller.step({q, v}, {q, v, v, true, &source}, effort);
    return std::string(seen.entry_point) + ": " + seen.what;
  };
  EXPECT_EQ(fired([] {}), ": ");
  EXPECT_EQ(fired([&] { live_.set_jsim("crba"); }), "Controller::step: LiveModel::set_jsim");
  EXPECT_EQ(fired([&] { controller.set_parameters(parameters); }), "Controller::step: Controller::set_parameters");
  EXPECT_EQ(fired([&] { controller.collect(); }), "Controller::step: Handover::collect");
}

TEST_F(RealtimeGuard, KnowsNothingOfOtherThreads) {
  std::atomic<bool> in_cycle{false}, attached{false};
  std::thread writer([&] {
    if (!test::wait_until([&] { return in_cycle.load(); }, "the loop is in its cycle")) return;
    (void)live_.attach(test::box("box", 1.0), 0.0);
    attached = true;
  });
  {
    const realtime::Scope loop("a cycle");
    in_cycle = true;
    EXPECT_TRUE(test::wait_until([&] { return attached.load(); }, "the writer has attached"));
  }
  writer.join();
  EXPECT_EQ(seen.count, 0) << seen.what;
}

TEST_F(RealtimeGuard, ScopesNest) {
  {
    const realtime::Scope outer("outer");
    { const realtime::Scope inner("inner"); }
    realtime::forbid("something");
  }
  EXPECT_STREQ(seen.entry_point, "outer");
  EXPECT_EQ(seen.count, 1);
  realtime::forbid("something");
  EXPECT_EQ(seen.count, 1) << "the loop's cycle is over";
}

TEST(RealtimeGuardDeathTest, EndsTheProgramWithBothNames) {
  EXPECT_DEATH(
      {
        const realtime::Scope loop("Controller::step");
        realtime::forbid("LiveModel::attach");
      },
      "dyn_core: LiveModel::attach in the real-time loop, within Controller::step");
}

}  // namespace
}  // namespace dyn::live
