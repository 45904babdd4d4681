// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The plant of this project: the fastest forward dynamics that fits the robot, integrated between two control cycles by
// Dormand and Prince with adaptive steps, or with fixed steps if the tolerance is 0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "body_friction.hpp"
#include "drives.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/kinematics/point_force.hpp"
#include "dyn_core/regressor.hpp"
#include "dyn_sim/dormand_prince.hpp"
#include "overrides.hpp"

namespace dyn::sim {
namespace {

// Per coordinate.
struct EndStops {
  double lower = 0.0, upper = 0.0;
  bool has_stops = false;
};

// An end stop: a stiff spring with a damper that only pushes.
double stop_torque(const EndStops& joint, double q, double v) {
  constexpr double stiffness = 2e4, damping = 200.0;
  if (q > joint.upper) return std::min(0.0, -stiffness * (q - joint.upper) - damping * v);
  if (q < joint.lower) return std::max(0.0, stiffness * (joint.lower - q) - damping * v);
  return 0.0;
}

std::vector<EndStops> end_stops(const Model& model, const PlantSettings& settings) {
  std::vector<EndStops> all;
  for (const Joint& joint : model.joints()) {
    EndStops stops;
    const JointDescription& d = joint.description;
    if (settings.limits && d.limits) {
      stops.has_stops = d.limits->has_position && joint.degrees == 1;
      stops.lower = d.limits->lower;
      stops.upper = d.limits->upper;
    }
    all.insert(all.end(), joint.degrees, stops);
  }
  return all;
}

std::vector<BodyFriction> frictions(const Model& model, const PlantSettings& settings) {
  if (!settings.friction) return {};
  auto all = body_frictions(model);
  for (BodyFriction& f : all) f.joint.stribeck += (settings.stiction_ratio - 1.0) * f.joint.coulomb;
  return all;
}

class NativePlant final : public Plant {
 public:
  NativePlant(const RobotDescription& robot, PlantSettings settings, const Vec3d& gravity_mps2)
      : settings_(std::move(settings)), drives_(settings_), sensors_(settings_.noise, settings_.seed) {
    check_step(settings_.step_s);
    if (!settings_.walls.empty()) {
      throw ModelError(robot.name + ": plant: walls: the native engine has no contacts; engine mujoco has");
    }
    integrator_.give_up_on(settings_.give_up);
    options_.gravity_mps2 = gravity_mps2;
    options_.armature = settings_.armature;
    options_.allow_impossible_inertia = settings_.allow_impossible_inertia;
    rebuild(with_overrides(robot, settings_));
  }

  const Model& model() const override { return *model_; }
  std::span<const double> q() const override { return std::span(state_).first(n_); }
  std::span<const double> v() const override { return std::span(state_).last(n_); }

  void reset(std::span<const double> q, std::span<const double> v) override {
    std::copy(q.begin(), q.end(), state_.begin());
    std::copy(v.begin(), v.end(), state_.begin() + n_);
    drives_.reset();
    integrator_.forget_step();
  }

  void measure(std::span<double> seen_q, std::span<double> seen_v) override {
    sensors_.joints(q(), v(), seen_q, seen_v);
  }

  void measure_torque(std::span<double> tau) override {
    derivative(state_, rates_);
    drive_torque(std::span(rates_).last(n_), tau.first(n_));
    for (int i = 0; i < n_; ++i) tau[i] = drives_.effort()[i] - tau[i];
    for (const BodyFriction& f : frictions_) tau[f.coordinate] -= f.torque(v()[f.coordinate]);
    sensors_.torque(tau.first(n_));
  }

  void acceleration(std::span<double> a) override {
    derivative(state_, rates_);
    std::copy_n(rates_.begin() + n_, n_, a.begin());
  }

  void command(std::span<const double> effort) override { drives_.take(effort); }

  void hold(double period_s) override {
    const auto rates = [this](double /*t_s*/, const std::vector<double>& x, std::vector<double>& xdot) {
      derivative(x, xdot);
    };
    if (settings_.tolerance > 0.0) {
      integrator_.adaptive(rates, 0.0, period_s, settings_.tolerance, settings_.step_s, state_);
    } else {
      const double wanted = settings_.step_s > 0.0 ? settings_.step_s : period_s;
      integrator_.fixed(rates, 0.0, period_s, steps_in(period_s, wanted), state_);
    }
  }

  void take_over(const Plant& other, std::span<const int> from) noexcept override {
    const auto& before = static_cast<const NativePlant&>(other);
    for (int i = 0; i < n_; ++i) {
      const int k = from[i];
      state_[i] = k < 0 ? 0.0 : before.state_[k];
      state_[n_ + i] = k < 0 ? 0.0 : before.state_[before.n_ + k];
    }
    drives_.take_over(before.drives_, from);
    sensors_ = before.sensors_;
  }

  void attach(const Payload& payload) override { rebuild(dyn::attach(model_->description(), payload)); }
  void detach(const std::string& name) override { rebuild(dyn::detach(model_->description(), name)); }

  void set_pushes(std::span<const Push> pushes) override {
    check_pushes(*model_, pushes);
    pushes_.assign(pushes.begin(), pushes.end());
    find_pushed();
  }

 private:
  // The same coordinates keep their state, by name; new ones start at rest at q = 0.
  void rebuild(const RobotDescription& description) {
    auto model = std::make_shared<const Model>(Model::build(description, options_));
    const auto same = same_coordinates(model_ ? *model_ : *model, *model);
    const std::vector<double> before = state_;
    const int n = model->coordinates();
    state_.assign(2 * n, 0.0);
    for (int i = 0; model_ && i < n; ++i) {
      if (same[i] < 0) continue;
      state_[i] = before[same[i]];
      state_[n + i] = before[n_ + same[i]];
    }
    model_ = std::move(model);
    n_ = n;
    dynamics_ = std::make_unique<Dynamics>(model_);
    const auto& joints = model_->description().joints;
    const bool rotors = std::any_of(joints.begin(), joints.end(), [](const auto& joint) { return joint.is_rotor; });
    regressor_ = rotors ? std::make_unique<Regressor>(model_) : nullptr;
    kinematics_ = std::make_unique<Workspace<double>>(model_->bodies());
    stops_ = end_stops(*model_, settings_);
    frictions_ = frictions(*model_, settings_);
    integrator_.resize(2 * n);
    rates_.assign(2 * n, 0.0);
    total_.assign(n, 0.0);
    drives_.fit(*model_, same);
    find_pushed();
  }

  // Body indices change when a payload is attached or detached.
  void find_pushed() {
    pushed_.clear();
    for (const Push& push : pushes_) {
      const Link* const link = model_->find_link(push.link);
      if (link == nullptr || link->body < 0 || push.force_N.isZero(0.0)) continue;
      pushed_.push_back({link->body, link->body_T_link.R * push.point_m + link->body_T_link.p_m, push.force_N});
    }
  }

  // With which the drives accelerate themselves.
  void drive_torque(std::span<const double> a, std::span<double> tau) {
    if (regressor_ && regressor_->update(q(), v(), a).ok()) return regressor_->drive_torque(a, tau);
    for (int i = 0; i < n_; ++i) tau[i] = model_->tree().armature[i] * a[i];
  }

  // xdot = (v, qdd(q, v)) of a state x = (q, v).
  void derivative(const std::vector<double>& x, std::vector<double>& xdot) {
    const std::span<const double> q(x.data(), n_);
    const std::span<const double> v(x.data() + n_, n_);
    for (int i = 0; i < n_; ++i) {
      total_[i] = drives_.effort()[i];
      if (stops_[i].has_stops) total_[i] += stop_torque(stops_[i], q[i], v[i]);
      xdot[i] = v[i];
    }
    for (const BodyFriction& f : frictions_) total_[f.coordinate] -= f.torque(v[f.coordinate]);
    if (!pushed_.empty()) add_pushes(q);
    const std::span<double> qdd(xdot.data() + n_, n_);
    Status status = dynamics_->update_terms(q, v, 0);
    if (status.ok()) status = dynamics_->forward(total_, qdd);
    if (!status.ok()) std::fill(qdd.begin(), qdd.end(), std::numeric_limits<double>::quiet_NaN());
  }

  void add_pushes(std::span<const double> q) {
    const Tree& tree = model_->tree();
    Workspace<double>& ws = *kinematics_;
    spread_positions(tree, q.data(), ws);
    update_kinematics(tree, ws, needs_positions);
    for (const Pushed& push : pushed_) {
      const Vec3d point = ws.origin[push.body] + ws.R[push.body] * push.point_m;
      add_point_force<double>(tree, ws, push.body, point, push.force_N, total_);
    }
  }

  struct Pushed {
    int body;
    Vec3d point_m, force_N;  // frame of the body; of the base
  };

  PlantSettings settings_;
  Drives drives_;
  Sensors sensors_;
  ModelOptions options_;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Workspace<double>> kinematics_;
  std::unique_ptr<Regressor> regressor_;  // of robots with rotors
  std::vector<EndStops> stops_;
  std::vector<BodyFriction> frictions_;
  int n_ = 0;

  std::vector<double> state_, rates_;  // (q, v); its derivative, for the torque sensors
  DormandPrince integrator_;
  std::vector<double> total_;

  std::vector<Push> pushes_;
  std::vector<Pushed> pushed_;  // those of links that move
};

}  // namespace

std::unique_ptr<Plant> make_native_plant(const RobotDescription& robot, const PlantSettings& settings,
                                         const Vec3d& gravity_mps2) {
  return std::make_unique<NativePlant>(robot, settings, gravity_mps2);
}

}  // namespace dyn::sim
