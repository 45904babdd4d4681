// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Trajectories: what v and a say is how q and v change, limits are kept and reached, and all begin and end at rest.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "dyn_core/error.hpp"
#include "dyn_sim/trajectory.hpp"

namespace dyn::sim {
namespace {

struct Sample {
  Point q, v, a;
};

Sample sample(const Trajectory& t, double time_s, size_t n) {
  Sample s{Point(n), Point(n), Point(n)};
  t.sample(time_s, s.q, s.v, s.a);
  return s;
}

// The largest differences between v, a and the central differences of q, v over [0, end], away from `corners`.
struct Defect {
  double v = 0.0, a = 0.0;
};
Defect defect(const Trajectory& t, size_t n, double end_s, const std::vector<double>& corners = {}) {
  constexpr double h = 1e-5;
  Defect worst;
  for (double time = 0.0137; time < end_s; time += 0.0231) {
    bool near_corner = false;
    for (const double corner : corners) near_corner = near_corner || std::abs(time - corner) < 2.0 * h;
    if (near_corner) continue;
    const Sample before = sample(t, time - h, n), now = sample(t, time, n), after = sample(t, time + h, n);
    for (size_t i = 0; i < n; ++i) {
      worst.v = std::max(worst.v, std::abs((after.q[i] - before.q[i]) / (2.0 * h) - now.v[i]));
      worst.a = std::max(worst.a, std::abs((after.v[i] - before.v[i]) / (2.0 * h) - now.a[i]));
    }
  }
  return worst;
}

Point largest_rates(const Trajectory& t, size_t n, double end_s, bool acceleration) {
  Point largest(n, 0.0);
  for (int k = 0; k <= 20000; ++k) {
    const Sample s = sample(t, end_s * k / 20000.0, n);
    for (size_t i = 0; i < n; ++i) largest[i] = std::max(largest[i], std::abs(acceleration ? s.a[i] : s.v[i]));
  }
  return largest;
}

const std::vector<Point> way{{0.0, 1.0}, {1.0, 0.5}, {-0.5, 0.7}};

void expect_rest(const Sample& s, const Point& where) {
  for (size_t i = 0; i < where.size(); ++i) {
    EXPECT_NEAR(s.q[i], where[i], 1e-12);
    EXPECT_EQ(s.v[i], 0.0);
    EXPECT_EQ(s.a[i], 0.0);
  }
}

TEST(Quintic, KeepsAndReachesTheScaledVelocityLimit) {
  const auto t = make_quintic(way, {2.0, 1.0}, 0.8);
  const Point largest = largest_rates(*t, 2, t->duration_s(), false);
  EXPECT_NEAR(largest[0], 1.6, 1e-4);
  EXPECT_LE(largest[1], 0.8);
  const Defect d = defect(*t, 2, t->duration_s());
  EXPECT_LT(d.v, 1e-8);
  EXPECT_LT(d.a, 1e-3);
  for (const double time : {-1.0, 0.0}) expect_rest(sample(*t, time, 2), way.front());
  for (const double time : {0.0, 5.0}) expect_rest(sample(*t, t->duration_s() + time, 2), way.back());
}

TEST(Quintic, TimedMovesTakeTheirTime) {
  const auto t = make_timed_quintic(way, 1.5);
  EXPECT_EQ(t->duration_s(), 3.0);
  const Sample middle = sample(*t, 0.75, 2);
  EXPECT_NEAR(middle.q[0], 0.5, 1e-12);
  EXPECT_NEAR(middle.v[0], 1.875 / 1.5, 1e-12);
  EXPECT_NEAR(middle.a[0], 0.0, 1e-12);
}

TEST(Quintic, RefusesWhatHasNoLimit) {
  EXPECT_THROW(make_quintic(way, {2.0, 0.0}, 0.8), ModelError);
  EXPECT_THROW(make_quintic({}, {}, 0.8), ModelError);
  EXPECT_THROW(make_quintic({{0.0, 0.0}, {1.0}}, {1.0, 1.0}, 0.8), ModelError);
  EXPECT_THROW(make_timed_quintic(way, 0.0), ModelError);
}

TEST(Trapezoidal, KeepsBothLimitsAndReachesThem) {
  const auto t = make_trapezoidal(way, {1.0, 1.0}, {4.0, 4.0});
  const Point v = largest_rates(*t, 2, t->duration_s(), false), a = largest_rates(*t, 2, t->duration_s(), true);
  EXPECT_NEAR(v[0], 1.0, 1e-9);
  EXPECT_NEAR(a[0], 4.0, 1e-9);
  EXPECT_LE(v[1], 1.0);
  EXPECT_LE(a[1], 4.0);
  EXPECT_NEAR(t->duration_s(), (1.0 + 0.25) + (1.5 + 0.25), 1e-12);
  const std::vector<double> corners{0.25, 1.0, 1.25, 1.5, 2.75};
  EXPECT_LT(defect(*t, 2, t->duration_s(), corners).v, 1e-8);
  EXPECT_LT(defect(*t, 2, t->duration_s(), corners).a, 1e-5);
  expect_rest(sample(*t, 9.0, 2), way.back());
}

// Position and velocity have no jump where ramps begin and end.
TEST(Trapezoidal, RefusesWhatHasNoLimit) {
  EXPECT_THROW(make_trapezoidal(way, {1.0, 0.0}, {4.0, 4.0}), ModelError);
  EXPECT_THROW(make_trapezoidal(way, {1.0, 1.0}, {0.0, 4.0}), ModelError);
}

TEST(Trapezoidal, PositionIsContinuousAtItsCorners) {
  const auto t = make_trapezoidal(way, {1.0, 1.0}, {4.0, 4.0});
  for (const double corner : {0.25, 1.0, 1.25, 1.5, 2.75, 3.0}) {
    const Sample before = sample(*t, corner - 1e-9, 2), after = sample(*t, corner + 1e-9, 2);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(before.q[i], after.q[i], 1e-8) << corner;
      EXPECT_NEAR(before.v[i], after.v[i], 1e-7) << corner;
    }
  }
  EXPECT_NEAR(sample(*t, 0.25, 2).q[0], 0.5 * 4.0 * 0.25 * 0.25, 1e-9);
  EXPECT_NEAR(sample(*t, 1.0, 2).q[0], 1.0 - 0.5 * 4.0 * 0.25 * 0.25, 1e-9);
}

TEST(Trapezoidal, ShortMovesDoNotReachTheVelocityLimit) {
  const auto t = make_trapezoidal({{0.0}, {0.04}}, {1.0}, {4.0});
  EXPECT_NEAR(t->duration_s(), 0.2, 1e-12);
  EXPECT_NEAR(largest_rates(*t, 1, 0.2, false)[0], 0.4, 1e-9);
}

TEST(Sinusoid, IsEq73OfPaper004) {
  constexpr double two_pi = 2.0 * std::numbers::pi;
  const auto t = make_sinusoid({1.0, 0.75, 0.5}, {1.0, 0.75, 0.5}, Point(3, 1.0), Point(3, -0.5 * std::numbers::pi));
  for (const double time : {0.0, 0.13, 0.5, 1.7}) {
    const Sample s = sample(*t, time, 3);
    for (size_t i = 0; i < 3; ++i) {
      const double size = 1.0 - 0.25 * static_cast<double>(i);
      EXPECT_NEAR(s.q[i], size * (1.0 - std::cos(two_pi * time)), 1e-14);
      EXPECT_NEAR(s.v[i], size * two_pi * std::sin(two_pi * time), 1e-13);
      EXPECT_NEAR(s.a[i], size * two_pi * two_pi * std::cos(two_pi * time), 1e-12);
    }
  }
}

TEST(Fourier, BeginsAtRestRepeatsAndExcites) {
  const auto t = make_fourier({0.2, -0.1}, {0.8, 0.5}, 0.1, 5, 7);
  for (const double time : {0.0, 10.0}) {
    const Sample s = sample(*t, time, 2);
    EXPECT_NEAR(s.q[0], 0.2, 1e-12);
    EXPECT_NEAR(s.v[0], 0.0, 1e-12);
    EXPECT_NEAR(s.a[0], 0.0, 1e-11);
  }
  EXPECT_LT(defect(*t, 2, 10.0).v, 1e-8);
  EXPECT_LT(defect(*t, 2, 10.0).a, 1e-8);
  EXPECT_GT(largest_rates(*t, 2, 10.0, false)[0], 0.1);
  double farthest = 0.0;
  for (int k = 0; k < 1000; ++k) farthest = std::max(farthest, std::abs(sample(*t, 0.01 * k, 2).q[0] - 0.2));
  EXPECT_GT(farthest, 0.1 * 0.8);
  EXPECT_LT(farthest, 2.0 * 0.8);
  const auto other = make_fourier({0.2, -0.1}, {0.8, 0.5}, 0.1, 5, 8);
  EXPECT_NE(sample(*t, 3.0, 2).q[0], sample(*other, 3.0, 2).q[0]);
  EXPECT_THROW(make_fourier({0.0}, {1.0}, 0.1, 2, 1), ModelError);
}

class Csv : public testing::Test {
 protected:
  const std::vector<CoordinateRange> ab_{{"a", -2.0, 2.0}, {"b", -2.0, 2.0}};

  std::filesystem::path write(const std::string& text) {
    const auto file = std::filesystem::temp_directory_path() / ("dyn_trajectory_" + std::to_string(random_()) + ".csv");
    std::ofstream(file) << text;
    files_.push_back(file);
    return file;
  }
  std::string refusal(const std::string& text) {
    try {
      (void)load_trajectory(write(text), ab_);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "accepted";
  }
  void TearDown() override {
    for (const auto& file : files_) std::filesystem::remove(file);
  }
  std::random_device random_;
  std::vector<std::filesystem::path> files_;
};

TEST_F(Csv, GoesThroughItsRowsSmoothly) {
  const auto t =
      load_trajectory(write("time_s,a,b\n# two joints\n0,0.1,1\n0.5,0.4,1.2\r\n1.25, 0.2, 0.9\n2,0.1,1\n"), ab_);
  EXPECT_EQ(t->duration_s(), 2.0);
  const std::vector<std::array<double, 3>> rows{{0.5, 0.4, 1.2}, {1.25, 0.2, 0.9}};
  for (const auto& row : rows) {
    EXPECT_NEAR(sample(*t, row[0], 2).q[0], row[1], 1e-12);
    EXPECT_NEAR(sample(*t, row[0], 2).q[1], row[2], 1e-12);
    EXPECT_NEAR(sample(*t, row[0] - 1e-9, 2).a[0], sample(*t, row[0] + 1e-9, 2).a[0], 1e-6) << "second derivative";
  }
  EXPECT_LT(defect(*t, 2, 2.0, {0.5, 1.25}).v, 1e-8);
  EXPECT_LT(defect(*t, 2, 2.0, {0.5, 1.25}).a, 1e-5);
  expect_rest(sample(*t, -1.0, 2), {0.1, 1.0});
  expect_rest(sample(*t, 3.0, 2), {0.1, 1.0});
  EXPECT_NEAR(sample(*t, 1e-7, 2).v[0], 0.0, 1e-5) << "at rest where it begins";
}

TEST_F(Csv, PositionVelocityAndAccelerationAreContinuousAtTheKnots) {
  const auto t = load_trajectory(write("0,0,1\n0.3,0.4,1.2\n1.25,-0.2,0.9\n1.3,-0.1,0.95\n2,0.1,1\n"), ab_);
  for (const double knot : {0.3, 1.25, 1.3}) {
    const Sample before = sample(*t, knot - 1e-9, 2), after = sample(*t, knot + 1e-9, 2);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(before.q[i], after.q[i], 1e-7) << knot;
      EXPECT_NEAR(before.v[i], after.v[i], 1e-5) << knot;
      EXPECT_NEAR(before.a[i], after.a[i], 1e-3) << knot;
    }
  }
}

TEST_F(Csv, TakesColumnsByTheirHeading) {
  for (const char* heading : {"b,Time,a", " \"q.b\" , t [s] ,q.a\r",
                              "\xEF\xBB\xBF"
                              "b,time_s,a"}) {
    const auto t = load_trajectory(write(heading + std::string("\n1.0,0,0.1\n1.2,1,0.4\n")), ab_);
    EXPECT_EQ(sample(*t, 1.0, 2).q[0], 0.4) << heading;
    EXPECT_EQ(sample(*t, 1.0, 2).q[1], 1.2) << heading;
  }
}

TEST_F(Csv, RefusesWithFileAndLine) {
  const auto says = [this](const std::string& text, const std::string& words) {
    const std::string said = refusal(text);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("0,1,2\n1,2\n", ":2: 2 columns");
  says("0,1,2\n1,2,x\n", ":2: 'x' is not a finite number");
  says("0,1,2\n1,nan,2\n", ":2: 'nan'");
  says("0,1,2\n0,2,3\n", ":2: time");
  says("0,1,2\n0.0000005,1,2\n", ":2: time");
  says("0,1,2\n1e-300,1,2\n", ":2: time");
  says("0,1,2\n1,1,2,\n", ":2: 4 columns");
  says("0,1,2\n1,1,2.5\n", ":2: joint 'b' at 2.5 is outside its limits, -2 to 2");
  says("# c\ntime,b\n0,1,2\n", ":2: the heading has no column for 'a'");
  says("time,a,c\n0,1,2\n", ":1: the heading 'c' is not a coordinate of the robot; expected, in any order: time, a, b");
  says("time,a,a\n0,1,2\n", ":1: two columns have the heading 'a'");
  says("a,b\n0,1\n", ":1: 0 columns have the heading 'time'");
  says("0,1,2\n", "1 rows");
  EXPECT_THROW((void)load_trajectory("/nowhere.csv", ab_), ModelError);
}

}  // namespace
}  // namespace dyn::sim
