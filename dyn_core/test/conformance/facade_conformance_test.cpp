// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The facade on every robot of the suites: what users get, with mimic joints, payloads, armature and vector kernels.
#include "conformance/subject.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"
#include "support/allocation_counter.hpp"
#include "support/lock_counter.hpp"

namespace dyn::test {
namespace {

MatX<double> mass_with_armature(const Case& c) {  // with armature
  MatX<double> M = c.M;
  for (int i = 0; i < c.model->coordinates(); ++i) M(i, i) += c.model->tree().armature[i];
  return M;
}

template <class T>
std::vector<T> as(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

TEST(FacadeConformance, TermsAgreeWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    Dynamics dynamics(*c.model);
    ASSERT_TRUE(dynamics.update(c.q, c.v).ok()) << c.robot;
    EXPECT_LT(mass_matrix_error(dynamics.M(), mass_with_armature(c)), 1e-12) << c.robot;
    EXPECT_EQ(MatX<double>(dynamics.M()), MatX<double>(dynamics.M().transpose())) << c.robot;
    const MatX<double> C = dynamics.C();
    EXPECT_LT(relative_error(C * eigen(c.v), c.Cv, c.force_floor), 1e-11) << c.robot;
    EXPECT_LT(relative_error(C + C.transpose(), c.Mdot, c.matrix_floor), 1e-12) << c.robot;
    if (c.C.size() > 0) {
      EXPECT_LT(relative_error(C, c.C, c.matrix_floor), 1e-12) << c.robot;
    }
    EXPECT_LT(relative_error(dynamics.g(), c.g, c.force_floor), 1e-11) << c.robot;
    EXPECT_LT(relative_error(dynamics.h(), c.Cv + c.g, c.force_floor), 1e-11) << c.robot;
  }
}

// By the lane forms too that the papers' algorithms have here, and not where the suites of the registries try them.
TEST(FacadeConformance, MassMatrixByEveryAlgorithmAgreesWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    const Tree& tree = c.model->tree();
    Dynamics dynamics(*c.model);
    for (const auto name : AlgorithmList<JsimAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_jsim(name) && dynamics.update_terms(c.q, c.v, term_M).ok());
      const MatX<double> M = dynamics.M();
      EXPECT_LT(mass_matrix_error(M, mass_with_armature(c)), 1e-12) << c.robot << ' ' << name;
      EXPECT_EQ(M, MatX<double>(M.transpose())) << c.robot << ' ' << name;
      for (int i = 0; i < tree.size && tree.bodies_are_coordinates; ++i) {
        for (int j = 0; j < i; ++j) {
          if (!tree.supports(j, i)) {
            ASSERT_EQ(M(i, j), 0.0) << c.robot << ' ' << name;
          }
        }
      }
    }
  }
}

TEST(FacadeConformance, CoriolisMatrixByEveryAlgorithmAgreesWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    const Tree& tree = c.model->tree();
    Dynamics dynamics(*c.model);
    for (const auto name : AlgorithmList<CoriolisAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_coriolis(name) && dynamics.update_terms(c.q, c.v, term_C).ok());
      const MatX<double> C = dynamics.C();
      EXPECT_LT(relative_error(C * eigen(c.v), c.Cv, c.force_floor), 1e-11) << c.robot << ' ' << name;
      EXPECT_LT(relative_error(C + C.transpose(), c.Mdot, c.matrix_floor), 1e-12) << c.robot << ' ' << name;
      if (c.C.size() > 0) {
        EXPECT_LT(relative_error(C, c.C, c.matrix_floor), 1e-12) << c.robot << ' ' << name;
      }
      for (int i = 0; i < tree.size && tree.bodies_are_coordinates; ++i) {
        for (int j = 0; j < i; ++j) {
          if (!tree.supports(j, i)) {
            ASSERT_TRUE(C(i, j) == 0.0 && C(j, i) == 0.0) << c.robot << ' ' << name;
          }
        }
      }
    }
  }
}

TEST(FacadeConformance, InverseAndForwardAgreeWithTheEnergyOracle) {
  for (const Case& c : all_cases()) {
    Dynamics dynamics(*c.model);
    std::vector<double> out(c.q.size());
    for (const auto name : AlgorithmList<InverseAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_inverse(name) && dynamics.update(c.q, c.v).ok());
      dynamics.inverse(c.a, out);
      const VecX<double> tau = mass_with_armature(c) * eigen(c.a) + c.Cv + c.g;
      EXPECT_LT(relative_error(eigen(out), tau, c.force_floor), 1e-11) << c.robot << ' ' << name;
    }
    for (const auto name : AlgorithmList<ForwardAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_forward(name) && dynamics.update(c.q, c.v).ok());
      const Status status = dynamics.forward(c.tau, out);
      if (c.condition > 1e12) continue;
      EXPECT_TRUE(status.ok()) << c.robot << ' ' << name;
      EXPECT_LT(relative_error(eigen(out), c.qdd), 1e-12 * c.condition) << c.robot << ' ' << name;
    }
  }
}

TEST(FacadeConformance, InverseOfTheMassMatrixIsOne) {
  for (const Case& c : all_cases()) {
    const size_t n = c.model->coordinates();
    for (const auto name : {"fused", "crba"}) {
      Dynamics dynamics(*c.model, {.jsim = name, .coriolis = "fused", .forward = "fused", .inverse = "fused"});
      std::vector<double> inverse(n * n);
      std::vector<double> qdd(n);
      ASSERT_TRUE(dynamics.update_terms(c.q, c.v, 0U).ok());
      const Status status = dynamics.inverse_mass_matrix(inverse);
      EXPECT_EQ(status.ok(), dynamics.forward(c.tau, qdd).ok()) << c.robot;
      if (!status.ok() || c.condition > 1e12) continue;
      const ConstMatrixRef<double> X(inverse.data(), c.model->coordinates(), c.model->coordinates(),
                                     Eigen::OuterStride<>(c.model->coordinates()));
      EXPECT_EQ(MatX<double>(X), MatX<double>(X.transpose())) << c.robot;
      const MatX<double> identity = MatX<double>::Identity(X.rows(), X.cols());
      EXPECT_LT(largest_entry(mass_with_armature(c) * X - identity), 1e-13 * c.condition) << c.robot << ' ' << name;
    }
  }
}

TEST(FacadeConformance, FloatIsNearDouble) {
  for (const Case& c : all_cases()) {
    const Case f = rounded_to_float(c);
    BasicDynamics<float> dynamics(*c.model);
    Dynamics precise(*c.model);
    ASSERT_TRUE(dynamics.update(as<float>(f.q), as<float>(f.v)).ok() && precise.update(f.q, f.v).ok()) << c.robot;
    expect_float_error(mass_matrix_error(dynamics.M().cast<double>(), precise.M()), c);
    expect_float_error(relative_error(dynamics.h().cast<double>(), precise.h(), c.force_floor), c);
  }
}

TEST(FacadeConformance, AllocatesAndLocksNothingWithAnyChoiceOfAlgorithms) {
  const auto& cases = all_cases();
  for (size_t k = 0; k < cases.size(); k += 5) {
    const Case& c = cases[k];
    Dynamics dynamics(*c.model);
    std::vector<double> out(c.q.size());
    std::vector<double> inverse(c.q.size() * c.q.size());
    const auto cycle = [&] {
      (void)dynamics.update(c.q, c.v);
      (void)dynamics.inverse_mass_matrix(inverse);
      dynamics.inverse(c.a, out);
      (void)dynamics.forward(c.tau, out);
    };
    const auto expect_clean = [&](std::string_view name) {
      std::int64_t locks = 0;
      const AllocationCount count = count_allocations([&] { locks = count_lock_calls(cycle); });
      EXPECT_TRUE(count.none()) << c.robot << ' ' << name;
      EXPECT_EQ(locks, 0) << c.robot << ' ' << name;
    };
    for (const auto name : AlgorithmList<JsimAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_jsim(name));
      expect_clean(name);
    }
    for (const auto name : AlgorithmList<CoriolisAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_coriolis(name));
      expect_clean(name);
    }
    for (const auto name : AlgorithmList<InverseAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_inverse(name));
      expect_clean(name);
    }
    for (const auto name : AlgorithmList<ForwardAlgorithms<double>>::names) {
      ASSERT_TRUE(dynamics.set_forward(name));
      expect_clean(name);
    }
  }
}

TEST(FacadeConformance, RefusesStatesThatAreNotFinite) {
  const Case& good = all_cases()[17];
  Dynamics dynamics(*good.model), untouched(*good.model);
  ASSERT_TRUE(untouched.update(good.q, good.v).ok());
  for (const BrokenState& broken : broken_states(good)) {
    const Status status = dynamics.update(broken.state.q, broken.state.v);
    EXPECT_TRUE(broken.finite || !status.ok());
    ASSERT_TRUE(dynamics.update(good.q, good.v).ok());
    EXPECT_EQ(MatX<double>(dynamics.M()), MatX<double>(untouched.M())) << "something of the broken state is left";
    EXPECT_EQ(VecX<double>(dynamics.h()), VecX<double>(untouched.h())) << "something of the broken state is left";
  }
}

}  // namespace
}  // namespace dyn::test
