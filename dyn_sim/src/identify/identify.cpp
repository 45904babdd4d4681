// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/identify/identify.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "dyn_core/regressor.hpp"
#include "identify/base_parameters.hpp"
#include "identify/problem.hpp"
#include "identify/rotor_columns.hpp"

namespace dyn::sim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace identify;  // NOLINT(google-build-using-namespace): this file is identify from end to end
using What = JointUnknown::What;

// From a prior that holds everything to one that holds next to nothing.
constexpr std::array<double, 10> prior_weights{1e4, 1e3, 1e2, 1e1, 1.0, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8};

std::string text(double value) {
  std::ostringstream out;
  out.precision(3);
  out << value;
  return out.str();
}

class Identifier {
 public:
  Identifier(const std::shared_ptr<const Model>& model, const std::vector<Motion>& motions,
             const IdentifyOptions& options)
      : model_(locked_model(model)), regressor_(model_), options_(options), motions_(motions) {
    maker_.resize(regressor_.layout().parameters());
    regressor_.parameters({maker_.data(), static_cast<size_t>(maker_.size())});
    information_ = gather(model, motions, options.hold_out);
  }

  Identified run() {
    result_.samples = information_.samples;
    warn_of_motion();
    estimate_noise();
    choose();
    const Problem problem = posed(result_.friction);
    ConsistentFit solver = problem.fit(sigma_, -1);
    walk(solver, result_.prior_weight);
    take(problem, solver);
    return std::move(result_);
  }

 private:
  [[nodiscard]] Problem posed(Friction friction) const {
    return {*model_, regressor_.layout(), maker_, information_, friction};
  }

  static void walk(ConsistentFit& solver, double weight) {
    for (const double w : prior_weights) {
      if (w <= weight) break;
      solver.solve(w);
    }
    solver.solve(weight);
  }

  // Each joint's noise is what a fit of all joints leaves of its torque; found together with the fit.
  void estimate_noise() {
    const Problem problem = posed(options_.friction.value_or(Friction::coulomb));
    if (problem.unknowns().size() == 0) {
      throw ModelError(motions_.front().source +
                       ": nothing can be identified: no joint moves, and gravity acts on none");
    }
    const auto joints = static_cast<Index>(information_.joints.size());
    sigma_.resize(joints);
    for (Index j = 0; j < joints; ++j) {
      sigma_[j] = std::max(0.1 * information_.joints[j].torque_rms, 1e-9);
    }
    double largest = 0.0;
    for (const JointInformation& joint : information_.joints) largest = std::max(largest, joint.torque_rms);
    for (int round = 0; round < 3; ++round) {
      ConsistentFit solver = problem.fit(sigma_, -1);
      walk(solver, 1e-2);
      const double each = static_cast<double>(problem.unknowns().size()) / static_cast<double>(joints);
      for (Index j = 0; j < joints; ++j) {
        const JointInformation& joint = information_.joints[j];
        double squares = 0.0, samples = 0.0;
        for (int b = 0; b < blocks; ++b) {
          squares += problem.squared_error(static_cast<int>(j), b, solver.x());
          samples += joint.samples[b];
        }
        const double freedom = std::max(samples - each, 0.25 * samples);
        const double floor = 1e-6 * std::max({joint.torque_rms, 0.01 * largest, 1e-6});
        sigma_[j] = std::max(std::sqrt(squares / std::max(freedom, 1e-9)), floor);
      }
    }
  }

  // Each block of the log is judged by what the others say of it.
  [[nodiscard]] std::vector<double> cross_validate(const Problem& problem, const std::vector<double>& weights) const {
    std::vector<double> errors(weights.size(), 0.0);
    double samples = 0.0;
    for (int block = 0; block < blocks; ++block) {
      ConsistentFit solver = problem.fit(sigma_, block);
      for (const JointInformation& joint : information_.joints) samples += joint.samples[block];
      for (size_t k = 0; k < weights.size(); ++k) {
        solver.solve(weights[k]);
        for (int j = 0; j < static_cast<int>(sigma_.size()); ++j) {
          errors[k] += problem.squared_error(j, block, solver.x()) / (sigma_[j] * sigma_[j]);
        }
      }
    }
    for (double& error : errors) error /= std::max(samples, 1e-9);
    return errors;
  }

  void choose() {
    std::vector<Friction> kinds{Friction::viscous, Friction::coulomb, Friction::stribeck, Friction::asymmetric};
    if (options_.friction) kinds = {*options_.friction};
    std::vector<double> weights(prior_weights.begin(), prior_weights.end());
    if (options_.prior_weight) {
      weights.clear();
      const double wanted = std::max(*options_.prior_weight, prior_weights.back());
      for (const double w : prior_weights) {
        if (w > wanted) weights.push_back(w);
      }
      weights.push_back(wanted);
    }
    double least = std::numeric_limits<double>::infinity();
    for (const Friction kind : kinds) {
      const auto errors = cross_validate(posed(kind), weights);
      for (size_t k = options_.prior_weight ? weights.size() - 1 : 0; k < weights.size(); ++k) {
        result_.tried.push_back({kind, weights[k], errors[k]});
        // A more elaborate friction, or a weaker prior, has to be worth it.
        if (!(errors[k] < 0.99 * least || (kind == result_.friction && errors[k] < least))) continue;
        least = errors[k];
        result_.friction = kind;
        result_.prior_weight = weights[k];
      }
    }
    if (!std::isfinite(least)) throw ModelError("the log leaves nothing to cross-validate: it is too short");
  }

  void take(const Problem& problem, const ConsistentFit& solver) {
    const MatrixXd covariance = solver.covariance(result_.prior_weight);
    const VectorXd untold = solver.untold();
    take_links(problem, solver.x(), covariance, untold);
    take_joints(problem, solver.x(), covariance);
    take_base(problem, solver.x(), covariance);
  }

  void take_links(const Problem& problem, const VectorXd& x, const MatrixXd& covariance, const VectorXd& untold) {
    const regressor::Layout& layout = regressor_.layout();
    const auto& fitted = problem.unknowns().bodies;
    for (int b = 0; b < layout.size(); ++b) {
      IdentifiedLink link;
      link.name = layout.link[b];
      link.joint = layout.joint[b];
      link.maker = link.inertial = inertial_of(maker_.segment<10>(10 * b));
      const auto found = std::find(fitted.begin(), fitted.end(), b);
      if (found == fitted.end()) {
        link.untold = {"mass", "com", "inertia"};
      } else {
        const Index first = 10 * (found - fitted.begin());
        link.fitted = true;
        link.inertial = off_the_boundary(inertial_of(x.segment<10>(first)));
        const BodySigmas sigmas = body_sigmas(x.segment<10>(first), covariance.block<10, 10>(first, first));
        link.sigma_mass = sigmas.mass_kg;
        link.sigma_com = sigmas.com_m;
        link.sigma_inertia = sigmas.inertia_kgm2;
        if (untold[first] > 0.5) link.untold.emplace_back("mass");
        if (untold.segment<3>(first + 1).maxCoeff() > 0.5) link.untold.emplace_back("com");
        if (untold.segment<6>(first + 4).maxCoeff() > 0.5) link.untold.emplace_back("inertia");
      }
      result_.links.push_back(std::move(link));
    }
  }

  void take_joints(const Problem& problem, const VectorXd& x, const MatrixXd& covariance) {
    const Unknowns& unknowns = problem.unknowns();
    for (size_t j = 0; j < information_.joints.size(); ++j) {
      IdentifiedJoint joint = maker_joint(information_.joints[j].coordinate);
      joint.noise = sigma_[static_cast<Index>(j)];
      bool friction = false;
      for (const JointUnknown& number : unknowns.numbers) {
        if (number.joint != static_cast<int>(j)) continue;
        friction = friction || (number.what != What::armature && number.what != What::offset);
        joint.fitted = true;
      }
      if (friction) {
        joint.viscous = joint.coulomb = joint.stribeck = 0.0;
        joint.viscous_negative = joint.coulomb_negative = std::nullopt;
        joint.stribeck_velocity = unknowns.stribeck_velocity[j];
      }
      for (size_t k = 0; k < unknowns.numbers.size(); ++k) {
        if (unknowns.numbers[k].joint != static_cast<int>(j)) continue;
        const Index place = unknowns.first_number() + static_cast<Index>(k);
        put(unknowns.numbers[k].what, x[place], std::sqrt(std::max(0.0, covariance(place, place))), joint);
      }
      result_.joints.push_back(std::move(joint));
    }
  }

  static void put(What what, double value, double sigma, IdentifiedJoint& joint) {
    switch (what) {
      case What::viscous:
        joint.viscous = value;
        joint.sigma_viscous = sigma;
        break;
      case What::coulomb:
        joint.coulomb = value;
        joint.sigma_coulomb = sigma;
        break;
      case What::viscous_negative: joint.viscous_negative = value; break;
      case What::coulomb_negative: joint.coulomb_negative = value; break;
      case What::stribeck: joint.stribeck = value; break;
      case What::armature:
        joint.armature = value;
        joint.sigma_armature = sigma;
        break;
      case What::offset:
        joint.offset = value;
        joint.sigma_offset = sigma;
        break;
    }
  }

  [[nodiscard]] IdentifiedJoint maker_joint(int coordinate) const {
    IdentifiedJoint joint;
    for (const Joint& of_model : model_->joints()) {
      const int first = of_model.first_coordinate;
      if (coordinate < first || coordinate >= first + of_model.degrees) continue;
      const JointDescription& d = of_model.description;
      joint.viscous = d.damping;
      joint.coulomb = d.friction;
      joint.offset = d.friction_offset;
      joint.armature = d.armature;
      joint.has_rotor = d.rotor.has_value();
      joint.stribeck = d.stribeck;
      joint.stribeck_velocity = d.stribeck_velocity;
      joint.viscous_negative = d.damping_negative;
      joint.coulomb_negative = d.friction_negative;
    }
    joint.name = model_->coordinate_names().at(coordinate);
    return joint;
  }

  void take_base(const Problem& problem, const VectorXd& x, const MatrixXd& covariance) {
    const BaseSums base = base_sums(model_);
    const auto& fitted = problem.unknowns().bodies;
    VectorXd p = maker_;
    MatrixXd to_x = MatrixXd::Zero(base.sums.rows(), x.size());
    for (size_t b = 0; b < fitted.size(); ++b) {
      const Index first = 10 * static_cast<Index>(b);
      p.segment<10>(10 * fitted[b]) = x.segment<10>(first);
      to_x.middleCols(first, 10) = base.sums.middleCols(10 * fitted[b], 10);
    }
    const VectorXd values = base.sums * p, makers = base.sums * maker_;
    const VectorXd variances = (to_x * covariance * to_x.transpose()).diagonal();
    for (Index r = 0; r < values.size(); ++r) {
      const double sigma = std::sqrt(std::max(0.0, variances[r]));
      const double scale = std::sqrt((to_x.row(r).transpose().cwiseProduct(problem.units())).squaredNorm());
      const bool told = sigma < scale && to_x.row(r).squaredNorm() > 0.0;
      result_.base.push_back({base.in_words[r], values[r], makers[r], sigma, told});
    }
    result_.rank = rank(problem, static_cast<int>(values.size()));
    if (result_.rank < static_cast<int>(values.size())) {
      result_.warnings.push_back("the motion tells " + std::to_string(result_.rank) + " of " +
                                 std::to_string(values.size()) +
                                 " base parameters; what it does not tell stays near the maker's values (dyn excite "
                                 "makes a motion that tells more)");
    }
  }

  // How many independent sums of inertial parameters stand out of the noise, friction and offsets taken off.
  [[nodiscard]] int rank(const Problem& problem, int structural) const {
    const Index bodies = problem.unknowns().first_number(), size = problem.unknowns().size();
    if (bodies == 0) return 0;
    Index count = 0;
    for (int j = 0; j < static_cast<int>(sigma_.size()); ++j) {
      for (int b = 0; b < blocks; ++b) count += problem.rows(j, b).rows();
    }
    MatrixXd A = MatrixXd::Zero(std::max(count, size), size);  // numbers of joints first
    Index row = 0;
    for (int j = 0; j < static_cast<int>(sigma_.size()); ++j) {
      for (int b = 0; b < blocks; ++b) {
        const MatrixXd& rows = problem.rows(j, b);
        if (rows.rows() == 0) continue;
        const MatrixXd scaled = rows.leftCols(size) * problem.units().asDiagonal() / sigma_[j];
        A.block(row, 0, rows.rows(), size - bodies) = scaled.rightCols(size - bodies);
        for (size_t k = 0; k < problem.unknowns().numbers.size(); ++k) {  // an armature takes its share of an inertia
          if (problem.unknowns().numbers[k].what == What::armature) A.col(static_cast<Index>(k)).setZero();
        }
        A.block(row, size - bodies, rows.rows(), bodies) = scaled.leftCols(bodies);
        row += rows.rows();
      }
    }
    Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(A);
    const MatrixXd R = A.topRows(size).triangularView<Eigen::Upper>();
    const VectorXd singular = Eigen::BDCSVD<MatrixXd>(R.bottomRightCorner(bodies, bodies)).singularValues();
    constexpr double least = 1.0, rounding = 1e-11;  // a change of one unit as large as the noise
    const double floor = std::max(least, rounding * singular[0]);
    return std::min(structural, static_cast<int>((singular.array() > floor).count()));
  }

  void warn_of_motion() {
    const auto& names = model_->coordinate_names();
    for (const JointInformation& joint : information_.joints) {
      const std::string& name = names[joint.coordinate];
      if (joint.v_max < 0.02) {
        result_.warnings.push_back("joint '" + name + "' hardly moves (at most " + text(joint.v_max) +
                                   " rad/s or m/s): its friction and armature stay the maker's");
      }
    }
    for (const Joint& joint : model_->joints()) {
      if (!joint.description.limits || joint.degrees != 1) continue;
      warn_of_saturation(joint);
    }
  }

  // At its limit, or at its largest value for long, which a limit nobody told of does.
  void warn_of_saturation(const Joint& joint) {
    Index at_limit = 0, at_most = 0, all = 0;
    const double limit = joint.description.limits->effort;
    for (const Motion& motion : motions_) {
      if (std::find(motion.compared.begin(), motion.compared.end(), joint.first_coordinate) == motion.compared.end())
        continue;
      for (const Stretch& s : motion.stretches) {
        const auto effort = s.effort.col(joint.first_coordinate).cwiseAbs().array();
        const double most = effort.maxCoeff();
        if (most > 0.0) at_most += (effort >= most * (1.0 - 1e-12)).count();
        if (limit > 0.0) at_limit += (effort >= 0.999 * limit).count();
        all += effort.size();
      }
    }
    if (all == 0) return;
    const double share = static_cast<double>(at_limit) / static_cast<double>(all);
    if (share > 0.002) {
      result_.warnings.push_back("the torque of joint '" + joint.description.name + "' is at its limit of " +
                                 text(limit) + " in " + text(100.0 * share) + " % of the samples");
    } else if (at_most > std::max<Index>(20, all / 50) && at_most < all) {
      result_.warnings.push_back("the torque of joint '" + joint.description.name + "' stays at its largest value in " +
                                 std::to_string(at_most) + " samples: does the drive or the sensor saturate?");
    }
  }

  std::shared_ptr<const Model> model_;
  Regressor regressor_;
  IdentifyOptions options_;
  const std::vector<Motion>& motions_;
  VectorXd maker_, sigma_;
  Information information_;
  Identified result_;
};

}  // namespace

Identified identify_robot(const std::shared_ptr<const Model>& model, const std::vector<Motion>& motions,
                          const IdentifyOptions& options) {
  for (const Motion& motion : motions) {
    if (motion.compared == motions.front().compared) continue;
    throw ModelError(motion.source + ": the joints with a measured torque are not those of " + motions.front().source);
  }
  return Identifier(model, motions, options).run();
}

}  // namespace dyn::sim
