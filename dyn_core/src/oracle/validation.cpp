// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/oracle/validation.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/registry.hpp"
#include "frame_validation.hpp"
#include "validation_derivatives.hpp"

namespace dyn::oracle {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double mass_tolerance = 1e-12;
constexpr double force_tolerance = 1e-11;
constexpr double acceleration_tolerance = 1e-12;
constexpr double singular_condition = 1e15;

// Pinocchio's results at one state.
struct Truth {
  Matrix M, C;
  Vector Cv, g, h, tau, qdd;
  double condition = infinity;
  double matrix_floor = 0.0, force_floor = 0.0;
};

std::span<double> span(Matrix& m) { return {m.data(), static_cast<size_t>(m.size())}; }
std::span<double> span(Vector& v) { return {v.data(), static_cast<size_t>(v.size())}; }
Eigen::Map<const Vector> map(const std::vector<double>& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

double condition_of(const Matrix& M) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(M, Eigen::EigenvaluesOnly);
  const double least = eigen.eigenvalues().minCoeff();
  const double largest = eigen.eigenvalues().maxCoeff();
  return least > largest / singular_condition ? largest / least : infinity;
}

// C from the forces f(v) = C(q, v) v by RNEA, which is accurate far from the base where Pinocchio's own C is not.
// By the symmetry of Christoffel symbols  2 C(q, v) u = f(v + u) - f(v) - f(u).
void christoffel_matrix(PinocchioModel& oracle, const State& s, Matrix& C) {
  const Eigen::Index n = s.q.size();
  Vector of_both(n), of_v(n), of_u(n);
  oracle.velocity_forces(s.q, s.v, span(of_v));
  const double size = std::max(1.0, largest_entry(map(s.v)));
  for (Eigen::Index j = 0; j < n; ++j) {
    std::vector<double> both = s.v, u(s.v.size(), 0.0);
    u[j] = size;
    both[j] += size;
    oracle.velocity_forces(s.q, both, span(of_both));
    oracle.velocity_forces(s.q, u, span(of_u));
    C.col(j) = (of_both - of_v - of_u) / (2.0 * size);
  }
}

Truth truth_at(PinocchioModel& oracle, const State& s) {
  const Eigen::Index n = s.q.size();
  Truth t;
  t.M = t.C = Matrix::Zero(n, n);
  t.Cv = t.g = t.h = t.tau = t.qdd = Vector::Zero(n);
  oracle.mass_matrix(s.q, span(t.M));
  christoffel_matrix(oracle, s, t.C);
  oracle.gravity(s.q, span(t.g));
  oracle.velocity_forces(s.q, s.v, span(t.Cv));
  oracle.bias(s.q, s.v, span(t.h));
  oracle.inverse(s.q, s.v, s.a, span(t.tau));
  t.condition = condition_of(t.M);
  if (std::isfinite(t.condition) && !oracle.forward(s.q, s.v, s.tau, span(t.qdd))) t.condition = infinity;
  const double speed = largest_entry(map(s.v));
  t.matrix_floor = 0.1 * largest_entry(t.M) * speed;
  t.force_floor = t.matrix_floor * std::max(speed, 1.0);
  return t;
}

// Runs every algorithm at one state and passes (kind, name, tolerance, error) to `record`.
template <class Record>
void compare(Dynamics& dynamics, const State& s, const Truth& t, Record&& record) {
  for (const std::string_view name : AlgorithmList<JsimAlgorithms<double>>::names) {
    const bool ok = dynamics.set_jsim(name) && dynamics.update(s.q, s.v).ok();
    record("jsim", name, mass_tolerance, ok ? mass_matrix_error(dynamics.M(), t.M) : infinity);
  }
  for (const std::string_view name : AlgorithmList<CoriolisAlgorithms<double>>::names) {
    const bool ok = dynamics.set_coriolis(name) && dynamics.update(s.q, s.v).ok();
    const Matrix C = dynamics.C();
    const double Cv = relative_error(C * map(s.v), t.Cv, t.force_floor);
    const double Mdot = relative_error(C + C.transpose(), t.C + t.C.transpose(), t.matrix_floor);
    record("coriolis", name, force_tolerance, ok ? larger_error(Cv, Mdot) : infinity);
  }
  record("gravity", "gravity", force_tolerance, relative_error(dynamics.g(), t.g, t.force_floor));
  record("bias", "C v + g", force_tolerance, relative_error(dynamics.h(), t.h, t.force_floor));
  Vector out(t.g.size());
  for (const std::string_view name : AlgorithmList<InverseAlgorithms<double>>::names) {
    const bool ok = dynamics.set_inverse(name) && dynamics.update(s.q, s.v).ok();
    dynamics.inverse(s.a, span(out));
    record("inverse", name, force_tolerance, ok ? relative_error(out, t.tau, t.force_floor) : infinity);
  }
  for (const std::string_view name : AlgorithmList<ForwardAlgorithms<double>>::names) {
    const bool ok = dynamics.set_forward(name) && dynamics.update(s.q, s.v).ok();
    const bool solved = dynamics.forward(s.tau, span(out)).ok();
    double error = infinity;
    if (std::isfinite(t.condition)) {
      if (ok && solved) error = relative_error(out, t.qdd, 0.0) / t.condition;
    } else if (!solved) {
      error = 0.0;
    }
    record("forward", name, acceleration_tolerance, error);
  }
}

// Single elements by element(u, k) of every M algorithm that has it, on trees whose bodies are the user's coordinates.
template <class Record>
void compare_elements(const Tree& tree, const State& s, const Truth& t, Record&& record) {
  if (!tree.bodies_are_coordinates) return;
  Workspace<double> ws(tree.size);
  spread_positions(tree, s.q.data(), ws);
  update_kinematics(tree, ws, needs_all);
  const auto one = [&]<class Algorithm>(Algorithm algorithm) {
    if constexpr (requires { algorithm.element(tree, ws, 0, 0); }) {
      Matrix M(tree.size, tree.size);
      for (int u = 0; u < tree.size; ++u) {
        for (int k = 0; k < tree.size; ++k) M(u, k) = algorithm.element(tree, ws, u, k);
        M(u, u) += tree.armature[u];
      }
      record("element", Algorithm::name, mass_tolerance, mass_matrix_error(M, t.M));
    }
  };
  [&]<class... A>(std::type_identity<std::tuple<A...>>) {
    (one(A(tree.size)), ...);
  }(std::type_identity<JsimAlgorithms<double>>{});
}

// Notes the joints that move no inertia.
void note_singular(const Model& model, const Matrix& M, std::vector<std::string>& notes) {
  for (int i = 0; i < model.coordinates(); ++i) {
    if (M(i, i) > no_inertia * M.diagonal().maxCoeff()) continue;
    notes.push_back("joint " + model.coordinate_names()[i] +
                    " moves no inertia (M_ii = 0): errors in its row are relative to the largest M_kk");
  }
}

struct Range {
  double position, speed, acceleration, effort;
};
Range range_of(const Joint& joint, int degree) {
  const bool composed = joint.degrees > 1;
  const bool turns = composed ? degree >= joint.degrees / 2 + (joint.degrees == 3 ? 1 : 0)
                              : joint.description.type != JointType::prismatic;
  const bool pitch = joint.degrees == 6 && degree == 4;
  return {pitch ? 1.2 : (turns ? std::numbers::pi : 1.0), turns ? 2.0 : 1.0, turns ? 5.0 : 3.0, 10.0};
}

}  // namespace

bool ValidationReport::pass() const noexcept {
  return !results.empty() &&
         std::all_of(results.begin(), results.end(), [](const AlgorithmResult& r) { return r.pass(); });
}

State random_state(const Model& model, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const auto between = [&](double lower, double upper) {
    return lower < upper ? std::uniform_real_distribution<double>(lower, upper)(rng) : lower;
  };
  State s;
  for (const Joint& joint : model.joints()) {
    for (int d = 0; d < joint.degrees; ++d) {
      Range range = range_of(joint, d);
      double lower = -range.position;
      double upper = range.position;
      if (joint.degrees == 1 && joint.description.limits) {
        const JointLimits& limits = *joint.description.limits;
        if (limits.has_position) std::tie(lower, upper) = std::pair(limits.lower, limits.upper);
        if (limits.velocity > 0.0) range.speed = std::min(limits.velocity, 20.0);
        if (limits.effort > 0.0) range.effort = std::min(limits.effort, 1000.0);
      }
      s.q.push_back(between(lower, upper));
      s.v.push_back(between(-range.speed, range.speed));
      s.a.push_back(between(-range.acceleration, range.acceleration));
      s.tau.push_back(between(-range.effort, range.effort));
    }
  }
  return s;
}

ValidationReport validate(const Model& model, int states, std::uint64_t seed) {
  PinocchioModel oracle(model);
  return validate(model, oracle, states, seed);
}

ValidationReport validate(const Model& model, PinocchioModel& oracle, int states, std::uint64_t seed) {
  if (oracle.coordinate_names() != model.coordinate_names()) {
    throw ModelError(model.name() + ": the joint names of Pinocchio's model differ from the model's");
  }
  ValidationReport report;
  report.robot = model.name();
  report.reference = "Pinocchio " + PinocchioModel::version();
  report.seed = seed;
  if (model.coordinates() == 0) return report;
  Dynamics dynamics(model);
  DerivativeComparison derivatives(model);
  FrameValidation frames(std::make_shared<const Model>(model));
  std::mt19937_64 seeds(seed);
  int singular = 0;
  for (int k = 0; k < states; ++k) {
    report.states.push_back(random_state(model, seeds()));
    const State& state = report.states.back();
    const Truth truth = truth_at(oracle, state);
    if (k == 0) note_singular(model, truth.M, report.notes);
    if (std::isfinite(truth.condition)) {
      report.largest_condition = std::max(report.largest_condition, truth.condition);
    } else {
      ++singular;
    }
    const auto record = [&](std::string_view kind, std::string_view name, double tolerance, double error) {
      auto it = std::find_if(report.results.begin(), report.results.end(),
                             [&](const AlgorithmResult& r) { return r.kind == kind && r.name == name; });
      if (it == report.results.end()) {
        it = report.results.insert(it, {std::string(kind), std::string(name), error, tolerance, k});
      }
      if (error > it->error) std::tie(it->error, it->worst_state) = std::pair(error, k);
    };
    compare(dynamics, state, truth, record);
    compare_elements(model.tree(), state, truth, record);
    derivatives.at(oracle, state, {truth.matrix_floor, truth.force_floor, truth.condition}, record);
    frames.compare(oracle, state, truth.condition, record);
  }
  if (singular > 0) {
    report.notes.push_back("M is singular in " + std::to_string(singular) + " of " + std::to_string(states) +
                           " states: there, forward dynamics passes if it says so");
  }
  return report;
}

}  // namespace dyn::oracle
