// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Pieces of paper 002: each link's M_i, C_i and g_i against the printed closed forms, and their sum as pieces come and
// go.
#include "dyn_core/progressive/link_terms.hpp"

#include <gtest/gtest.h>

#include "dyn_core/gravity/gravity.hpp"
#include "dyn_core/model/body_inertia.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_core/numeric/counting.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/progressive/joint_space_sum.hpp"
#include "dyn_core/registry.hpp"
#include "support/allocation_counter.hpp"
#include "support/paper_arms.hpp"
#include "support/state.hpp"

namespace dyn {
namespace {

using test::ClosedForm;
const test::Pelican paper_arm;

// Gravity pulls along -y, in the plane of the arm.
Model pelican(bool with_crucible) {
  return Model::build(paper_arm.description(with_crucible), {.gravity_mps2 = Vec3d(0.0, -paper_arm.gravity, 0.0)});
}

LinkTerms<double> terms_of(const test::State<>& s, int body) {
  LinkTerms<double> terms(s.tree().size);
  terms.compute(s.tree(), s.ws, body);
  return terms;
}

template <class Terms>
void expect_near(const Terms& terms, const ClosedForm& expected, double tolerance) {
  ASSERT_EQ(terms.M().rows(), expected.M.rows());
  EXPECT_LT(largest_entry(terms.M() - expected.M), tolerance);
  EXPECT_LT(largest_entry(terms.C() - expected.C), tolerance);
  EXPECT_LT(largest_entry(terms.g() - expected.g), tolerance);
}

template <class Terms>
ClosedForm copy_of(const Terms& terms) {
  return {terms.M(), terms.C(), terms.g()};
}

TEST(LinkTerms, PelicanAndCrucibleAsPrinted) {
  test::Rng rng(41);
  test::State<> s(pelican(true));
  for (int k = 0; k < 100; ++k) {
    s.randomize(rng);
    expect_near(terms_of(s, 0), paper_arm.link1(s.q), 1e-12);
    expect_near(terms_of(s, 1), paper_arm.link2(s.q, s.v), 1e-12);
    expect_near(terms_of(s, 2), paper_arm.crucible(s.q, s.v), 1e-12);
  }
}

// A mimic joint in the chain: the sum over all links is the whole robot's M, C and g in the user's coordinates.
TEST(LinkTerms, SumIsTheWholeRobot) {
  test::Rng rng(42);
  for (int k = 0; k < 20; ++k) {
    test::State<> s(Model::build(test::random_robot(rng, {.joints = 3 + k % 8, .mimic = true})));
    if (s.n() == 0) continue;
    s.randomize(rng);
    const int bodies = s.tree().size;
    JointSpaceSum<double> sum(s.n(), bodies, bodies);
    for (int i = 0; i < bodies; ++i) ASSERT_NE(sum.add(terms_of(s, i)), JointSpaceSum<double>::refused);
    ASSERT_EQ(sum.coordinates(), s.n());

    MatX<double> spread = MatX<double>::Zero(bodies, s.n());  // q_body = spread q + offset
    for (int i = 0; i < bodies; ++i) spread(i, s.tree().coordinate[i]) = s.tree().ratio[i];
    MatX<double> M(bodies, bodies);
    MatX<double> C(bodies, bodies);
    VecX<double> g(bodies);
    jsim::Fused<double>(bodies).compute(s.tree(), s.ws, matrix_view(M.data(), bodies, bodies));
    coriolis::Fused<double>(bodies).compute(s.tree(), s.ws, matrix_view(C.data(), bodies, bodies));
    Gravity<double>(bodies).compute(s.tree(), s.ws, s.tree().gravity, VectorRef<double>(g.data(), bodies));
    const ClosedForm whole{spread.transpose() * M * spread, spread.transpose() * C * spread, spread.transpose() * g};
    expect_near(sum, whole, 1e-12 * std::max(largest_entry(whole.M), largest_entry(whole.g)));
  }
}

TEST(LinkTerms, RigidPayloadIsWhatTheMergedBodyGains) {
  test::Rng rng(43);
  test::State<> s(Model::build(test::random_robot(rng, {.joints = 6, .serial = true, .every_type = false})));
  s.randomize(rng);
  const int body = 3;
  const Inertial box = test::random_inertial(rng);
  LinkTerms<double> payload(s.tree().size);
  payload.compute(s.tree(), s.ws, body, principal_inertia(box.mass_kg, box.com_m, box.inertia_com_kgm2));

  const double mass = s.tree().mass[body] + box.mass_kg;
  const Vec3d com = (s.tree().mass[body] * s.tree().com[body] + box.mass_kg * box.com_m) / mass;
  const auto about = [&](double m, const Vec3d& c, const Mat3d& I) {
    const Vec3d r = c - com;
    return Mat3d(I + m * (r.squaredNorm() * Mat3d::Identity() - r * r.transpose()));
  };
  Tree merged = s.tree();
  set_body_inertia(merged, body,
                   {mass, com,
                    about(s.tree().mass[body], s.tree().com[body], s.tree().inertia_com[body]) +
                        about(box.mass_kg, box.com_m, box.inertia_com_kgm2)});
  LinkTerms<double> both(s.tree().size);
  both.compute(merged, s.ws, body);
  const LinkTerms<double> link = terms_of(s, body);
  const ClosedForm sum{link.M() + payload.M(), link.C() + payload.C(), link.g() + payload.g()};
  expect_near(both, sum, 1e-12 * largest_entry(both.g()));
}

void expect_same_bits(const JointSpaceSum<double>& sum, const ClosedForm& expected) {
  ASSERT_EQ(sum.coordinates(), expected.g.size());
  EXPECT_EQ(MatX<double>(sum.M()), expected.M);
  EXPECT_EQ(MatX<double>(sum.C()), expected.C);
  EXPECT_EQ(VecX<double>(sum.g()), expected.g);
}

// The crucible is on a passive joint: the model of the arm grows by a coordinate and shrinks again.
TEST(JointSpaceSum, CrucibleComesAndGoes) {
  test::Rng rng(44);
  test::State<> arm(pelican(false));
  test::State<> loaded(pelican(true));
  for (int k = 0; k < 50; ++k) {
    loaded.randomize(rng);
    arm.q.assign(loaded.q.begin(), loaded.q.begin() + 2);
    arm.v.assign(loaded.v.begin(), loaded.v.begin() + 2);
    arm.update();
    JointSpaceSum<double> sum(3, 4, 3);
    for (int i = 0; i < 2; ++i) ASSERT_NE(sum.add(terms_of(arm, i)), JointSpaceSum<double>::refused);
    const ClosedForm without = copy_of(sum);
    ASSERT_EQ(sum.coordinates(), 2);

    const int crucible = sum.add(terms_of(loaded, 2));
    ASSERT_EQ(sum.coordinates(), 3);
    ClosedForm expected = paper_arm.crucible(loaded.q, loaded.v);
    expected.M.topLeftCorner(2, 2) += without.M;
    expected.C.topLeftCorner(2, 2) += without.C;
    expected.g.head(2) += without.g;
    expect_near(sum, expected, 1e-12);

    ASSERT_TRUE(sum.remove(crucible));
    expect_same_bits(sum, without);
    EXPECT_FALSE(sum.remove(crucible));
  }
}

// Removing a piece from the middle gives the sum that never had it, to the bit; so does replacing one and restoring it.
TEST(JointSpaceSum, AnyPieceMayGo) {
  test::Rng rng(45);
  test::State<> s(Model::build(test::random_robot(rng, {.joints = 9})));
  s.randomize(rng);
  const int n = s.tree().size;
  for (int gone = 0; gone < n; ++gone) {
    JointSpaceSum<double> never(s.n(), n, n);
    JointSpaceSum<double> sum(s.n(), n, n);
    int handle = JointSpaceSum<double>::refused;
    for (int i = 0; i < n; ++i) {
      const int added = sum.add(terms_of(s, i));
      if (i == gone) {
        handle = added;
      } else {
        ASSERT_NE(never.add(terms_of(s, i)), JointSpaceSum<double>::refused);
      }
    }
    const ClosedForm all = copy_of(sum);
    ASSERT_TRUE(sum.replace(handle, terms_of(s, 0)));
    ASSERT_TRUE(sum.replace(handle, terms_of(s, gone)));
    expect_same_bits(sum, all);
    ASSERT_TRUE(sum.remove(handle));
    EXPECT_EQ(sum.pieces(), n - 1);
    expect_same_bits(sum, copy_of(never));
  }
}

// The arm's partial model is not recomputed: a payload costs the same however many pieces the sum has already.
TEST(JointSpaceSum, AddingCostsWhatThePieceCosts) {
  test::Rng rng(47);
  test::State<Counting> s(Model::build(test::random_robot(rng, {.joints = 8, .serial = true, .every_type = false})));
  s.randomize(rng);
  JointSpaceSum<Counting> sum(8, 16, 8);
  LinkTerms<Counting> piece(8);
  for (int k = 0; k < 16; ++k) {
    const int body = k % 8;
    const int joints = body + 1;
    piece.compute(s.tree(), s.ws, body);
    const auto before = Counting::tally();
    ASSERT_NE(sum.add(piece), JointSpaceSum<Counting>::refused);
    EXPECT_EQ(Counting::tally().additions - before.additions, 2 * joints * joints + joints);
    EXPECT_EQ(Counting::tally().multiplications, before.multiplications);
  }
}

// What is spent on the M_i, C_i and g_i of a chain of `links` on the fourth link of a robot, and on adding them up.
OperationCount cost_of_attaching(int robot_joints, int links) {
  test::Rng rng(48);
  const RobotDescription robot = test::random_robot(rng, {.joints = robot_joints, .serial = true, .every_type = false});
  const RobotDescription chain = test::random_robot(rng, {.joints = links, .serial = true, .every_type = false});
  test::State<Counting> s(Model::build(attach(robot, Payload::articulated("chain", "link4", chain))));
  s.randomize(rng);
  const int bodies = s.tree().size;
  JointSpaceSum<Counting> sum(s.n(), bodies, bodies);
  LinkTerms<Counting> piece(bodies);
  const auto add = [&](bool payload) {
    for (int i = 0; i < bodies; ++i) {
      if ((s.model.body_joint(i).rfind("chain/", 0) == 0) != payload) continue;
      piece.compute(s.tree(), s.ws, i);
      EXPECT_NE(sum.add(piece), JointSpaceSum<Counting>::refused);
    }
  };
  add(false);  // the arm's partial model, not counted
  const auto before = Counting::tally();
  add(true);
  const auto after = Counting::tally();
  return {after.multiplications - before.multiplications, after.additions - before.additions, 0};
}

TEST(JointSpaceSum, AttachingCostsTheSameOnAnyRobot) {
  for (const int links : {1, 2, 5}) {
    const auto small = cost_of_attaching(4, links);
    for (const int joints : {8, 16, 40}) {
      const auto large = cost_of_attaching(joints, links);
      EXPECT_EQ(large.multiplications, small.multiplications) << joints;
      EXPECT_EQ(large.additions, small.additions) << joints;
    }
  }
  EXPECT_GT(cost_of_attaching(8, 5).multiplications, 4 * cost_of_attaching(8, 1).multiplications);
}

// Pieces may be computed, added, changed and taken away between two cycles of a loop.
TEST(JointSpaceSum, TakesNoMemoryAfterConstruction) {
  test::Rng rng(48);
  test::State<> s(Model::build(test::random_robot(rng, {.joints = 9})));
  s.randomize(rng);
  const int n = s.tree().size;
  JointSpaceSum<double> sum(s.n(), n, n);
  LinkTerms<double> piece(n), other(n);
  bool done = true;
  const test::AllocationCount count = test::count_allocations([&] {
    for (int round = 0; round < 3; ++round) {
      int last = JointSpaceSum<double>::refused;
      for (int body = 0; body < n; ++body) {
        piece.compute(s.tree(), s.ws, body);
        done = done && other.assign(piece);
        last = sum.add(other);
        done = done && last != JointSpaceSum<double>::refused;
      }
      done = done && sum.replace(last, piece);
      for (int handle = 0; handle < n; ++handle) done = sum.remove(handle) && done;
    }
  });
  EXPECT_TRUE(done);
  EXPECT_TRUE(count.none()) << count.allocations << " allocations, " << count.frees << " frees";
}

TEST(JointSpaceSum, RefusesWhatDoesNotFit) {
  test::Rng rng(46);
  test::State<> s(pelican(true));
  s.randomize(rng);
  JointSpaceSum<double> small(2, 1, 3);
  EXPECT_EQ(small.add(terms_of(s, 2)), JointSpaceSum<double>::refused);  // moves coordinate 2
  const int first = small.add(terms_of(s, 0));
  EXPECT_NE(first, JointSpaceSum<double>::refused);
  EXPECT_EQ(small.add(terms_of(s, 1)), JointSpaceSum<double>::refused);  // no room for a second piece
  EXPECT_FALSE(small.replace(first, terms_of(s, 2)));
  expect_near(small, paper_arm.link1(s.q), 1e-12);
  JointSpaceSum<double> short_pieces(3, 2, 1);
  EXPECT_EQ(short_pieces.add(terms_of(s, 1)), JointSpaceSum<double>::refused);  // moved by two joints
}

}  // namespace
}  // namespace dyn
