// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Pinocchio as a peer of `dyn bench`, compiled with -O3 -march=native as its users would; header-only, so that nothing
// compiled with other flags is mixed in. Joints must be added depth-first; bodies are given in that order.
#include <algorithm>
#include <chrono>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <string>

#include "peer.hpp"
#include "pinocchio_frames.hpp"
#include "pinocchio_robot.hpp"

namespace {

using dyn::bench::PeerTree;
using Vec = Eigen::Map<const Eigen::VectorXd>;

struct Robot {
  explicit Robot(const PeerTree& tree) {
    model = pinocchio_robot(tree, [](double x) { return x; });
    frame.add_frame(model, tree);
    data = pinocchio::Data(model);
    q = v = x = Eigen::VectorXd::Constant(model.nv, 0.3);
    using pinocchio::Convention;
    const auto M = [&](Convention c) { pinocchio::crba(model, data, q, c); };
    crba = seconds(M, Convention::WORLD) < seconds(M, Convention::LOCAL) ? Convention::WORLD : Convention::LOCAL;
    const auto qdd = [&](Convention c) { pinocchio::aba(model, data, q, v, x, c); };
    aba = seconds(qdd, Convention::WORLD) < seconds(qdd, Convention::LOCAL) ? Convention::WORLD : Convention::LOCAL;
    frame.choose(model, data, crba, q, v);
  }

  // The best of five times of 200 calls: each algorithm is timed with the convention that is faster on this robot.
  template <class F>
  static double seconds(F&& call, pinocchio::Convention convention) {
    double best = 1e9;
    for (int k = 0; k < 5; ++k) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 200; ++i) call(convention);
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  }

  pinocchio::Model model;
  pinocchio::Data data;
  pinocchio::Convention crba, aba;
  FrameTasks frame;
  Eigen::VectorXd q, v, x;
};

void mass_matrix(Robot& r) {
  pinocchio::crba(r.model, r.data, r.q, r.crba);
  r.data.M.triangularView<Eigen::StrictlyLower>() = r.data.M.transpose().triangularView<Eigen::StrictlyLower>();
}

void run(void* robot, int task, const double* q, const double* v, const double* x) {
  Robot& r = *static_cast<Robot*>(robot);
  r.q = Vec(q, r.model.nq);
  r.v = Vec(v, r.model.nv);
  r.x = Vec(x, r.model.nv);
  switch (task) {
    case dyn::bench::task_M: return mass_matrix(r);
    case dyn::bench::task_C: pinocchio::computeCoriolisMatrix(r.model, r.data, r.q, r.v); return;
    case dyn::bench::task_g: pinocchio::computeGeneralizedGravity(r.model, r.data, r.q); return;
    case dyn::bench::task_h: pinocchio::nonLinearEffects(r.model, r.data, r.q, r.v); return;
    case dyn::bench::task_M_and_h:
      mass_matrix(r);
      pinocchio::nonLinearEffects(r.model, r.data, r.q, r.v);
      return;
    case dyn::bench::task_cycle:
      mass_matrix(r);
      pinocchio::computeCoriolisMatrix(r.model, r.data, r.q, r.v);
      pinocchio::computeGeneralizedGravity(r.model, r.data, r.q);
      return;
    case dyn::bench::task_inverse: pinocchio::rnea(r.model, r.data, r.q, r.v, r.x); return;
    case dyn::bench::task_forward: pinocchio::aba(r.model, r.data, r.q, r.v, r.x, r.aba); return;
    case dyn::bench::task_inverse_derivatives:
      pinocchio::computeRNEADerivatives(r.model, r.data, r.q, r.v, r.x);
      return;
    case dyn::bench::task_forward_derivatives: pinocchio::computeABADerivatives(r.model, r.data, r.q, r.v, r.x); return;
    case dyn::bench::task_regressor: pinocchio::computeJointTorqueRegressor(r.model, r.data, r.q, r.v, r.x); return;
    default: (void)r.frame.run(task, r.model, r.data, r.q, r.v); return;
  }
}

void read(void* robot, int task, double* to) {
  const Robot& r = *static_cast<Robot*>(robot);
  const int n = r.model.nv;
  const auto vector = [&](const Eigen::VectorXd& from) { Eigen::Map<Eigen::VectorXd>(to, n) = from; };
  const auto matrix = [&](int place, const Eigen::MatrixXd& from) {
    Eigen::Map<Eigen::MatrixXd>(to + place * n * n, n, n) = from;
  };
  switch (task) {
    case dyn::bench::task_M:
    case dyn::bench::task_cycle: Eigen::Map<Eigen::MatrixXd>(to, n, n) = r.data.M; return;
    case dyn::bench::task_C: Eigen::Map<Eigen::MatrixXd>(to, n, n) = r.data.C; return;
    case dyn::bench::task_g: return vector(r.data.g);
    case dyn::bench::task_h: return vector(r.data.nle);
    case dyn::bench::task_inverse: return vector(r.data.tau);
    case dyn::bench::task_forward: return vector(r.data.ddq);
    case dyn::bench::task_inverse_derivatives: matrix(0, r.data.dtau_dq); return matrix(1, r.data.dtau_dv);
    case dyn::bench::task_forward_derivatives:
      matrix(0, r.data.ddq_dq);
      matrix(1, r.data.ddq_dv);
      return matrix(2, r.data.Minv.selfadjointView<Eigen::Upper>());
    case dyn::bench::task_regressor: {
      Eigen::VectorXd p(10 * n);
      for (int i = 0; i < n; ++i) {
        p.segment(10 * i, 10) = r.model.inertias[static_cast<size_t>(i) + 1].toDynamicParameters();
      }
      return vector(r.data.jointTorqueRegressor * p);
    }
    default: (void)r.frame.read(task, r.data, to); return;
  }
}

#if defined(__clang__)
#define DYN_PEER_COMPILER "clang " __clang_version__
#else
#define DYN_PEER_COMPILER "g++ " __VERSION__
#endif
const dyn::bench::Peer peer{"Pinocchio " PINOCCHIO_VERSION ", " DYN_PEER_COMPILER,
                            [](const PeerTree& tree) -> void* { return std::make_unique<Robot>(tree).release(); },
                            dyn::bench::free_robot<Robot>, run, read};

}  // namespace

extern "C" __attribute__((visibility("default"))) const dyn::bench::Peer* dyn_bench_peer() { return &peer; }
