// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Paper 000 (Wang and Ju), section 7.2, Figs 7 to 9: traction control of a whole rover that drives a circle on rugged
// ground, front joints steered to 5, middle to 0, rear to -5 degrees. The paper gives neither the rover nor the ground
// nor the control law: rover_model.hpp, rover_ground.hpp and rover_drive.hpp have ours. Whether Fig. 9's finding comes
// from the rocker arm is asked of several grounds, with and without it.
#include <cmath>
#include <future>
#include <numbers>

#include "dyn_core/numeric/residual.hpp"
#include "output.hpp"
#include "study/rover_drive.hpp"
#include "study/scene_data.hpp"
#include "study/studies.hpp"

namespace dyn::study {
namespace {

using cli::number;

constexpr double degree = std::numbers::pi / 180.0;
constexpr double duration_s = 30.0, trial_s = 10.0, settled_s = 2.0;  // a whole circle; one trial of the experiment
constexpr int every = 20;                                             // cycles from one row of the log to the next
constexpr std::uint64_t shown_ground = 1;
constexpr int grounds = 8;
constexpr double middle_m = 5.0, half_width_m = 3.0;  // of the ground

// The rocker's pivot half way between front wheel and bogie, so that the front wheel carries the most; where all wheels
// carry about the same; and nothing that turns.
const Suspension halves{"rocker, pivot half way", 1.0 / 2.0};
const Suspension thirds{"rocker, pivot at two thirds", 2.0 / 3.0};
const Suspension rigid{"no rocker (locked), pivot half way", 1.0 / 2.0, true};

Ground ground_of(std::uint64_t seed) { return {seed, middle_m, middle_m, half_width_m}; }

using PerWheel = std::array<std::vector<double>, 6>;

struct Log {
  std::vector<double> t, x, y, z;
  PerWheel steering_deg, steering_torque, drive_torque, load, slip;
  std::vector<std::vector<double>> q;
  std::array<double, 6> steering_rad{};  // wanted
};

Log drive(const Suspension& suspension, std::uint64_t seed, double until_s, bool wheel_forces = true) {
  const Ground ground = ground_of(seed);
  RoverDrive rover(suspension, ground, wheel_forces);
  Log log;
  for (size_t w = 0; w < 6; ++w) log.steering_rad[w] = rover.wanted_steering(w);
  const int cycles = static_cast<int>(std::lround(until_s / control_period_s));
  for (int k = 0; k <= cycles; ++k) {
    rover.advance(k * control_period_s);
    if (k % every != 0) continue;
    const std::vector<double>& state = rover.state();
    log.t.push_back(k * control_period_s);
    log.x.push_back(state[0]);
    log.y.push_back(state[1]);
    log.z.push_back(state[2]);
    log.q.emplace_back(state.begin(), state.begin() + rover.model().coordinates());
    for (size_t w = 0; w < 6; ++w) {
      log.steering_deg[w].push_back(rover.steering(w) / degree);
      log.steering_torque[w].push_back(rover.steering_torque(w));
      log.drive_torque[w].push_back(rover.drive_torque(w));
      log.load[w].push_back(rover.load(w));
      log.slip[w].push_back(rover.slip(w));
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
    const double x = log.x[k] - middle_m, y = log.y[k] - middle_m;
    const Vec3d row(2.0 * x, 2.0 * y, 1.0);
    A += row * row.transpose();
    b += row * (x * x + y * y);
  }
  const Vec3d s = A.inverse() * b;
  return std::sqrt(s.z() + s.x() * s.x() + s.y() * s.y());
}

struct Spread {
  double mean = 0.0, deviation = 0.0;
};

// From a time on; the deviation of n values is taken over n - 1.
Spread spread_of(const std::vector<double>& values, const std::vector<double>& t_s, double from_s) {
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (size_t k = 0; k < values.size(); ++k) {
    if (!t_s.empty() && t_s[k] < from_s) continue;
    sum += values[k];
    squares += values[k] * values[k];
    count += 1.0;
  }
  return {sum / count, std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1.0)))};
}

std::string text_of(const Spread& s) { return number(s.mean, 3) + " +- " + number(s.deviation, 2); }

// Of all wheels that stand on the ground: the largest slip, and how often it is beyond the law's bound.
struct Slip {
  double largest = 0.0, share_beyond = 0.0;
};

Slip slip_of(const Log& log) {
  Slip slip;
  double beyond = 0.0, all = 0.0;
  for (size_t w = 0; w < 6; ++w) {
    for (size_t k = 0; k < log.t.size(); ++k) {
      if (log.t[k] < settled_s || !(log.load[w][k] > 0.0)) continue;
      const double now = std::abs(log.slip[w][k]);
      slip.largest = larger_error(slip.largest, now);
      beyond += now > slip_bound ? 1.0 : 0.0;
      all += 1.0;
    }
  }
  slip.share_beyond = beyond / all;
  return slip;
}

double largest_steering_error_deg(const Log& log, size_t wheel) {
  double largest = 0.0;
  for (size_t k = 0; k < log.t.size(); ++k) {
    if (log.t[k] < settled_s) continue;
    largest = larger_error(largest, std::abs(log.steering_deg[wheel][k] - log.steering_rad[wheel] / degree));
  }
  return largest;
}

void draw(Record& record, const Log& log) {
  const auto left = [&](const char* file, const char* title, const char* unit, const PerWheel& values,
                        const Item& item) {
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
  record.figure({"path",
                 "Path of the body",
                 "x, m",
                 "y, m",
                 log.x,
                 {{"body", log.y}},
                 false,
                 true,
                 {"Fig. 7", "a circle on rugged ground", "from (5 m, 5 m), seen from above"}});
  Figure height{"height", "Height on the way", "t, s", "m", log.t, {{"body", log.z}, {"ground below it", {}}}};
  const Ground ground = ground_of(shown_ground);
  for (size_t k = 0; k < log.t.size(); ++k) {
    height.series[1].y.push_back(ground.at(log.x[k], log.y[k]).height_m);
  }
  record.figure(height);
  left("steering", "Left direction joints", "degrees", log.steering_deg,
       {"Fig. 8", "direction joints are controlled to 5, 0 and -5 degrees", "so are ours; see the table below"});
  left("steering_torques", "Torques of the left direction joints", "N m", log.steering_torque,
       {"Fig. 9", "thanks to the rocker arm, middle and rear fluctuate less than front",
        "so they do; see the experiment below, with and without the rocker"});
  left("drive_torques", "Drive torques of the left wheels", "N m", log.drive_torque, {});
  left("slip", "Slip of the left wheels", "(rim - hub) / the larger", log.slip, {});
  left("loads", "Loads of the left wheels", "N", log.load, {});
}

void animate(Record& record, const Log& log) {
  Animation animation;
  const Model model = Model::build(rover_description(halves));
  animation.robot = model.description();
  animation.coordinates = model.coordinate_names();
  animation.thickness_m = 0.02;
  const Ground ground = ground_of(shown_ground);
  const Terrain shape{middle_m - 1.0, middle_m - 2.0, 0.04, 101};
  animation.terrain = shape;
  for (int row = 0; row < shape.count; ++row) {
    for (int column = 0; column < shape.count; ++column) {
      animation.terrain.heights_m.push_back(
          ground.at(shape.x_m + column * shape.step_m, shape.y_m + row * shape.step_m).height_m);
    }
  }
  for (size_t k = 0; k < log.t.size(); k += 2) {
    animation.time_s.push_back(log.t[k]);
    animation.q.push_back(log.q[k]);
  }
  record.scene("The rover on its circle, in 3D", animation,
               {"Fig. 7", "a circle on rugged ground, shown in 3D", "30 s of it"});
}

void tell_motion(Record& record, const Log& log) {
  Grid grid{{"left joint", "wanted, deg", "largest error after 2 s, deg", "the same, wheel forces not in the law, deg",
             "steering torque, spread, N m", "drive torque, spread, N m"},
            {}};
  const Log without = drive(halves, shown_ground, trial_s, false);
  double worst = 0.0;
  for (size_t w = 0; w < 3; ++w) {
    const double error = largest_steering_error_deg(log, w);
    worst = larger_error(worst, error);
    grid.rows.push_back({rover_wheels(halves)[w].place, number(log.steering_rad[w] / degree), number(error, 3),
                         number(largest_steering_error_deg(without, w), 3),
                         number(spread_of(log.steering_torque[w], log.t, settled_s).deviation, 3),
                         number(spread_of(log.drive_torque[w], log.t, settled_s).deviation, 3)});
  }
  record.table("Direction joints on rugged ground", grid);
  const double radius = radius_of(log), by_angles = RoverDrive::turning_radius_m();
  record.compare("radius of the circle, m", "not given",
                 number(radius, 4) + "; by the steering angles alone " + number(by_angles, 4));
  record.check("direction joints off the wanted angle after 2 s, degrees", worst, 0.5);
  record.check("radius against that of the steering angles, relative", std::abs(radius / by_angles - 1.0), 0.15);
  const Slip slip = slip_of(log);
  record.check("largest slip of a wheel on the ground after 2 s", slip.largest, 0.5);
  record.check("share of wheels and time with slip beyond the law's bound of " + number(slip_bound), slip.share_beyond,
               0.01);
}

// Of one suspension over all grounds: spread of the left steering torques, N m, and front by the larger of the others.
struct Outcome {
  std::array<std::vector<double>, 3> torque;
  std::vector<double> front_by_others, load_front, way_m;
  int front_largest = 0;
};

Outcome outcome_of(const std::vector<Log>& logs) {
  Outcome out;
  for (const Log& log : logs) {
    std::array<double, 3> d{};
    for (size_t w = 0; w < 3; ++w) {
      d[w] = spread_of(log.steering_torque[w], log.t, settled_s).deviation;
      out.torque[w].push_back(d[w]);
    }
    out.front_by_others.push_back(d[0] / std::max(d[1], d[2]));
    out.front_largest += d[0] > std::max(d[1], d[2]) ? 1 : 0;
    double loads = 0.0;
    for (size_t w = 0; w < 3; ++w) loads += spread_of(log.load[w], log.t, settled_s).mean;
    out.load_front.push_back(spread_of(log.load[0], log.t, settled_s).mean / loads);
    double way = 0.0;
    for (size_t k = 1; k < log.t.size(); ++k) way += std::hypot(log.x[k] - log.x[k - 1], log.y[k] - log.y[k - 1]);
    out.way_m.push_back(way);
  }
  return out;
}

std::vector<Log> trials(const Record& record, const Suspension& suspension) {
  std::vector<Log> logs(grounds);
  const auto half = [&](size_t first) {
    for (size_t k = first; k < logs.size(); k += 2) logs[k] = drive(suspension, shown_ground + k, trial_s);
  };
  record.progress("rover: " + suspension.name + ", " + std::to_string(grounds) + " grounds");
  auto other = std::async(std::launch::async, half, 1);
  half(0);
  other.get();
  return logs;
}

void experiment(Record& record) {
  Grid grid{{"suspension", "front, N m", "middle, N m", "rear, N m", "front / larger of the others",
             "grounds with front largest", "share of load on front", "way in 10 s, m"},
            {},
            "experiment"};
  double apart = 0.0;
  int front_first = 0;
  for (const Suspension* s : {&halves, &thirds, &rigid}) {
    const Outcome out = outcome_of(trials(record, *s));
    const auto over = [](const std::vector<double>& values) { return spread_of(values, {}, 0.0); };
    grid.rows.push_back({s->name, text_of(over(out.torque[0])), text_of(over(out.torque[1])),
                         text_of(over(out.torque[2])), text_of(over(out.front_by_others)),
                         std::to_string(out.front_largest) + " of " + std::to_string(grounds),
                         text_of(over(out.load_front)), text_of(over(out.way_m))});
    record.compare(
        "Fig. 9: fluctuation of steering torques, " + s->name, "front larger than middle and rear",
        "front " + grid.rows.back()[1] + ", middle " + grid.rows.back()[2] + ", rear " + grid.rows.back()[3] + " N m");
    if (s != &halves) continue;
    apart = over(out.front_by_others).mean;
    front_first = out.front_largest;
  }
  record.table("Fluctuation of the left steering torques, mean and spread over 8 grounds", grid);
  record.check("the larger of middle and rear by front, mean over the grounds, pivot half way", 1.0 / apart, 1.0);
  record.check("grounds on which front is not the largest, pivot half way", grounds - front_first, 2.0);
}

}  // namespace

void rover(Record& record) {
  record.say(
      "Paper 000 (Wang and Ju), section 7.2: a rover of 21 degrees of freedom with the rocker arm of Table 3 on "
      "either side drives a circle on rugged ground at " +
      number(rover_speed_mps) +
      " m/s for 30 s from (5 m, 5 m). Steering: computed torque on the whole tree, the base's motion and the wheels' "
      "forces in it. Driving: torque from the wanted rim speed and the wheel's load.");
  record.progress("rover: 30 s on one ground");
  const Log log = drive(halves, shown_ground, duration_s);
  animate(record, log);
  draw(record, log);
  tell_motion(record, log);
  experiment(record);
}

}  // namespace dyn::study
