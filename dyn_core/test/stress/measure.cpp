// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "stress/measure.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"
#include "stress/truth.hpp"
#ifdef DYN_HAS_ORACLE
#include "dyn_core/oracle/pinocchio_model.hpp"
#endif

namespace dyn::stress {
namespace {

using Matrix = MatX<double>;
using Vector = VecX<double>;
using Real = Truth::Real;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

VecX<Real> exact(const std::vector<double>& x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size())).cast<Real>();
}
std::span<double> span(Vector& v) { return {v.data(), static_cast<size_t>(v.size())}; }

// S_ij = M_ij / sqrt(M_ii M_jj), of the joints that move anything.
double eigenvalue_below_zero(const Matrix& M) {
  if (!M.allFinite()) return infinity;
  const Vector root = M.diagonal().cwiseMax(0.0).cwiseSqrt();
  const double least = root.maxCoeff() * std::sqrt(no_inertia);
  Matrix S = M;
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      const bool both = root[i] > least && root[j] > least;
      S(i, j) = both ? M(i, j) / (root[i] * root[j]) : (i == j ? 1.0 : 0.0);
    }
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(S, Eigen::EigenvaluesOnly);
  return std::max(0.0, -eigen.eigenvalues().minCoeff()) / (epsilon * static_cast<double>(M.rows()));
}

// |sum of the terms| / sum of the sizes of what they are made of, which is at least `floor`.
double balance(Real sum, Real sizes, double floor) {
  const Real error = std::abs(sum) / std::max(sizes, Real(floor));
  return std::isnan(error) ? infinity : static_cast<double>(error);
}

void measure_matrices(Dynamics& dynamics, const Case& at, const Truth& truth, const Record& record) {
  for (const std::string_view name : AlgorithmList<JsimAlgorithms<double>>::names) {
    const bool ok = dynamics.set_jsim(name) && dynamics.update(at.q, at.v).ok();
    record("M", name, ok ? mass_matrix_error(dynamics.M(), truth.M) : infinity);
    record("eigenvalue", name, ok ? eigenvalue_below_zero(dynamics.M()) : infinity);
  }
  const VecX<Real> v = exact(at.v);
  for (const std::string_view name : AlgorithmList<CoriolisAlgorithms<double>>::names) {
    const bool ok = dynamics.set_coriolis(name) && dynamics.update(at.q, at.v).ok();
    const MatX<Real> C = dynamics.C().cast<Real>();
    const MatX<Real> Mdot = truth.C + truth.C.transpose();
    record("C v", name, ok ? relative_error(C * v, truth.Cv, truth.force_floor) : infinity);
    record("Mdot", name, ok ? relative_error(C + C.transpose(), Mdot, truth.matrix_floor) : infinity);
    const Real sizes = v.cwiseAbs().dot((Mdot.cwiseAbs() + Real(2) * C.cwiseAbs()) * v.cwiseAbs());
    const Real power = v.dot((Mdot - Real(2) * C) * v);
    record("passivity", name, ok ? balance(power, sizes, truth.power_floor) : infinity);
  }
}

void measure_vectors(Dynamics& dynamics, const Case& at, const Truth& truth, const Record& record) {
  const VecX<Real> v = exact(at.v);
  record("g", "gravity", relative_error(dynamics.g(), truth.g, truth.force_floor));
  record("h", "fused", relative_error(dynamics.h(), truth.h, truth.force_floor));
  const VecX<Real> h = dynamics.h().cast<Real>(), g = dynamics.g().cast<Real>();
  const Real sizes = v.cwiseAbs().dot(h.cwiseAbs() + g.cwiseAbs() + truth.C.cwiseAbs() * v.cwiseAbs());
  record("power", "fused", balance(v.dot(h) - v.dot(g) - v.dot(truth.C * v), sizes, truth.power_floor));
  Vector out(v.size());
  for (const std::string_view name : AlgorithmList<InverseAlgorithms<double>>::names) {
    const bool ok = dynamics.set_inverse(name) && dynamics.update(at.q, at.v).ok();
    dynamics.inverse(at.a, span(out));
    record("tau", name, ok ? relative_error(out, truth.tau, truth.force_floor) : infinity);
  }
  for (const std::string_view name : AlgorithmList<ForwardAlgorithms<double>>::names) {
    if (truth.singular) break;
    const bool ok = dynamics.set_forward(name) && dynamics.update(at.q, at.v).ok();
    const bool solved = ok && dynamics.forward(at.tau, span(out)).ok();
    const double error = solved ? relative_error(out, truth.qdd) : infinity;
    record("qdd", name, error / truth.condition);
    record("qdd, plain", name, error);
  }
}

// The bits of M, C v + g and g.
std::vector<double> bits(Dynamics& dynamics, const Case& at) {
  (void)dynamics.update(at.q, at.v);
  const size_t n = dynamics.model().coordinates();
  std::vector<double> all(dynamics.M().data(), dynamics.M().data() + n * n);
  all.insert(all.end(), dynamics.h().data(), dynamics.h().data() + n);
  all.insert(all.end(), dynamics.g().data(), dynamics.g().data() + n);
  return all;
}
std::vector<double> bits(const RobotDescription& robot, const Case& at) {
  Dynamics dynamics(Model::build(robot));
  return bits(dynamics, at);
}

// A payload on the last link, attached and detached: in a description, and in the model of a running loop.
void measure_payload(const Case& at, const Record& record) {
  const LinkDescription& carrier = at.robot.links.back();
  const Payload payload = Payload::rigid("payload", carrier.name, *carrier.inertial);
  const std::vector<double> before = bits(at.robot, at);
  const bool same = before == bits(detach(attach(at.robot, payload), "payload"), at);
  record("payload", "description", same ? 0.0 : 1.0);

  live::LiveModel live(at.robot, {});
  live.attach(payload, 0.0);
  const bool carried = bits(live.acquire(1e-3).dynamics, at) == bits(attach(at.robot, payload), at);
  live.detach("payload", 0.0);
  const bool restored = bits(live.acquire(1e-3).dynamics, at) == before;
  record("payload", "live", carried && restored ? 0.0 : 1.0);
}

void measure_peer([[maybe_unused]] const Model& model, [[maybe_unused]] const Case& at,
                  [[maybe_unused]] const Truth& truth, [[maybe_unused]] const Record& record) {
#ifdef DYN_HAS_ORACLE
  oracle::PinocchioModel pinocchio(model);
  const int n = model.coordinates();
  Matrix M(n, n), C(n, n);
  Vector out(n);
  pinocchio.mass_matrix(at.q, {M.data(), static_cast<size_t>(M.size())});
  record("M", peer, mass_matrix_error(M, truth.M));
  record("eigenvalue", peer, eigenvalue_below_zero(M));
  pinocchio.coriolis_matrix(at.q, at.v, {C.data(), static_cast<size_t>(C.size())});
  record("C v", peer, relative_error(C.cast<Real>() * exact(at.v), truth.Cv, truth.force_floor));
  record("Mdot", peer, relative_error(C + C.transpose(), truth.C + truth.C.transpose(), truth.matrix_floor));
  pinocchio.gravity(at.q, span(out));
  record("g", peer, relative_error(out, truth.g, truth.force_floor));
  pinocchio.bias(at.q, at.v, span(out));
  record("h", peer, relative_error(out, truth.h, truth.force_floor));
  pinocchio.inverse(at.q, at.v, at.a, span(out));
  record("tau", peer, relative_error(out, truth.tau, truth.force_floor));
  if (truth.singular) return;
  const bool solved = pinocchio.forward(at.q, at.v, at.tau, span(out));
  const double error = solved ? relative_error(out, truth.qdd) : infinity;
  record("qdd", peer, error / truth.condition);
  record("qdd, plain", peer, error);
#endif
}

}  // namespace

void measure(const Case& at, const Record& record) {
  const auto model = std::make_shared<const Model>(Model::build(at.robot));
  const Truth truth(*model, at);
  Dynamics dynamics(model);
  measure_matrices(dynamics, at, truth, record);
  (void)(dynamics.set_jsim("fused") && dynamics.set_coriolis("fused") && dynamics.update(at.q, at.v).ok());
  measure_vectors(dynamics, at, truth, record);
  measure_payload(at, record);
  measure_peer(*model, at, truth, record);
}

}  // namespace dyn::stress
