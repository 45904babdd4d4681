// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Derivatives on every robot of the suites, against the recursive Newton-Euler algorithm on dual numbers of long
// double: derivatives along a formula that knows nothing of the closed form.
#include "conformance/subject.hpp"
#include "dyn_core/derivatives.hpp"
#include "dyn_core/derivatives/inverse_derivatives.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/inverse/rnea.hpp"
#include "support/dual.hpp"
#include "support/each_kernel_set.hpp"
#include "support/real_time.hpp"

namespace dyn::test {
namespace {

using Number = Dual<long double>;

// tau in the user's coordinates, armature included, and its derivative along (dq, dv, da).
struct Torque {
  VecX<double> value, derivative;
};

class DualOracle {
 public:
  DualOracle(const Case& c, const std::vector<double>& a) : case_(c), a_(a), ws_(c.model->bodies()) {}

  [[nodiscard]] Torque along(const VecX<double>& dq, const VecX<double>& dv, const VecX<double>& da) {
    const Tree& tree = case_.model->tree();
    const std::vector<Number> q = numbers(case_.q, dq), v = numbers(case_.v, dv), a = numbers(a_, da);
    spread_positions(tree, q.data(), ws_);
    spread_rates(tree, v.data(), ws_.v);
    spread_rates(tree, a.data(), ws_.a);
    update_kinematics(tree, ws_, needs_trigonometry);
    std::vector<Number> bodies(tree.size);
    inverse::Rnea<Number>(tree.size).compute(tree, ws_, tree.gravity.cast<Number>(),
                                             VectorRef<Number>(bodies.data(), tree.size));
    const int n = tree.coordinates;
    std::vector<long double> value(n), derivative(value);
    for (size_t i = 0; i < bodies.size(); ++i) {
      const size_t c = tree.coordinate[i];
      value[c] += tree.ratio[i] * bodies[i].a;
      derivative[c] += tree.ratio[i] * bodies[i].b;
    }
    Torque torque{VecX<double>(n), VecX<double>(n)};
    for (int i = 0; i < n; ++i) {
      torque.value[i] = static_cast<double>(value[i] + tree.armature[i] * a[i].a);
      torque.derivative[i] = static_cast<double>(derivative[i] + tree.armature[i] * a[i].b);
    }
    return torque;
  }

 private:
  static std::vector<Number> numbers(const std::vector<double>& x, const VecX<double>& direction) {
    std::vector<Number> result;
    for (size_t i = 0; i < x.size(); ++i) {
      result.emplace_back(static_cast<long double>(x[i]), static_cast<long double>(direction[i]));
    }
    return result;
  }

  const Case& case_;
  const std::vector<double>& a_;
  Workspace<Number> ws_;
};

struct Truth {
  explicit Truth(const Case& c) : dtau_dq(c.model->coordinates(), c.model->coordinates()), dtau_dv(dtau_dq) {
    const int n = c.model->coordinates();
    DualOracle oracle(c, c.a);
    const VecX<double> none = VecX<double>::Zero(n);
    for (int k = 0; k < n; ++k) {
      dtau_dq.col(k) = oracle.along(VecX<double>::Unit(n, k), none, none).derivative;
      dtau_dv.col(k) = oracle.along(none, VecX<double>::Unit(n, k), none).derivative;
    }
  }
  MatX<double> dtau_dq, dtau_dv;
};

TEST(DerivativesConformance, InverseDynamicsAgreeWithDualNumbers) {
  for (const Case& c : all_cases()) {
    const Truth truth(c);
    with_each_kernel_set([&] {
      Derivatives derivatives(*c.model);
      ASSERT_TRUE(derivatives.update_inverse(c.q, c.v, c.a).ok()) << c.robot;
      EXPECT_LT(relative_error(derivatives.dtau_dq(), truth.dtau_dq, c.force_floor), 1e-12) << c.robot;
      EXPECT_LT(relative_error(derivatives.dtau_dv(), truth.dtau_dv, c.matrix_floor), 1e-12) << c.robot;
      Dynamics dynamics(*c.model);
      ASSERT_TRUE(dynamics.update(c.q, c.v).ok());
      EXPECT_LT(mass_matrix_error(derivatives.dtau_da(), dynamics.M()), 1e-13) << c.robot;
    });
  }
}

// Whatever runs for double: the closed form as it is printed.
TEST(DerivativesConformance, PaperFormAgreesWithDualNumbers) {
  for (const Case& c : all_cases()) {
    const Truth truth(c);
    Body<double> body(*c.model);
    body.at(c, derivatives::InverseDerivatives<double>::needs);
    const int n = c.model->bodies();
    MatX<double> dq(n, n), dv(n, n);
    derivatives::InverseDerivatives<double>(n).compute(c.model->tree(), body.ws, c.model->tree().gravity,
                                                       matrix_view(dq.data(), n, n), matrix_view(dv.data(), n, n));
    EXPECT_LT(relative_error(body.user(dq), truth.dtau_dq, c.force_floor), 1e-12) << c.robot;
    EXPECT_LT(relative_error(body.user(dv), truth.dtau_dv, c.matrix_floor), 1e-12) << c.robot;
  }
}

// Along every coordinate the torque of the forward dynamics' accelerations stays what it is:
//   tau(q + dq, v, qdd + dqdd/dq dq) = tau, and so for v; M dqdd/dtau = 1.
void expect_torque_kept(const Case& c) {
  Derivatives derivatives(*c.model);
  ASSERT_TRUE(derivatives.update_forward(c.q, c.v, c.tau).ok()) << c.robot;
  const VecX<double> qdd = derivatives.qdd();
  EXPECT_LT(relative_error(qdd, c.qdd), 1e-12 * c.condition) << c.robot;
  const int n = c.model->coordinates();
  const std::vector<double> a(qdd.data(), qdd.data() + n);
  DualOracle oracle(c, a);
  const VecX<double> none = VecX<double>::Zero(n);
  for (int k = 0; k < n; ++k) {
    const VecX<double> unit = VecX<double>::Unit(n, k);
    const auto expect_none = [&](const Torque& kept, const Torque& moved, const char* what) {
      const double scale = std::max(largest_entry(moved.derivative), c.force_floor);
      EXPECT_LT(largest_entry(kept.derivative) / scale, 1e-13 * c.condition) << c.robot << ' ' << what << k;
    };
    expect_none(oracle.along(unit, none, derivatives.dqdd_dq().col(k)), oracle.along(unit, none, none), "q");
    expect_none(oracle.along(none, unit, derivatives.dqdd_dv().col(k)), oracle.along(none, unit, none), "v");
    const Torque one = oracle.along(none, none, derivatives.dqdd_dtau().col(k));
    EXPECT_LT(largest_entry(one.derivative - unit), 1e-13 * c.condition) << c.robot << " tau" << k;
  }
}

TEST(DerivativesConformance, ForwardDynamicsKeepTheTorque) {
  for (const Case& c : all_cases()) {
    if (c.condition > 1e12) continue;
    expect_torque_kept(c);
    if (c.model->bodies() <= 12) with_each_kernel_set([&] { expect_torque_kept(c); });
  }
}

TEST(DerivativesConformance, SingularRobotsAreRefused) {
  int refused = 0;
  for (const Case& c : all_cases()) {
    if (std::isfinite(c.condition)) continue;
    Derivatives derivatives(*c.model);
    const Status status = derivatives.update_forward(c.q, c.v, c.tau);
    EXPECT_EQ(status.code, Status::Code::singular_inertia) << c.robot;
    ++refused;
  }
  EXPECT_GT(refused, 0) << "no singular robot among the cases";
}

TEST(DerivativesConformance, GravityAndInertiasAreOfTheState) {
  for (const Case& c : all_cases()) {
    if (c.model->bodies() > 12) continue;
    const Vec3d gravity(1.0, -2.0, 3.0);
    const BodyInertia heavy{7.0, Vec3d(0.1, -0.2, 0.3), Mat3d(Vec3d(0.3, 0.4, 0.5).asDiagonal())};
    Tree tree = c.model->tree();
    set_body_inertia(tree, tree.size - 1, heavy);
    Body<double> body(*c.model);
    body.at(c, needs_positions);
    update_positions(tree, body.ws);  // centres of mass
    update_inertias(tree, body.ws);
    const int n = tree.size;
    MatX<double> dq(n, n), dv(n, n);
    derivatives::InverseDerivatives<double>(n).compute(tree, body.ws, gravity, matrix_view(dq.data(), n, n),
                                                       matrix_view(dv.data(), n, n));
    Derivatives derivatives(*c.model);
    derivatives.set_gravity(gravity);
    derivatives.set_body_inertia(n - 1, heavy);
    Dynamics dynamics(*c.model);
    dynamics.set_gravity(gravity);
    dynamics.set_body_inertia(n - 1, heavy);
    Derivatives following(*c.model);
    following.set_gravity_and_inertias(dynamics.tree());
    const double floor = 0.1 * largest_entry(dq);
    for (Derivatives* d : {&derivatives, &following}) {
      ASSERT_TRUE(d->update_inverse(c.q, c.v, c.a).ok());
      EXPECT_LT(relative_error(d->dtau_dq(), body.user(dq), floor), 1e-12) << c.robot;
      EXPECT_LT(relative_error(d->dtau_dv(), body.user(dv), floor), 1e-12) << c.robot;
    }
  }
}

TEST(DerivativesConformance, AllocatesAndLocksNothingAndRefusesWhatIsNotFinite) {
  const auto& cases = all_cases();
  for (size_t k = 0; k < cases.size(); k += 5) {
    const Case& c = cases[k];
    Derivatives derivatives(*c.model);
    std::vector<double> bad = c.a;
    bad.back() = std::numeric_limits<double>::quiet_NaN();
    bool refused = true, done = true;
    expect_real_time(c.robot, [&] {
      derivatives.set_gravity(Vec3d(0.0, 0.0, -9.81));
      derivatives.set_gravity_and_inertias(c.model->tree());
      done = derivatives.update_inverse(c.q, c.v, c.a).ok();
      refused = !derivatives.update_inverse(c.q, c.v, bad).ok() && !derivatives.update_inverse(bad, c.v, c.a).ok() &&
                !derivatives.update_forward(c.q, bad, c.tau).ok() && !derivatives.update_forward(c.q, c.v, bad).ok();
      done = done && derivatives.update_forward(c.q, c.v, c.tau).ok() == (c.condition < 1e12);
    });
    EXPECT_TRUE(refused && done) << c.robot;
    EXPECT_TRUE(derivatives.dtau_dq().allFinite()) << c.robot << ": a state that was refused left something";
  }
}

}  // namespace
}  // namespace dyn::test
