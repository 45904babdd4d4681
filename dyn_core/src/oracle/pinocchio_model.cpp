// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// With pinocchio_impl.hpp the only code that includes Pinocchio. Compiled for the generic instruction set, as
// Pinocchio's own libraries are, and with Eigen::Ref arguments, for which Pinocchio's libraries have compiled
// algorithms. Pinocchio 3.x and 4.x.
#include "dyn_core/oracle/pinocchio_model.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <map>
#include <numeric>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <utility>

#include "pinocchio_impl.hpp"

namespace dyn::oracle {

PinocchioModel::PinocchioModel(const RobotDescription& description, const ModelOptions& options)
    : impl_(std::make_unique<Impl>(description, options)) {}
PinocchioModel::PinocchioModel(PinocchioModel&&) noexcept = default;
PinocchioModel& PinocchioModel::operator=(PinocchioModel&&) noexcept = default;
PinocchioModel::~PinocchioModel() = default;

std::string PinocchioModel::version() { return PINOCCHIO_VERSION; }
int PinocchioModel::coordinates() const noexcept { return static_cast<int>(impl_->names.size()); }
const std::vector<std::string>& PinocchioModel::coordinate_names() const noexcept { return impl_->names; }
bool PinocchioModel::has_mimic() const noexcept { return impl_->mimic; }
void PinocchioModel::set_gravity(const Vec3d& gravity_mps2) { impl_->model.gravity.linear(gravity_mps2); }

bool PinocchioModel::blend_inertia(const std::string& joint, int degree, std::span<const Part> parts) {
  const auto about_joint = [](double mass, const Vec3d& c) {
    return Mat3d(mass * (c.squaredNorm() * Mat3d::Identity() - c * c.transpose()));
  };
  double mass = 0.0;
  Vec3d first = Vec3d::Zero();
  Mat3d second = Mat3d::Zero();
  for (const Part& part : parts) {
    const pinocchio::JointIndex index = impl_->same_degree(*part.model->impl_, joint, degree);
    if (index == 0) return false;
    const pinocchio::Inertia& body = part.model->impl_->built_inertias[index];
    mass += part.weight * body.mass();
    first += part.weight * body.mass() * body.lever();
    second += part.weight * (body.inertia().matrix() + about_joint(body.mass(), body.lever()));
  }
  const pinocchio::JointIndex own = impl_->same_degree(*impl_, joint, degree);
  if (own == 0) return false;
  const Vec3d com = mass > 0.0 ? Vec3d(first / mass) : Vec3d::Zero();
  impl_->model.inertias[own] = pinocchio_inertia(mass, com, second - about_joint(mass, com));
  return true;
}

void PinocchioModel::restore_inertias() { impl_->model.inertias = impl_->built_inertias; }

void PinocchioModel::mass_matrix(Inputs q, std::span<double> M) {
  Impl& p = *impl_;
  pinocchio::crba(p.model, *p.data, p.positions(q));
  p.data->M.triangularView<Eigen::StrictlyLower>() = p.data->M.transpose().triangularView<Eigen::StrictlyLower>();
  p.project(Matrix(p.data->M), M);
}

void PinocchioModel::coriolis_matrix(Inputs q, Inputs v, std::span<double> C) {
  Impl& p = *impl_;
  p.project(Matrix(pinocchio::computeCoriolisMatrix(p.model, *p.data, p.positions(q), p.rates(v, p.full_v))), C);
}

void PinocchioModel::gravity(Inputs q, std::span<double> g) {
  Impl& p = *impl_;
  p.project(Vector(pinocchio::computeGeneralizedGravity(p.model, *p.data, p.positions(q))), g);
}

void PinocchioModel::bias(Inputs q, Inputs v, std::span<double> h) {
  Impl& p = *impl_;
  p.project(Vector(pinocchio::nonLinearEffects(p.model, *p.data, p.positions(q), p.rates(v, p.full_v))), h);
}

void PinocchioModel::velocity_forces(Inputs q, Inputs v, std::span<double> Cv) {
  Impl& p = *impl_;
  const Vec3d gravity = p.model.gravity.linear();
  p.model.gravity.setZero();
  p.full_a.setZero();
  p.project(Vector(pinocchio::rnea(p.model, *p.data, p.positions(q), p.rates(v, p.full_v), ConstRef(p.full_a))), Cv);
  p.model.gravity.linear(gravity);
}

void PinocchioModel::inverse(Inputs q, Inputs v, Inputs a, std::span<double> tau) {
  Impl& p = *impl_;
  p.project(Vector(pinocchio::rnea(p.model, *p.data, p.positions(q), p.rates(v, p.full_v), p.rates(a, p.full_a))), tau);
}

bool PinocchioModel::forward(Inputs q, Inputs v, Inputs tau, std::span<double> qdd) {
  Impl& p = *impl_;
  const Eigen::Index n = p.names.size();
  Eigen::Map<Vector> out(qdd.data(), n);
  if (!p.mimic) {
    for (size_t i = 0; i < p.follows.size(); ++i) {
      p.full_a[i] = tau[p.follows[i].coordinate];
    }
    p.project(Vector(pinocchio::aba(p.model, *p.data, p.positions(q), p.rates(v, p.full_v), ConstRef(p.full_a))), qdd);
    return out.allFinite();
  }
  Matrix M(n, n);
  Vector h(n);
  mass_matrix(q, {M.data(), static_cast<size_t>(M.size())});
  bias(q, v, {h.data(), static_cast<size_t>(h.size())});
  const Eigen::LLT<Matrix> cholesky(M);
  if (cholesky.info() != Eigen::Success) return false;
  out = cholesky.solve(Eigen::Map<const Vector>(tau.data(), n) - h);
  return out.allFinite();
}

bool PinocchioModel::frame(const std::string& link, Reference reference, Inputs q, Inputs v, Frame& out) {
  Impl& p = *impl_;
  const auto found = p.frame_of_link.find(link);
  if (found == p.frame_of_link.end()) return false;
  using pinocchio::ReferenceFrame;
  const ReferenceFrame axes = reference == Reference::local   ? ReferenceFrame::LOCAL
                              : reference == Reference::world ? ReferenceFrame::WORLD
                                                              : ReferenceFrame::LOCAL_WORLD_ALIGNED;
  p.full_a.setZero();
  pinocchio::forwardKinematics(p.model, *p.data, p.positions(q), p.rates(v, p.full_v), ConstRef(p.full_a));
  pinocchio::computeJointJacobians(p.model, *p.data);
  const pinocchio::SE3& pose = pinocchio::updateFramePlacement(p.model, *p.data, found->second);
  out.p = pose.translation();
  out.R = pose.rotation();
  // The time derivative of the twist's components: in base axes at the frame, the origin's (classical) acceleration.
  const bool moves_along = reference == Reference::local_world_aligned;
  const pinocchio::Motion rate = moves_along
                                     ? pinocchio::getFrameClassicalAcceleration(p.model, *p.data, found->second, axes)
                                     : pinocchio::getFrameAcceleration(p.model, *p.data, found->second, axes);
  const pinocchio::Motion twist = pinocchio::getFrameVelocity(p.model, *p.data, found->second, axes);
  out.twist.assign(twist.toVector().data(), twist.toVector().data() + 6);
  out.Jdot_v.assign(rate.toVector().data(), rate.toVector().data() + 6);
  Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, p.model.nv);
  J.setZero();
  pinocchio::getFrameJacobian(p.model, *p.data, found->second, axes, J);
  out.J.assign(6 * p.names.size(), 0.0);
  for (size_t i = 0; i < p.follows.size(); ++i) {
    for (size_t r = 0; r < 6; ++r) {
      out.J[6 * static_cast<size_t>(p.follows[i].coordinate) + r] += p.follows[i].ratio * J(r, i);
    }
  }
  return true;
}

bool PinocchioModel::inverse_mass_matrix(Inputs q, std::span<double> inverse_M) {
  Impl& p = *impl_;
  const Eigen::Index n = p.names.size();
  Eigen::Map<Matrix> out(inverse_M.data(), n, n);
  if (!p.mimic) {
    Matrix full = pinocchio::computeMinverse(p.model, *p.data, p.positions(q));
    full.triangularView<Eigen::StrictlyLower>() = full.transpose().triangularView<Eigen::StrictlyLower>();
    p.project(full, inverse_M);
    return out.allFinite();
  }
  Matrix M(n, n);
  mass_matrix(q, {M.data(), static_cast<size_t>(M.size())});
  const Eigen::LLT<Matrix> cholesky(M);
  if (cholesky.info() != Eigen::Success) return false;
  out = cholesky.solve(Matrix::Identity(n, n));
  return out.allFinite();
}

void PinocchioModel::inverse_derivatives(Inputs q, Inputs v, Inputs a, std::span<double> dtau_dq,
                                         std::span<double> dtau_dv) {
  Impl& p = *impl_;
  pinocchio::computeRNEADerivatives(p.model, *p.data, p.positions(q), p.rates(v, p.full_v), p.rates(a, p.full_a));
  p.project(Matrix(p.data->dtau_dq), dtau_dq);
  p.project(Matrix(p.data->dtau_dv), dtau_dv);
}

bool PinocchioModel::forward_derivatives(Inputs q, Inputs v, Inputs tau, std::span<double> dqdd_dq,
                                         std::span<double> dqdd_dv, std::span<double> dqdd_dtau) {
  Impl& p = *impl_;
  const Eigen::Index n = p.names.size();
  Vector qdd(n);
  if (!forward(q, v, tau, {qdd.data(), p.names.size()})) return false;
  if (!p.mimic) {
    for (size_t i = 0; i < p.follows.size(); ++i) {
      p.full_a[i] = tau[p.follows[i].coordinate];
    }
    pinocchio::computeABADerivatives(p.model, *p.data, p.positions(q), p.rates(v, p.full_v), ConstRef(p.full_a));
    p.project(Matrix(p.data->ddq_dq), dqdd_dq);
    p.project(Matrix(p.data->ddq_dv), dqdd_dv);
    p.project(Matrix(p.data->Minv.selfadjointView<Eigen::Upper>()), dqdd_dtau);
    return true;
  }
  Matrix M(n, n), dq(n, n), dv(n, n);
  mass_matrix(q, {M.data(), static_cast<size_t>(M.size())});
  inverse_derivatives(q, v, {qdd.data(), p.names.size()}, {dq.data(), static_cast<size_t>(dq.size())},
                      {dv.data(), static_cast<size_t>(dv.size())});
  const Eigen::LLT<Matrix> cholesky(M);
  Eigen::Map<Matrix>(dqdd_dq.data(), n, n) = -cholesky.solve(dq);
  Eigen::Map<Matrix>(dqdd_dv.data(), n, n) = -cholesky.solve(dv);
  Eigen::Map<Matrix>(dqdd_dtau.data(), n, n) = cholesky.solve(Matrix::Identity(n, n));
  return true;
}

void PinocchioModel::regressor(Inputs q, Inputs v, Inputs a, std::span<const std::string> links, std::span<double> Y) {
  Impl& p = *impl_;
  p.positions(q);
  p.rates(v, p.full_v);
  p.rates(a, p.full_a);
  const Matrix& full = pinocchio::computeJointTorqueRegressor(p.model, *p.data, p.full_q, p.full_v, p.full_a);
  const Eigen::Index parameters = 10;
  for (size_t l = 0; l < links.size(); ++l) {
    const pinocchio::Frame& frame = p.model.frames[p.frame_of_link.at(links[l])];
    const auto first = static_cast<Eigen::Index>(frame.parentJoint - 1) * parameters;
    for (Eigen::Index k = 0; k < parameters; ++k) {
      const size_t column = l * static_cast<size_t>(parameters) + static_cast<size_t>(k);
      p.project(Vector(full.col(first + k)), Y.subspan(column * p.names.size(), p.names.size()));
    }
  }
}

}  // namespace dyn::oracle
