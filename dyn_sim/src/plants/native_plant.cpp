// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The plant of this project's own: O(n) forward dynamics (articulated bodies), integrated between two control cycles by
// Dormand and Prince's embedded Runge-Kutta 5(4) with adaptive steps, or with fixed ones where the tolerance is 0.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_sim/plant.hpp"
#include "overrides.hpp"

namespace dyn::sim {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

// Per coordinate; what acts besides the motor.
struct JointForces {
  double damping = 0.0, coulomb = 0.0, effort_limit = 0.0;
  double lower = 0.0, upper = 0.0;
  bool has_effort_limit = false, has_stops = false;
};

// Stribeck: static friction falls to Coulomb's as the joint starts to move; tanh makes it a function of velocity, so
// that a joint that sticks creeps at less than creep_rate instead.
double friction_torque(const JointForces& joint, double stiction_ratio, double v) {
  constexpr double creep_rate = 1e-3;     // rad/s or m/s
  constexpr double stribeck_rate = 1e-2;  // rad/s or m/s
  const double peak = 1.0 + (stiction_ratio - 1.0) * std::exp(-(v / stribeck_rate) * (v / stribeck_rate));
  return joint.damping * v + joint.coulomb * peak * std::tanh(v / creep_rate);
}

// An end stop: a stiff spring with a damper that only pushes.
double stop_torque(const JointForces& joint, double q, double v) {
  constexpr double stiffness = 2e4, damping = 200.0;
  if (q > joint.upper) return std::min(0.0, -stiffness * (q - joint.upper) - damping * v);
  if (q < joint.lower) return std::max(0.0, stiffness * (joint.lower - q) - damping * v);
  return 0.0;
}

std::vector<JointForces> joint_forces(const Model& model, const PlantSettings& settings) {
  std::vector<JointForces> all;
  for (const Joint& joint : model.joints()) {
    JointForces forces;
    const JointDescription& d = joint.description;
    if (settings.friction) {
      forces.damping = d.damping;
      forces.coulomb = d.friction;
    }
    if (settings.limits && d.limits) {
      forces.effort_limit = d.limits->effort;
      forces.has_effort_limit = true;
      forces.has_stops = d.limits->has_position && joint.degrees == 1;
      forces.lower = d.limits->lower;
      forces.upper = d.limits->upper;
    }
    all.insert(all.end(), at(joint.degrees), forces);
  }
  return all;
}

class NativePlant final : public Plant {
 public:
  NativePlant(const RobotDescription& robot, PlantSettings settings, const Vec3d& gravity_mps2)
      : settings_(std::move(settings)), robot_(with_overrides(robot, settings_.overrides)), random_(settings_.seed) {
    options_.gravity_mps2 = gravity_mps2;
    options_.armature = settings_.armature;
    rebuild(robot_);
  }

  const Model& model() const override { return *model_; }
  std::span<const double> q() const override { return {state_.data(), at(n_)}; }
  std::span<const double> v() const override { return {state_.data() + n_, at(n_)}; }

  void reset(std::span<const double> q, std::span<const double> v) override {
    std::copy(q.begin(), q.end(), state_.begin());
    std::copy(v.begin(), v.end(), state_.begin() + n_);
    for (auto& past : delayed_) std::fill(past.begin(), past.end(), 0.0);
    step_s_ = 0.0;
  }

  void measure(std::span<double> q, std::span<double> v) override {
    for (size_t i = 0; i < at(n_); ++i) {
      q[i] = state_[i] + settings_.noise.position * normal_(random_);
      v[i] = state_[at(n_) + i] + settings_.noise.velocity * normal_(random_);
      const double tick = settings_.noise.position_resolution;
      if (tick > 0.0) q[i] = std::round(q[i] / tick) * tick;
    }
  }

  void advance(std::span<const double> effort, double period_s) override {
    take_effort(effort);
    if (settings_.tolerance > 0.0) return adaptive(period_s);
    const double wanted = settings_.step_s > 0.0 ? settings_.step_s : period_s;
    const int steps = std::max(1, static_cast<int>(std::ceil(period_s / wanted - 1e-9)));
    for (int k = 0; k < steps; ++k) {
      (void)dormand_prince(period_s / steps);
      state_.swap(next_);
    }
  }

  void attach(const Payload& payload) override { rebuild(dyn::attach(model_->description(), payload)); }
  void detach(const std::string& name) override { rebuild(dyn::detach(model_->description(), name)); }

  void push(const std::string& link, const Vec3d& force_N, const Vec3d& point_in_link_m) override {
    const Link* found = model_->find_link(link);
    if (found == nullptr) throw ModelError("push: the robot has no link '" + link + "'");
    push_force_ = force_N;
    push_body_ = found->body;
    push_point_ = found->body_T_link.R * point_in_link_m + found->body_T_link.p_m;
    pushing_ = force_N.squaredNorm() > 0.0 && found->body >= 0;
  }

 private:
  // The same coordinates keep their state, by name; new ones start at rest in the middle of nothing: q = 0, v = 0.
  void rebuild(const RobotDescription& description) {
    auto model = std::make_shared<const Model>(Model::build(description, options_));
    const std::shared_ptr<const Model> old = model_;
    const std::vector<double> before = state_;
    const int n = model->coordinates();
    state_.assign(2 * at(n), 0.0);
    for (int i = 0; old && i < n; ++i) {
      const auto& names = old->coordinate_names();
      const auto same = std::find(names.begin(), names.end(), model->coordinate_names()[at(i)]);
      if (same == names.end()) continue;
      const auto k = static_cast<size_t>(same - names.begin());
      state_[at(i)] = before[k];
      state_[at(n + i)] = before[at(n_) + k];
    }
    model_ = std::move(model);
    n_ = n;
    dynamics_ = std::make_unique<Dynamics>(model_, AlgorithmChoice{.forward = "aba"});
    kinematics_ = std::make_unique<Workspace<double>>(model_->bodies());
    joints_ = joint_forces(*model_, settings_);
    for (auto& k : k_) k.assign(2 * at(n), 0.0);
    next_.assign(2 * at(n), 0.0);
    stage_.assign(2 * at(n), 0.0);
    effort_.resize(at(n), 0.0);
    total_.assign(at(n), 0.0);
    delayed_.resize(at(settings_.delay_cycles) + 1);
    for (auto& past : delayed_) past.resize(at(n), 0.0);
    step_s_ = 0.0;
  }

  // What was commanded delay_cycles ago, within the limits of the drive.
  void take_effort(std::span<const double> effort) {
    auto& slot = delayed_[head_ % delayed_.size()];
    std::copy(effort.begin(), effort.begin() + n_, slot.begin());
    ++head_;
    const auto& due = delayed_[head_ % delayed_.size()];
    for (size_t i = 0; i < at(n_); ++i) {
      const JointForces& joint = joints_[i];
      effort_[i] = joint.has_effort_limit ? std::clamp(due[i], -joint.effort_limit, joint.effort_limit) : due[i];
    }
  }

  // xdot = (v, qdd(q, v)) of a state x = (q, v).
  void derivative(const std::vector<double>& x, std::vector<double>& xdot) {
    const std::span<const double> q(x.data(), at(n_));
    const std::span<const double> v(x.data() + n_, at(n_));
    for (size_t i = 0; i < at(n_); ++i) {
      total_[i] = effort_[i] - friction_torque(joints_[i], settings_.stiction_ratio, v[i]);
      if (joints_[i].has_stops) total_[i] += stop_torque(joints_[i], q[i], v[i]);
      xdot[i] = v[i];
    }
    if (pushing_) add_push(q);
    const std::span<double> qdd(xdot.data() + n_, at(n_));
    Status status = dynamics_->update_terms(q, v, 0);
    if (status.ok()) status = dynamics_->forward(total_, qdd);
    if (!status.ok()) std::fill(qdd.begin(), qdd.end(), std::numeric_limits<double>::quiet_NaN());
  }

  // tau_j += axis . ((p - o_j) x f) of revolute, axis . f of prismatic joints that carry the link.
  void add_push(std::span<const double> q) {
    const Tree& tree = model_->tree();
    Workspace<double>& ws = *kinematics_;
    spread_positions(tree, q.data(), ws);
    update_kinematics(tree, ws, needs_positions);
    const auto b = at(push_body_);
    const Vec3d point = ws.origin[b] + ws.R[b] * push_point_;
    for (int j = push_body_; j >= 0; j = tree.parent[at(j)]) {
      const auto u = at(j);
      const double torque = tree.motion[u] == Motion::revolute
                                ? ws.axis[u].dot((point - ws.origin[u]).cross(push_force_))
                                : ws.axis[u].dot(push_force_);
      total_[at(tree.coordinate[u])] += tree.ratio[u] * torque;
    }
  }

  // One step of size h from state_ to next_; returns the error estimate over the tolerance.
  double dormand_prince(double h) {
    static constexpr std::array<std::array<double, 6>, 6> a{
        {{1.0 / 5},
         {3.0 / 40, 9.0 / 40},
         {44.0 / 45, -56.0 / 15, 32.0 / 9},
         {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
         {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
         {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}};
    static constexpr std::array<double, 7> e{71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                             -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    derivative(state_, k_[0]);
    for (size_t s = 0; s < 6; ++s) {
      auto& to = s == 5 ? next_ : stage_;
      for (size_t i = 0; i < state_.size(); ++i) {
        double sum = 0.0;
        for (size_t r = 0; r <= s; ++r) sum += a[s][r] * k_[r][i];
        to[i] = state_[i] + h * sum;
      }
      derivative(to, k_[s + 1]);
    }
    double worst = 0.0;
    for (size_t i = 0; i < state_.size(); ++i) {
      double error = 0.0;
      for (size_t s = 0; s < 7; ++s) error += e[s] * k_[s][i];
      worst = std::max(worst, std::abs(h * error) / (settings_.tolerance * (1.0 + std::abs(state_[i]))));
    }
    return settings_.tolerance > 0.0 ? worst : 0.0;
  }

  void adaptive(double period_s) {
    constexpr int most_steps = 100000;
    double done = 0.0;
    double h = step_s_ > 0.0 ? step_s_ : period_s;
    if (settings_.step_s > 0.0) h = std::min(h, settings_.step_s);
    for (int k = 0; k < most_steps && done < period_s; ++k) {
      const bool last = h >= period_s - done;
      const double step = last ? period_s - done : h;
      const double error = dormand_prince(step);
      if (error <= 1.0 || step < 1e-9) {
        state_.swap(next_);
        done = last ? period_s : done + step;
      }
      const double factor = error > 0.0 ? std::clamp(0.9 * std::pow(error, -0.2), 0.2, 5.0) : 5.0;
      if (!last || error > 1.0) h = step * factor;
      if (settings_.step_s > 0.0) h = std::min(h, settings_.step_s);
    }
    step_s_ = h;
  }

  PlantSettings settings_;
  RobotDescription robot_;
  ModelOptions options_;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Workspace<double>> kinematics_;
  std::vector<JointForces> joints_;
  int n_ = 0;

  std::vector<double> state_, next_, stage_;  // (q, v)
  std::array<std::vector<double>, 7> k_;
  std::vector<double> effort_, total_;
  std::vector<std::vector<double>> delayed_;
  size_t head_ = 0;
  double step_s_ = 0.0;

  bool pushing_ = false;
  int push_body_ = -1;
  Vec3d push_force_ = Vec3d::Zero(), push_point_ = Vec3d::Zero();

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace

std::unique_ptr<Plant> make_native_plant(const RobotDescription& robot, const PlantSettings& settings,
                                         const Vec3d& gravity_mps2) {
  return std::make_unique<NativePlant>(robot, settings, gravity_mps2);
}

}  // namespace dyn::sim
