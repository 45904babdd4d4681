// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A rover that drives a circle on rugged ground: contact of the wheels, and the law of steering and driving joints.
#pragma once

#include <array>
#include <vector>

#include "dyn_core/control/passive_joints.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/kinematics/workspace.hpp"
#include "dyn_sim/dormand_prince.hpp"
#include "study/rover_ground.hpp"
#include "study/rover_model.hpp"

namespace dyn::study {

inline constexpr double rover_speed_mps = 0.25, control_period_s = 1e-3, wheel_friction = 0.7;
// The law of the drives: traction of at most this share of the load, and rim speeds within this share of the hub's.
inline constexpr double traction_share = 0.5, slip_bound = 0.2, least_speed_mps = 0.2;

class RoverDrive {
 public:
  // wheel_forces: whether the steering law has the contact forces, as sensors in the wheels tell them at the beginning
  // of a period; otherwise it takes them for zero.
  RoverDrive(const Suspension& suspension, const Ground& ground, bool wheel_forces);

  void advance(double t_s);  // one control period

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<double>& state() const { return x_; }  // q, then v
  [[nodiscard]] double wanted_steering(size_t wheel) const { return stations_[wheel].steering; }
  [[nodiscard]] double steering(size_t wheel) const { return x_[stations_[wheel].steer]; }
  [[nodiscard]] double steering_torque(size_t wheel) const { return tau_[stations_[wheel].steer]; }
  [[nodiscard]] double drive_torque(size_t wheel) const { return tau_[stations_[wheel].drive]; }
  // At the beginning of the last period; slip is (rim - hub) / the larger of them and least_speed_mps.
  [[nodiscard]] double load(size_t wheel) const { return stations_[wheel].contact.load_N; }
  [[nodiscard]] double slip(size_t wheel) const { return stations_[wheel].contact.slip; }

  // The circle of the body's middle that front and rear wheels at 5 and -5 degrees stand on.
  [[nodiscard]] static double turning_radius_m();

 private:
  struct Contact {
    Vec3d point = Vec3d::Zero(), force = Vec3d::Zero();
    double load_N = 0.0, hub_mps = 0.0, slip = 0.0;
  };
  struct Station {
    Wheel wheel;
    size_t steer = 0, drive = 0;  // coordinates
    const Link* link = nullptr;
    double steering = 0.0;      // wanted, rad
    double circle_share = 1.0;  // the wheel's circle to the body's
    Contact contact;
  };

  [[nodiscard]] size_t size() const { return static_cast<size_t>(model_.coordinates()); }
  [[nodiscard]] size_t coordinate(const std::string& joint) const;
  [[nodiscard]] Contact contact_of(const Station& station) const;
  [[nodiscard]] double traction_torque(const Station& station, double t_s) const;
  void update_positions(std::span<const double> q, std::span<const double> v);
  void control(double t_s);
  void derivative(const std::vector<double>& x, std::vector<double>& xdot);

  Model model_;
  const Ground& ground_;
  bool wheel_forces_;
  Dynamics plant_, brain_;
  Workspace<double> ws_;
  control::PassiveJoints unsteered_;  // all coordinates but the steering joints
  std::vector<Station> stations_;
  std::vector<double> tau_, total_, x_;
  VecX<double> bias_, acceleration_;
  sim::DormandPrince integrator_;
};

}  // namespace dyn::study
