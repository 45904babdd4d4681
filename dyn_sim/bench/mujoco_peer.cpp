// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// MuJoCo as a peer of `dyn bench`: the stages of its pipeline one by one, without contacts, constraints or actuators.
// It has no Coriolis matrix; for M, C and g it computes M and C v + g.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <string>
#include <vector>

#include "peer.hpp"

namespace {

using dyn::bench::PeerTree;

struct Robot {
  mjModel* model = nullptr;
  mjData* data = nullptr;
  std::vector<double> M, torque;
  ~Robot() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
};

void add_body(mjsBody* body, const PeerTree& tree, int i) {
  mju_mat2Quat(body->quat, tree.R + 9 * i);
  std::copy_n(tree.p + 3 * i, 3, body->pos);
  const double* I = tree.inertia + 9 * i;
  const double full[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  body->mass = tree.mass[i];
  std::copy_n(tree.com + 3 * i, 3, body->ipos);
  std::copy_n(full, 6, body->fullinertia);
  body->explicitinertial = 1;
  mjsJoint* joint = mjs_addJoint(body, nullptr);
  joint->type = tree.prismatic[i] ? mjJNT_SLIDE : mjJNT_HINGE;
  joint->axis[0] = joint->axis[1] = 0.0;
  joint->axis[2] = 1.0;
}

// Null if MuJoCo refuses the robot: it needs mass and inertia in every body.
void* make(const PeerTree& tree) {
  mjSpec* spec = mj_makeSpec();
  std::copy_n(tree.gravity, 3, spec->option.gravity);
  std::vector<mjsBody*> bodies;
  for (int i = 0; i < tree.bodies; ++i) {
    mjsBody* parent = tree.parent[i] < 0 ? mjs_findBody(spec, "world") : bodies[tree.parent[i]];
    bodies.push_back(mjs_addBody(parent, nullptr));
    add_body(bodies.back(), tree, i);
  }
  auto robot = std::make_unique<Robot>();
  robot->model = mj_compile(spec, nullptr);
  mj_deleteSpec(spec);
  if (robot->model == nullptr || robot->model->nv != tree.bodies) return nullptr;
  robot->data = mj_makeData(robot->model);
  const size_t n = tree.bodies;
  robot->M.resize(n * n);
  robot->torque.resize(n);
  return robot.release();
}

void positions(Robot& r) {
  mj_kinematics(r.model, r.data);
  mj_comPos(r.model, r.data);
}
void mass_matrix(Robot& r) {
  mj_makeM(r.model, r.data);
  mj_fullM(r.model, r.data, r.M.data());
}
void torques(Robot& r, int with_acceleration) {
  mj_comVel(r.model, r.data);
  mj_rne(r.model, r.data, with_acceleration, r.torque.data());
}

void run(void* robot, int task, const double* q, const double* v, const double* x) {
  Robot& r = *static_cast<Robot*>(robot);
  const auto n = r.torque.size();
  std::copy_n(q, n, r.data->qpos);
  std::copy_n(v, n, r.data->qvel);
  positions(r);
  switch (task) {
    case dyn::bench::task_M: return mass_matrix(r);
    case dyn::bench::task_h: return torques(r, 0);
    case dyn::bench::task_inverse: std::copy_n(x, n, r.data->qacc); return torques(r, 1);
    case dyn::bench::task_cycle:
    case dyn::bench::task_M_and_h: mass_matrix(r); return torques(r, 0);
    case dyn::bench::task_forward:
      mj_makeM(r.model, r.data);
      mj_factorM(r.model, r.data);
      torques(r, 0);
      for (size_t i = 0; i < n; ++i) r.torque[i] = x[i] - r.torque[i];
      return mj_solveM(r.model, r.data, r.data->qacc, r.torque.data(), 1);
    default: return;
  }
}

void read(void* robot, int task, double* to) {
  const Robot& r = *static_cast<Robot*>(robot);
  if (task == dyn::bench::task_M) std::copy(r.M.begin(), r.M.end(), to);
  if (task == dyn::bench::task_forward) std::copy_n(r.data->qacc, r.torque.size(), to);
  if (task == dyn::bench::task_h || task == dyn::bench::task_inverse) std::copy(r.torque.begin(), r.torque.end(), to);
}

const std::string name = std::string("MuJoCo ") + mj_versionString();
const dyn::bench::Peer peer{name.c_str(), make, dyn::bench::free_robot<Robot>, run, read};

}  // namespace

extern "C" __attribute__((visibility("default"))) const dyn::bench::Peer* dyn_bench_peer() { return &peer; }
extern "C" __attribute__((visibility("default"))) unsigned dyn_bench_peer_tasks() {
  using namespace dyn::bench;
  return 1U << task_M | 1U << task_h | 1U << task_M_and_h | 1U << task_cycle | 1U << task_inverse | 1U << task_forward;
}
