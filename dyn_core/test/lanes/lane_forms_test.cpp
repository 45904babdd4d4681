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
#include "forward/elimination_lanes.hpp"
#include "jsim/explicit_lanes.hpp"
#include "lanes/base_frames.hpp"
#include "lanes/form_tables.hpp"
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

// f<algorithm, its paper form in long double>() for every algorithm of a registry that has a lane form of its own.
template <template <class> class Registry, class F>
void for_lane_forms(const F& f) {
  using Doubles = Registry<double>;
  [&]<size_t... I>(std::index_sequence<I...>) {
    const auto one = [&]<class Algorithm, class PaperForm>() {
      if constexpr (lanes::has_own_form<Algorithm>()) f.template operator()<Algorithm, PaperForm>();
    };
    (one.template operator()<std::tuple_element_t<I, Doubles>, std::tuple_element_t<I, Registry<Exact>>>(), ...);
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
    return lanes::FormTable<std::tuple<Algorithm>>::mass(set())[0];
  }
  template <class Algorithm>
  [[nodiscard]] static lanes::RatesForm rates_form_of() {
    return lanes::FormTable<std::tuple<Algorithm>>::rates(set())[0];
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
    for_lane_forms<JsimAlgorithms>([&]<class Algorithm, class PaperForm>() {
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

TEST_P(LaneForms, CoriolisAgreesWithThePaperForms) {
  test::Rng rng(32);
  for (int k = 0; k < 60; ++k) {
    const Model model = random_model(rng, k);
    const Tree& tree = model.tree();
    const auto q = test::random_values(rng, tree.size, 3.0);
    const auto v = test::random_values(rng, tree.size, 2.0);
    const auto ws = workspace_at(tree, q, v);
    lanes::BaseFrames frames(tree, set());
    frames.set_positions(q.data());
    for_lane_forms<CoriolisAlgorithms>([&]<class Algorithm, class PaperForm>() {
      MatX<double> C = MatX<double>::Zero(tree.size, tree.size);
      rates_form_of<Algorithm>()(frames.plan(), {v.data(), nullptr, {}}, C.data());
      MatX<Exact> exact(tree.size, tree.size);
      PaperForm(tree.size).compute(tree, ws, matrix_view(exact.data(), tree.size, tree.size));
      EXPECT_LT(relative_error(C, MatX<double>(exact.template cast<double>())), 1e-12) << Algorithm::name << ' ' << k;
      for (int i = 0; i < tree.size; ++i) {
        for (int j = 0; j < i; ++j) {
          if (!tree.supports(j, i)) {
            ASSERT_TRUE(C(i, j) == 0.0 && C(j, i) == 0.0) << Algorithm::name << ' ' << k;
          }
        }
      }
    });
  }
}

TEST_P(LaneForms, InverseAgreesWithThePaperForms) {
  test::Rng rng(33);
  for (int k = 0; k < 120; ++k) {
    const Model model = random_model(rng, k);
    const Tree& tree = model.tree();
    const auto q = test::random_values(rng, tree.size, 3.0);
    const auto v = test::random_values(rng, tree.size, 2.0);
    const auto a = test::random_values(rng, tree.size, 4.0);
    auto ws = workspace_at(tree, q, v);
    std::copy(a.begin(), a.end(), ws.a.begin());
    lanes::BaseFrames frames(tree, set());
    frames.set_positions(q.data());
    const Vec3d g(0.3, -1.0, -9.0);
    for_lane_forms<InverseAlgorithms>([&]<class Algorithm, class PaperForm>() {
      VecX<double> tau(tree.size);
      rates_form_of<Algorithm>()(frames.plan(), {v.data(), a.data(), {g[0], g[1], g[2]}}, tau.data());
      VecX<Exact> exact(tree.size);
      PaperForm(tree.size).compute(tree, ws, g.cast<Exact>(), VectorRef<Exact>(exact.data(), tree.size));
      EXPECT_LT(relative_error(tau, VecX<double>(exact.template cast<double>())), 1e-12) << Algorithm::name << ' ' << k;
    });
  }
}

// Every class with a `lane_form` has an entry in these tables, except `fused`.
TEST_P(LaneForms, AreFoundByTheAlgorithmsThatHaveOne) {
  const auto fused_alone_has_none = []<class Names>(const auto& forms, Names) {
    const size_t fused = Names::find("fused");
    return forms[fused] == nullptr && std::count(forms.begin(), forms.end(), nullptr) == 1;
  };
  using Jsims = JsimAlgorithms<double>;
  using CoriolisTuple = CoriolisAlgorithms<double>;
  using Inverses = InverseAlgorithms<double>;
  const auto forms = lanes::FormTable<Jsims>::mass(set());
  EXPECT_TRUE(forms[AlgorithmList<Jsims>::find("gdahj")] == form_of<jsim::Gdahj<double>>());
  EXPECT_TRUE(fused_alone_has_none(forms, AlgorithmList<Jsims>()));
  EXPECT_TRUE(fused_alone_has_none(lanes::FormTable<CoriolisTuple>::rates(set()), AlgorithmList<CoriolisTuple>()));
  EXPECT_TRUE(fused_alone_has_none(lanes::FormTable<Inverses>::rates(set()), AlgorithmList<Inverses>()));
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

// M qdd against tau - h, relative to the sizes of the summands of each joint's force.
double equation_error(const MatX<Exact>& M, const std::vector<double>& qdd, const std::vector<double>& forces) {
  double largest = 0.0;
  for (size_t i = 0; i < qdd.size(); ++i) {
    Exact sum = -static_cast<Exact>(forces[i]), size = std::abs(sum);
    for (size_t j = 0; j < qdd.size(); ++j) {
      const Exact part = M(static_cast<int>(i), static_cast<int>(j)) * static_cast<Exact>(qdd[j]);
      sum += part;
      size += std::abs(part);
    }
    largest = std::max(largest, static_cast<double>(std::abs(sum) / size));
  }
  return largest;
}

// denoc gets tau - (C v + g), aba tau, v and gravity.
TEST_P(LaneForms, ForwardSolvesTheEquationsOfMotion) {
  test::Rng rng(41);
  for (int k = 0; k < 120; ++k) {
    const Model model = random_model(rng, k);
    const Tree& tree = model.tree();
    const size_t n = tree.size;
    const auto q = test::random_values(rng, tree.size, 3.0);
    const auto v = test::random_values(rng, tree.size, 2.0);
    const auto phi = test::random_values(rng, tree.size, 10.0);
    const auto ws = workspace_at(tree, q, v);
    const Vec3d g(0.3, -1.0, -9.0);
    VecX<Exact> bias(tree.size);
    inverse::Rnea<Exact>(tree.size).bias(tree, ws, g.cast<Exact>(), VectorRef<Exact>(bias.data(), tree.size));
    lanes::BaseFrames frames(tree, set());
    frames.set_positions(q.data());
    const MatX<Exact> M = exact_mass<jsim::Denoc<Exact>>(tree, ws);
    const std::vector<double> no_floor(n, 0.0);
    std::vector<double> qdd(n), tau(n);
    ASSERT_TRUE(forward::EliminationLanes::denoc(tree, set())
                    .solve(frames.plan(), {}, phi.data(), no_floor.data(), qdd.data())
                    .ok())
        << k;
    EXPECT_LT(equation_error(M, qdd, phi), 1e-10) << k;
    for (size_t i = 0; i < n; ++i) tau[i] = static_cast<double>(static_cast<Exact>(phi[i]) + bias[static_cast<int>(i)]);
    ASSERT_TRUE(
        forward::EliminationLanes::aba(tree, set())
            .solve(frames.plan(), {v.data(), nullptr, {g[0], g[1], g[2]}}, tau.data(), no_floor.data(), qdd.data())
            .ok())
        << k;
    EXPECT_LT(equation_error(M, qdd, phi), 1e-10) << k;
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
  for (auto lanes_of : {&forward::EliminationLanes::denoc, &forward::EliminationLanes::aba}) {
    const Status status = lanes_of(model.tree(), set())
                              .solve(frames.plan(), {ones.data(), nullptr, {}}, ones.data(), ones.data(), qdd.data());
    EXPECT_EQ(status.code, Status::Code::singular_inertia);
    EXPECT_EQ(status.body, 4);
  }
}

TEST_P(LaneForms, OtherInertiasAreTakenInAndNothingIsAllocated) {
  test::Rng rng(8);
  const Model model = random_model(rng, 25);
  Tree tree = model.tree();
  lanes::BaseFrames frames(tree, set());
  const auto forms = lanes::FormTable<JsimAlgorithms<double>>::mass(set());
  const auto q = test::random_values(rng, tree.size, 2.0);
  const auto coriolis = lanes::FormTable<CoriolisAlgorithms<double>>::rates(set());
  const auto inverse = lanes::FormTable<InverseAlgorithms<double>>::rates(set());
  auto aba = forward::EliminationLanes::aba(tree, set());
  MatX<double> M = MatX<double>::Zero(tree.size, tree.size), C = M;
  VecX<double> tau(tree.size);
  for (double& m : tree.mass) m *= 2.0;
  const test::AllocationCount count = test::count_allocations([&] {
    frames.set_inertias(tree);
    frames.set_positions(q.data());
    for (const lanes::MassForm form : forms) {
      if (form != nullptr) form(frames.plan(), M.data());
    }
    const lanes::Rates rates{q.data(), q.data(), {}};
    for (const lanes::RatesForm form : coriolis) {
      if (form != nullptr) form(frames.plan(), rates, C.data());
    }
    for (const lanes::RatesForm form : inverse) {
      if (form != nullptr) form(frames.plan(), rates, tau.data());
    }
    (void)aba.solve(frames.plan(), rates, q.data(), tau.data(), tau.data());
  });
  EXPECT_TRUE(count.none());
  EXPECT_LT(mass_matrix_error(M, exact_mass<jsim::Explicit<Exact>>(tree, workspace_at(tree, q, q))), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Isa, LaneForms, ::testing::ValuesIn(usable_kernel_sets()),
                         [](const auto& kernels) { return kernels.param; });

}  // namespace
}  // namespace dyn
