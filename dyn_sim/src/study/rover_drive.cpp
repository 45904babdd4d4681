// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/rover_drive.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/kinematics/point_force.hpp"
#include "study/helpers.hpp"

namespace dyn::study {
namespace {

constexpr double degree = std::numbers::pi / 180.0;
constexpr double start_m = 5.0, start_up_s = 1.0;  // where the paper's begins, in x and y; time to full speed
constexpr int substeps = 4;
constexpr double stiffness_Npm = 15e3, damping_Nspm = 150.0, sliding_mps = 0.01;  // of a wheel's contact
constexpr double steering_stiffness = 3600.0, steering_damping = 120.0;           // 1/s^2, 1/s
constexpr double traction_gain = 12.0;  // share of the load for each m/s that the rim lacks

double steering_of(const Wheel& wheel) {
  return wheel.place == "front" ? 5.0 * degree : wheel.place == "rear" ? -5.0 * degree : 0.0;
}

}  // namespace

double RoverDrive::turning_radius_m() { return turning_arm_m / std::tan(5.0 * degree); }

RoverDrive::RoverDrive(const Suspension& suspension, const Ground& ground, bool wheel_forces)
    : model_(Model::build(rover_description(suspension))),
      ground_(ground),
      wheel_forces_(wheel_forces),
      plant_(model_, {.forward = "fused"}),
      brain_(model_, {.jsim = "explicit"}),
      ws_(model_.bodies()),
      unsteered_(model_.coordinates()),
      tau_(size(), 0.0),
      total_(size(), 0.0),
      x_(2 * size(), 0.0),
      bias_(VecX<double>::Zero(model_.coordinates())),
      acceleration_(VecX<double>::Zero(model_.coordinates())) {
  const std::array<Wheel, 6> wheels = rover_wheels(suspension);
  std::vector<bool> steered(size(), false);
  double highest = 0.0;
  for (const Wheel& wheel : wheels) {
    Station s{wheel,
              coordinate(wheel.name() + "_steer"),
              coordinate(wheel.name() + "_drive"),
              model_.find_link(wheel.name() + "_wheel"),
              steering_of(wheel),
              1.0,
              {}};
    // The circle's centre is on the axis of the middle wheels, to the left.
    s.circle_share = std::hypot(turning_radius_m() - wheel.x_m, wheel.y_m - wheels[1].y_m) / turning_radius_m();
    steered[s.steer] = true;
    highest = std::max(highest, ground_.at(start_m + wheel.x_m, start_m + wheel.y_m).height_m);
    stations_.push_back(s);
  }
  unsteered_.choose(steered, model_.coordinates(), model_.coordinates());
  x_[0] = x_[1] = start_m;
  x_[2] = wheel_drop_m + wheel_radius_m + highest + 0.005;
  integrator_.resize(x_.size());
}

void RoverDrive::advance(double t_s) {
  control(t_s);
  const auto motion = [this](double, const std::vector<double>& x, std::vector<double>& xdot) { derivative(x, xdot); };
  integrator_.fixed(motion, t_s, control_period_s, substeps, x_);
}

size_t RoverDrive::coordinate(const std::string& joint) const {
  for (const Joint& j : model_.joints()) {
    if (j.description.name == joint) return static_cast<size_t>(j.first_coordinate);
  }
  throw ModelError("rover: there is no joint '" + joint + "'");
}

// Computed torque on the whole tree. With a: steering joints, whose accelerations are chosen, r: all others (base,
// rocker, bogies, drives), J^T f: the wheels' forces,
//   [Maa Mar; Mra Mrr] [aa; ar] + [ha; hr] = [tau_a; tau_r] + J^T f,  tau_r known:
//   ar = Mrr^-1 (tau_r + (J^T f)_r - hr - Mra aa),  tau_a = Maa aa + Mar ar + ha - (J^T f)_a.
void RoverDrive::control(double t_s) {
  const std::span<const double> q = std::span(x_).first(size()), v = std::span(x_).subspan(size());
  demand(brain_.update_terms(q, v, term_M | term_h), model_);
  update_positions(q, v);
  std::fill(total_.begin(), total_.end(), 0.0);
  for (Station& s : stations_) {
    s.contact = contact_of(s);
    if (wheel_forces_) add_point_force(model_.tree(), ws_, s.link->body, s.contact.point, s.contact.force, total_);
    tau_[s.drive] = traction_torque(s, t_s);
    total_[s.drive] += tau_[s.drive];
    acceleration_[s.steer] = steering_stiffness * (s.steering - q[s.steer]) - steering_damping * v[s.steer];
  }
  bias_ = brain_.h() - Eigen::Map<const VecX<double>>(total_.data(), bias_.size());
  demand(unsteered_.solve_accelerations(brain_.M(), {bias_.data(), bias_.size()},
                                        {acceleration_.data(), acceleration_.size()}),
         model_);
  for (const Station& s : stations_) {
    const Eigen::Index i = s.steer;
    tau_[s.steer] = brain_.M().row(i).dot(acceleration_) + bias_[i];
  }
}

// Traction by load: a share of r N in proportion to the speed that the rim lacks. The wanted speed is that of the
// wheel's circle, kept so near to the hub's that slip stays within its bound.
double RoverDrive::traction_torque(const Station& s, double t_s) const {
  const double hub = s.contact.hub_mps, room = slip_bound * std::max(std::abs(hub), least_speed_mps);
  const double circle = rover_speed_mps * std::min(1.0, t_s / start_up_s) * s.circle_share;
  const double wanted = std::clamp(circle, hub - room, hub + room);
  const double lacking = wanted - wheel_radius_m * x_[size() + s.drive];
  return wheel_radius_m * s.contact.load_N * std::clamp(traction_gain * lacking, -traction_share, traction_share);
}

void RoverDrive::update_positions(std::span<const double> q, std::span<const double> v) {
  spread_positions(model_.tree(), q.data(), ws_);
  spread_rates(model_.tree(), v.data(), ws_.v);
  update_kinematics(model_.tree(), ws_, needs_velocities);
}

void RoverDrive::derivative(const std::vector<double>& x, std::vector<double>& xdot) {
  const std::span<const double> q = std::span(x).first(size()), v = std::span(x).subspan(size());
  update_positions(q, v);
  total_ = tau_;
  for (const Station& s : stations_) {
    const Contact contact = contact_of(s);
    add_point_force(model_.tree(), ws_, s.link->body, contact.point, contact.force, total_);
  }
  std::copy(v.begin(), v.end(), xdot.begin());
  demand(plant_.update_terms(q, v, 0), model_);
  demand(plant_.forward(total_, std::span(xdot).subspan(size())), model_);
}

// A ball as large as the wheel on a spring and damper along the ground's normal n; Coulomb friction across it.
RoverDrive::Contact RoverDrive::contact_of(const Station& s) const {
  const size_t body = s.link->body;
  const Mat3d link_R = ws_.R[body] * s.link->body_T_link.R;
  const double out = s.wheel.x_m > 0.0 ? 1.0 : -1.0;
  const Vec3d centre = ws_.origin[body] + ws_.R[body] * s.link->body_T_link.p_m + out * wheel_offset_m * link_R.col(0);
  const Ground::Place ground = ground_.at(centre.x(), centre.y());
  const Vec3d& normal = ground.normal;
  const Vec3d forward = link_R.col(0).cross(normal).normalized();  // where it rolls to: axle x n
  const auto velocity = [&](const Vec3d& p) {
    return Vec3d(ws_.velocity[body] + ws_.omega[body].cross(p - ws_.origin[body]));
  };
  Contact contact;
  contact.point = centre - wheel_radius_m * normal;
  contact.hub_mps = velocity(centre).dot(forward);
  const Vec3d there = velocity(contact.point);
  const double approach = there.dot(normal);
  const Vec3d sliding = there - approach * normal;
  const double rim_mps = contact.hub_mps - sliding.dot(forward);
  contact.slip =
      (rim_mps - contact.hub_mps) / std::max({std::abs(rim_mps), std::abs(contact.hub_mps), least_speed_mps});
  const double depth = wheel_radius_m - (centre.z() - ground.height_m) * normal.z();
  if (depth <= 0.0) return contact;
  contact.load_N = std::max(0.0, stiffness_Npm * depth - damping_Nspm * approach);
  contact.force = contact.load_N * (normal - wheel_friction * sliding / std::hypot(sliding.norm(), sliding_mps));
  return contact;
}

}  // namespace dyn::study
