// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/identify/excite.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <sstream>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/regressor.hpp"
#include "identify/base_parameters.hpp"

namespace dyn::sim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double row_step_s = 0.01;  // of what is written
constexpr Index judged = 150;        // samples of a trial
constexpr double above_floor_m = 0.02;

struct Limits {
  VectorXd centre, reach, velocity, acceleration, torque;  // by coordinate; reach: about the centre
};

// Revolute joints without position limits turn by up to half a turn about 0.
Limits limits_of(const Model& model, const ExciteOptions& options) {
  const Index n = model.coordinates();
  Limits l{VectorXd::Zero(n), VectorXd::Zero(n), VectorXd::Zero(n), VectorXd::Zero(n), VectorXd::Zero(n)};
  for (const Joint& joint : model.joints()) {
    const JointDescription& d = joint.description;
    if (joint.degrees != 1)
      throw ModelError("joint '" + d.name + "' is " + to_string(d.type) +
                       ": dyn excite moves joints of one degree of freedom");
    const Index i = joint.first_coordinate;
    double lower = -std::numbers::pi, upper = std::numbers::pi;
    if (d.limits && d.limits->has_position) {
      lower = std::max(d.limits->lower, d.limits->soft_lower);
      upper = std::min(d.limits->upper, d.limits->soft_upper);
      if (d.type == JointType::revolute) {  // two turns tell no more than one
        const double middle = std::clamp(0.0, lower, upper);
        lower = std::max(lower, std::min(middle, upper - std::numbers::pi) - std::numbers::pi);
        upper = std::min(upper, lower + 2.0 * std::numbers::pi);
      }
    }
    l.centre[i] = 0.5 * (lower + upper);
    l.reach[i] = options.margin * 0.5 * (upper - lower);
    l.velocity[i] = options.margin * (d.limits && d.limits->velocity > 0.0 ? d.limits->velocity : 1.0);
    l.acceleration[i] = options.acceleration > 0.0 ? options.acceleration : l.velocity[i] / 0.4;
    l.torque[i] = options.margin * (d.limits && d.limits->effort > 0.0 ? d.limits->effort : 1e3);
    if (!(l.reach[i] > 0.0)) l.velocity[i] = 0.0;
  }
  return l;
}

// 0 to 1 and back, with two smooth derivatives (quintic).
struct Fade {
  double value, rate, bend;
};
Fade fade(double t, double duration_s) {
  const double ramp = std::min(1.0, 0.2 * duration_s);
  const bool falls = t > duration_s - ramp;
  const double u = std::clamp((falls ? duration_s - t : t) / ramp, 0.0, 1.0), sign = falls ? -1.0 : 1.0;
  return {u * u * u * (10.0 - 15.0 * u + 6.0 * u * u), sign * 30.0 * u * u * (1.0 - u) * (1.0 - u) / ramp,
          60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / (ramp * ramp)};
}

struct Samples {
  MatrixXd q, v, a;  // samples by coordinates
};

class Search {
 public:
  Search(const std::shared_ptr<const Model>& model, const ExciteOptions& options)
      : model_(model),
        options_(options),
        limits_(limits_of(*model, options)),
        regressor_(model),
        dynamics_(model),
        kinematics_(model->bodies()) {
    const auto base = identify::base_sums(model);
    for (Index r = 0; r < base.sums.rows(); ++r) pivots_.push_back(base.pivots[r]);
    n_ = model->coordinates();
  }

  Excitation run() {
    std::mt19937 random(options_.seed);
    std::normal_distribution<double> normal;
    const auto drawn = [&] {
      MatrixXd x(n_, 2 * options_.harmonics + 1);  // coefficients, and where in its range the joint swings
      for (Index k = 0; k < x.size(); ++k) x.data()[k] = normal(random);
      return x;
    };
    MatrixXd best;
    double most = -std::numeric_limits<double>::infinity();
    const int first = std::max(20, options_.trials / 5);
    double step = 0.5;
    for (int trial = 0; trial < options_.trials; ++trial) {
      if (options_.progress) options_.progress(static_cast<double>(trial) / options_.trials);
      MatrixXd x = drawn();
      if (trial >= first && best.size() > 0) x = best + step * (chosen(random).asDiagonal() * x);
      const double value = log_det(x);
      if (trial == first) first_ = most;
      if (value > most) {
        most = value;
        best = x;
        step = std::min(1.0, 1.3 * step);
      } else if (trial >= first) {
        step = std::max(0.02, 0.99 * step);
      }
    }
    if (best.size() == 0)
      throw ModelError(model_->name() + ": no motion was found within the limits" + about_the_floor());
    return written(best, most);
  }

 private:
  [[nodiscard]] std::string about_the_floor() const {
    if (!options_.floor_m) return {};
    std::ostringstream text;
    text.precision(3);
    text << ' ' << above_floor_m << " m above the floor at " << *options_.floor_m
         << " m: that which stays highest comes down to " << highest_m_ << " m";
    return text.str();
  }

  // 1 for the joints that a trial changes: a few only.
  VectorXd chosen(std::mt19937& random) const {
    VectorXd joints = VectorXd::Zero(n_);
    std::uniform_int_distribution<Index> joint(0, n_ - 1);
    for (int k = 0; k < 2; ++k) joints[joint(random)] = 1.0;
    return joints;
  }

  // Of coefficients: each joint scaled so that it keeps its limits of position, velocity and acceleration.
  [[nodiscard]] Samples samples(const MatrixXd& x, const VectorXd& times) const {
    Samples s{MatrixXd(times.size(), n_), MatrixXd(times.size(), n_), MatrixXd(times.size(), n_)};
    const double base = 2.0 * std::numbers::pi / options_.duration_s;
    for (Index i = 0; i < n_; ++i) {
      const double place = 0.5 * std::tanh(x(i, x.cols() - 1));  // of the centre of the swing, in its range
      const double room = limits_.reach[i] * (1.0 - std::abs(place));
      for (Index k = 0; k < times.size(); ++k) {
        double f = 0.0, df = 0.0, ddf = 0.0;
        for (Index h = 0; h < x.cols() / 2; ++h) {
          const double w = base * static_cast<double>(h + 1), angle = w * times[k];
          const double c = x(i, 2 * h), d = x(i, 2 * h + 1);
          f += c * std::sin(angle) + d * std::cos(angle);
          df += w * (c * std::cos(angle) - d * std::sin(angle));
          ddf -= w * w * (c * std::sin(angle) + d * std::cos(angle));
        }
        const Fade e = fade(times[k], options_.duration_s);
        s.q(k, i) = e.value * f;
        s.v(k, i) = e.value * df + e.rate * f;
        s.a(k, i) = e.value * ddf + 2.0 * e.rate * df + e.bend * f;
      }
      const auto most = [](const auto& column) { return std::max(column.cwiseAbs().maxCoeff(), 1e-12); };
      const double scale = std::min({room / most(s.q.col(i)), limits_.velocity[i] / most(s.v.col(i)),
                                     limits_.acceleration[i] / most(s.a.col(i))});
      s.q.col(i) = scale * s.q.col(i).array() + limits_.centre[i] + place * limits_.reach[i];
      s.v.col(i) *= scale;
      s.a.col(i) *= scale;
    }
    return s;
  }

  [[nodiscard]] VectorXd times(Index count) const { return VectorXd::LinSpaced(count, 0.0, options_.duration_s); }

  struct Use {
    double torque = 0.0, lowest_m = std::numeric_limits<double>::infinity();
  };

  Use use(const Samples& s) {
    Use used;
    VectorXd q(n_), v(n_), a(n_), tau(n_);
    for (Index k = 0; k < s.q.rows(); ++k) {
      q = s.q.row(k);
      v = s.v.row(k);
      a = s.a.row(k);
      if (!dynamics_.update(q, v).ok()) return {std::numeric_limits<double>::infinity(), 0.0};
      const size_t n = n_;
      dynamics_.inverse({a.data(), n}, {tau.data(), n});
      used.torque = std::max(used.torque, tau.cwiseQuotient(limits_.torque).cwiseAbs().maxCoeff());
      if (options_.floor_m) used.lowest_m = std::min(used.lowest_m, lowest(q));
    }
    return used;
  }

  // Of what moves up or down at all.
  double lowest(const VectorXd& q) {
    const Tree& tree = model_->tree();
    spread_positions(tree, q.data(), kinematics_);
    update_kinematics(tree, kinematics_, needs_positions);
    double z = std::numeric_limits<double>::infinity();
    for (const Link& link : model_->links()) {
      if (link.body < 0 || tree.parent[link.body] < 0) continue;
      const size_t b = link.body;
      z = std::min(z, (kinematics_.origin[b] + kinematics_.R[b] * link.body_T_link.p_m).z());
      z = std::min(z, (kinematics_.origin[b] + kinematics_.R[b] * tree.com[b]).z());
    }
    return z;
  }

  // Columns of the base parameters, rows in shares of the torque limits.
  MatrixXd base_regressor(const Samples& s) {
    MatrixXd Y(s.q.rows() * n_, static_cast<Index>(pivots_.size()));
    VectorXd q(n_), v(n_), a(n_);
    const size_t n = n_;
    for (Index k = 0; k < s.q.rows(); ++k) {
      q = s.q.row(k);
      v = s.v.row(k);
      a = s.a.row(k);
      (void)regressor_.update({q.data(), n}, {v.data(), n}, {a.data(), n}).ok();
      for (size_t c = 0; c < pivots_.size(); ++c) {
        Y.block(k * n_, static_cast<Index>(c), n_, 1) = regressor_.Y().col(pivots_[c]).cwiseQuotient(limits_.torque);
      }
    }
    return Y;
  }

  double log_det(const MatrixXd& x) {
    constexpr double impossible = -std::numeric_limits<double>::infinity();
    const Samples s = samples(x, times(judged));
    const Use used = use(s);
    if (options_.floor_m) highest_m_ = std::max(highest_m_, used.lowest_m);
    if (used.torque > 0.97 || (options_.floor_m && used.lowest_m < *options_.floor_m + above_floor_m)) {
      return impossible;
    }
    const MatrixXd Y = base_regressor(s);
    const VectorXd norms = Y.colwise().norm();
    if (!(norms.minCoeff() > 0.0)) return impossible;
    const Eigen::HouseholderQR<MatrixXd> qr(Y);
    return 2.0 * qr.matrixQR().diagonal().cwiseAbs().array().max(1e-30).log().sum();
  }

  Excitation written(const MatrixXd& x, double most) {
    Excitation out;
    const auto rows = static_cast<Index>(std::llround(options_.duration_s / row_step_s)) + 1;
    const VectorXd t = times(rows);
    const Samples s = samples(x, t);
    const Use used = use(s);
    for (Index k = 0; k < rows; ++k) {
      out.time_s.push_back(t[k]);
      const VectorXd q = s.q.row(k);
      out.q.emplace_back(q.data(), q.data() + n_);
    }
    out.log_det = most;
    out.log_det_first = first_;
    MatrixXd Y = base_regressor(samples(x, times(judged)));
    Y = Y * Y.colwise().norm().cwiseInverse().asDiagonal();
    const VectorXd singular = Eigen::BDCSVD<MatrixXd>(Y).singularValues();
    out.condition = singular[0] / singular[singular.size() - 1];
    out.used_torque = options_.margin * used.torque;
    for (Index i = 0; i < n_; ++i) {
      if (limits_.velocity[i] > 0.0)
        out.used_velocity =
            std::max(out.used_velocity, options_.margin * s.v.col(i).cwiseAbs().maxCoeff() / limits_.velocity[i]);
    }
    out.lowest_m = options_.floor_m ? used.lowest_m : 0.0;
    return out;
  }

  std::shared_ptr<const Model> model_;
  const ExciteOptions& options_;
  Limits limits_;
  Regressor regressor_;
  Dynamics dynamics_;
  Workspace<double> kinematics_;
  std::vector<int> pivots_;
  Index n_ = 0;
  double first_ = 0.0;
  double highest_m_ = -std::numeric_limits<double>::infinity();  // of the lowest points of all trials
};

}  // namespace

Excitation excite(const std::shared_ptr<const Model>& model, const ExciteOptions& options) {
  return Search(model, options).run();
}

}  // namespace dyn::sim
