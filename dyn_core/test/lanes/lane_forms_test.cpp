// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane forms of the papers' algorithms, by each kernel set that the machine can run, against the paper forms in
// long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dyn_core/forward/denoc.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"
#include "forward/denoc_lanes.hpp"
#include "jsim/explicit_lanes.hpp"
#include "lanes/base_frames.hpp"
#include "lanes/mass_forms.hpp"
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

template <class PaperForm>
MatX<Exact> exact_mass(const Tree& tree, const Workspace<Exact>& ws) {
  MatX<Exact> M(tree.size, tree.size);
  PaperForm(tree.size).compute(tree, ws, matrix_view(M.data(), tree.size, tree.size));
  return M;
}

// f<algorithm, its paper form in long double>() for every algorithm for M that has a lane form of its own.
template <class F>
void for_lane_forms(const F& f) {
  using Doubles = JsimAlgorithms<double>;
  [&]<size_t... I>(std::index_sequence<I...>) {
    const auto one = [&]<class Algorithm, class PaperForm>() {
      if constexpr (lanes::mass_form<Algorithm, lanes::KernelSet::baseline>() != nullptr) {
        f.template operator()<Algorithm, PaperForm>();
      }
    };
    (one.template operator()<std::tuple_element_t<I, Doubles>, std::tuple_element_t<I, JsimAlgorithms<Exact>>>(), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Doubles>>());
}

Model random_model(test::Rng& rng, int k) {
  return Model::build(test::random_robot(
      rng, {.joints = 1 + k % 40 + (k % 2 == 0 ? 7 : 0), .serial = k % 3 == 0, .every_type = k % 2 == 0}));
}

class LaneForms : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static lanes::KernelSet set() { return lanes::select_kernel_set(GetParam()); }
  template <class Algorithm>
  [[nodiscard]] static lanes::MassForm form_of() {
    return lanes::MassForms<std::tuple<Algorithm>>::all(set())[0];
  }
  template <class Algorithm>
  [[nodiscard]] static MatX<double> mass(const lanes::BaseFrames& frames, int n) {
    MatX<double> M = MatX<double>::Zero(n, n);
    form_of<Algorithm>()(frames.plan(), M.data());
    return M;
  }
};

TEST_P(LaneForms, MassAgreesWithThePaperForms) {
  test::Rng rng(31);
  for (int k = 0; k < 120; ++k) {
    const Model model = random_model(rng, k);
    const Tree& tree = model.tree();
    const auto q = test::random_values(rng, tree.size, 3.0);
    const auto ws = workspace_at(tree, q, q);
    lanes::BaseFrames frames(tree, set());
    frames.set_positions(q.data());
    for_lane_forms([&]<class Algorithm, class PaperForm>() {
      const MatX<double> M = mass<Algorithm>(frames, tree.size);
      EXPECT_EQ(largest_entry(M - M.transpose()), 0.0) << Algorithm::name << ' ' << k;
      EXPECT_LT(mass_matrix_error(M, exact_mass<PaperForm>(tree, ws)), 1e-12) << Algorithm::name << ' ' << k;
      for (int i = 0; i < tree.size; ++i) {
        for (int j = 0; j < i; ++j) {
          if (!tree.supports(j, i)) {
            ASSERT_EQ(M(i, j), 0.0) << Algorithm::name << ' ' << k;
          }
        }
      }
    });
  }
}

// Whatever says that it has a lane form for M is looked up by its class, and nothing else is.
TEST_P(LaneForms, AreFoundByTheAlgorithmsThatHaveOne) {
  using Jsims = AlgorithmList<JsimAlgorithms<double>>;
  const auto forms = lanes::MassForms<JsimAlgorithms<double>>::all(set());
  const auto of = [&](std::string_view name) { return forms[static_cast<size_t>(Jsims::find(name))]; };
  EXPECT_TRUE(of("gdahj") == form_of<jsim::Gdahj<double>>() && of("gdahj") != nullptr);
  EXPECT_TRUE(of("crba") == nullptr && of("fused") == nullptr && of("unit_acceleration") == nullptr);
  EXPECT_EQ(std::count(forms.begin(), forms.end(), nullptr), 3);
}

TEST_P(LaneForms, ElementAloneHasTheBitsOfTheMatrix) {
  test::Rng rng(5);
  for (int k = 0; k < 24; ++k) {
    const Model model = random_model(rng, k);
    const Tree& tree = model.tree();
    lanes::BaseFrames frames(tree, set());
    frames.set_positions(test::random_values(rng, tree.size, 2.0).data());
    const MatX<double> M = mass<jsim::Explicit<double>>(frames, tree.size);
    const jsim::ExplicitElement element(set());
    for (int u = 0; u < tree.size; ++u) {
      for (int j = 0; j < tree.size; ++j) EXPECT_EQ(element(frames.plan(), u, j), M(u, j)) << k << ' ' << u << ' ' << j;
    }
  }
}

TEST_P(LaneForms, ForwardAgreesWithThePaperForm) {
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
    lanes::BaseFrames frames(tree, set());
    frames.set_positions(q.data());
    std::vector<double> qdd(n);
    const Status status = forward::DenocLanes(tree, set())
                              .solve(frames.plan(), phi.data(), std::vector<double>(n, 0.0).data(), qdd.data());
    ASSERT_TRUE(status.ok() && expected.ok()) << k;
    // M qdd = phi, each joint's forces being as large as their parts
    const MatX<Exact> M = exact_mass<jsim::Denoc<Exact>>(tree, ws);
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

TEST_P(LaneForms, ForwardSaysWhereTheInertiaIsSingular) {
  test::Rng rng(3);
  RobotDescription robot = test::random_robot(rng, {.joints = 5, .serial = true, .every_type = false});
  robot.links.back().inertial.reset();
  const Model model = Model::build(robot);
  lanes::BaseFrames frames(model.tree(), set());
  frames.set_positions(std::vector<double>(5, 0.3).data());
  std::vector<double> qdd(5);
  const std::vector<double> ones(5, 1.0);
  const Status status =
      forward::DenocLanes(model.tree(), set()).solve(frames.plan(), ones.data(), ones.data(), qdd.data());
  EXPECT_EQ(status.code, Status::Code::singular_inertia);
  EXPECT_EQ(status.body, 4);
}

TEST_P(LaneForms, OtherInertiasAreTakenInAndNothingIsAllocated) {
  test::Rng rng(8);
  const Model model = random_model(rng, 25);
  Tree tree = model.tree();
  lanes::BaseFrames frames(tree, set());
  const auto forms = lanes::MassForms<JsimAlgorithms<double>>::all(set());
  const auto q = test::random_values(rng, tree.size, 2.0);
  MatX<double> M = MatX<double>::Zero(tree.size, tree.size);
  for (double& m : tree.mass) m *= 2.0;
  const test::AllocationCount count = test::count_allocations([&] {
    frames.set_inertias(tree);
    frames.set_positions(q.data());
    for (const lanes::MassForm form : forms) {
      if (form != nullptr) form(frames.plan(), M.data());
    }
  });
  EXPECT_TRUE(count.none());
  EXPECT_LT(mass_matrix_error(M, exact_mass<jsim::Explicit<Exact>>(tree, workspace_at(tree, q, q))), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Isa, LaneForms, ::testing::ValuesIn(usable_kernel_sets()),
                         [](const auto& kernels) { return kernels.param; });

}  // namespace
}  // namespace dyn
