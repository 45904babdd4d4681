// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/helpers.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/kinematics/kinematics.hpp"
#include "output.hpp"

namespace dyn::study {

const Inertial& inertial_of(const RobotDescription& robot, const std::string& link) {
  for (const LinkDescription& l : robot.links) {
    if (l.name == link && l.inertial) return *l.inertial;
  }
  throw ModelError(robot.name + ": there is no link '" + link + "' with an inertia");
}

const JointDescription& joint_of(const RobotDescription& robot, const std::string& joint) {
  for (const JointDescription& j : robot.joints) {
    if (j.name == joint) return j;
  }
  throw ModelError(robot.name + ": there is no joint '" + joint + "'");
}

//   a_k  = sum over the chain of [w_l]^2 r_l + 2 w_l' x n_l qd_l (prismatic),  r_l to the next origin, at last to c_k
//   tau_u = n_u . sum over the subtree of m_k a_k (prismatic), of w_k x I_k w_k + m_k (c_k - o_u) x a_k (revolute)
VecX<double> bias_as_printed(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  const Tree& tree = model.tree();
  const auto at = [](int i) { return static_cast<size_t>(i); };
  Workspace<double> ws(tree.size);
  spread_positions(tree, q.data(), ws);
  spread_rates(tree, v.data(), ws.v);
  update_kinematics(tree, ws, needs_all);
  std::vector<Vec3d> force(at(tree.size)), moment(at(tree.size));
  for (int k = 0; k < tree.size; ++k) {
    Vec3d a = Vec3d::Zero(), end = ws.com[at(k)];
    for (int l = k; l >= 0; end = ws.origin[at(l)], l = tree.parent[at(l)]) {
      const Vec3d& w = ws.omega[at(l)];
      a += w.cross(w.cross(end - ws.origin[at(l)]));
      if (tree.motion[at(l)] == Motion::prismatic) a += 2.0 * w.cross(ws.axis[at(l)] * ws.v[at(l)]);
    }
    force[at(k)] = tree.mass[at(k)] * a;
    moment[at(k)] = ws.omega[at(k)].cross(ws.inertia[at(k)] * ws.omega[at(k)]);
  }
  VecX<double> tau = VecX<double>::Zero(tree.size);
  for (int u = 0; u < tree.size; ++u) {
    for (int k = u; k < tree.subtree_end[at(u)]; ++k) {
      const Vec3d turning = moment[at(k)] + Vec3d(ws.com[at(k)] - ws.origin[at(u)]).cross(force[at(k)]);
      tau[u] += ws.axis[at(u)].dot(tree.motion[at(u)] == Motion::revolute ? turning : force[at(k)]);
    }
  }
  return tau;
}

std::vector<double> random_values(std::mt19937_64& rng, int count, double largest) {
  std::uniform_real_distribution<double> spread(-largest, largest);
  std::vector<double> values(count);
  std::generate(values.begin(), values.end(), [&] { return spread(rng); });
  return values;
}

void demand(const Status& status, const Model& model) {
  if (status.ok()) return;
  const std::string joint = status.body >= 0 ? model.body_joint(status.body) : model.name();
  throw ModelError(joint +
                   (status.code == Status::Code::singular_inertia ? ": M is singular, pivot " : ": not finite, ") +
                   cli::number(status.value));
}

}  // namespace dyn::study
