// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Several writers at full speed beside a loop. The loop's generation is consistent in every cycle (checksums), each
// writer's last change is in force at the end, and every model is freed. Run under ThreadSanitizer too.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "dyn_core/registry.hpp"
#include "live/arm.hpp"
#include "support/wait.hpp"

namespace dyn::live {
namespace {

using test::box;
using test::bucket;
using test::small_arm;

constexpr int rounds = 400;

// Whatever was published: gravity is (x, 2 x, 3 x); inertias follow from masses; masses of the first two links are
// equal, since every description that is published has it so; the model is the one of the generation's number.
bool whole(const LiveModel& live, const Generation& now) {
  const Tree& tree = now.dynamics.tree();
  const Vec3d& gravity = tree.gravity;
  bool ok = gravity.y() == 2.0 * gravity.x() && gravity.z() == 3.0 * gravity.x();
  ok = ok && now.model->bodies() == tree.size && tree.size == now.transitions.size();
  const double mass = tree.mass[0];
  int links = 0;
  for (int i = 0; i < tree.size; ++i) {
    const std::string& joint = now.model->body_joint(i);
    if (joint != "joint1" && joint != "joint2") continue;
    ++links;
    ok = ok && tree.mass[i] == mass && tree.principal[i].mass_kg == mass;
    ok = ok && std::abs(tree.inertia_com[i].trace() - mass * 0.055) < 1e-9;
  }
  const auto model = live.model_of(now.id);
  return ok && links == 2 && (model == nullptr || model == now.model);
}

struct Writer {
  LiveModel& live;
  std::atomic<int>& writing;
  std::atomic<int>& failures;
  const std::atomic<int>& cycles;

  template <class F>
  std::thread run(F&& round) {
    return std::thread([this, round] {
      try {
        for (int k = 1; k <= rounds; ++k) {
          round(k);
          if (k % 4 != 0) continue;  // now and then, so that the loop gets the processor
          const int seen = cycles.load(std::memory_order_relaxed);
          const auto turned = [&] { return cycles.load(std::memory_order_relaxed) != seen; };
          if (!test::wait_until(turned, "the loop has run a cycle")) break;
        }
      } catch (const ModelError&) {
        ++failures;
      }
      --writing;
    });
  }
};

void step(LiveModel& live, std::uint64_t& last, int& faults) {
  Generation& now = live.acquire(1e-4);
  faults += whole(live, now) ? 0 : 1;
  faults += now.id < last ? 1 : 0;  // never back to an older model
  last = now.id;
  faults += test::evaluate(now.dynamics).M.empty() ? 1 : 0;
}

TEST(LiveModelStress, SeveralWritersBesideALoop) {
  const std::vector<std::string_view> jsims(AlgorithmList<JsimAlgorithms<double>>::names.begin(),
                                            AlgorithmList<JsimAlgorithms<double>>::names.end());
  std::weak_ptr<const Model> last_model;
  {
    LiveOptions options{.max_payload_dofs = 1};
    options.model.gravity_mps2 = {1.0, 2.0, 3.0};
    LiveModel live(small_arm(), options);
    std::atomic<int> writing{4}, failures{0}, cycles{0};
    Writer writer{live, writing, failures, cycles};
    std::vector<std::thread> threads;
    threads.push_back(writer.run([&](int k) {
      (void)live.attach(box("box", 0.5 + 0.01 * k), 2e-4 * (k % 7));
      if (k < rounds) (void)live.detach("box", 2e-4 * (k % 5));
    }));
    threads.push_back(writer.run([&](int k) {
      (void)live.attach(bucket("bucket", k % 2 == 0 ? "link1" : "link3"), 0.0);
      (void)live.detach("bucket", 0.0);
    }));
    threads.push_back(writer.run([&](int k) { (void)live.replace_robot(small_arm(2.0 + 0.01 * k), 0.0); }));
    threads.push_back(writer.run([&](int k) {
      for (int m = 0; m < 20; ++m) {
        live.set_jsim(jsims[static_cast<size_t>(k + m) % jsims.size()]);
        live.set_gravity(Vec3d(1.0, 2.0, 3.0) * (1.0 + 0.01 * k));
        live.request_fallback({.jsim = m % 2 - 1});
      }
      live.collect();
    }));
    std::uint64_t last = 0;
    int faults = 0;
    std::thread loop([&] {
      for (; writing.load(std::memory_order_acquire) > 0; ++cycles) step(live, last, faults);
    });
    for (auto& thread : threads) thread.join();
    loop.join();
    EXPECT_EQ(failures, 0);
    EXPECT_GE(cycles, rounds / 4);
    EXPECT_EQ(faults, 0);
    for (int k = 0; k < 100; ++k) step(live, last, faults);  // the last ramp ends
    EXPECT_EQ(faults, 0);
    // Each publication has a number; nothing that a writer did last is lost.
    EXPECT_EQ(last, static_cast<std::uint64_t>(rounds * 5 - 1));
    const Generation& now = live.acquire(1e-4);
    EXPECT_EQ(now.model, live.newest_model());
    ASSERT_EQ(live.payloads().size(), 1U);
    EXPECT_EQ(live.payloads().front().name(), "box");
    EXPECT_NEAR(now.dynamics.tree().mass[2], 2.0 + 0.01 * rounds + 0.5 + 0.01 * rounds, 1e-12);
    EXPECT_EQ(now.dynamics.tree().gravity, Vec3d(Vec3d(1.0, 2.0, 3.0) * (1.0 + 0.01 * rounds)));
    last_model = live.newest_model();
  }
  EXPECT_TRUE(last_model.expired()) << "a model was not freed";
}

}  // namespace
}  // namespace dyn::live
