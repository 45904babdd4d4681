// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The regressors on every robot of the suites.
#include "conformance/subject.hpp"
#include "dyn_core/inverse/rnea.hpp"
#include "dyn_core/model/body_inertia.hpp"
#include "dyn_core/regressor.hpp"
#include "dyn_core/regressor/wrench_columns.hpp"
#include "support/each_kernel_set.hpp"
#include "support/real_time.hpp"

namespace dyn::test {
namespace {

VecX<double> parameters_of(const Regressor& regressor) {
  VecX<double> p(regressor.layout().parameters());
  regressor.parameters({p.data(), static_cast<size_t>(p.size())});
  return p;
}

// tau of a tree by the recursive Newton-Euler algorithm, user's coordinates, without armature.
VecX<double> rnea(const Tree& tree, const Body<double>& body, const Vec3d& gravity) {
  VecX<double> tau(tree.size);
  inverse::Rnea<double>(tree.size).compute(tree, body.ws, gravity, VectorRef<double>(tau.data(), tree.size));
  return body.user(tau);
}

TEST(RegressorConformance, TimesParametersIsTheTorque) {
  for (const Case& c : all_cases()) {
    Body<double> body(*c.model);
    body.at(c, needs_all);
    const VecX<double> by_rnea = rnea(c.model->tree(), body, c.model->tree().gravity);
    with_each_kernel_set([&] {
      Regressor regressor(*c.model);
      ASSERT_TRUE(regressor.update(c.q, c.v, c.a).ok()) << c.robot;
      const VecX<double> tau = regressor.Y() * parameters_of(regressor);
      EXPECT_LT(relative_error(tau, c.M * eigen(c.a) + c.Cv + c.g, c.force_floor), 1e-11) << c.robot;
      EXPECT_LT(relative_error(tau, by_rnea, c.force_floor), 1e-12) << c.robot;
    });
  }
}

// Column k of a body is the torque of a robot whose only parameter is that one, 1. A first moment has a mass here.
TEST(RegressorConformance, ColumnsAreTorquesOfUnitParameters) {
  for (const Case& c : all_cases()) {
    if (c.model->bodies() > 12) continue;
    Regressor regressor(*c.model);
    ASSERT_TRUE(regressor.update(c.q, c.v, c.a).ok());
    Body<double> body(*c.model);
    body.at(c, needs_all);
    const regressor::Layout& layout = regressor.layout();
    for (int b = 0; b < layout.size(); ++b) {
      const auto column = [&](int k) {
        return VecX<double>(regressor.Y().col(regressor::parameters_per_body * b + k));
      };
      const auto torque = [&](double mass, const Vec3d& first_moment, const Mat3d& inertia_origin) {
        Tree tree = c.model->tree();
        for (int i = 0; i < tree.size; ++i) set_body_inertia(tree, i, {});
        const Mat3d& R = layout.body_R_link[b];
        const Vec3d h = R * first_moment;
        const Mat3d shift = mass > 0.0 ? Mat3d(skew(h) * skew(h) / mass) : Mat3d::Zero();  // - m (c.c 1 - c c^T)
        set_body_inertia(tree, layout.body[b],
                         {mass, mass > 0.0 ? Vec3d(h / mass) : h, R * inertia_origin * R.transpose() + shift});
        return rnea(tree, body, tree.gravity);
      };
      const Vec3d none = Vec3d::Zero();
      const Mat3d no_inertia = Mat3d::Zero();
      const double scale = largest_entry(regressor.Y());
      const auto expect = [&](int k, const VecX<double>& tau) {
        EXPECT_LT(largest_entry(column(k) - tau) / scale, 1e-12) << c.robot << " body " << b << " parameter " << k;
      };
      expect(0, torque(1.0, none, no_inertia));
      for (int k = 0; k < 3; ++k) {
        expect(1 + k, torque(1.0, Vec3d::Unit(k), no_inertia) - torque(1.0, none, no_inertia));
      }
      constexpr int entries[6][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}};
      for (int k = 0; k < 6; ++k) {
        Mat3d unit = no_inertia;
        unit(entries[k][0], entries[k][1]) = unit(entries[k][1], entries[k][0]) = 1.0;
        expect(4 + k, torque(0.0, none, unit));
      }
    }
  }
}

// Column by column the paper form, which the columns of unit parameters hold to only for small robots.
TEST(RegressorConformance, LaneFormIsThePaperForm) {
  for (const Case& c : all_cases()) {
    Body<double> body(*c.model);
    body.at(c, needs_all);
    const regressor::Layout layout(*c.model);
    MatX<double> Y(c.model->coordinates(), layout.parameters());
    regressor::TreeRegressor<double>(c.model->bodies())
        .torque(c.model->tree(), layout, body.ws, c.model->tree().gravity,
                matrix_view(Y.data(), c.model->coordinates(), layout.parameters()));
    with_each_kernel_set([&] {
      Regressor regressor(*c.model);
      ASSERT_TRUE(regressor.update(c.q, c.v, c.a).ok());
      EXPECT_LT(relative_error(regressor.Y(), Y), 1e-13) << c.robot;
    });
  }
}

TEST(RegressorConformance, MomentumAndItsRate) {
  for (const Case& c : all_cases()) {
    Regressor regressor(*c.model);
    ASSERT_TRUE(regressor.update_momentum(c.q, c.v).ok());
    const VecX<double> p = parameters_of(regressor), v = eigen(c.v);
    EXPECT_LT(relative_error(regressor.Y_momentum() * p, c.M * v, c.matrix_floor), 1e-12) << c.robot;
    // d/dt (M v) = M a + Mdot v = tau + rate
    EXPECT_LT(relative_error(regressor.Y_rate() * p, c.Mdot * v - c.Cv - c.g, c.force_floor), 1e-11) << c.robot;
  }
}

TEST(RegressorConformance, GravityIsOfTheState) {
  for (const Case& c : all_cases()) {
    const Vec3d gravity(1.0, -2.0, 3.0);
    Regressor regressor(*c.model);
    regressor.set_gravity(gravity);
    ASSERT_TRUE(regressor.update(c.q, c.v, c.a).ok());
    Body<double> body(*c.model);
    body.at(c, needs_all);
    EXPECT_LT(
        relative_error(regressor.Y() * parameters_of(regressor), rnea(c.model->tree(), body, gravity), c.force_floor),
        1e-12)
        << c.robot;
  }
}

// One body a moving joint, each of a floating joint's included, and the parameters of a tree that was changed.
TEST(RegressorConformance, ParametersAreOfTheBodies) {
  for (const Case& c : all_cases()) {
    const Regressor regressor(*c.model);
    double mass = 0.0;
    for (const double m : c.model->tree().mass) mass += m;
    const VecX<double> p = parameters_of(regressor);
    double sum = 0.0;
    for (int b = 0; b < regressor.layout().size(); ++b) sum += p[regressor::parameters_per_body * b];
    EXPECT_NEAR(sum, mass, 1e-12 * mass) << c.robot;
    Tree heavier = c.model->tree();
    const int body = regressor.layout().body.back();
    set_body_inertia(heavier, body, {7.0, Vec3d(1.0, 0.0, 0.0), Mat3d::Identity()});
    VecX<double> changed(p.size());
    regressor.parameters(heavier, {changed.data(), static_cast<size_t>(changed.size())});
    EXPECT_EQ(changed[p.size() - 10], 7.0);
    EXPECT_NEAR(changed.segment(p.size() - 9, 3).norm(), 7.0, 1e-12);
    EXPECT_NEAR(changed[p.size() - 6] + changed[p.size() - 4] + changed[p.size() - 1], 3.0 + 14.0, 1e-12);
  }
}

TEST(RegressorConformance, AllocatesAndLocksNothingAndRefusesWhatIsNotFinite) {
  const auto& cases = all_cases();
  for (size_t k = 0; k < cases.size(); k += 5) {
    const Case& c = cases[k];
    Regressor regressor(*c.model);
    VecX<double> p = parameters_of(regressor);
    std::vector<double> columns(c.q.size() * std::max(c.q.size(), 2 * regressor.layout().body.size()));
    std::vector<double> bad = c.a;
    bad.back() = std::numeric_limits<double>::quiet_NaN();
    bool refused = true, done = true;
    expect_real_time(c.robot, [&] {
      regressor.set_gravity(Vec3d(0.0, 0.0, -9.81));
      done = regressor.update(c.q, c.v, c.a).ok() && regressor.update_momentum(c.q, c.v).ok();
      refused = !regressor.update(c.q, c.v, bad).ok() && !regressor.update(bad, c.v, c.a).ok() &&
                !regressor.update(c.q, bad, c.a).ok() && !regressor.update_momentum(bad, c.v).ok();
      regressor.parameters({p.data(), static_cast<size_t>(p.size())});
      regressor.friction(c.v, std::span(columns).first(2 * c.q.size() * regressor.layout().body.size()));
      regressor.armature(c.a, std::span(columns).first(c.q.size() * c.q.size()));
    });
    EXPECT_TRUE(refused && done) << c.robot;
    EXPECT_TRUE(regressor.Y().allFinite()) << c.robot << ": a state that was refused left something";
  }
}

}  // namespace
}  // namespace dyn::test
