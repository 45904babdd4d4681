// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "identify/problem.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "dyn_core/model/joint_friction.hpp"

namespace dyn::sim::identify {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using What = JointUnknown::What;

const JointDescription& description_of(const Model& model, int coordinate) {
  for (const Joint& joint : model.joints()) {
    if (coordinate >= joint.first_coordinate && coordinate < joint.first_coordinate + joint.degrees) {
      return joint.description;
    }
  }
  throw ModelError("there is no coordinate " + std::to_string(coordinate));
}

bool has_one_coordinate(const Model& model, int coordinate) {
  for (const Joint& joint : model.joints()) {
    if (joint.first_coordinate == coordinate) return joint.degrees == 1;
  }
  return false;
}

// What is left of a column once all that the others explain is taken from it, as a share.
double unexplained(const MatrixXd& others, const VectorXd& column) {
  const double norm = column.norm();
  if (!(norm > 0.0)) return 0.0;
  if (others.cols() == 0) return 1.0;
  const VectorXd scale = others.colwise().norm().cwiseMax(1e-300).cwiseInverse();
  Eigen::ColPivHouseholderQR<MatrixXd> qr(others * scale.asDiagonal());
  qr.setThreshold(1e-9);
  const VectorXd coefficients = qr.solve(column);
  return (column - others * (scale.asDiagonal() * coefficients)).norm() / norm;
}

}  // namespace

Problem::Problem(const Model& model, const regressor::Layout& layout, const VectorXd& maker,
                 const Information& information, Friction friction, Offsets offsets)
    : information_(information), maker_(maker) {
  choose_bodies(layout);
  choose_numbers(model, friction, offsets);
  drop_collinear(model);
  set_up_prior(model, maker);
  reduce(model);
}

// A body that no measured torque feels keeps the maker's values.
void Problem::choose_bodies(const regressor::Layout& layout) {
  VectorXd seen = VectorXd::Zero(layout.size());
  for (const JointInformation& joint : information_.joints) {
    for (size_t k = 0; k < joint.bodies.size(); ++k) {
      for (const MatrixXd& R : joint.R) {
        if (R.size() > 0) seen[joint.bodies[k]] += R.middleCols(10 * static_cast<Index>(k), 10).squaredNorm();
      }
    }
  }
  for (int b = 0; b < layout.size(); ++b) {
    if (seen[b] > 0.0) unknowns_.bodies.push_back(b);
  }
}

MatrixXd Problem::stacked(const JointInformation& joint) const {
  Index rows = 0;
  for (const MatrixXd& R : joint.R) rows += R.rows();
  MatrixXd all(rows, joint.torque_column() + 1);
  rows = 0;
  for (const MatrixXd& R : joint.R) {
    if (R.rows() > 0) all.middleRows(rows, R.rows()) = R;
    rows += R.rows();
  }
  return all;
}

// The line search for the velocity of the Stribeck effect, of one joint by itself: which leaves least?
int Problem::best_stribeck(const JointInformation& joint) const {
  const MatrixXd all = stacked(joint);
  const Index bodies = joint.body_columns();
  MatrixXd base(all.rows(), bodies + 5);
  base.leftCols(bodies) = all.leftCols(bodies);
  const Index columns[] = {column_v, column_s, column_one, column_a};
  for (Index k = 0; k < 4; ++k) base.col(bodies + k) = all.col(bodies + columns[k]);
  int best = 0;
  double least = 2.0;
  for (size_t k = 0; k < stribeck_velocities.size(); ++k) {
    base.col(bodies + 4) = all.col(bodies + column_stribeck + static_cast<Index>(k));
    const double left = unexplained(base, all.col(all.cols() - 1));
    if (left >= least) continue;
    least = left;
    best = static_cast<int>(k);
  }
  return best;
}

void Problem::add_friction(int index, Friction friction, const JointDescription& maker) {
  const JointInformation& joint = information_.joints[index];
  const double share = 0.02 * std::max(joint.torque_rms, 1e-9);
  const double viscous = std::max(maker.damping, share / joint.v_rms), coulomb = std::max(maker.friction, share);
  const auto add = [&](What what, std::vector<std::pair<int, double>> columns, double scale) {
    unknowns_.numbers.push_back({what, index, std::move(columns), scale});
  };
  if (friction == Friction::asymmetric) {
    add(What::viscous, {{column_v, 0.5}, {column_vs, 0.5}}, viscous);
    add(What::viscous_negative, {{column_v, 0.5}, {column_vs, -0.5}}, viscous);
    add(What::coulomb, {{column_s, 0.5}, {column_ss, 0.5}}, coulomb);
    add(What::coulomb_negative, {{column_s, 0.5}, {column_ss, -0.5}}, coulomb);
    return;
  }
  add(What::viscous, {{column_v, 1.0}}, viscous);
  if (friction == Friction::viscous) return;
  add(What::coulomb, {{column_s, 1.0}}, coulomb);
  if (friction != Friction::stribeck) return;
  const int best = best_stribeck(joint);
  unknowns_.stribeck_velocity[index] = stribeck_velocities[best];
  add(What::stribeck, {{column_stribeck + best, 1.0}}, share);
}

// Of a joint that hardly moves nothing is asked.
void Problem::choose_numbers(const Model& model, Friction friction, Offsets offsets) {
  constexpr double least_rate = 5e-3, least_acceleration = 0.02;
  unknowns_.stribeck_velocity.assign(information_.joints.size(), 1e-2);
  for (size_t j = 0; j < information_.joints.size(); ++j) {
    const JointInformation& joint = information_.joints[j];
    const int index = static_cast<int>(j);
    if (!has_one_coordinate(model, joint.coordinate)) continue;
    const JointDescription& maker = description_of(model, joint.coordinate);
    const double share = 0.02 * std::max(joint.torque_rms, 1e-9);
    if (joint.v_rms > least_rate) {
      add_friction(index, friction, maker);
      if (offsets == Offsets::constant)
        unknowns_.numbers.push_back({What::offset, index, {{column_one, 1.0}}, 10.0 * share});
    }
    if (joint.a_rms > least_acceleration) {
      const double scale = std::max(maker.armature, share / joint.a_rms);
      unknowns_.numbers.push_back({What::armature, index, {{column_a, 1.0}}, scale});
    }
  }
}

// An offset that is also a weight, an armature that is also an inertia, friction of a joint that never turned back:
// what bodies and the numbers before explain as well is not asked for, and stays the maker's. But an armature that the
// maker tells may be too large for the log: its sum with the inertia is then shared by the prior.
void Problem::drop_collinear(const Model& model) {
  std::vector<JointUnknown> kept;
  for (size_t j = 0; j < information_.joints.size(); ++j) {
    const JointInformation& joint = information_.joints[j];
    const MatrixXd all = stacked(joint);
    const Index bodies = joint.body_columns();
    MatrixXd others = all.leftCols(bodies);
    for (const JointUnknown& number : unknowns_.numbers) {
      if (number.joint != static_cast<int>(j)) continue;
      VectorXd column = VectorXd::Zero(all.rows());
      for (const auto& [c, factor] : number.columns) column += factor * all.col(bodies + c);
      const bool told = number.what == What::armature && description_of(model, joint.coordinate).armature > 0.0;
      if (!told && unexplained(others, column) < 1e-5) continue;
      kept.push_back(number);
      others.conservativeResize(Eigen::NoChange, others.cols() + 1);
      others.col(others.cols() - 1) = column;
    }
  }
  unknowns_.numbers = std::move(kept);
}

void Problem::set_up_prior(const Model& model, const VectorXd& maker) {
  double mass = 0.0, size = 0.0;
  for (const double m : model.tree().mass) mass += m;
  for (const Vec3d& p : model.tree().parent_p_joint) size += p.norm();
  const double bodies = std::max(1, model.bodies());
  mass = std::max(mass / bodies, 1e-3);
  size = std::max(0.2 * size / bodies, 1e-3);
  start_.resize(unknowns_.size());
  units_.resize(unknowns_.size());
  for (size_t b = 0; b < unknowns_.bodies.size(); ++b) {
    const Parameters10 p = maker.segment<10>(10 * unknowns_.bodies[b]);
    prior_.push_back(floored(pseudo_inertia(p), mass, size));
    const Index first = 10 * static_cast<Index>(b);
    start_.segment<10>(first) = parameters_of(prior_.back());
    units_.segment<10>(first) = units_about(prior_.back());
  }
  for (size_t k = 0; k < unknowns_.numbers.size(); ++k) {
    const JointUnknown& number = unknowns_.numbers[k];
    const Index place = unknowns_.first_number() + static_cast<Index>(k);
    units_[place] = number.scale;
    start_[place] = number.positive() ? number.scale : 0.0;
  }
}

// What the maker says of a joint's numbers that are not identified.
VectorXd Problem::fixed_columns(const Model& model, const JointInformation& joint, int index) const {
  VectorXd fixed = VectorXd::Zero(joint_columns);
  bool friction = false, offset = false, armature = false;
  for (const JointUnknown& number : unknowns_.numbers) {
    if (number.joint != index) continue;
    friction = friction || (number.what != What::offset && number.what != What::armature);
    offset = offset || number.what == What::offset;
    armature = armature || number.what == What::armature;
  }
  const JointDescription& description = description_of(model, joint.coordinate);
  const JointFriction maker = joint_friction(description);
  if (!armature) fixed[column_a] = description.armature;
  if (!offset) fixed[column_one] = maker.offset;
  if (friction) return fixed;
  fixed[column_v] = maker.damping;
  fixed[column_vs] = maker.damping_change;
  fixed[column_s] = maker.coulomb;
  fixed[column_ss] = maker.coulomb_change;
  if (maker.stribeck > 0.0) {
    const auto nearest =
        std::min_element(stribeck_velocities.begin(), stribeck_velocities.end(), [&](double a, double b) {
          return std::abs(std::log(a / maker.stribeck_velocity)) < std::abs(std::log(b / maker.stribeck_velocity));
        });
    fixed[column_stribeck + static_cast<Index>(nearest - stribeck_velocities.begin())] = maker.stribeck;
  }
  return fixed;
}

// The place in x of the armature of a coordinate's drive, -1 where it is the maker's.
Index Problem::armature_of(int coordinate) const {
  for (size_t k = 0; k < unknowns_.numbers.size(); ++k) {
    const JointUnknown& number = unknowns_.numbers[k];
    if (number.what != What::armature || information_.joints[number.joint].coordinate != coordinate) continue;
    return unknowns_.first_number() + static_cast<Index>(k);
  }
  return -1;
}

void Problem::reduce(const Model& model) {
  const Index size = unknowns_.size();
  for (size_t j = 0; j < information_.joints.size(); ++j) {
    const JointInformation& joint = information_.joints[j];
    const Index bodies = joint.body_columns(), torque = joint.torque_column();
    MatrixXd to_x = MatrixXd::Zero(torque, size);
    VectorXd fixed = VectorXd::Zero(torque);
    for (size_t k = 0; k < joint.bodies.size(); ++k) {
      const auto found = std::find(unknowns_.bodies.begin(), unknowns_.bodies.end(), joint.bodies[k]);
      const Index local = 10 * static_cast<Index>(k);
      if (found == unknowns_.bodies.end()) {
        fixed.segment<10>(local) = maker_.segment<10>(10 * joint.bodies[k]);
      } else {
        to_x.block<10, 10>(local, 10 * (found - unknowns_.bodies.begin())).setIdentity();
      }
    }
    fixed.segment(bodies, joint_columns) = fixed_columns(model, joint, static_cast<int>(j));
    for (size_t r = 0; r < joint.rotors.size(); ++r) {
      const Index column = joint.rotor_column() + static_cast<Index>(r);
      const Index unknown = armature_of(joint.rotors[r]);
      if (unknown >= 0) to_x(column, unknown) = 1.0;
      if (unknown < 0) fixed[column] = description_of(model, joint.rotors[r]).armature;
    }
    for (size_t k = 0; k < unknowns_.numbers.size(); ++k) {
      if (unknowns_.numbers[k].joint != static_cast<int>(j)) continue;
      for (const auto& [c, factor] : unknowns_.numbers[k].columns) {
        to_x(bodies + c, unknowns_.first_number() + static_cast<Index>(k)) = factor;
      }
    }
    rows_.emplace_back();
    for (size_t b = 0; b < static_cast<size_t>(blocks); ++b) {
      const MatrixXd& R = joint.R[b];
      MatrixXd& rows = rows_.back()[b];
      rows.resize(R.rows(), size + 1);
      if (R.rows() == 0) continue;
      rows.leftCols(size) = R.leftCols(torque) * to_x;
      rows.col(size) = R.col(torque) - R.leftCols(torque) * fixed;
    }
  }
}

ConsistentFit Problem::fit(const VectorXd& sigma, int without) const {
  const Index size = unknowns_.size();
  Index count = 0;
  for (int j = 0; j < static_cast<int>(sigma.size()); ++j) {
    for (int b = 0; b < blocks; ++b) count += b == without ? 0 : rows(j, b).rows();
  }
  MatrixXd all(count, size + 1);
  Index row = 0;
  for (int j = 0; j < static_cast<int>(sigma.size()); ++j) {
    for (int b = 0; b < blocks; ++b) {
      const MatrixXd& some = rows(j, b);
      if (b == without || some.rows() == 0) continue;
      all.middleRows(row, some.rows()) = some / sigma[j];
      row += some.rows();
    }
  }
  ConsistentProblem problem{prior_, {}, start_, units_};
  for (const JointUnknown& number : unknowns_.numbers) problem.numbers.push_back({number.scale, number.positive()});
  return {std::move(problem), std::move(all)};
}

double Problem::squared_error(int joint, int block, const VectorXd& x) const {
  const MatrixXd& A = rows(joint, block);
  return (A.leftCols(x.size()) * x - A.col(x.size())).squaredNorm();
}

}  // namespace dyn::sim::identify
