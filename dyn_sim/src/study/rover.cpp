// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 000 (Wang and Ju), section 7.2, Figs 7 to 9: traction control of a whole rover that drives a circle on rugged
// ground, front joints steered to 5, middle to 0, rear to -5 degrees. The paper gives neither the rover nor the ground
// nor the control law; rover_model.hpp has ours.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/kinematics/point_force.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_sim/dormand_prince.hpp"
#include "output.hpp"
#include "study/helpers.hpp"
#include "study/rover_model.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;

constexpr double degree = std::numbers::pi / 180.0;
constexpr double speed_mps = 0.25, duration_s = 30.0, control_s = 1e-3, settled_s = 5.0;
constexpr int substeps = 4;
constexpr double stiffness_Npm = 15e3, damping_Nspm = 150.0, friction = 0.7, slip_mps = 0.01;  // of a wheel's contact

double steering_of(const Wheel& wheel) {
  return wheel.place == "front" ? 5.0 * degree : wheel.place == "rear" ? -5.0 * degree : 0.0;
}
// Front and rear wheels stand on circles about one point on the axis of the middle ones, to the left (against x).
double turning_radius_m() { return rover_wheels()[0].y_m / std::tan(5.0 * degree); }

class Rover {
 public:
  Rover()
      : model_(Model::build(rover_description())),
        plant_(model_, {.forward = "fused"}),
        brain_(model_, {.jsim = "explicit"}),
        ws_(model_.bodies()),
        tau_(size(), 0.0),
        total_(size(), 0.0),
        x_(2 * size(), 0.0) {
    for (const Wheel& wheel : rover_wheels()) {
      wheels_.push_back({wheel, coordinate(wheel.name() + "_steer"), coordinate(wheel.name() + "_drive"),
                         model_.find_link(wheel.name() + "_wheel")});
    }
    x_[0] = x_[1] = 5.0;  // m, where the paper's begins
    x_[2] = 0.08 + wheel_radius_m + 0.01;
    integrator_.resize(x_.size());
  }

  // One control period.
  void advance(double t_s) {
    control();
    const auto motion = [this](double, const std::vector<double>& x, std::vector<double>& xdot) {
      derivative(x, xdot);
    };
    integrator_.fixed(motion, t_s, control_s, substeps, x_);
  }

  [[nodiscard]] const std::vector<double>& state() const { return x_; }
  [[nodiscard]] double steering(size_t wheel) const { return x_[wheels_[wheel].steer]; }
  [[nodiscard]] double steering_torque(size_t wheel) const { return tau_[wheels_[wheel].steer]; }
  [[nodiscard]] double drive_torque(size_t wheel) const { return tau_[wheels_[wheel].drive]; }

 private:
  struct Station {
    Wheel wheel;
    size_t steer, drive;  // coordinates
    const Link* link;
  };

  [[nodiscard]] size_t size() const { return static_cast<size_t>(model_.coordinates()); }
  [[nodiscard]] size_t coordinate(const std::string& joint) const {
    for (const Joint& j : model_.joints()) {
      if (j.description.name == joint) return static_cast<size_t>(j.first_coordinate);
    }
    throw ModelError("rover: there is no joint '" + joint + "'");
  }

  // Steering: PD on acceleration through M's diagonal, and the bias; drives: a rate each, as its circle asks for.
  void control() {
    const std::span<const double> q = std::span(x_).first(size()), v = std::span(x_).subspan(size());
    demand(brain_.update_terms(q, v, term_M | term_h), model_);
    for (const Station& s : wheels_) {
      const auto i = static_cast<Eigen::Index>(s.steer);
      const double error = steering_of(s.wheel) - q[s.steer];
      tau_[s.steer] = brain_.M()(i, i) * (3600.0 * error - 120.0 * v[s.steer]) + brain_.h()[i];
      const double circle = std::hypot(turning_radius_m() + s.wheel.x_m, s.wheel.y_m);
      const double wanted = -speed_mps / wheel_radius_m * circle / turning_radius_m();
      tau_[s.drive] = 0.3 * (wanted - v[s.drive]);
    }
  }

  void derivative(const std::vector<double>& x, std::vector<double>& xdot) {
    const std::span<const double> q = std::span(x).first(size()), v = std::span(x).subspan(size());
    const Tree& tree = model_.tree();
    spread_positions(tree, q.data(), ws_);
    spread_rates(tree, v.data(), ws_.v);
    update_kinematics(tree, ws_, needs_velocities);
    total_ = tau_;
    for (const Station& s : wheels_) add_contact(s);
    std::copy(v.begin(), v.end(), xdot.begin());
    demand(plant_.update_terms(q, v, 0), model_);
    demand(plant_.forward(total_, std::span(xdot).subspan(size())), model_);
  }

  // A ball as large as the wheel on a spring and damper along the ground's normal; Coulomb friction across it.
  void add_contact(const Station& s) {
    const auto body = static_cast<size_t>(s.link->body);
    const double out = s.wheel.x_m > 0.0 ? 1.0 : -1.0;
    const Vec3d centre_in_body = s.link->body_T_link.R * Vec3d(out * wheel_offset_m, 0, 0) + s.link->body_T_link.p_m;
    const Vec3d centre = ws_.origin[body] + ws_.R[body] * centre_in_body;
    const Vec3d normal = ground_normal(centre.x(), centre.y());
    const double depth = wheel_radius_m - (centre.z() - ground_height(centre.x(), centre.y())) * normal.z();
    if (depth <= 0.0) return;
    const Vec3d point = centre - wheel_radius_m * normal;
    const Vec3d velocity = ws_.velocity[body] + ws_.omega[body].cross(point - ws_.origin[body]);
    const double approach = velocity.dot(normal);
    const double press = std::max(0.0, stiffness_Npm * depth - damping_Nspm * approach);
    const Vec3d slip = velocity - approach * normal;
    const Vec3d force = press * (normal - friction * slip / std::hypot(slip.norm(), slip_mps));
    add_point_force(model_.tree(), ws_, s.link->body, point, force, total_);
  }

  Model model_;
  Dynamics plant_, brain_;
  Workspace<double> ws_;
  std::vector<Station> wheels_;
  std::vector<double> tau_, total_, x_;
  sim::DormandPrince integrator_;
};

struct Log {
  std::vector<double> t, x, y;
  std::array<std::vector<double>, 6> steering_deg, steering_torque, drive_torque;
};

Log drive(const Record& record) {
  Rover rover;
  Log log;
  const int cycles = static_cast<int>(duration_s / control_s);
  for (int k = 0; k <= cycles; ++k) {
    if (k % 1000 == 0) record.progress("rover: " + std::to_string(k / 1000) + " of 30 s");
    rover.advance(k * control_s);
    if (k % 20 != 0) continue;
    log.t.push_back(k * control_s);
    log.x.push_back(rover.state()[0]);
    log.y.push_back(rover.state()[1]);
    for (size_t w = 0; w < 6; ++w) {
      log.steering_deg[w].push_back(rover.steering(w) / degree);
      log.steering_torque[w].push_back(rover.steering_torque(w));
      log.drive_torque[w].push_back(rover.drive_torque(w));
    }
  }
  return log;
}

// Radius of the circle through the path after settling, by least squares: x^2 + y^2 = 2 a x + 2 b y + c.
double radius_of(const Log& log) {
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  Vec3d b = Vec3d::Zero();
  for (size_t k = 0; k < log.t.size(); ++k) {
    if (log.t[k] < settled_s) continue;
    const double x = log.x[k] - 5.0, y = log.y[k] - 5.0;
    const Vec3d row(2.0 * x, 2.0 * y, 1.0);
    A += row * row.transpose();
    b += row * (x * x + y * y);
  }
  const Vec3d s = A.inverse() * b;
  return std::sqrt(s.z() + s.x() * s.x() + s.y() * s.y());
}

double spread_of(const Log& log, const std::vector<double>& values) {
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (size_t k = 0; k < values.size(); ++k) {
    if (log.t[k] < settled_s) continue;
    sum += values[k];
    squares += values[k] * values[k];
    count += 1.0;
  }
  return std::sqrt(std::max(0.0, squares / count - sum * sum / (count * count)));
}

void draw(Record& record, const Log& log) {
  const auto left = [&](const char* file, const char* title, const char* unit, const auto& values, const Item& item) {
    record.figure({file,
                   title,
                   "t, s",
                   unit,
                   log.t,
                   {{"front", values[0]}, {"middle", values[1]}, {"rear", values[2]}},
                   false,
                   false,
                   item});
  };
  left("steering", "Left direction joints", "degrees", log.steering_deg,
       {"Fig. 8", "direction joints are controlled to 5, 0 and -5 degrees", "so are ours; see the table below"});
  left("steering_torques", "Torques of the left direction joints", "N m", log.steering_torque,
       {"Fig. 9", "thanks to the rocker arm, middle and rear fluctuate less than front",
        "not so with our rover and law; see below"});
  left("drive_torques", "Drive torques of the left wheels", "N m", log.drive_torque, {});
  record.figure({"path",
                 "Path of the body",
                 "x, m",
                 "y, m",
                 log.x,
                 {{"body", log.y}},
                 false,
                 true,
                 {"Fig. 7", "a circle on rugged ground, shown in 3D", "from (5 m, 5 m), seen from above"}});
}

}  // namespace

void rover(Record& record) {
  record.say(
      "Paper 000 (Wang and Ju), section 7.2: a rover of 21 degrees of freedom with the rocker arm of Table 3 on "
      "either side drives a circle on rugged ground at " +
      number(speed_mps) + " m/s for 30 s from (5 m, 5 m).");
  const Log log = drive(record);
  draw(record, log);
  Grid grid{{"left joint", "wanted, deg", "largest error after 5 s, deg", "steering torque, spread, N m",
             "drive torque, spread, N m"},
            {}};
  double worst = 0.0;
  std::array<double, 3> spread{};
  for (size_t w = 0; w < 3; ++w) {
    const double wanted = steering_of(rover_wheels()[w]) / degree;
    double error = 0.0;
    for (size_t k = 0; k < log.t.size(); ++k) {
      if (log.t[k] >= settled_s) error = larger_error(error, std::abs(log.steering_deg[w][k] - wanted));
    }
    worst = larger_error(worst, error);
    spread[w] = spread_of(log, log.steering_torque[w]);
    grid.rows.push_back({rover_wheels()[w].place, number(wanted), number(error, 3), number(spread[w], 3),
                         number(spread_of(log, log.drive_torque[w]), 3)});
  }
  record.table("Direction joints on rugged ground", grid);
  record.compare(
      "torque fluctuation of the direction joints", "front larger than middle and rear",
      "front " + number(spread[0], 3) + ", middle " + number(spread[1], 3) + ", rear " + number(spread[2], 3) + " N m");
  const double radius = radius_of(log);
  record.compare("radius of the circle, m", "not given",
                 number(radius, 4) + "; by the steering angles alone " + number(turning_radius_m(), 4));
  record.check("direction joints off the wanted angle after 5 s, degrees", worst, 1.0);
  record.check("radius against that of the steering angles, relative", std::abs(radius / turning_radius_m() - 1.0),
               0.15);
}

}  // namespace dyn::study
