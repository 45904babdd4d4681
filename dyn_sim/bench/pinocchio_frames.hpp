// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Tasks of the Pinocchio peer about one frame, and M^-1. If Pinocchio has more than one way, the faster one on this
// robot is used, timed when the peer is made.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <chrono>
#include <limits>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <vector>

#include "peer.hpp"

namespace {

using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
constexpr auto kAxes = pinocchio::LOCAL_WORLD_ALIGNED;

class FrameTasks {
 public:
  void add_frame(pinocchio::Model& model, const dyn::bench::PeerTree& tree) {
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(tree.frame_R);
    const Eigen::Map<const Eigen::Vector3d> p(tree.frame_p);
    const auto joint = static_cast<pinocchio::JointIndex>(tree.frame_body + 1);
    frame_ = model.addFrame(pinocchio::Frame("frame", joint, pinocchio::SE3(R, p), pinocchio::OP_FRAME));
  }

  void choose(const pinocchio::Model& model, pinocchio::Data& data, pinocchio::Convention crba,
              const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    convention_ = crba;
    J_ = Jdot_ = Jacobian::Zero(6, model.nv);
    zero_ = Eigen::VectorXd::Zero(model.nv);
    inverse_ = Eigen::MatrixXd::Zero(model.nv, model.nv);
    half_ = Eigen::MatrixXd::Zero(model.nv, 6);
    const auto faster = [](auto&& call) { return seconds([&] { call(true); }) < seconds([&] { call(false); }); };
    supporting_ = faster([&](bool way) { supporting_ = way, jacobian(model, data, q); });
    variation_ = faster([&](bool way) { variation_ = way, jacobian_and_rate(model, data, q, v); });
    recursive_ = faster([&](bool way) { recursive_ = way, inverse(model, data, q); });
    solving_ = faster([&](bool way) { solving_ = way, lambda(model, data, q); });
  }

  void pose(const pinocchio::Model& model, pinocchio::Data& data, const Eigen::VectorXd& q) {
    pinocchio::forwardKinematics(model, data, q);
    pinocchio::updateFramePlacement(model, data, frame_);
  }
  void jacobian(const pinocchio::Model& model, pinocchio::Data& data, const Eigen::VectorXd& q) {
    if (supporting_) {
      pinocchio::computeFrameJacobian(model, data, q, frame_, kAxes, J_);
    } else {
      pinocchio::computeJointJacobians(model, data, q);
      pinocchio::getFrameJacobian(model, data, frame_, kAxes, J_);
    }
  }
  // J and Jdot v, by Jdot or by the accelerations at a = 0.
  void jacobian_and_rate(const pinocchio::Model& model, pinocchio::Data& data, const Eigen::VectorXd& q,
                         const Eigen::VectorXd& v) {
    if (variation_) {
      pinocchio::computeJointJacobiansTimeVariation(model, data, q, v);
      pinocchio::getFrameJacobian(model, data, frame_, kAxes, J_);
      pinocchio::getFrameJacobianTimeVariation(model, data, frame_, kAxes, Jdot_);
      rate_.noalias() = Jdot_ * v;
    } else {
      pinocchio::forwardKinematics(model, data, q, v, zero_);
      pinocchio::computeJointJacobians(model, data);
      pinocchio::getFrameJacobian(model, data, frame_, kAxes, J_);
      rate_ = pinocchio::getFrameClassicalAcceleration(model, data, frame_, kAxes).toVector();
    }
  }
  void inverse(const pinocchio::Model& model, pinocchio::Data& data, const Eigen::VectorXd& q) {
    if (recursive_) {
      inverse_ = pinocchio::computeMinverse(model, data, q);
      inverse_.triangularView<Eigen::StrictlyLower>() = inverse_.transpose().triangularView<Eigen::StrictlyLower>();
    } else {
      pinocchio::crba(model, data, q, convention_);
      pinocchio::cholesky::decompose(model, data);
      pinocchio::cholesky::computeMinv(model, data, inverse_);
    }
  }
  // (J M^-1 J^T)^-1 by M = U D U^T: from U^-1 J^T, or from M^-1 J^T.
  void lambda(const pinocchio::Model& model, pinocchio::Data& data, const Eigen::VectorXd& q) {
    pinocchio::crba(model, data, q, convention_);
    pinocchio::cholesky::decompose(model, data);
    jacobian(model, data, q);
    half_ = J_.transpose();
    if (solving_) {
      pinocchio::cholesky::solve(model, data, half_);
      mobility_.noalias() = J_ * half_;
    } else {
      pinocchio::cholesky::Uiv(model, data, half_);
      mobility_.noalias() = half_.transpose() * data.Dinv.asDiagonal() * half_;
    }
    lambda_.setIdentity();
    mobility_.llt().solveInPlace(lambda_);
  }

  bool run(int task, const pinocchio::Model& model, pinocchio::Data& data, const Eigen::VectorXd& q,
           const Eigen::VectorXd& v) {
    switch (task) {
      case dyn::bench::task_frame: pose(model, data, q); return true;
      case dyn::bench::task_J: jacobian(model, data, q); return true;
      case dyn::bench::task_J_and_rate: jacobian_and_rate(model, data, q, v); return true;
      case dyn::bench::task_inverse_M: inverse(model, data, q); return true;
      case dyn::bench::task_lambda: lambda(model, data, q); return true;
      default: return false;
    }
  }

  bool read(int task, const pinocchio::Data& data, double* to) const {
    const auto put = [&to](const auto& from) {
      Eigen::Map<Eigen::MatrixXd>(to, from.rows(), from.cols()) = from;
      to += from.size();
      return true;
    };
    switch (task) {
      case dyn::bench::task_frame: put(data.oMf[frame_].translation()); return put(data.oMf[frame_].rotation());
      case dyn::bench::task_J: return put(J_);
      case dyn::bench::task_J_and_rate: put(J_); return put(rate_);
      case dyn::bench::task_inverse_M: return put(inverse_);
      case dyn::bench::task_lambda: return put(lambda_);
      default: return false;
    }
  }

 private:
  template <class F>
  static double seconds(F&& call) {
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 5; ++k) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 200; ++i) call();
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  }

  pinocchio::FrameIndex frame_ = 0;
  pinocchio::Convention convention_ = pinocchio::Convention::WORLD;
  bool supporting_ = true, variation_ = true, recursive_ = false, solving_ = false;
  Jacobian J_, Jdot_;
  Eigen::VectorXd zero_;
  Eigen::MatrixXd inverse_, half_;
  Eigen::Matrix<double, 6, 1> rate_;
  Eigen::Matrix<double, 6, 6> mobility_, lambda_;
};

}  // namespace
