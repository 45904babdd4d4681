// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The model of a running loop: writers' changes reach the loop whole at its next acquire(), refused changes have no
// effect, and a detached payload leaves no trace.
#include "dyn_core/live/live_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "dyn_core/registry.hpp"
#include "live/arm.hpp"

namespace dyn::live {
namespace {

using test::box;
using test::bucket;
using test::evaluate;
using test::Evaluated;
using test::small_arm;

constexpr double period_s = 1e-3;

Evaluated at_next_cycle(LiveModel& live) { return evaluate(live.acquire(period_s).dynamics); }
Evaluated expected(const RobotDescription& robot) {
  Dynamics dynamics(Model::build(robot));
  return evaluate(dynamics);
}

template <class F>
std::string refusal(F&& change) {
  try {
    change();
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}
void expect_words(const std::string& sentence, const std::vector<std::string>& words) {
  for (const auto& word : words)
    EXPECT_NE(sentence.find(word), std::string::npos) << "'" << sentence << "' has no " << word;
}

TEST(LiveModel, BeginsWithTheRobotAsItIs) {
  LiveModel live(small_arm(), {.max_payload_dofs = 2});
  EXPECT_EQ(live.robot_coordinates(), 3);
  EXPECT_EQ(live.max_coordinates(), 5);
  EXPECT_EQ(at_next_cycle(live), expected(small_arm()));
  EXPECT_EQ(live.acquire(period_s).id, 0U);
}

TEST(LiveModel, EveryAlgorithmIsUsedFromTheNextCycleOn) {
  LiveModel live(small_arm(), {});
  for (const std::string_view name : AlgorithmList<JsimAlgorithms<double>>::names) {
    live.set_jsim(name);
    EXPECT_EQ(live.acquire(period_s).dynamics.algorithms().jsim, AlgorithmIndex::find_jsim(name));
  }
  for (const std::string_view name : AlgorithmList<CoriolisAlgorithms<double>>::names) {
    live.set_coriolis(name);
    EXPECT_EQ(live.acquire(period_s).dynamics.algorithms().coriolis, AlgorithmIndex::find_coriolis(name));
  }
}

// Settings and models travel apart: a new model keeps the settings, new settings keep the model.
TEST(LiveModel, ChangesDoNotNeedTheNamesItWasMadeWith) {
  auto jsim = std::make_unique<std::string>("gdahj"), coriolis = std::make_unique<std::string>("kronecker");
  LiveModel live(small_arm(), {.algorithms = {.jsim = *jsim, .coriolis = *coriolis}, .max_payload_dofs = 2});
  jsim->assign("xxxxx");
  coriolis->assign("xxxxxxxxx");
  (void)live.attach(box("box", 2.0), 0.0);
  const AlgorithmIndex used = live.acquire(period_s).dynamics.algorithms();
  EXPECT_EQ(used.jsim, AlgorithmIndex::find_jsim("gdahj"));
  EXPECT_EQ(used.coriolis, AlgorithmIndex::find_coriolis("kronecker"));
}

TEST(LiveModel, SettingsOutliveModels) {
  LiveModel live(small_arm(), {});
  live.set_jsim("gdahj");
  live.set_gravity({0.0, 0.0, -1.62});
  (void)live.acquire(period_s);
  (void)live.attach(box("box", 1.0), 0.0);
  Generation& now = live.acquire(period_s);
  EXPECT_EQ(now.dynamics.algorithms().jsim, AlgorithmIndex::find_jsim("gdahj"));
  EXPECT_EQ(now.dynamics.tree().gravity, Vec3d(0.0, 0.0, -1.62));
  live.set_coriolis("kronecker");
  EXPECT_EQ(live.acquire(period_s).id, now.id);
  EXPECT_EQ(live.acquire(period_s).dynamics.algorithms().jsim, AlgorithmIndex::find_jsim("gdahj"));
}

TEST(LiveModel, GravityActsAtOnce) {
  LiveModel live(small_arm(), {});
  const Evaluated earth = at_next_cycle(live);
  live.set_gravity({0.0, 0.0, 2.0 * -9.81});
  const Evaluated heavy = at_next_cycle(live);
  EXPECT_EQ(heavy.M, earth.M);
  for (size_t i = 0; i < earth.g.size(); ++i) EXPECT_NEAR(heavy.g[i], 2.0 * earth.g[i], 1e-12 * std::abs(earth.g[i]));
}

TEST(LiveModel, PayloadsComeAndGoWithoutATrace) {
  LiveModel live(small_arm(), {.max_payload_dofs = 2});
  const Evaluated bare = at_next_cycle(live);
  const RobotDescription with_box = dyn::attach(small_arm(), box("box", 3.0));
  const auto applied = live.attach(box("box", 3.0), 0.0);
  EXPECT_EQ(applied.generation, 1U);
  EXPECT_EQ(applied.coordinate_names, (std::vector<std::string>{"joint1", "joint2", "joint3"}));
  EXPECT_EQ(at_next_cycle(live), expected(with_box));
  const auto longer = live.attach(bucket("bucket", "link2"), 0.0);
  ASSERT_EQ(longer.coordinate_names.size(), 4U);
  EXPECT_EQ(longer.coordinate_names.back(), "bucket/hinge");
  EXPECT_EQ(at_next_cycle(live), expected(dyn::attach(with_box, bucket("bucket", "link2"))));
  ASSERT_EQ(live.payloads().size(), 2U);
  (void)live.detach("box", 0.0);
  EXPECT_EQ(at_next_cycle(live), expected(dyn::attach(small_arm(), bucket("bucket", "link2"))));
  (void)live.detach("bucket", 0.0);
  EXPECT_EQ(at_next_cycle(live), bare) << "not the same bits as before";
  EXPECT_TRUE(live.payloads().empty());
}

TEST(LiveModel, AWholeNewDescriptionKeepsPayloads) {
  LiveModel live(small_arm(), {});
  (void)live.attach(box("box", 3.0), 0.0);
  (void)live.replace_robot(small_arm(2.5), 0.0);
  EXPECT_EQ(at_next_cycle(live), expected(dyn::attach(small_arm(2.5), box("box", 3.0))));
  (void)live.detach("box", 0.0);
  EXPECT_EQ(at_next_cycle(live), expected(small_arm(2.5)));
}

// The hand's mass in effect. Its rate is zero at both ends of a ramp, it never overshoots, M, C v and g follow it.
double effective_mass(const Generation& generation) { return generation.dynamics.tree().mass[2]; }

TEST(LiveModel, ARampIsSmoothInTime) {
  constexpr double step_s = 1e-4, ramp_s = 0.1;
  LiveModel live(small_arm(), {});
  const double empty = effective_mass(live.acquire(step_s));
  (void)live.attach(box("box", 3.0), ramp_s);
  std::vector<double> mass{empty};
  for (int k = 0; k < 1100; ++k) {
    Generation& now = live.acquire(step_s);
    mass.push_back(effective_mass(now));
    EXPECT_EQ(now.active_ramps, k < 999 ? 1 : 0) << k;
    EXPECT_EQ(now.inertia_changed(), k < 1000) << k;
  }
  const double rate = 1.5 * 3.0 / ramp_s;  // the largest of x^2 (3 - 2 x)
  for (size_t k = 2; k < mass.size(); ++k) {
    EXPECT_GE(mass[k], mass[k - 1]);
    const double jump_of_rate = (mass[k] - 2.0 * mass[k - 1] + mass[k - 2]) / step_s;
    EXPECT_LT(std::abs(jump_of_rate), 0.01 * rate) << "the rate jumps in cycle " << k;
  }
  EXPECT_NEAR(mass[500], empty + 1.5, 1e-12);
  EXPECT_EQ(mass.back(), empty + 3.0);
  EXPECT_EQ(at_next_cycle(live), expected(dyn::attach(small_arm(), box("box", 3.0)))) << "the end is not exact";
}

TEST(LiveModel, TermsAreLinearInTheRamp) {
  LiveModel live(small_arm(), {});
  const Evaluated empty = at_next_cycle(live);
  const Evaluated full = expected(dyn::attach(small_arm(), box("box", 3.0)));
  (void)live.attach(box("box", 3.0), 0.1);
  for (int k = 0; k < 29; ++k) (void)live.acquire(period_s);
  Generation& now = live.acquire(period_s);
  const double s = now.ramps[2].progress();
  EXPECT_NEAR(s, 0.3 * 0.3 * (3.0 - 0.6), 1e-12);
  const Evaluated between = evaluate(now.dynamics);
  const auto expect_between = [&](const std::vector<double>& a, const std::vector<double>& x,
                                  const std::vector<double>& b) {
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], (1.0 - s) * a[i] + s * b[i], 1e-13);
  };
  expect_between(empty.M, between.M, full.M);
  expect_between(empty.C, between.C, full.C);
  expect_between(empty.g, between.g, full.g);
}

// A ramp that is reversed halfway starts from the inertia in effect, not from the end of the first ramp.
TEST(LiveModel, ARampThatIsCutShortHasNoJump) {
  LiveModel live(small_arm(), {});
  const Evaluated bare = at_next_cycle(live);
  const double empty = effective_mass(live.acquire(period_s));
  (void)live.attach(box("box", 3.0), 0.1);
  for (int k = 0; k < 50; ++k) (void)live.acquire(period_s);
  const double halfway = effective_mass(live.acquire(0.0));
  EXPECT_NEAR(halfway, empty + 1.5, 1e-9);
  (void)live.detach("box", 0.1);
  double before = halfway;
  for (int k = 0; k < 100; ++k) {
    const Generation& now = live.acquire(period_s);
    EXPECT_LE(effective_mass(now), before);
    EXPECT_GT(effective_mass(now), before - 0.05);
    if (k == 50) {  // which the validator can build from the descriptions alone
      ASSERT_TRUE(now.ramps[2].active);
      const RampStart& start = now.ramps[2].start;
      ASSERT_EQ(start.count, 2);
      EXPECT_EQ(start.shares[0].generation, 1U);
      EXPECT_NEAR(start.shares[0].weight, 0.5, 1e-9);
      EXPECT_EQ(start.shares[1].generation, 0U);
      EXPECT_NEAR(start.shares[1].weight, 0.5, 1e-9);
    }
    before = effective_mass(now);
  }
  EXPECT_EQ(at_next_cycle(live), bare);
}

// Even one that gives the body that is ramped another number.
TEST(LiveModel, AnotherChangeLeavesARampAlone) {
  LiveModel live(small_arm(), {.max_payload_dofs = 2});
  (void)live.attach(bucket("low", "link1"), 0.0);
  (void)live.acquire(period_s);
  (void)live.attach(box("box", 3.0, "low/pail"), 0.1);
  for (int k = 0; k < 50; ++k) (void)live.acquire(period_s);
  EXPECT_EQ(live.acquire(0.0).model->body_joint(3), "low/hinge");
  (void)live.attach(bucket("high", "link3"), 0.0);
  const Generation& now = live.acquire(0.0);
  ASSERT_EQ(now.model->body_joint(3), "high/hinge");
  ASSERT_EQ(now.model->body_joint(4), "low/hinge");
  EXPECT_NEAR(now.dynamics.tree().mass[4], 1.5 + 1.5, 1e-9);
  EXPECT_EQ(now.dynamics.tree().mass[3], 1.5) << "a new body is not ramped";
  EXPECT_EQ(now.active_ramps, 1);
  for (int k = 0; k < 50; ++k) (void)live.acquire(period_s);
  RobotDescription all = dyn::attach(small_arm(), bucket("low", "link1"));
  all = dyn::attach(dyn::attach(all, box("box", 3.0, "low/pail")), bucket("high", "link3"));
  EXPECT_EQ(at_next_cycle(live), expected(all));
}

// Two changes between two cycles: the loop sees only the second, whose ramp starts from what the loop knows.
TEST(LiveModel, ARampDoesNotPassThroughAModelThatTheLoopNeverUsed) {
  LiveModel live(small_arm(), {});
  const double empty = effective_mass(live.acquire(period_s));
  (void)live.attach(box("box", 3.0), 0.1);
  (void)live.attach(box("other", 1.0), 0.2);
  EXPECT_EQ(effective_mass(live.acquire(0.0)), empty);
  for (int k = 0; k < 100; ++k) (void)live.acquire(period_s);
  EXPECT_NEAR(effective_mass(live.acquire(0.0)), empty + 2.0, 1e-9);
  for (int k = 0; k < 101; ++k) (void)live.acquire(period_s);
  EXPECT_EQ(at_next_cycle(live), expected(dyn::attach(dyn::attach(small_arm(), box("box", 3.0)), box("other", 1.0))));
}

TEST(LiveModel, RefusalsExplainAndChangeNothing) {
  LiveModel live(small_arm(), {.max_payload_dofs = 1});
  (void)live.attach(box("box", 1.0), 0.0);
  const Generation* before = &live.acquire(period_s);
  RobotDescription other = small_arm();
  other.joints[1].name = "elbow";
  RobotDescription longer = small_arm();
  longer.links.push_back({"link4", longer.links[3].inertial});
  longer.joints.push_back(longer.joints[2]);
  longer.joints[3].name = "joint4";
  longer.joints[3].parent_link = "link3";
  longer.joints[3].child_link = "link4";
  RobotDescription sliding = small_arm(), backwards = small_arm(), elsewhere = small_arm();
  sliding.joints[1].type = JointType::prismatic;  // its q, in rad, would be read as m
  backwards.joints[2].axis = -backwards.joints[2].axis;
  elsewhere.joints[2].parent_link = "link1";
  RobotDescription broken = small_arm();
  broken.links[2].inertial->mass_kg = -1.0;
  const double inf = std::numeric_limits<double>::infinity();

  expect_words(refusal([&] { (void)live.attach(box("box", 1.0), 0.0); }), {"box"});
  expect_words(refusal([&] { (void)live.attach(box("crate", 1.0, "hand"), 0.0); }), {"crate", "hand"});
  expect_words(refusal([&] { (void)live.attach(box("crate", 1.0), -1.0); }), {"transition_time", "-1"});
  expect_words(refusal([&] { (void)live.attach(box("crate", 1.0), std::nan("")); }), {"transition_time"});
  expect_words(refusal([&] { (void)live.detach("crate", 0.0); }), {"crate", "not attached", "box"});
  (void)live.attach(box("lid", 0.1, "box/body"), 0.0);
  expect_words(refusal([&] { (void)live.detach("box", 0.0); }), {"box", "carries", "lid"});
  (void)live.detach("lid", 0.0);
  before = &live.acquire(period_s);
  expect_words(refusal([&] { (void)live.replace_robot(other, 0.0); }), {"small.urdf", "elbow", "joint2"});
  expect_words(refusal([&] { (void)live.replace_robot(longer, 0.0); }), {"small.urdf", "joint4", "nothing"});
  expect_words(refusal([&] { (void)live.replace_robot(sliding, 0.0); }), {"small.urdf", "joint2", "prismatic"});
  expect_words(refusal([&] { (void)live.replace_robot(backwards, 0.0); }), {"small.urdf", "joint3", "opposite"});
  expect_words(refusal([&] { (void)live.replace_robot(elsewhere, 0.0); }), {"joint3", "'joint1'", "'joint2'"});
  expect_words(refusal([&] { (void)live.replace_robot(broken, 0.0); }), {"link2", "-1"});
  expect_words(refusal([&] { live.set_jsim("best"); }), {"jsim_algorithm", "best", "gdahj"});
  expect_words(refusal([&] { live.set_coriolis("best"); }), {"coriolis_algorithm", "best", "kronecker"});
  expect_words(refusal([&] { live.set_gravity({0.0, inf, 0.0}); }), {"gravity"});

  EXPECT_EQ(&live.acquire(period_s), before) << "something refused reached the loop";
  EXPECT_EQ(live.payloads().size(), 1U);
  EXPECT_EQ(at_next_cycle(live), expected(dyn::attach(small_arm(), box("box", 1.0))));
}

TEST(LiveModel, PayloadsHaveRoomForSoManyDegreesOfFreedom) {
  LiveModel live(small_arm(), {.max_payload_dofs = 1});
  (void)live.attach(bucket("first"), 0.0);
  expect_words(refusal([&] { (void)live.attach(bucket("second"), 0.0); }), {"second", "max_payload_dofs", "4"});
  (void)live.detach("first", 0.0);
  EXPECT_EQ(refusal([&] { (void)live.attach(bucket("second"), 0.0); }), "");
  EXPECT_EQ(live.acquire(period_s).model->coordinates(), 4);
}

TEST(LiveModel, AChangeThatIsReadyWaitsForTheLoop) {
  LiveModel live(small_arm(), {});
  const Evaluated bare = at_next_cycle(live);
  LiveModel::Change attached, chosen, detached, never;
  (void)live.attach(box("box", 3.0), 0.0, &attached);
  live.set_jsim("crba", &chosen);
  (void)live.detach("box", 0.0, &detached);
  (void)live.attach(box("crate", 3.0), 0.0, &never);
  EXPECT_EQ(at_next_cycle(live), bare);
  live.apply(attached);
  EXPECT_EQ(at_next_cycle(live), expected(dyn::attach(small_arm(), box("box", 3.0))));
  live.apply(chosen);
  EXPECT_EQ(live.acquire(period_s).dynamics.algorithms().jsim, AlgorithmIndex::find_jsim("crba"));
  live.apply(detached);
  EXPECT_EQ(effective_mass(live.acquire(period_s)), 2.0);
  live.apply(detached);  // there is nothing in it any more
  EXPECT_EQ(live.acquire(period_s).id, 2U);
}

TEST(LiveModel, AFallbackReplacesWhatWasChosenUntilSomethingElseIs) {
  LiveModel live(small_arm(), {});
  const int chosen = live.acquire(period_s).dynamics.algorithms().jsim;
  const Fallback fallback{AlgorithmIndex::find_jsim("crba"), AlgorithmIndex::find_coriolis("recursive"), true};
  live.request_fallback(fallback);
  EXPECT_EQ(live.acquire(period_s).dynamics.algorithms().jsim, fallback.jsim);
  EXPECT_EQ(live.acquire(period_s).dynamics.algorithms().coriolis, fallback.coriolis);
  EXPECT_EQ(live.fallback(), fallback);
  live.set_gravity({0.0, 0.0, -5.0});
  (void)live.attach(box("box", 1.0), 0.0);
  EXPECT_EQ(live.acquire(period_s).dynamics.algorithms().jsim, fallback.jsim)
      << "neither gravity nor a payload ends it";
  live.set_coriolis("fused");
  EXPECT_EQ(live.acquire(period_s).dynamics.algorithms().jsim, chosen);
  EXPECT_FALSE(live.fallback().any());
}

// LiveOptions::check gets the very model that the loop will use: there is one build.
TEST(LiveModel, TheCheckSeesTheModelThatIsPublishedAndMayRefuseIt) {
  const Model* seen = nullptr;
  const Model* replaced = nullptr;
  std::string attached;
  int calls = 0;
  LiveOptions options;
  options.check = [&](const Model& before, const Model& after, const Payload* payload) {
    replaced = &before;
    seen = &after;
    attached = payload == nullptr ? "" : payload->name();
    ++calls;
    if (after.name() == "small" && after.bodies() == 3 && after.links().size() > 5) throw ModelError("too many links");
    return std::vector<std::string>{"looked at"};
  };
  LiveModel live(small_arm(), options);
  EXPECT_EQ(calls, 0) << "the check is not called for the first model";
  const Model* const first = live.newest_model().get();
  const Applied applied = live.attach(box("box", 1.0), 0.0);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(replaced, first);
  EXPECT_EQ(seen, live.newest_model().get());
  EXPECT_EQ(attached, "box");
  ASSERT_FALSE(applied.warnings.empty());
  EXPECT_EQ(applied.warnings.front(), "looked at");
  const Generation* const before = &live.acquire(period_s);
  EXPECT_EQ(refusal([&] { (void)live.attach(box("crate", 1.0), 0.0); }), "too many links");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(&live.acquire(period_s), before) << "what was refused reached the loop";
  EXPECT_EQ(live.payloads().size(), 1U);
  (void)live.replace_robot(small_arm(2.5), 0.0);
  EXPECT_EQ(seen, live.newest_model().get());
  (void)live.detach("box", 0.0);
  EXPECT_EQ(seen, live.newest_model().get());
  EXPECT_EQ(attached, "") << "detaching attaches nothing";
  EXPECT_EQ(calls, 4);
  live.set_check(
      [](const Model&, const Model&, const Payload*) -> std::vector<std::string> { throw ModelError("closed"); });
  EXPECT_EQ(refusal([&] { (void)live.attach(box("box", 1.0), 0.0); }), "closed");
  EXPECT_EQ(calls, 4);
}

// The newest models_remembered models are kept for the validator, and no more.
TEST(LiveModel, ReplacedModelsAreFreed) {
  constexpr auto kept = static_cast<int>(LiveModel::models_remembered);
  constexpr int changes = 3 * kept;
  std::vector<std::weak_ptr<const Model>> models;  // by generation
  {
    LiveModel live(small_arm(), {});
    models.push_back(live.newest_model());
    for (int k = 1; k <= changes; ++k) {
      const auto applied = k % 2 == 1 ? live.attach(box("box", 1.0), 0.0) : live.detach("box", 0.0);
      models.push_back(live.model_of(applied.generation));
      if (k % 3 != 0) (void)live.acquire(period_s);  // some are never seen
    }
    (void)live.acquire(period_s);
    live.collect();
    for (int k = 0; k <= changes; ++k) {
      const bool remembered = k > changes - kept;
      EXPECT_EQ(models[k].expired(), !remembered) << "generation " << k;
      EXPECT_EQ(live.model_of(static_cast<std::uint64_t>(k)) != nullptr, remembered) << "generation " << k;
    }
  }
  for (const auto& model : models) EXPECT_TRUE(model.expired());
}

}  // namespace
}  // namespace dyn::live
