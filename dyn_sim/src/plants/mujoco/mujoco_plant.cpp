// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// MuJoCo as the arm: its forward dynamics, its constraint solver for Coulomb friction and end stops, its integrators
// (rk4: fourth order, for precision; implicitfast: first order, for stiff friction and damping). The drive's torque
// acts as qfrc_applied, a push as xfrc_applied of its body. Attaching or detaching a payload makes a new MuJoCo model
// from the new description; positions and velocities are carried over by name.
#include <algorithm>
#include <array>
#include <cmath>

#include "body_friction.hpp"
#include "compiled.hpp"
#include "dyn_core/error.hpp"
#include "plants/drives.hpp"
#include "plants/overrides.hpp"

namespace dyn::sim {
namespace {

constexpr double largest_step_s = 5e-4;  // unless the configuration sets another

bool is_viscous_and_coulomb(const JointFriction& joint) {
  return joint.offset == 0.0 && joint.stribeck == 0.0 && joint.damping_change == 0.0 && joint.coulomb_change == 0.0;
}

class MujocoPlant final : public Plant {
 public:
  MujocoPlant(const RobotDescription& robot, PlantSettings settings, const Vec3d& gravity_mps2)
      : mj_(mujoco::library()),
        settings_(std::move(settings)),
        drives_(settings_),
        sensors_(settings_.noise, settings_.seed) {
    if (settings_.friction && settings_.stiction_ratio != 1.0) {
      throw ModelError(robot.name + ": plant: MuJoCo's friction has no stiction_ratio (" +
                       std::to_string(settings_.stiction_ratio) + "); the native engine has");
    }
    const RobotDescription own = with_overrides(robot, settings_);
    check_step(settings_.step_s);
    check_walls(robot.name);
    options_.gravity_mps2 = gravity_mps2;
    options_.armature = settings_.armature;
    options_.allow_impossible_inertia = settings_.allow_impossible_inertia;
    rebuild(own);
  }

  const Model& model() const override { return *model_; }
  std::span<const double> q() const override { return q_; }
  std::span<const double> v() const override { return v_; }

  void reset(std::span<const double> q, std::span<const double> v) override {
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(v.begin(), v.end(), v_.begin());
    drives_.reset();
    write_state();
  }

  void measure(std::span<double> q, std::span<double> v) override { sensors_.joints(q_, v_, q, v); }

  // The part of the constraint solver is friction and end stops; a stop acts on the link, friction on the drive.
  void measure_torque(std::span<double> tau) override {
    put_torques();
    mj_.forward(sim_.model.get(), sim_.data.get());
    const mjData& d = *sim_.data;
    const Tree& tree = model_->tree();
    for (size_t i = 0; i < q_.size(); ++i) {
      tau[i] = drives_.effort()[i] - tree.armature[i] * d.qacc[sim_.dof[sim_.lead[i]]];
    }
    for (int b = 0; b < tree.size; ++b) tau[tree.coordinate[b]] += tree.ratio[b] * d.qfrc_damper[sim_.dof[b]];
    for (const auto& [body, f] : rate_friction_) tau[f.coordinate] -= f.ratio * f.joint.offset;
    for (int k = 0; k < d.nefc; ++k) {
      if (d.efc_type[k] != mjCNSTR_FRICTION_DOF) continue;
      for (int b = 0; b < tree.size; ++b) {
        if (sim_.dof[b] == d.efc_id[k]) tau[tree.coordinate[b]] += tree.ratio[b] * d.efc_force[k];
      }
    }
    sensors_.torque(tau.first(q_.size()));
  }

  // The library allocates thread-local memory in the first step.
  void preallocate() override {
    const mujoco::DataPointer scratch(mj_.make_data(sim_.model.get()));
    mj_.step(sim_.model.get(), scratch.get());
  }

  void acceleration(std::span<double> a) override {
    put_torques();
    mj_.forward(sim_.model.get(), sim_.data.get());
    for (size_t i = 0; i < q_.size(); ++i) a[i] = sim_.data->qacc[sim_.dof[sim_.lead[i]]];
  }

  // A contact's force is that of its first geom on the second one, in the contact's axes. MuJoCo orders the geoms of a
  // contact by type, and planes, as which walls are made, are the first type.
  Vec3d wall_force() override {
    put_torques();
    mj_.forward(sim_.model.get(), sim_.data.get());
    Vec3d sum = Vec3d::Zero();
    for (int c = 0; c < sim_.data->ncon; ++c) {
      Eigen::Matrix<double, 6, 1> wrench;
      mj_.contact_force(sim_.model.get(), sim_.data.get(), c, wrench.data());
      const Eigen::Map<const Mat3d> axes(sim_.data->contact[c].frame);  // columns, since MuJoCo's rows are the axes
      sum += axes * wrench.head<3>();
    }
    return sum;
  }

  void command(std::span<const double> effort) override { drives_.take(effort); }

  void hold(double period_s) override {
    const int steps = steps_in(period_s, wanted_step_s());
    sim_.model->opt.timestep = period_s / steps;
    for (int k = 0; k < steps && !given_up(); ++k) {
      put_torques();
      mj_.step(sim_.model.get(), sim_.data.get());
    }
    read_state();
  }

  void take_over(const Plant& other, std::span<const int> from) noexcept override {
    const auto& before = static_cast<const MujocoPlant&>(other);
    for (size_t i = 0; i < q_.size(); ++i) {
      const int k = from[i];
      q_[i] = k < 0 ? 0.0 : before.q_[k];
      v_[i] = k < 0 ? 0.0 : before.v_[k];
    }
    sim_.data->time = before.sim_.data->time;
    drives_.take_over(before.drives_, from);
    sensors_ = before.sensors_;
    write_state();
  }

  void attach(const Payload& payload) override { rebuild(dyn::attach(model_->description(), payload)); }
  void detach(const std::string& name) override { rebuild(dyn::detach(model_->description(), name)); }

  void set_pushes(std::span<const Push> pushes) override {
    check_pushes(*model_, pushes);
    for (const Push& push : pushes) {
      const Link& link = *model_->find_link(push.link);
      if (link.body >= 0 && sim_.body[link.body] < 0) {
        throw ModelError("push: link '" + push.link + "' has no mass of its own in MuJoCo");
      }
    }
    pushes_.assign(pushes.begin(), pushes.end());
    find_pushed();
  }

 private:
  [[nodiscard]] bool given_up() const noexcept {
    return settings_.give_up != nullptr && settings_.give_up->load(std::memory_order_relaxed);
  }

  [[nodiscard]] double wanted_step_s() const { return settings_.step_s > 0.0 ? settings_.step_s : largest_step_s; }

  // MuJoCo would lengthen shorter ones.
  void check_walls(const std::string& robot) const {
    for (const Wall& wall : settings_.walls) {
      if (wall.time_constant_s >= 2.0 * wanted_step_s()) continue;
      throw ModelError(robot + ": plant: walls: link '" + wall.link + "': time_constant " +
                       std::to_string(wall.time_constant_s) + " s is shorter than two steps of " +
                       std::to_string(wanted_step_s()) + " s");
    }
  }

  void rebuild(const RobotDescription& description) {
    auto model = std::make_unique<const Model>(Model::build(description, options_));
    mujoco::Compiled fresh = mujoco::compile(*model, settings_);
    const auto same = same_coordinates(model_ ? *model_ : *model, *model);
    const std::vector<double> q = q_, v = v_;
    q_.assign(same.size(), 0.0);
    v_.assign(same.size(), 0.0);
    for (size_t i = 0; model_ && i < same.size(); ++i) {
      if (same[i] < 0) continue;
      q_[i] = q[same[i]];
      v_[i] = v[same[i]];
    }
    if (sim_.data) fresh.data->time = sim_.data->time;
    model_ = std::move(model);
    sim_ = std::move(fresh);
    drives_.fit(*model_, same);
    find_rate_friction();
    write_state();
    find_pushed();
  }

  void find_rate_friction() {
    rate_friction_.clear();
    if (!settings_.friction) return;
    const auto frictions = body_frictions(*model_);
    for (int b = 0; b < model_->bodies(); ++b) {
      if (!is_viscous_and_coulomb(frictions[b].joint)) rate_friction_.push_back({b, frictions[b]});
    }
  }

  void find_pushed() {
    pushed_.clear();
    for (const Push& push : pushes_) {
      const Link* const link = model_->find_link(push.link);
      const int body = link == nullptr || link->body < 0 ? -1 : sim_.body[link->body];
      if (body < 0 || push.force_N.isZero(0.0)) continue;
      pushed_.push_back({body, link->body_T_link.R * push.point_m + link->body_T_link.p_m, push.force_N});
    }
  }

  void write_state() {
    const Tree& tree = model_->tree();
    for (int b = 0; b < tree.size; ++b) {
      const auto c = tree.coordinate[b];
      sim_.data->qpos[sim_.dof[b]] = tree.offset[b] + tree.ratio[b] * q_[c];
      sim_.data->qvel[sim_.dof[b]] = tree.ratio[b] * v_[c];
    }
    std::fill_n(sim_.data->qacc_warmstart, sim_.model->nv, 0.0);
    mj_.forward(sim_.model.get(), sim_.data.get());  // poses of bodies, for a push in the first step
  }

  void read_state() {
    for (size_t i = 0; i < q_.size(); ++i) {
      const int dof = sim_.dof[sim_.lead[i]];
      q_[i] = sim_.data->qpos[dof];
      v_[i] = sim_.data->qvel[dof];
    }
  }

  // xfrc_applied is the force at the body's centre of mass, base frame, with the torque (p - c) x f.
  void put_torques() {
    mjData& d = *sim_.data;
    std::fill_n(d.qfrc_applied, sim_.model->nv, 0.0);
    for (size_t i = 0; i < q_.size(); ++i) d.qfrc_applied[sim_.dof[sim_.lead[i]]] = drives_.effort()[i];
    put_rate_friction();
    std::fill_n(d.xfrc_applied, 6 * sim_.model->nbody, 0.0);
    for (const auto& [b, point_m, force_N] : pushed_) {
      const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(d.xmat + 9 * b);
      const Vec3d arm =
          Eigen::Map<const Vec3d>(d.xpos + 3 * b) + R * point_m - Eigen::Map<const Vec3d>(d.xipos + 3 * b);
      Eigen::Map<Eigen::Matrix<double, 6, 1>> wrench(d.xfrc_applied + 6 * b);
      wrench.head<3>() += force_N;
      wrench.tail<3>() += arm.cross(force_N);
    }
  }

  // Friction and damping that depend on the size and sign of the velocity: MuJoCo's solver keeps them constant in each
  // step, so that a joint sticks as it does under Coulomb friction alone.
  void put_rate_friction() {
    mjModel& m = *sim_.model;
    for (const auto& [body, friction] : rate_friction_) {
      const JointFriction& f = friction.joint;
      const int dof = sim_.dof[body];
      const double v = sim_.data->qvel[dof], w = v / f.stribeck_velocity, s = std::tanh(v / friction_creep_rate);
      m.dof_frictionloss[dof] = std::max(0.0, f.coulomb + f.coulomb_change * s + f.stribeck * std::exp(-w * w));
      m.dof_damping[dof] = f.damping + f.damping_change * s;
      sim_.data->qfrc_applied[dof] -= f.offset;
    }
  }

  struct RateFriction {
    int body;
    BodyFriction friction;
  };

  struct Pushed {
    int body;                // of MuJoCo
    Vec3d point_m, force_N;  // frame of the body; of the base
  };

  const mujoco::Library& mj_;
  PlantSettings settings_;
  Drives drives_;
  Sensors sensors_;
  ModelOptions options_;
  std::unique_ptr<const Model> model_;
  mujoco::Compiled sim_;
  std::vector<double> q_, v_;
  std::vector<RateFriction> rate_friction_;  // of joints that have more than viscous and Coulomb friction

  std::vector<Push> pushes_;
  std::vector<Pushed> pushed_;  // those of links that move
};

}  // namespace

std::unique_ptr<Plant> make_mujoco_plant(const RobotDescription& robot, const PlantSettings& settings,
                                         const Vec3d& gravity_mps2) {
  return std::make_unique<MujocoPlant>(robot, settings, gravity_mps2);
}

std::string mujoco_missing() {
  try {
    (void)mujoco::library();
    return {};
  } catch (const ModelError& error) {
    return error.what();
  }
}

}  // namespace dyn::sim
