// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The intended motion of the arm: position, velocity and acceleration of every robot coordinate at any time.
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::sim {

class Trajectory {
 public:
  virtual ~Trajectory() = default;
  [[nodiscard]] virtual double duration_s() const noexcept = 0;  // infinity if it never ends
  // Real-time safe. Before its beginning and after its end it is at rest at its first and last point.
  virtual void sample(double time_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept = 0;
};

using Point = std::vector<double>;  // one value per coordinate

// Between way points, at rest in each: quintic in time; the slowest joint determines the duration, so that no velocity
// exceeds `velocity_scale` times its limit.
std::unique_ptr<Trajectory> make_quintic(const std::vector<Point>& way_points, const Point& velocity_limits,
                                         double velocity_scale);
// The same with `move_s` seconds for every move.
std::unique_ptr<Trajectory> make_timed_quintic(const std::vector<Point>& way_points, double move_s);

// Between way points, at rest in each: acceleration, constant velocity, deceleration; all joints synchronised.
std::unique_ptr<Trajectory> make_trapezoidal(const std::vector<Point>& way_points, const Point& velocity_limits,
                                             const Point& acceleration_limits);

// q = centre + amplitude sin(2 pi f t + phase).
std::unique_ptr<Trajectory> make_sinusoid(const Point& centre, const Point& amplitude, const Point& frequency_hz,
                                          const Point& phase_rad);

// Exciting: q = centre + sum over k of a_k sin(k w t) + b_k cos(k w t), random coefficients of the given amplitude that
// start and end at rest.
std::unique_ptr<Trajectory> make_fourier(const Point& centre, const Point& amplitude, double base_hz, int harmonics,
                                         unsigned seed);

// A robot coordinate's name and its range: the position limits of a revolute or prismatic joint.
struct CoordinateRange {
  std::string name;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};
std::vector<CoordinateRange> coordinate_ranges(const Model& model);
// "joint 'elbow' at 3.5 is outside its limits, -2 to 2" for the first one outside; empty if none is.
std::string find_outside(const std::vector<CoordinateRange>& ranges, const Point& q);

// Rows of time and q of every coordinate; cubic splines between them. With a heading (time, then coordinates by name or
// as q.NAME) the columns may be in any order; without one they are in the robot's order. Throws ModelError naming file
// and line.
std::unique_ptr<Trajectory> load_trajectory(const std::filesystem::path& csv,
                                            const std::vector<CoordinateRange>& coordinates);

}  // namespace dyn::sim
