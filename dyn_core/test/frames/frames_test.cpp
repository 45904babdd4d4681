// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Names and indices of frames, absent and not yet computed frames, frames of a live model, and no allocation in the
// loop. Numbers: oracle/frames_test.cpp against Pinocchio, and here J and Jdot v against differences of poses and
// twists.
#include "dyn_core/frames.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/operational_space.hpp"
#include "live/arm.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

std::shared_ptr<const Model> shared(const RobotDescription& robot) {
  return std::make_shared<const Model>(Model::build(robot));
}
std::vector<std::string> link_names(const Model& model) {
  std::vector<std::string> names;
  for (const Link& link : model.links()) names.push_back(link.name);
  return names;
}
std::string refusal(const std::shared_ptr<const Model>& model, const std::string& name) {
  try {
    (void)Frames(model, {name});
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(Frames, HaveTheirNamesInTheOrderOfTheList) {
  const Frames frames(shared(test::small_arm()), {"link3", "base", "link1"});
  EXPECT_EQ(frames.count(), 3);
  EXPECT_EQ(frames.find("link3"), 0);
  EXPECT_EQ(frames.find("link1"), 2);
  EXPECT_EQ(frames.find("link2"), -1);
  EXPECT_EQ(frames.name(1), "base");
  EXPECT_EQ(Frames(shared(test::small_arm())).count(), 0);
}

TEST(Frames, OfAnUnknownLinkAreRefusedWithNearNames) {
  EXPECT_EQ(refusal(shared(test::small_arm()), "lnk3"),
            "small: there is no link and no payload 'lnk3' for a frame; is one of these meant: link3, link1, link2?");
  EXPECT_EQ(refusal(shared(test::small_arm()), "link3"), "");
}

TEST(Frames, BeforeTheFirstUpdateAreNotNumbers) {
  Frames frames(shared(test::small_arm()), {"link2"});
  EXPECT_EQ(frames.status(0), FrameStatus::not_made);
  EXPECT_TRUE(frames.position(0).hasNaN() && frames.rotation(0).hasNaN());
  EXPECT_TRUE(frames.J_base_axes(0).hasNaN() && frames.Jdot_v_base_axes(0).hasNaN());
  const std::vector<double> x{0.1, 0.2, 0.3};
  ASSERT_TRUE(frames.update(x, {}, frame_pose).ok());
  EXPECT_EQ(frames.status(0), FrameStatus::ok);
  EXPECT_FALSE(frames.position(0).hasNaN());
  EXPECT_TRUE(frames.J_base_axes(0).hasNaN()) << "only the pose was asked for";
}

TEST(Frames, OfTheBaseDoNotMove) {
  Frames frames(shared(test::small_arm()), {"base"});
  const std::vector<double> x{0.1, 0.2, 0.3};
  ASSERT_TRUE(frames.update(x, x).ok());
  EXPECT_EQ(frames.position(0), Vec3d::Zero());
  EXPECT_EQ(frames.rotation(0), Mat3d::Identity());
  EXPECT_EQ(largest_entry(frames.J_base_axes(0)), 0.0);
  EXPECT_EQ(largest_entry(frames.twist_base_origin(0)), 0.0);
}

TEST(Frames, ALaterStateThatIsNotFiniteChangesNothing) {
  Frames frames(shared(test::small_arm()), {"link3"});
  std::vector<double> q{0.1, 0.2, 0.3};
  const std::vector<double> v{0.4, 0.5, 0.6};
  ASSERT_TRUE(frames.update(q, v).ok());
  const MatX<double> before = frames.J_base_axes(0);
  q[1] = std::numeric_limits<double>::infinity();
  const Status status = frames.update(q, v);
  EXPECT_EQ(status.code, Status::Code::not_finite);
  EXPECT_EQ(status.body, 1);
  EXPECT_EQ(frames.J_base_axes(0), before);
}

// d/dt of the twist's numbers in each of the axes, with v constant, is Jdot v; d/dt of the origin is J v.
TEST(Frames, RatesAreDifferencesOfNeighbours) {
  test::Rng rng(71);
  constexpr double dt = 1e-5;
  for (int k = 0; k < 24; ++k) {
    const auto model = shared(test::random_robot(rng, {.joints = 3 + k, .serial = k % 3 == 0, .mimic = k % 2 == 0}));
    const auto n = model->coordinates();
    const auto q = test::random_values(rng, n, 1.0), v = test::random_values(rng, n, 1.0);
    Frames before(model, link_names(*model)), now(model, link_names(*model)), after(model, link_names(*model));
    std::vector<double> q_before = q, q_after = q;
    for (size_t i = 0; i < q.size(); ++i) {
      q_before[i] -= dt * v[i];
      q_after[i] += dt * v[i];
    }
    ASSERT_TRUE(before.update(q_before, v).ok() && now.update(q, v).ok() && after.update(q_after, v).ok());
    for (int f = 0; f < now.count(); ++f) {
      const double scale = 10.0 * (1.0 + largest_entry(now.twist_base_origin(f)));
      const auto expect = [&](const VecX<double>& rate, const VecX<double>& first, const VecX<double>& last) {
        EXPECT_LT(largest_entry(rate - (last - first) / (2.0 * dt)) / (scale * scale * scale), 1e-8) << k << ' ' << f;
      };
      expect(now.twist_base_axes(f).head<3>(), before.position(f), after.position(f));
      expect(now.Jdot_v_base_axes(f), before.twist_base_axes(f), after.twist_base_axes(f));
      expect(now.Jdot_v_frame_axes(f), before.twist_frame_axes(f), after.twist_frame_axes(f));
      expect(now.Jdot_v_base_origin(f), before.twist_base_origin(f), after.twist_base_origin(f));
      const Eigen::Map<const VecX<double>> rates(v.data(), n);
      EXPECT_LT(largest_entry(now.J_base_axes(f) * rates - now.twist_base_axes(f)), 1e-13 * scale);
      EXPECT_LT(largest_entry(now.J_frame_axes(f) * rates - now.twist_frame_axes(f)), 1e-13 * scale);
      EXPECT_LT(largest_entry(now.J_base_origin(f) * rates - now.twist_base_origin(f)), 1e-13 * scale);
    }
  }
}

TEST(Frames, DoNotAllocateInTheLoop) {
  test::Rng rng(72);
  const auto model = shared(test::random_robot(rng, {.joints = 16, .mimic = true}));
  const auto x = test::random_values(rng, model->coordinates(), 1.0);
  Dynamics dynamics(model);
  Frames frames(model, link_names(*model));
  OperationalSpace space(*model, {.damp_below = 0.1});
  const std::span<const double> state(x);
  int usable = 0;
  const auto count = test::count_allocations([&] {
    for (int k = 0; k < 3; ++k) {
      if (!dynamics.update(state, state).ok() || !frames.update(state, state).ok()) return;
      frames.update(dynamics);
      for (int f = 0; f < frames.count(); ++f) {
        (void)frames.J_frame_axes(f);
        (void)frames.Jdot_v_base_origin(f);
        if (!space.update(dynamics, frames, f).usable()) continue;
        (void)space.null_space_projector();
        (void)space.smallest_singular_value();
        ++usable;
      }
    }
  });
  EXPECT_TRUE(count.none());
  EXPECT_GT(usable, 10);
}

// A payload's frame exists while it is attached; other frames keep their index, and J has the columns of the current
// model.
TEST(Frames, OfALiveModelKeepTheirIndex) {
  live::LiveModel live(test::small_arm(),
                       {.max_payload_dofs = 2, .frames = {"link3"}, .payload_frames = {"box", "pail"}});
  const auto cycle = [&live]() -> Frames& {
    live::Generation& now = live.acquire(1e-3);
    (void)test::evaluate(now.dynamics);
    now.frames.update(now.dynamics);
    return now.frames;
  };
  EXPECT_EQ(cycle().status(0), FrameStatus::ok);
  EXPECT_EQ(cycle().status(1), FrameStatus::absent);
  EXPECT_TRUE(cycle().J_base_axes(1).hasNaN() && cycle().position(1).hasNaN());
  const Vec3d link3 = cycle().position(0);
  (void)live.attach(test::box("box", 1.0), 0.0);
  EXPECT_EQ(cycle().status(1), FrameStatus::ok);
  EXPECT_EQ(cycle().position(0), link3);
  EXPECT_LT((cycle().position(1) - (link3 + cycle().rotation(0) * Vec3d(0.3, 0.0, 0.0))).norm(), 1e-14);
  (void)live.attach(test::bucket("pail"), 0.0);
  EXPECT_EQ(cycle().status(2), FrameStatus::ok);
  EXPECT_EQ(cycle().J_base_axes(0).cols(), 4);
  (void)live.detach("box", 0.0);
  EXPECT_EQ(cycle().status(0), FrameStatus::ok);
  EXPECT_EQ(cycle().status(1), FrameStatus::absent);
  EXPECT_EQ(cycle().status(2), FrameStatus::ok);
  EXPECT_THROW(live::LiveModel(test::small_arm(), {.frames = {"box"}}), ModelError) << "frames of links must exist";
}

TEST(OperationalSpace, SaysWhatIsMissing) {
  using Code = OperationalSpaceStatus::Code;
  const auto model = shared(test::small_arm());
  Dynamics dynamics(model);
  OperationalSpace space(*model);
  Frames frames(model, {"link3", "box"}, Frames::Absent::accepted);
  (void)test::evaluate(dynamics);
  EXPECT_EQ(space.update(dynamics, frames, 0).code, Code::frame_absent) << "not made yet";
  frames.update(dynamics);
  EXPECT_EQ(space.update(dynamics, frames, 1).code, Code::frame_absent);
  const OperationalSpaceStatus status = space.update(dynamics, frames, 0);
  EXPECT_EQ(status.code, Code::singular) << "three joints, six rows";
  EXPECT_LT(status.smallest_singular_value, 1e-12);
  EXPECT_TRUE(space.Lambda().hasNaN() && space.dynamically_consistent_inverse().hasNaN());
}

// The damped form is the exact one where damping begins, and its mobility is that of the header everywhere.
TEST(OperationalSpace, DampedIsTheFormulaOfTheHeader) {
  test::Rng rng(73);
  const auto model = shared(test::random_robot(rng, {.joints = 7, .serial = true, .every_type = false}));
  const auto n = model->coordinates();
  const auto q = test::random_values(rng, n, 1.0);
  Dynamics dynamics(model);
  Frames frames(model, {"link7"});
  ASSERT_TRUE(dynamics.update(q, q).ok());
  frames.update(dynamics);
  std::vector<double> inverse(n * n);
  ASSERT_TRUE(dynamics.inverse_mass_matrix(inverse).ok());
  const MatX<double> J = frames.J_base_axes(0);
  const MatX<double> mobility = J * matrix_view(inverse.data(), n, n) * J.transpose();
  OperationalSpace space(*model);
  ASSERT_TRUE(space.update(dynamics, frames, 0).ok());
  EXPECT_LT(largest_entry(space.Lambda() * mobility - MatX<double>::Identity(6, 6)), 1e-9);
  EXPECT_LT(largest_entry(J * space.null_space_projector()), 1e-9 * largest_entry(J));
  const double least = space.smallest_singular_value();
  const MatX<double> exact = space.Lambda();
  space.set_damping(2.0 * least, 0.05);
  const OperationalSpaceStatus status = space.update(dynamics, frames, 0);
  EXPECT_EQ(status.code, OperationalSpaceStatus::Code::damped);
  EXPECT_NEAR(status.smallest_singular_value, least, 1e-12);
  VecX<double> added(6);
  added << VecX<double>::Constant(3, mobility.diagonal().head<3>().mean()),
      VecX<double>::Constant(3, mobility.diagonal().tail<3>().mean());
  const MatX<double> damped = mobility + MatX<double>((0.05 * 0.75 * 0.75 * added).asDiagonal());
  EXPECT_LT(largest_entry(space.Lambda() * damped - MatX<double>::Identity(6, 6)), 1e-9);
  space.set_damping(least * (1.0 + 1e-9), 0.05);
  ASSERT_TRUE(space.update(dynamics, frames, 0).usable());
  EXPECT_LT(relative_error(space.Lambda(), exact), 1e-5);
}

}  // namespace
}  // namespace dyn
