// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Likely faults of a log, suspected by comparing it with the model. The thresholds are wide, so that a robot whose URDF
// is poor (a UR10's explains 59 % of its torque) is not taken for another robot; and what is suspected is a fault only
// if bodies unlike the maker's do not explain it (bodies_explain.hpp).
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

#include "dyn_core/dynamics.hpp"
#include "dyn_sim/identify/replay.hpp"
#include "identify/bodies_explain.hpp"

namespace dyn::sim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index most_samples = 500;  // thinned

std::string text(double value) {
  std::ostringstream out;
  out.precision(3);
  out << value;
  return out.str();
}

struct Energies {
  VectorXd torque, error, flipped;  // by joint: of the measured torque, of the residual, of it with the other sign
};

Energies energies(const Comparison& c) {
  const MatrixXd predicted = c.predicted.sum();
  return {c.measured.colwise().squaredNorm(), (c.measured - predicted).colwise().squaredNorm(),
          (c.measured + predicted).colwise().squaredNorm()};
}

struct Suspicion {
  std::vector<std::string> faults;         // none: there is no suspicion
  std::vector<int> joints{};               // concerned, places among the compared ones; none: all
  std::function<void(Stretch&)> repair{};  // takes the fault out of the log
  std::shared_ptr<const Model> model{};    // or the model that would fit it
  bool told = true;                        // where it may be none; else only where it is certain
};

void change_sign(Stretch& s, Index coordinate) { s.effort.col(coordinate) *= -1.0; }

Suspicion wrong_signs(const Comparison& c, const Energies& e, const std::vector<std::string>& joints) {
  if (e.error.sum() > 2.0 * e.torque.sum() && e.flipped.sum() < 0.5 * e.torque.sum()) {
    return {{"the measured torque has the opposite sign of what the model predicts, at all joints together"},
            {},
            [](Stretch& s) { s.effort *= -1.0; }};
  }
  Suspicion found;
  for (Index j = 0; j < e.torque.size(); ++j) {
    if (e.torque[j] < 1e-4 * e.torque.sum() || e.error[j] < 2.0 * e.torque[j] || e.flipped[j] > 0.25 * e.torque[j])
      continue;
    found.faults.push_back("the measured torque of joint '" + joints[j] +
                           "' has the opposite sign of what the model predicts");
    found.joints.push_back(static_cast<int>(j));
  }
  found.repair = [which = found.joints, c = c.coordinates](Stretch& s) {
    for (const int j : which) change_sign(s, c[j]);
  };
  return found;
}

// Friction takes energy out of the motion, so the torque of a joint whose friction counts puts energy in on the whole.
Suspicion against_friction(const Comparison& c, const std::vector<std::string>& joints) {
  Suspicion found;
  for (Index j = 0; j < c.measured.cols(); ++j) {
    if (c.measured.col(j).dot(c.v.col(j)) > -0.2 * c.measured.col(j).norm() * c.v.col(j).norm()) continue;
    found.faults.push_back("the measured torque of joint '" + joints[j] +
                           "' takes energy out of its motion, as if friction drove it: has it the opposite sign?");
    found.joints.push_back(static_cast<int>(j));
  }
  found.repair = [which = found.joints, c = c.coordinates](Stretch& s) {
    for (const int j : which) change_sign(s, c[j]);
  };
  found.told = false;
  return found;
}

Suspicion exchanged_torques(const Comparison& c, const Energies& e, const std::vector<std::string>& joints) {
  const MatrixXd predicted = c.predicted.sum();
  for (Index i = 0; i < predicted.cols(); ++i) {
    for (Index j = i + 1; j < predicted.cols(); ++j) {
      const double now = e.error[i] + e.error[j], torque = e.torque[i] + e.torque[j];
      const double exchanged =
          (c.measured.col(j) - predicted.col(i)).squaredNorm() + (c.measured.col(i) - predicted.col(j)).squaredNorm();
      if (torque < 1e-4 * e.torque.sum() || now < 0.5 * torque || exchanged > 0.2 * now || exchanged > 0.25 * torque) {
        continue;
      }
      const Index a = c.coordinates[i], b = c.coordinates[j];
      return {{"the torques of joints '" + joints[i] + "' and '" + joints[j] + "' look exchanged"},
              {static_cast<int>(i), static_cast<int>(j)},
              [a, b](Stretch& s) { s.effort.col(a).swap(s.effort.col(b)); }};
    }
  }
  return {};
}

void exchange(Stretch& s, Index i, Index j) {
  for (MatrixXd* X : {&s.q, &s.v, &s.a, &s.effort}) X->col(i).swap(X->col(j));
}

// Every some-th sample of the motion, as it is and with the columns of two coordinates exchanged.
Stretch thinned(const Motion& motion, int i, int j) {
  const Index step = std::max<Index>(1, motion.samples() / most_samples);
  const Index n = motion.stretches.front().q.cols();
  Stretch some;
  std::vector<std::pair<const Stretch*, Index>> rows;
  for (const Stretch& s : motion.stretches) {
    for (Index k = s.begin; k < s.end; k += step) rows.emplace_back(&s, k);
  }
  const auto take = [&](MatrixXd Stretch::*member) {
    MatrixXd X(static_cast<Index>(rows.size()), n);
    for (size_t k = 0; k < rows.size(); ++k)
      X.row(static_cast<Index>(k)) = (rows[k].first->*member).row(rows[k].second);
    return X;
  };
  some.q = take(&Stretch::q);
  some.v = take(&Stretch::v);
  some.a = take(&Stretch::a);
  some.effort = take(&Stretch::effort);
  some.end = some.q.rows();
  exchange(some, i, j);
  return some;
}

double relative(const std::shared_ptr<const Model>& model, const Motion& motion, const Stretch& s) {
  const MatrixXd predicted = predict(model, s).sum();
  double error = 0.0, torque = 0.0;
  for (const int c : motion.compared) {
    error += (s.effort.col(c) - predicted.col(c)).squaredNorm();
    torque += s.effort.col(c).squaredNorm();
  }
  return torque > 0.0 ? std::sqrt(error / torque) : 0.0;
}

Suspicion exchanged_joints(const std::shared_ptr<const Model>& model, const Motion& motion) {
  const double now = relative(model, motion, thinned(motion, 0, 0));
  if (now < 0.5) return {};
  double best = 0.4 * now;
  Suspicion found;
  const auto& names = model->coordinate_names();
  for (size_t a = 0; a < std::min<size_t>(motion.compared.size(), 12); ++a) {
    for (size_t b = a + 1; b < std::min<size_t>(motion.compared.size(), 12); ++b) {
      const int i = motion.compared[a], j = motion.compared[b];
      const double then = relative(model, motion, thinned(motion, i, j));
      if (then > best || then > 0.4) continue;
      best = then;
      found = {{"joints '" + names[i] + "' and '" + names[j] + "' look exchanged in the log"},
               {static_cast<int>(a), static_cast<int>(b)},
               [i, j](Stretch& s) { exchange(s, i, j); }};
    }
  }
  return found;
}

// Least squares for the gravity that fits best: the torque of gravity is linear in it.
Suspicion other_gravity(const std::shared_ptr<const Model>& model, const Comparison& c) {
  const Vec3d g = model->tree().gravity;
  Dynamics dynamics(model);
  Eigen::Matrix3d AtA = 1e-9 * Eigen::Matrix3d::Identity();
  Vec3d Atb = Vec3d::Zero();
  double torque = 0.0, before = 0.0, rest_squared = 0.0;
  const MatrixXd rest = c.measured - c.predicted.inertia - c.predicted.coriolis - c.predicted.friction;
  const VectorXd still = VectorXd::Zero(c.all_q.cols());
  for (Index k = 0; k < rest.rows(); k += std::max<Index>(1, rest.rows() / most_samples)) {
    MatrixXd G(rest.cols(), 3);
    const VectorXd q = c.all_q.row(k);
    for (int axis = 0; axis < 3; ++axis) {
      dynamics.set_gravity(Vec3d::Unit(axis));
      if (!dynamics.update(q, still).ok()) return {};
      for (Index j = 0; j < rest.cols(); ++j) G(j, axis) = dynamics.g()[c.coordinates[j]];
    }
    const VectorXd b = rest.row(k);
    AtA += G.transpose() * G;
    Atb += G.transpose() * b;
    rest_squared += b.squaredNorm();
    before += (b - G * g).squaredNorm();
    torque += c.measured.row(k).squaredNorm();
  }
  const Vec3d fitted = AtA.ldlt().solve(Atb);
  const double after = rest_squared - fitted.dot(Atb);
  const double seen = g.dot(AtA * g);  // of gravity in the torque
  if (before < 0.1 * torque && before < 0.1 * seen) return {};
  if (after > 0.15 * before || (fitted - g).norm() < 0.25 * std::max(g.norm(), 1.0)) return {};
  const bool none = fitted.norm() < 0.15 * g.norm();
  ModelOptions options = model->options();
  options.gravity_mps2 = none ? Vec3d(Vec3d::Zero()) : fitted;
  const auto fits = std::make_shared<const Model>(Model::build(model->description(), options));
  if (none) return {{"there is no gravity in the measured torque: was it subtracted?"}, {}, {}, fits};
  return {{"the torque fits a gravity of (" + text(fitted.x()) + ", " + text(fitted.y()) + ", " + text(fitted.z()) +
           ") m/s^2, not (" + text(g.x()) + ", " + text(g.y()) + ", " + text(g.z()) + "); --gravity sets it"},
          {},
          {},
          fits};
}

Suspicion other_scales(const Comparison& c, const Energies& e, const std::vector<std::string>& joints) {
  const MatrixXd predicted = c.predicted.sum();
  Suspicion found;
  VectorXd scales = VectorXd::Ones(predicted.cols());
  for (Index j = 0; j < predicted.cols(); ++j) {
    const double pp = predicted.col(j).squaredNorm(), pt = predicted.col(j).dot(c.measured.col(j));
    if (pp < 1e-2 * e.torque.sum() || pt <= 0.0 || pt * pt < 0.95 * pp * e.torque[j]) continue;
    const double scale = pt / pp;
    if (scale > 0.6 && scale < 1.67) continue;
    found.faults.push_back("the torque of joint '" + joints[j] + "' is " + text(scale) +
                           " times what the model predicts: is a gear ratio or the scale of a sensor wrong?");
    found.joints.push_back(static_cast<int>(j));
    scales[j] = scale;
  }
  found.repair = [scales, c = c.coordinates](Stretch& s) {
    for (size_t j = 0; j < c.size(); ++j) s.effort.col(c[j]) /= scales[static_cast<Index>(j)];
  };
  return found;
}

Suspicion another_robot(const Energies& e) {
  if (e.error.sum() <= 0.8 * e.torque.sum()) return {};
  return {{"the model explains hardly any of the torque (" + text(100.0 * std::sqrt(e.error.sum() / e.torque.sum())) +
           " % is left): is this the log of another robot?"}};
}

identify::Unexplained left_without(const Suspicion& suspicion, const std::shared_ptr<const Model>& model,
                                   Motion motion) {
  for (Stretch& s : motion.stretches) {
    if (suspicion.repair) suspicion.repair(s);
  }
  return identify::left_by_bodies(suspicion.model ? suspicion.model : model, motion);
}

// Of several suspicions the one without which bodies explain the log best.
Faults judged(std::vector<Suspicion> suspicions, const std::shared_ptr<const Model>& model, const Motion& motion) {
  constexpr double little = 0.005;  // of the torque: then there is nothing else to be explained
  constexpr double much = 0.3;      // of it: not this robot
  constexpr double as_well = 1.5;
  const identify::Unexplained as_it_is = identify::left_by_bodies(model, motion);
  double least = std::numeric_limits<double>::infinity();
  const Suspicion* likely = nullptr;
  bool certain = false;
  for (const Suspicion& suspicion : suspicions) {
    if (suspicion.told && likely == nullptr) likely = &suspicion;
    if (!suspicion.repair && !suspicion.model) continue;  // another robot: nothing can be taken out
    const identify::Unexplained then = left_without(suspicion, model, motion);
    const auto worse = [&](const std::vector<int>& joints) {
      return as_it_is.relative(joints) > as_well * then.relative(joints) + little;
    };
    const bool sure = worse({}) || worse(suspicion.joints);
    if (then.relative() >= least || !(suspicion.told || sure)) continue;
    least = then.relative();
    likely = &suspicion;
    certain = sure;
  }
  const Suspicion& last = suspicions.back();
  if (!certain && !last.repair && !last.model && as_it_is.relative() > much) {
    likely = &last;
    certain = true;
  }
  if (likely == nullptr) return {};
  std::vector<std::string> faults = likely->faults;
  if (certain) return {std::move(faults), {}};
  for (std::string& text : faults) text += " (but bodies unlike the URDF's explain the log as well)";
  return {{}, std::move(faults)};
}

}  // namespace

Faults find_faults(const std::shared_ptr<const Model>& model, const Motion& motion, const Comparison& c) {
  std::vector<std::string> joints;
  for (const int i : c.coordinates) joints.push_back(model->coordinate_names().at(i));
  const Energies e = energies(c);
  std::vector<Suspicion> suspicions{wrong_signs(c, e, joints),
                                    against_friction(c, joints),
                                    other_gravity(model, c),
                                    exchanged_torques(c, e, joints),
                                    exchanged_joints(model, motion),
                                    other_scales(c, e, joints),
                                    another_robot(e)};
  std::erase_if(suspicions, [](const Suspicion& suspicion) { return suspicion.faults.empty(); });
  if (suspicions.empty()) return {};
  return judged(std::move(suspicions), model, motion);
}

}  // namespace dyn::sim
