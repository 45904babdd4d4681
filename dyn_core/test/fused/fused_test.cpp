// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/coriolis/fused.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dyn_core/gravity/gravity.hpp"
#include "dyn_core/inverse/fused.hpp"
#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "fused/engine.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

// M, C, g and C v + g by the scalar templates; in long double the yardstick for every instruction set.
template <class T>
struct ScalarOf {
  ScalarOf(const Tree& tree, const std::vector<double>& q, const std::vector<double>& v)
      : M(tree.size, tree.size), C(tree.size, tree.size), g(tree.size), h(tree.size) {
    Workspace<T> ws(tree.size);
    for (size_t i = 0; i < q.size(); ++i) {
      ws.q[i] = static_cast<T>(q[i]);
      ws.v[i] = static_cast<T>(v[i]);
    }
    update_kinematics(tree, ws, needs_all);
    jsim::Fused<T>(tree.size).compute(tree, ws, matrix_view(M.data(), tree.size, tree.size));
    coriolis::Fused<T>(tree.size).compute(tree, ws, matrix_view(C.data(), tree.size, tree.size));
    const Vec3<T> gravity = tree.gravity.cast<T>();
    Gravity<T>(tree.size).compute(tree, ws, gravity, VectorRef<T>(g.data(), tree.size));
    inverse::Fused<T>(tree.size).bias(tree, ws, gravity, VectorRef<T>(h.data(), tree.size));
  }
  MatX<T> M, C;
  VecX<T> g, h;
};
using Scalar = ScalarOf<long double>;

struct Result {
  explicit Result(int n) : M(MatX<double>::Zero(n, n)), C(MatX<double>::Zero(n, n)), g(VecX<double>::Zero(n)) {}
  MatX<double> M, C;
  VecX<double> g;
};

class FusedKernels : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static lanes::KernelSet kernels() { return lanes::select_kernel_set(GetParam()); }
};

TEST_P(FusedKernels, AgreeWithTheScalarFormOnRandomTrees) {
  test::Rng rng(11);
  for (int k = 0; k < 120; ++k) {
    const bool serial = k % 3 == 0;
    const bool every_type = k % 2 == 0;
    const Model model = Model::build(test::random_robot(
        rng, {.joints = 1 + k % 40 + (k % 2 == 0 ? 7 : 0), .serial = serial, .every_type = every_type}));
    const Tree& tree = model.tree();
    if (tree.size == 0) continue;
    const auto q = test::random_values(rng, tree.size, 3.0);
    const auto v = test::random_values(rng, tree.size, 3.0);
    const auto a = test::random_values(rng, tree.size, 3.0);
    fused::Engine engine(tree, kernels());
    Result result(tree.size);
    ASSERT_TRUE(engine.terms(q.data(), v.data(), {result.M.data(), result.C.data(), result.g.data()}));
    const Scalar exact(tree, q, v);
    EXPECT_EQ(largest_entry(result.M - result.M.transpose()), 0.0) << k;
    EXPECT_LT(mass_matrix_error(result.M, exact.M), 1e-12) << k;
    const double c_scale = largest_entry(exact.C) + largest_entry(exact.M);
    EXPECT_LT(largest_entry(result.C.cast<long double>() - exact.C) / c_scale, 1e-13) << k << " n=" << tree.size;
    const double g_scale = largest_entry(exact.g) + 1e-3;
    EXPECT_LT(largest_entry(result.g.cast<long double>() - exact.g) / g_scale, 1e-13) << k;
    VecX<double> tau(tree.size);
    engine.inverse(a.data(), tau.data());
    VecX<long double> expected = exact.g;
    for (int i = 0; i < tree.size; ++i) {
      for (int j = 0; j < tree.size; ++j) {
        expected[i] += exact.M(i, j) * static_cast<long double>(a[j]) + exact.C(i, j) * static_cast<long double>(v[j]);
      }
    }
    const double tau_scale = largest_entry(expected) + 1e-3;
    EXPECT_LT(largest_entry(tau.cast<long double>() - expected) / tau_scale, 1e-13) << k;
  }
}

// Single chains of revolute joints have kernels with known sizes, one for each choice of terms.
TEST_P(FusedKernels, ChainsAgreeWhateverTermsAreAsked) {
  test::Rng rng(23);
  for (int k = 0; k < 40; ++k) {
    const int n = 5 + k % 4;
    const Model model = Model::build(test::random_robot(rng, {.joints = n, .serial = true, .every_type = false}));
    const Tree& tree = model.tree();
    const auto q = test::random_values(rng, n, 3.0);
    const auto v = test::random_values(rng, n, 3.0);
    const Scalar exact(tree, q, v);
    const double scale = largest_entry(exact.C) + largest_entry(exact.M);
    const double force = largest_entry(exact.h) + largest_entry(exact.g);
    const auto off = [](const auto& ours, const auto& right) {
      return largest_entry(ours.template cast<long double>() - right);
    };
    fused::Engine engine(tree, kernels());
    ASSERT_TRUE(engine.load_state(q.data(), v.data()));
    fused::Engine bound(tree, kernels());
    Result b(n);
    VecX<double> bound_h(n);
    bound.bind(b.M.data(), b.C.data(), b.g.data(), bound_h.data());
    for (unsigned wanted = 1; wanted < 16; ++wanted) {
      const bool with_M = (wanted & 1U) != 0U, with_C = (wanted & 2U) != 0U, with_h = (wanted & 8U) != 0U;
      const bool with_g = (wanted & 4U) != 0U || (with_h && with_C);
      Result r(n);
      VecX<double> h = VecX<double>::Zero(n);
      engine.terms({with_M ? r.M.data() : nullptr, with_C ? r.C.data() : nullptr, with_g ? r.g.data() : nullptr,
                    with_h ? h.data() : nullptr});
      EXPECT_LT(with_M ? mass_matrix_error(r.M, exact.M) : 0.0, 1e-12) << n << " terms " << wanted;
      EXPECT_LT(with_C ? off(r.C, exact.C) : 0.0, 1e-13 * scale) << n << " terms " << wanted;
      EXPECT_LT(with_g ? off(r.g, exact.g) : 0.0, 1e-13 * force) << n << " terms " << wanted;
      EXPECT_LT(with_h ? off(h, exact.h) : 0.0, 1e-13 * force) << n << " terms " << wanted;
      b.M.setZero();
      b.C.setZero();
      b.g.setZero();
      bound_h.setZero();
      ASSERT_TRUE(bound.bound_terms(q.data(), v.data(), wanted));
      EXPECT_TRUE(b.M == r.M && b.C == r.C && b.g == r.g && bound_h == h) << n << " terms " << wanted;
    }
  }
}

// Moments are taken near the bodies: 100 m between the base and a robot of decimetres cost no digits beyond
// those of the positions themselves (about the base origin the error here is 1e-10).
TEST(FusedScalars, KeepTheirDigitsFarFromTheBase) {
  test::Rng rng(17);
  for (int k = 0; k < 20; ++k) {
    RobotDescription robot = test::random_robot(rng, {.joints = 12, .serial = k % 2 == 0, .every_type = k % 4 > 1});
    for (JointDescription& joint : robot.joints) {
      if (joint.parent_link == "link0") joint.parent_T_joint.p_m += Vec3d(80.0, -60.0, 30.0);
    }
    const Model model = Model::build(robot);
    const Tree& tree = model.tree();
    if (tree.size == 0) continue;
    const auto q = test::random_values(rng, tree.size, 1.0);
    const auto v = test::random_values(rng, tree.size, 1.0);
    const Scalar exact(tree, q, v);
    const ScalarOf<double> ours(tree, q, v);
    EXPECT_LT(mass_matrix_error(ours.M, exact.M), 1e-12) << k;
    const double c_scale = largest_entry(exact.C) + largest_entry(exact.M);
    EXPECT_LT(largest_entry(ours.C.cast<long double>() - exact.C) / c_scale, 1e-12) << k;
    const double h_scale = largest_entry(exact.h);
    EXPECT_LT(largest_entry(ours.h.cast<long double>() - exact.h) / h_scale, 1e-12) << k;
  }
}

double mass_of_turn(lanes::KernelSet kernels, double q) {
  Inertial inertial;
  inertial.mass_kg = 1.0;
  inertial.com_m = Vec3d(1.0, 0.0, 0.0);
  inertial.inertia_com_kgm2 = Mat3d::Identity() * 0.1;
  RobotDescription robot;
  robot.name = "pendulum";
  robot.links = {{"base", {}}, {"arm", inertial}};
  JointDescription joint;
  joint.name = "turn";
  joint.type = JointType::continuous;
  joint.parent_link = "base";
  joint.child_link = "arm";
  joint.axis = Vec3d::UnitY();
  robot.joints = {joint};
  const Model model = Model::build(robot, {.gravity_mps2 = Vec3d(0.0, 0.0, -1.0)});
  const double v = 0.0;
  double g = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(fused::Engine(model.tree(), kernels).terms(&q, &v, {nullptr, nullptr, &g}));
  return g;  // m l cos q, the sign is the axis'
}

TEST_P(FusedKernels, SineAndCosineHoldForLargeAngles) {
  test::Rng rng(5);
  for (int k = 0; k < 400; ++k) {
    const double q = test::uniform(rng, -1.0, 1.0) * std::pow(10.0, k % 12);  // up to 1e11: libm beyond 2e6
    EXPECT_NEAR(std::abs(mass_of_turn(kernels(), q)), std::abs(std::cos(q)), 1e-15) << q;
  }
}

TEST_P(FusedKernels, NumbersThatAreNotFiniteAreRefusedAndNothingIsWritten) {
  test::Rng rng(6);
  const Model model = Model::build(test::random_robot(rng, {.joints = 7, .serial = true, .every_type = false}));
  fused::Engine engine(model.tree(), kernels());
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  for (const double x : bad) {
    for (size_t i = 0; i < 14; ++i) {
      std::vector<double> state(14, 0.3);
      state[i] = x;
      Result result(7);
      EXPECT_FALSE(engine.terms(state.data(), state.data() + 7, {result.M.data(), result.C.data(), result.g.data()}));
      EXPECT_EQ(largest_entry(result.M), 0.0);
    }
  }
}

#if defined(__x86_64__)
TEST(KernelSets, RunWhereTheProcessorHasTheirInstructions) {
  const bool v3 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool v4 = v3 && __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  const auto usable = usable_kernel_sets();
  const auto has = [&](const char* name) { return std::find(usable.begin(), usable.end(), name) != usable.end(); };
  EXPECT_TRUE(has("baseline"));
  EXPECT_EQ(has("v3"), v3);
  EXPECT_EQ(has("v4"), v4);
}
#endif

TEST(KernelSets, AnUnknownOneIsRefusedByName) {
  try {
    (void)lanes::select_kernel_set("v5");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("DYN_ISA: unknown kernel set 'v5'; available: baseline"),
              std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, FusedKernels, ::testing::ValuesIn(usable_kernel_sets()),
                         [](const auto& kernels) { return kernels.param; });

}  // namespace
}  // namespace dyn
