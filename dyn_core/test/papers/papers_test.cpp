// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The vector forms of the papers' algorithms, by each instruction set that the machine has, against the same
// algorithms' class templates in long double.
#include <gtest/gtest.h>

#include <cmath>

#include "dyn_core/forward/denoc.hpp"
#include "dyn_core/jsim/registry.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/papers/engine.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_robot.hpp"

namespace dyn {
namespace {

using Exact = long double;

Workspace<Exact> workspace_at(const Tree& tree, const std::vector<double>& q, const std::vector<double>& v) {
  Workspace<Exact> ws(tree.size);
  for (size_t i = 0; i < q.size(); ++i) {
    ws.q[i] = static_cast<Exact>(q[i]);
    ws.v[i] = static_cast<Exact>(v[i]);
  }
  update_kinematics(tree, ws, needs_all);
  return ws;
}

template <template <class> class Algorithm>
MatX<Exact> exact_mass(const Tree& tree, const Workspace<Exact>& ws) {
  MatX<Exact> M(tree.size, tree.size);
  Algorithm<Exact>(tree.size).compute(tree, ws, matrix_view(M.data(), tree.size, tree.size));
  return M;
}

Model random_model(test::Rng& rng, int k) {
  return Model::build(test::random_robot(
      rng, {.joints = 1 + k % 40 + (k % 2 == 0 ? 7 : 0), .serial = k % 3 == 0, .every_type = k % 2 == 0}));
}

class PaperKernels : public ::testing::TestWithParam<std::string> {
 protected:
  static MatX<double> mass(papers::Engine& engine, papers::MassForm form, int n) {
    MatX<double> M = MatX<double>::Zero(n, n);
    engine.mass(form, M.data());
    return M;
  }
  [[nodiscard]] static papers::Engine engine_of(const Tree& tree) {
    return papers::Engine(tree, fused::select_kernels(GetParam()));
  }
};

TEST_P(PaperKernels, MassAgreesWithTheClassTemplates) {
  test::Rng rng(31);
  for (int k = 0; k < 120; ++k) {
    const Model model = random_model(rng, k);
    const Tree& tree = model.tree();
    const auto q = test::random_values(rng, tree.size, 3.0);
    const auto ws = workspace_at(tree, q, q);
    papers::Engine engine = engine_of(tree);
    engine.positions(q.data());
    const auto expect_near = [&](std::string_view name, const MatX<Exact>& exact) {
      const MatX<double> M = mass(engine, papers::mass_form(name), tree.size);
      EXPECT_EQ(largest_entry(M - M.transpose()), 0.0) << name << ' ' << k;
      EXPECT_LT(mass_matrix_error(M, exact), 1e-12) << name << ' ' << k << " n=" << tree.size;
      for (int i = 0; i < tree.size; ++i) {
        for (int j = 0; j < i; ++j) {
          if (!tree.supports(j, i)) {
            ASSERT_EQ(M(i, j), 0.0) << name << ' ' << k;
          }
        }
      }
    };
    expect_near("explicit", exact_mass<jsim::Explicit>(tree, ws));
    expect_near("gdahj", exact_mass<jsim::Gdahj>(tree, ws));
    expect_near("denoc", exact_mass<jsim::Denoc>(tree, ws));
    expect_near("momentum", exact_mass<jsim::Momentum>(tree, ws));
    expect_near("screw", exact_mass<jsim::Screw>(tree, ws));
    expect_near("pseudo_inertia", exact_mass<jsim::PseudoInertia>(tree, ws));
  }
}

TEST_P(PaperKernels, ElementAloneHasTheBitsOfTheMatrix) {
  test::Rng rng(5);
  for (int k = 0; k < 24; ++k) {
    const Model model = random_model(rng, k);
    const Tree& tree = model.tree();
    papers::Engine engine = engine_of(tree);
    engine.positions(test::random_values(rng, tree.size, 2.0).data());
    const MatX<double> M = mass(engine, papers::MassForm::explicit_elements, tree.size);
    for (int u = 0; u < tree.size; ++u) {
      for (int j = 0; j < tree.size; ++j) EXPECT_EQ(engine.element(u, j), M(u, j)) << k << ' ' << u << ' ' << j;
    }
  }
}

TEST_P(PaperKernels, ForwardAgreesWithTheClassTemplate) {
  test::Rng rng(41);
  for (int k = 0; k < 120; ++k) {
    const Model model = random_model(rng, k);
    const Tree& tree = model.tree();
    const auto n = static_cast<size_t>(tree.size);
    const auto q = test::random_values(rng, tree.size, 3.0);
    const auto phi = test::random_values(rng, tree.size, 10.0);
    const auto ws = workspace_at(tree, q, q);
    const std::vector<Exact> bias(n, 0.0L);
    std::vector<Exact> tau(n), exact(n);  // of coordinates
    for (size_t i = 0; i < n; ++i) tau[static_cast<size_t>(tree.coordinate[i])] = static_cast<Exact>(phi[i]);
    const Status expected = forward::Denoc<Exact>(tree.size).solve(
        tree, ws, ConstVectorRef<Exact>(bias.data(), tree.size), ConstVectorRef<Exact>(tau.data(), tree.size),
        VectorRef<Exact>(exact.data(), tree.size));
    papers::Engine engine = engine_of(tree);
    engine.positions(q.data());
    std::vector<double> qdd(n);
    const Status status = engine.forward(phi.data(), std::vector<double>(n, 0.0).data(), qdd.data());
    ASSERT_TRUE(status.ok() && expected.ok()) << k;
    // M qdd = phi, each joint's forces being as large as their parts
    const MatX<Exact> M = exact_mass<jsim::Denoc>(tree, ws);
    for (size_t i = 0; i < n; ++i) {
      Exact sum = -static_cast<Exact>(phi[i]), size = std::abs(sum);
      for (size_t j = 0; j < n; ++j) {
        const Exact part = M(static_cast<int>(i), static_cast<int>(j)) * static_cast<Exact>(qdd[j]);
        sum += part;
        size += std::abs(part);
      }
      EXPECT_LT(static_cast<double>(std::abs(sum) / size), 1e-10) << k << ' ' << i;
    }
  }
}

TEST_P(PaperKernels, ForwardSaysWhereTheInertiaIsSingular) {
  test::Rng rng(3);
  RobotDescription robot = test::random_robot(rng, {.joints = 5, .serial = true, .every_type = false});
  robot.links.back().inertial.reset();
  const Model model = Model::build(robot);
  papers::Engine engine = engine_of(model.tree());
  engine.positions(std::vector<double>(5, 0.3).data());
  std::vector<double> qdd(5);
  const std::vector<double> ones(5, 1.0);
  const Status status = engine.forward(ones.data(), ones.data(), qdd.data());
  EXPECT_EQ(status.code, Status::Code::singular_inertia);
  EXPECT_EQ(status.body, 4);
}

TEST_P(PaperKernels, OtherInertiasAreTakenInAndNothingIsAllocated) {
  test::Rng rng(8);
  const Model model = random_model(rng, 25);
  Tree tree = model.tree();
  papers::Engine engine = engine_of(tree);
  const auto q = test::random_values(rng, tree.size, 2.0);
  MatX<double> M = MatX<double>::Zero(tree.size, tree.size);
  for (double& m : tree.mass) m *= 2.0;
  const test::AllocationCount count = test::count_allocations([&] {
    engine.refresh(tree);
    engine.positions(q.data());
    for (const auto name : {"gdahj", "denoc", "momentum", "screw", "pseudo_inertia", "explicit"}) {
      engine.mass(papers::mass_form(name), M.data());
    }
  });
  EXPECT_TRUE(count.none());
  EXPECT_LT(mass_matrix_error(M, exact_mass<jsim::Explicit>(tree, workspace_at(tree, q, q))), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Isa, PaperKernels, ::testing::ValuesIn(fused::usable_kernels()),
                         [](const auto& kernels) { return kernels.param; });

}  // namespace
}  // namespace dyn
