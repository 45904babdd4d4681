// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/control/payload_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/kinematics/kinematics.hpp"

namespace dyn::control {
namespace {

constexpr int postures = 256;
constexpr double most_lengths = 2.0;    // of the arm, to a payload's centre of mass
constexpr double most_masses = 1000.0;  // of the arm

std::string number(double x) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

std::string payload_text(const Payload& payload) { return "payload '" + payload.name() + "'"; }

// The load on a link: mass and centre of mass in the link's frame, and the distance of its farthest centre of mass.
struct Load {
  double mass_kg = 0.0;
  Vec3d com_m = Vec3d::Zero();
  double farthest_m = 0.0;
};

void add(Load& load, const Inertial& inertial, const Pose& link_T_body) {
  const Vec3d com = link_T_body.R * inertial.com_m + link_T_body.p_m;
  const double mass = load.mass_kg + inertial.mass_kg;
  if (mass > 0.0) load.com_m += (com - load.com_m) * (inertial.mass_kg / mass);
  load.mass_kg = mass;
  load.farthest_m = std::max(load.farthest_m, com.norm());
}

Load load_of(const Payload& payload) {
  Load load;
  if (payload.inertial() != nullptr) {
    add(load, *payload.inertial(), payload.link_T_payload());
    return load;
  }
  // All joints at 0; a chain of n joints needs at most n passes, in whatever order they are listed.
  const RobotDescription& chain = *payload.chain();
  std::unordered_map<std::string, Pose> poses;
  std::unordered_set<std::string> children;
  for (const JointDescription& joint : chain.joints) children.insert(joint.child_link);
  for (const LinkDescription& link : chain.links) {
    if (!children.contains(link.name)) poses[link.name] = payload.link_T_payload();
  }
  for (size_t known = 0; known != poses.size();) {
    known = poses.size();
    for (const JointDescription& joint : chain.joints) {
      const auto parent = poses.find(joint.parent_link);
      if (parent != poses.end()) poses.try_emplace(joint.child_link, parent->second * joint.parent_T_joint);
    }
  }
  for (const LinkDescription& link : chain.links) {
    if (link.inertial && poses.contains(link.name)) add(load, *link.inertial, poses.at(link.name));
  }
  return load;
}

double total_mass(const Tree& tree) {
  double sum = 0.0;
  for (const double mass : tree.mass) sum += mass;
  return sum;
}

// Gravity torques at any posture: of the arm with the payloads that it carries, and of a load on one of its bodies.
class Weights {
 public:
  Weights(const Tree& tree, const Vec3d& gravity) : tree_(tree), gravity_(gravity), ws_(tree.size) {}

  void go_to(const std::vector<double>& q) {
    spread_positions(tree_, q.data(), ws_);
    update_kinematics(tree_, ws_, needs_positions);
  }
  [[nodiscard]] std::vector<double> of_arm() const {
    std::vector<double> tau(tree_.coordinates, 0.0);
    for (int b = 0; b < tree_.size; ++b) add(b, tree_.mass[b], tree_.com[b], tau);
    return tau;
  }
  void add(int body, double mass_kg, const Vec3d& com_m, std::vector<double>& tau) const {
    if (body < 0) return;
    const Vec3d point = ws_.origin[body] + ws_.R[body] * com_m;
    for (int b = body; b >= 0; b = tree_.parent[b]) {
      const Vec3d& k = ws_.axis[b];
      const Vec3d rate = tree_.motion[b] == Motion::revolute ? Vec3d(k.cross(point - ws_.origin[b])) : k;
      tau[tree_.coordinate[b]] -= tree_.ratio[b] * mass_kg * rate.dot(gravity_);
    }
  }

 private:
  const Tree& tree_;
  const Vec3d gravity_;
  Workspace<double> ws_;
};

// The driven joint whose gravity torque exceeds its limit, and that of the arm alone, by the most; -1: none.
struct Overload {
  int coordinate = -1;
  double torque = 0.0, limit = 0.0;
};
void note_overload(const std::vector<double>& alone, const std::vector<double>& together, const Actuation& actuation,
                   const Parameters& parameters, Overload& worst) {
  for (size_t i = 0; i < actuation.actuated.size(); ++i) {
    if (!actuation.actuated[i] || actuation.followed[i]) continue;
    const double limit = parameters.effort_limit_scale * effort_limit(actuation, parameters, i);
    const double torque = std::abs(together[i]);
    const bool fits = torque <= limit || torque <= std::abs(alone[i]);
    if (fits || torque - limit <= worst.torque - worst.limit) continue;
    worst = {static_cast<int>(i), torque, limit};
  }
}

// Within the position limits; all the way round where there are none.
std::vector<double> random_posture(const Actuation& actuation, int coordinates, std::mt19937_64& random) {
  std::vector<double> q(coordinates, 0.0);
  for (size_t i = 0; i < actuation.lower.size(); ++i) {
    const double share = static_cast<double>(random() >> 11U) * 0x1p-53;
    const double lower = std::isfinite(actuation.lower[i]) ? actuation.lower[i] : -std::numbers::pi;
    const double upper = std::isfinite(actuation.upper[i]) ? actuation.upper[i] : std::numbers::pi;
    q[i] = lower + share * (upper - lower);
  }
  return q;
}

}  // namespace

void check_has_mass(const Model& robot) {
  const Tree& tree = robot.tree();
  for (int b = 0; b < tree.size; ++b) {
    if (tree.mass[b] > 0.0 || !tree.inertia_com[b].isZero(0.0)) return;
  }
  for (const double armature : tree.armature) {
    if (armature > 0.0) return;
  }
  throw ModelError("robot '" + robot.name() +
                   "': no link that moves has mass or inertia, so no torque can be computed");
}

double arm_length(const Model& robot) {
  const Tree& tree = robot.tree();
  std::unordered_set<std::string> of_payloads;
  std::vector<bool> own(tree.size, true);
  std::vector<double> stroke(tree.size, 0.0);
  for (const JointDescription& joint : robot.description().joints) {
    if (joint.payload != 0) of_payloads.insert(joint.child_link);
  }
  for (const Joint& joint : robot.joints()) {
    const auto& limits = joint.description.limits;
    if (joint.description.type != JointType::prismatic || !limits) continue;
    stroke[joint.body] = std::max(std::abs(limits->lower), std::abs(limits->upper));
  }
  std::vector<double> reach(tree.size, 0.0);
  for (int b = 0; b < tree.size; ++b) {
    const double before = tree.parent[b] < 0 ? 0.0 : reach[tree.parent[b]];
    reach[b] = before + tree.parent_p_joint[b].norm() + stroke[b];
  }
  double longest = 0.0;
  for (const Link& link : robot.links()) {
    if (of_payloads.contains(link.name)) continue;
    const double before = link.body < 0 ? 0.0 : reach[link.body];
    const Vec3d com = link.body_T_link.R * link.inertial.com_m + link.body_T_link.p_m;
    longest = std::max({longest, before + link.body_T_link.p_m.norm(), before + com.norm()});
  }
  return longest;
}

std::vector<std::string> check_payload(const Model& carrying, const Payload& payload, std::span<const double> q,
                                       const Vec3d& gravity_mps2, const Actuation& actuation,
                                       const Parameters& parameters) {
  std::vector<std::string> warnings;
  const auto complain = [&](const std::string& what) {
    if (!parameters.allow_heavy_payloads) throw ModelError(what + " (allow_heavy_payloads takes it all the same)");
    warnings.push_back(what);
  };
  const Link* const link = carrying.find_link(payload.link());
  if (link == nullptr) throw ModelError(payload_text(payload) + ": link '" + payload.link() + "' does not exist");
  const Load load = load_of(payload);
  const double length = arm_length(carrying);
  if (load.farthest_m > most_lengths * length) {
    throw ModelError(payload_text(payload) + ": a centre of mass is " + number(load.farthest_m) + " m from link '" +
                     payload.link() + "', more than twice the arm's length of " + number(length) + " m");
  }
  const Tree& tree = carrying.tree();
  const double own = total_mass(tree);
  if (load.mass_kg > most_masses * own) {
    complain(payload_text(payload) + ": " + number(load.mass_kg) + " kg is more than 1000 times the arm's " +
             number(own) + " kg");
  }

  Weights weights(tree, gravity_mps2);
  const Vec3d com = link->body_T_link.R * load.com_m + link->body_T_link.p_m;
  const auto overload_at = [&](const std::vector<double>& posture, Overload& worst) {
    weights.go_to(posture);
    const std::vector<double> alone = weights.of_arm();
    std::vector<double> together = alone;
    weights.add(link->body, load.mass_kg, com, together);
    note_overload(alone, together, actuation, parameters, worst);
  };
  const auto sentence = [&](const std::string& where, const Overload& overload) {
    return payload_text(payload) + ": " + where + " gravity takes " + number(overload.torque) + " of joint '" +
           carrying.coordinate_names()[overload.coordinate] + "', which may use " + number(overload.limit);
  };
  if (!q.empty()) {
    std::vector<double> here(q.begin(), q.end());
    here.resize(tree.coordinates, 0.0);
    Overload now;
    overload_at(here, now);
    if (now.coordinate >= 0) complain(sentence("here", now));
  }

  std::mt19937_64 random(1);
  Overload worst;
  bool everywhere = true;
  for (int k = 0; k < postures; ++k) {
    Overload there;
    overload_at(random_posture(actuation, tree.coordinates, random), there);
    everywhere = everywhere && there.coordinate >= 0;
    if (there.torque - there.limit > worst.torque - worst.limit) worst = there;
  }
  if (q.empty() && everywhere) complain(sentence("in every posture it is too much, and in the worst", worst));
  if (worst.coordinate >= 0) warnings.push_back(sentence("in some postures", worst));
  return warnings;
}

double highest_adaptation_gain(const Model& robot, const Actuation& actuation, const Parameters& parameters,
                               double period_s) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Link* const link = robot.find_link(actuation.payload_link);
  if (link == nullptr) return infinity;
  const Tree& tree = robot.tree();
  const size_t n = tree.coordinates;
  Weights weights(tree, tree.gravity);
  Dynamics dynamics(robot);
  const std::vector<double> rest(n, 0.0);
  std::mt19937_64 random(1);
  double carried_kg = total_mass(tree), gain_per_kg2 = infinity;  // the gain times the square of the mass
  for (int k = 0; k < postures; ++k) {
    const std::vector<double> q = random_posture(actuation, tree.coordinates, random);
    weights.go_to(q);
    const std::vector<double> alone = weights.of_arm();
    std::vector<double> of_one_kg(n, 0.0);
    weights.add(link->body, 1.0, link->body_T_link.p_m, of_one_kg);
    if (!dynamics.update(q, rest).ok()) continue;
    for (size_t i = 0; i < std::min(n, parameters.gains.size()); ++i) {
      const double pull = std::abs(of_one_kg[i]);
      if (!actuation.actuated[i] || actuation.followed[i] || pull == 0.0) continue;
      const double left = parameters.effort_limit_scale * effort_limit(actuation, parameters, i) - std::abs(alone[i]);
      if (left > 0.0) carried_kg = std::min(carried_kg, left / pull);
      gain_per_kg2 = std::min(gain_per_kg2, parameters.gains[i].d * dynamics.M()(i, i) / (period_s * pull * pull));
    }
  }
  return gain_per_kg2 / (carried_kg * carried_kg);
}

}  // namespace dyn::control
