// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A writer whose memory ends in the middle of a change: whichever allocation fails, nothing has changed, and the next
// writer gets in.
#include <gtest/gtest.h>

#include <functional>
#include <new>

#include "dyn_core/live/live_model.hpp"
#include "dyn_core/sanitized.hpp"
#include "live/arm.hpp"
#include "support/allocation_failure.hpp"

namespace dyn::live {
namespace {

using test::box, test::bucket, test::evaluate, test::small_arm;

constexpr double period_s = 1e-3;
constexpr std::int64_t most_allocations = 20000;

std::vector<std::string> names(const LiveModel& live) {
  std::vector<std::string> all;
  for (const Payload& payload : live.payloads()) all.push_back(payload.name());
  return all;
}

using Write = std::function<void(LiveModel&)>;

// Every allocation of `write` fails once, each on a live model that `before` has prepared.
void expect_all_or_nothing(const Write& before, const Write& write) {
  LiveModel undisturbed(small_arm(), {.max_payload_dofs = 3});
  before(undisturbed);
  write(undisturbed);
  const auto expected = evaluate(undisturbed.acquire(period_s).dynamics);
  std::int64_t k = 0;
  for (bool failed = true; failed && k < most_allocations && !testing::Test::HasFailure(); ++k) {
    SCOPED_TRACE("allocation " + std::to_string(k));
    LiveModel live(small_arm(), {.max_payload_dofs = 3});
    before(live);
    const Generation& at_first = live.acquire(period_s);
    const std::uint64_t id = at_first.id;
    const auto model = live.newest_model();
    const auto payloads = names(live);

    test::fail_allocation_after(k);
    bool threw = false;
    try {
      write(live);
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    failed = test::allocation_has_failed();
    test::fail_allocation_after(-1);
    if (threw) {
      EXPECT_EQ(live.acquire(period_s).id, id);
      EXPECT_EQ(live.newest_model(), model);
      EXPECT_EQ(names(live), payloads);
      EXPECT_EQ(live.model_of(id + 1), nullptr);
      write(live);
    }
    EXPECT_EQ(names(live), names(undisturbed));
    Generation& now = live.acquire(period_s);
    EXPECT_EQ(now.id, id + 1);
    EXPECT_EQ(evaluate(now.dynamics), expected);
  }
  EXPECT_GT(k, 10);
  EXPECT_LT(k, most_allocations);
}

class DyingWriter : public testing::Test {
 protected:
  void SetUp() override {
#ifdef DYN_SANITIZED
    GTEST_SKIP() << "the allocators of sanitizers are not replaced";
#endif
  }
};

const Write nothing = [](LiveModel&) {};
const Write with_box = [](LiveModel& live) { (void)live.attach(box("box", 2.0), 0.0); };
const Write with_bucket = [](LiveModel& live) { (void)live.attach(bucket("bucket"), 0.0); };

TEST_F(DyingWriter, AttachesARigidPayloadOrNothing) {
  expect_all_or_nothing(nothing, with_box);
  expect_all_or_nothing(with_bucket, with_box);
}

TEST_F(DyingWriter, AttachesAPayloadWithJointsOrNothing) {
  expect_all_or_nothing(nothing, with_bucket);
  expect_all_or_nothing(with_box, with_bucket);
}

TEST_F(DyingWriter, DetachesOrNothing) {
  expect_all_or_nothing(with_box, [](LiveModel& live) { (void)live.detach("box", 0.0); });
  expect_all_or_nothing(with_bucket, [](LiveModel& live) { (void)live.detach("bucket", 0.0); });
}

TEST_F(DyingWriter, ReplacesTheRobotOrNothing) {
  expect_all_or_nothing(with_box, [](LiveModel& live) { (void)live.replace_robot(small_arm(3.0), 0.0); });
  expect_all_or_nothing(with_bucket, [](LiveModel& live) { (void)live.replace_joints(small_arm(3.0), {}, 0.0); });
}

}  // namespace
}  // namespace dyn::live
