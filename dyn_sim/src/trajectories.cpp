// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include "dyn_core/error.hpp"
#include "dyn_sim/trajectory.hpp"
#include "progress.hpp"

namespace dyn::sim {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

// Ramps that take the share `ramp` of the duration at each end.
Progress trapezoid(double x, double ramp, double duration_s) noexcept {
  const double top = 1.0 / (1.0 - ramp);  // rate in units of 1 / duration
  const double a = top / ramp;
  if (x < ramp) return {0.5 * a * x * x, a * x / duration_s, a / (duration_s * duration_s)};
  if (x <= 1.0 - ramp) return {top * (x - 0.5 * ramp), top / duration_s, 0.0};
  const double y = 1.0 - x;
  return {1.0 - 0.5 * a * y * y, a * y / duration_s, -a / (duration_s * duration_s)};
}

struct Move {
  double begin_s, duration_s, ramp;  // ramp 0: quintic
};

class PointToPoint final : public Trajectory {
 public:
  PointToPoint(std::vector<Point> points, std::vector<Move> moves)
      : points_(std::move(points)), moves_(std::move(moves)) {}

  double duration_s() const noexcept override {
    return moves_.empty() ? 0.0 : moves_.back().begin_s + moves_.back().duration_s;
  }

  void sample(double time_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
    size_t k = 0;
    while (k + 1 < moves_.size() && time_s >= moves_[k + 1].begin_s) ++k;
    const Point& from = points_[std::min(k, points_.size() - 1)];
    const Point& to = points_[std::min(k + 1, points_.size() - 1)];
    Progress p{0.0, 0.0, 0.0};
    if (!moves_.empty()) {
      const Move& move = moves_[k];
      const double x = std::clamp((time_s - move.begin_s) / move.duration_s, 0.0, 1.0);
      p = move.ramp > 0.0 ? trapezoid(x, move.ramp, move.duration_s) : quintic(x, move.duration_s);
      if (x <= 0.0 || x >= 1.0) p.rate = p.acceleration = 0.0;
    }
    for (size_t i = 0; i < q.size(); ++i) {
      const double way = to[i] - from[i];
      q[i] = from[i] + way * p.s;
      v[i] = way * p.rate;
      a[i] = way * p.acceleration;
    }
  }

 private:
  std::vector<Point> points_;
  std::vector<Move> moves_;
};

class Sinusoid final : public Trajectory {
 public:
  Sinusoid(Point centre, Point amplitude, Point frequency_hz, Point phase)
      : centre_(std::move(centre)),
        amplitude_(std::move(amplitude)),
        frequency_(std::move(frequency_hz)),
        phase_(std::move(phase)) {}

  double duration_s() const noexcept override { return std::numeric_limits<double>::infinity(); }

  void sample(double time_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
    for (size_t i = 0; i < q.size(); ++i) {
      const double w = two_pi * frequency_[i];
      const double angle = w * time_s + phase_[i];
      q[i] = centre_[i] + amplitude_[i] * std::sin(angle);
      v[i] = amplitude_[i] * w * std::cos(angle);
      a[i] = -amplitude_[i] * w * w * std::sin(angle);
    }
  }

 private:
  Point centre_, amplitude_, frequency_, phase_;
};

class Fourier final : public Trajectory {
 public:
  Fourier(Point centre, std::vector<Point> sine, std::vector<Point> cosine, double base_hz)
      : centre_(std::move(centre)), sine_(std::move(sine)), cosine_(std::move(cosine)), w_(two_pi * base_hz) {}

  double duration_s() const noexcept override { return std::numeric_limits<double>::infinity(); }

  void sample(double time_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
    for (size_t i = 0; i < q.size(); ++i) {
      q[i] = centre_[i];
      v[i] = a[i] = 0.0;
      for (size_t k = 0; k < sine_[i].size(); ++k) {
        const double w = w_ * static_cast<double>(k + 1);
        const double s = std::sin(w * time_s);
        const double c = std::cos(w * time_s);
        q[i] += sine_[i][k] * s + cosine_[i][k] * c;
        v[i] += w * (sine_[i][k] * c - cosine_[i][k] * s);
        a[i] -= w * w * (sine_[i][k] * s + cosine_[i][k] * c);
      }
    }
  }

 private:
  Point centre_;
  std::vector<Point> sine_, cosine_;
  double w_;
};

void check_points(const std::vector<Point>& points) {
  if (points.empty()) throw ModelError("trajectory: there are no way points");
  for (size_t k = 0; k < points.size(); ++k) {
    if (points[k].size() != points.front().size()) {
      throw ModelError("trajectory: way point " + std::to_string(k) + " has " + std::to_string(points[k].size()) +
                       " values, but the first one has " + std::to_string(points.front().size()));
    }
    for (const double x : points[k]) {
      if (!std::isfinite(x)) throw ModelError("trajectory: way point " + std::to_string(k) + " is not finite");
    }
  }
}

template <class Duration>
std::vector<Move> moves_between(const std::vector<Point>& points, Duration&& duration) {
  std::vector<Move> moves;
  double begin = 0.0;
  for (size_t k = 0; k + 1 < points.size(); ++k) {
    Move move = duration(points[k], points[k + 1]);
    move.begin_s = begin;
    begin += move.duration_s;
    moves.push_back(move);
  }
  return moves;
}

constexpr double shortest_move_s = 1e-3;

}  // namespace

std::unique_ptr<Trajectory> make_quintic(const std::vector<Point>& way_points, const Point& velocity_limits,
                                         double velocity_scale) {
  check_points(way_points);
  auto moves = moves_between(way_points, [&](const Point& from, const Point& to) {
    double duration = shortest_move_s;
    for (size_t i = 0; i < from.size(); ++i) {
      const double limit = velocity_scale * velocity_limits.at(i);
      if (!(limit > 0.0)) {
        throw ModelError("trajectory: coordinate " + std::to_string(i) +
                         " has no velocity limit, which the timing needs");
      }
      duration = std::max(duration, 1.875 * std::abs(to[i] - from[i]) / limit);
    }
    return Move{0.0, duration, 0.0};
  });
  return std::make_unique<PointToPoint>(way_points, std::move(moves));
}

std::unique_ptr<Trajectory> make_timed_quintic(const std::vector<Point>& way_points, double move_s) {
  check_points(way_points);
  if (!(move_s >= shortest_move_s)) {
    throw ModelError("trajectory: move_time " + std::to_string(move_s) + " s is not at least 0.001 s");
  }
  return std::make_unique<PointToPoint>(way_points, moves_between(way_points, [&](const Point&, const Point&) {
                                          return Move{0.0, move_s, 0.0};
                                        }));
}

std::unique_ptr<Trajectory> make_trapezoidal(const std::vector<Point>& way_points, const Point& velocity_limits,
                                             const Point& acceleration_limits) {
  check_points(way_points);
  auto moves = moves_between(way_points, [&](const Point& from, const Point& to) {
    double cruise_s = 0.0;  // time at full velocity for the whole distance
    double ramp_s = shortest_move_s;
    for (size_t i = 0; i < from.size(); ++i) {
      const double way = std::abs(to[i] - from[i]);
      const double v = velocity_limits.at(i);
      const double a = acceleration_limits.at(i);
      if (!(v > 0.0 && a > 0.0)) {
        throw ModelError("trajectory: coordinate " + std::to_string(i) + " has no velocity or acceleration limit");
      }
      const double reached = std::min(v, std::sqrt(way * a));  // short moves do not reach the limit
      cruise_s = std::max(cruise_s, reached > 0.0 ? way / reached : 0.0);
      ramp_s = std::max(ramp_s, reached / a);
    }
    cruise_s = std::max(cruise_s, ramp_s);
    return Move{0.0, cruise_s + ramp_s, ramp_s / (cruise_s + ramp_s)};
  });
  return std::make_unique<PointToPoint>(way_points, std::move(moves));
}

std::unique_ptr<Trajectory> make_sinusoid(const Point& centre, const Point& amplitude, const Point& frequency_hz,
                                          const Point& phase_rad) {
  check_points({centre, amplitude, frequency_hz, phase_rad});
  return std::make_unique<Sinusoid>(centre, amplitude, frequency_hz, phase_rad);
}

std::unique_ptr<Trajectory> make_fourier(const Point& centre, const Point& amplitude, double base_hz, int harmonics,
                                         unsigned seed) {
  check_points({centre, amplitude});
  if (harmonics < 3) throw ModelError("trajectory: " + std::to_string(harmonics) + " harmonics; at least 3 are needed");
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> share(-1.0, 1.0);
  std::vector<Point> sine, cosine;
  for (const double size : amplitude) {
    Point s, c;
    for (int k = 0; k < harmonics; ++k) {
      s.push_back(size * share(random) / harmonics);
      c.push_back(size * share(random) / harmonics);
    }
    // At t = 0: q = centre (sum c_k = 0), v = 0 (sum k s_k = 0), a = 0 (sum k^2 c_k = 0).
    const double n = harmonics;
    double rate = 0.0, sum = 0.0, bend = 0.0;
    for (int k = 0; k + 1 < harmonics; ++k) rate += (k + 1) * s[k];
    s.back() = -rate / n;
    for (int k = 0; k + 2 < harmonics; ++k) {
      sum += c[k];
      bend += (k + 1.0) * (k + 1.0) * c[k];
    }
    // c_{n-1} + c_n = -sum,  (n-1)^2 c_{n-1} + n^2 c_n = -bend
    const double last = ((n - 1.0) * (n - 1.0) * sum - bend) / (2.0 * n - 1.0);
    c[c.size() - 1] = last;
    c[c.size() - 2] = -sum - last;
    sine.push_back(std::move(s));
    cosine.push_back(std::move(c));
  }
  return std::make_unique<Fourier>(centre, std::move(sine), std::move(cosine), base_hz);
}

}  // namespace dyn::sim
