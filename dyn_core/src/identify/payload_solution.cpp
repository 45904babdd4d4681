// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The payload from the learner's sums, and the proposal. Off the loop.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "dyn_core/identify/payload_learner.hpp"
#include "dyn_core/realtime.hpp"

namespace dyn::identify {
namespace {

using Eigen::MatrixXd;
using Sums = Eigen::Matrix<double, 11, 11>;

constexpr double prior_weight = 1.0;
constexpr double density_kgpm3 = 2000.0;
// Converged: three sigmas are at most this share of the mass, or this mass, and this far from the centre.
constexpr double mass_share = 0.01, mass_kg = 0.02, centre_m = 0.005;
// Chi-squared of ten numbers that drives and sensors tell apart: more than this in one of 10,000 cases.
constexpr double most_apart = 35.6;
constexpr double least_s = 1.0;           // of motion
constexpr double nothing_kg = 0.05;       // a lighter load is no payload
constexpr std::size_t newest_blocks = 5;  // a fit of these alone has to agree with that of all

std::string text(double x) {
  char digits[32];
  (void)std::snprintf(digits, sizeof digits, "%.4g", x);
  return digits;
}

std::string kg(const Inertial& body, const BodySigmas& sigma) {
  const Vec3d& c = body.com_m;
  return text(body.mass_kg) + " kg (sigma " + text(sigma.mass_kg) + ") at (" + text(c.x()) + ", " + text(c.y()) + ", " +
         text(c.z()) + ") m";
}

// Pseudo-inertia of a solid ball.
Eigen::Matrix4d ball(double mass, const Vec3d& centre) {
  const double radius = std::cbrt(3.0 * mass / (4.0 * std::numbers::pi * density_kgpm3));
  Inertial body{mass, centre, 0.4 * mass * radius * radius * Mat3d::Identity()};
  return pseudo_inertia(parameters_of(body));
}

// [A | b] with [A | b]^T [A | b] = S.
MatrixXd root(const Sums& S) {
  const Eigen::SelfAdjointEigenSolver<Sums> eigen(S);
  return eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() * eigen.eigenvectors().transpose();
}

// Of one torque, over some blocks.
struct TorqueSums {
  Sums S = Sums::Zero();  // of [W y]^T [W y]
  double count = 0.0, noise = 0.0;

  void add(const double* upper, double samples) {
    for (int c = 0; c < 11; ++c) {
      for (int d = c; d < 11; ++d, ++upper) {
        S(c, d) += *upper;
        if (d > c) S(d, c) += *upper;
      }
    }
    count += samples;
  }
  void guess_noise() { noise = 0.1 * std::sqrt(S(10, 10) / std::max(count, 1.0)) + 1e-6; }
  // What p leaves of it. `share`: of the parameters, that it tells; `independent`: of its samples.
  void find_noise(const Parameters10& p, double share, double independent) {
    Eigen::Matrix<double, 11, 1> error;
    error << p, -1.0;
    const double samples = independent * count;
    const double freedom = std::max(samples - share, 0.25 * samples) / independent;
    const double squares = std::max(0.0, error.dot(S * error));
    const double floor = 1e-7 * std::sqrt(S(10, 10) / std::max(count, 1.0)) + 1e-9;
    noise = std::max(std::sqrt(squares / std::max(freedom, 1.0)), floor);
  }
};

void append(const MatrixXd& some, MatrixXd& rows) {
  const Eigen::Index before = rows.rows();
  rows.conservativeResize(before + some.rows(), Eigen::NoChange);
  rows.bottomRows(some.rows()) = some;
}

bool is_nothing(const LearntPayload& learnt) {
  return learnt.inertial.mass_kg < std::max(nothing_kg, 3.0 * learnt.sigma.mass_kg);
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "'" : ", '") + name + "'";
  return all;
}

}  // namespace

const char* to_string(Proposal proposal) noexcept {
  switch (proposal) {
    case Proposal::attach: return "attach";
    case Proposal::keep: return "keep";
    case Proposal::detach: return "detach";
    default: return "none";
  }
}

bool PayloadLearner::collect() {
  realtime::forbid("PayloadLearner::collect");
  const Block* const block = ring_.front();
  if (block == nullptr) return false;
  complete_ = complete_ || block->last;
  model_changed_ = model_changed_ || block->model_changed;
  collected_s_ += block->duration_s;
  if (block->duration_s > 0.0) blocks_.push_back(*block);
  ring_.release();
  return true;
}

// In each round the torques are weighted by the residuals of the round before, and the prior is a ball with the mass
// and centre of mass of that round's body.
PayloadLearner::Fitted PayloadLearner::fit(std::size_t first_block, bool drives, bool sensors) const {
  Fitted fitted;
  std::vector<TorqueSums> torques;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    if (!(known_[k].sensed ? sensors : drives)) continue;
    TorqueSums& torque = torques.emplace_back();
    for (std::size_t b = first_block; b < blocks_.size(); ++b)
      torque.add(&blocks_[b].sum[k * sums], blocks_[b].count[k]);
    torque.guess_noise();
  }
  for (std::size_t b = first_block; b < blocks_.size(); ++b) fitted.learnt.time_s += blocks_[b].duration_s;
  constexpr int rounds = 5;
  Eigen::Matrix4d prior = ball(1.0, link_T_moved_.R.transpose() * -link_T_moved_.p_m);
  for (int round = 0; round < rounds; ++round) {
    MatrixXd rows(0, 11);
    for (const TorqueSums& torque : torques) append(std::sqrt(independent_) / torque.noise * root(torque.S), rows);
    const double weight = round == 0 ? 1e-3 * prior_weight : prior_weight;
    ConsistentFit fit({{prior}, {}, parameters_of(prior), units_about(prior)}, rows);
    const Parameters10 p = fit.solve(weight);
    const double share = 10.0 / static_cast<double>(torques.size());
    for (TorqueSums& torque : torques) torque.find_noise(p, share, independent_);
    if (round == rounds - 1) {
      fitted.p = p;
      fitted.covariance = fit.covariance(weight);
    } else {
      prior = ball(std::max(p[0], nothing_kg), p.segment<3>(1) / p[0]);
    }
  }
  fitted.learnt.inertial = inertial_of(parameters_of(moved(pseudo_inertia(fitted.p), link_T_moved_)));
  fitted.learnt.sigma = body_sigmas(fitted.p, fitted.covariance, link_T_moved_);
  for (const TorqueSums& torque : torques) fitted.learnt.noise.push_back(torque.noise);
  fitted.learnt.of_drives = drives;
  fitted.learnt.of_sensors = sensors;
  return fitted;
}

LearntPayload PayloadLearner::fit(std::size_t first_block) const {
  if (!settings_.sensors) return fit(first_block, true, false).learnt;
  const Fitted drives = fit(first_block, true, false), sensors = fit(first_block, false, true);
  const Parameters10 apart = drives.p - sensors.p;
  const Eigen::Matrix<double, 10, 10> covariance = drives.covariance + sensors.covariance;
  const bool agree = apart.dot(covariance.ldlt().solve(apart)) < most_apart;
  return agree ? fit(first_block, true, true).learnt : sensors.learnt;
}

LearntPayload PayloadLearner::solve() {
  realtime::forbid("PayloadLearner::solve");
  LearntPayload learnt = fit(0);
  if (model_changed_) {
    learnt.why_not = "the model changed meanwhile";
    return learnt;
  }
  if (blocks_.size() < 2 * newest_blocks) {
    learnt.why_not = "it has seen " + text(learnt.time_s) + " s of motion";
    return learnt;
  }
  const LearntPayload newest = fit(blocks_.size() - newest_blocks);
  const double apart = std::abs(newest.inertial.mass_kg - learnt.inertial.mass_kg);
  const double noise = std::hypot(newest.sigma.mass_kg, learnt.sigma.mass_kg);
  const double mass = std::max(newest.inertial.mass_kg, learnt.inertial.mass_kg);
  if (apart > 5.0 * noise + 0.05 * mass + mass_kg) {
    learnt.why_not = "what the link carries changed from " + kg(learnt.inertial, learnt.sigma) + " to " +
                     kg(newest.inertial, newest.sigma);
    blocks_.erase(blocks_.begin(), blocks_.end() - static_cast<std::ptrdiff_t>(newest_blocks));
    return learnt;
  }
  judge(learnt, newest);
  return learnt;
}

void PayloadLearner::judge(LearntPayload& learnt, const LearntPayload& newest) const {
  const double mass = learnt.inertial.mass_kg, three = 3.0 * learnt.sigma.mass_kg;
  const double centre = 3.0 * learnt.sigma.com_m.norm();
  const double apart = std::abs(newest.inertial.mass_kg - mass);
  if (learnt.time_s < least_s) {
    learnt.why_not = "it has seen " + text(learnt.time_s) + " s of motion";
  } else if (three > std::max(mass_share * mass, mass_kg)) {
    learnt.why_not = "the mass is known to " + text(three) + " kg (three sigmas) only";
  } else if (mass >= nothing_kg && centre > centre_m) {  // nothing has no centre
    learnt.why_not = "the centre of mass is known to " + text(1e3 * centre) +
                     " mm (three sigmas) only: the motion says too "
                     "little of it";
  } else if (mass >= nothing_kg && apart > 3.0 * newest.sigma.mass_kg + mass_share * mass + mass_kg) {
    learnt.why_not = "its last half second alone says " + kg(newest.inertial, newest.sigma);
  } else {
    learnt.converged = true;
  }
}

PayloadProposal PayloadLearner::propose(const LearntPayload& learnt) const {
  const std::string on = " on link '" + settings_.link + "'";
  if (!learnt.converged) return {Proposal::none, "not converged" + on + ": " + learnt.why_not, {}};
  const std::string what = kg(learnt.inertial, learnt.sigma);
  if (told_names_.empty()) {
    if (is_nothing(learnt)) return {Proposal::none, "nothing is carried" + on + ": " + what, {}};
    return {Proposal::attach, what + on, {}};
  }
  if (is_nothing(learnt)) {
    return {Proposal::detach, listed(told_names_) + on + " was dropped: learnt are " + what, told_names_};
  }
  const double apart_kg = std::abs(learnt.inertial.mass_kg - told_.mass_kg);
  const double apart_m = (learnt.inertial.com_m - told_.com_m).norm();
  if (apart_kg > std::max(3.0 * learnt.sigma.mass_kg, 0.05 * told_.mass_kg) ||
      apart_m > std::max(3.0 * learnt.sigma.com_m.norm(), 0.02)) {
    return {Proposal::none,
            "disagrees with the told payload " + listed(told_names_) + " of " + text(told_.mass_kg) + " kg" + on +
                ": learnt are " + what,
            told_names_};
  }
  return {Proposal::keep, what + on + ", as was told of " + listed(told_names_), told_names_};
}

}  // namespace dyn::identify
