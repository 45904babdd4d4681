// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// KDL as a peer of `dyn bench`: chains only, M, g and the vector C v; it has no Coriolis matrix.
#include <kdl/config.h>

#include <algorithm>
#include <kdl/chaindynparam.hpp>
#include <memory>

#include "peer.hpp"

namespace {

using dyn::bench::PeerTree;

struct Robot {
  KDL::Chain chain;
  std::unique_ptr<KDL::ChainDynParam> dynamics;
  KDL::JntArray q, v, g, Cv;
  KDL::JntSpaceInertiaMatrix M;
};

KDL::Vector vector(const double* x) { return {x[0], x[1], x[2]}; }

void* make(const PeerTree& tree) {
  auto robot = std::make_unique<Robot>();
  for (int i = 0; i < tree.bodies; ++i) {
    if (tree.parent[i] != i - 1) return nullptr;
    const double* R = tree.R + 9 * i;
    const double* I = tree.inertia + 9 * i;
    const KDL::Rotation rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
    robot->chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), KDL::Frame(rotation, vector(tree.p + 3 * i))));
    const KDL::RotationalInertia inertia(I[0], I[4], I[8], I[1], I[2], I[5]);
    robot->chain.addSegment(KDL::Segment(KDL::Joint(tree.prismatic[i] ? KDL::Joint::TransZ : KDL::Joint::RotZ),
                                         KDL::Frame::Identity(),
                                         KDL::RigidBodyInertia(tree.mass[i], vector(tree.com + 3 * i), inertia)));
  }
  const auto n = static_cast<unsigned>(tree.bodies);
  robot->dynamics = std::make_unique<KDL::ChainDynParam>(robot->chain, vector(tree.gravity));
  for (KDL::JntArray* a : {&robot->q, &robot->v, &robot->g, &robot->Cv}) a->resize(n);
  robot->M.resize(n);
  return robot.release();
}

void run(void* robot, int task, const double* q, const double* v, const double* /*x*/) {
  Robot& r = *static_cast<Robot*>(robot);
  const size_t n = r.q.rows();
  std::copy_n(q, n, r.q.data.data());
  std::copy_n(v, n, r.v.data.data());
  using namespace dyn::bench;
  if (task == task_M || task == task_M_and_h || task == task_cycle) r.dynamics->JntToMass(r.q, r.M);
  if (task == task_h || task == task_M_and_h || task == task_cycle) r.dynamics->JntToCoriolis(r.q, r.v, r.Cv);
  if (task != task_M) r.dynamics->JntToGravity(r.q, r.g);
}

void read(void* robot, int task, double* to) {
  const Robot& r = *static_cast<Robot*>(robot);
  const size_t n = r.q.rows();
  if (task == dyn::bench::task_M) std::copy_n(r.M.data.data(), n * n, to);
  if (task == dyn::bench::task_g) std::copy_n(r.g.data.data(), n, to);
  if (task == dyn::bench::task_h) {
    for (size_t i = 0; i < n; ++i) to[i] = r.Cv.data[static_cast<long>(i)] + r.g.data[static_cast<long>(i)];
  }
}

const dyn::bench::Peer peer{"KDL " KDL_VERSION_STRING, make, dyn::bench::free_robot<Robot>, run, read};

}  // namespace

extern "C" __attribute__((visibility("default"))) const dyn::bench::Peer* dyn_bench_peer() { return &peer; }
extern "C" __attribute__((visibility("default"))) unsigned dyn_bench_peer_tasks() {
  using namespace dyn::bench;
  return 1U << task_M | 1U << task_g | 1U << task_h | 1U << task_M_and_h | 1U << task_cycle;
}
