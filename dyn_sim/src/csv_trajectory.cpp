// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A trajectory from a CSV file: rows of time and positions, joined by cubic splines that are at rest at both ends.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string>

#include "dyn_core/error.hpp"
#include "dyn_sim/trajectory.hpp"

namespace dyn::sim {
namespace {

class Spline final : public Trajectory {
 public:
  // bend[k][i]: second derivative of coordinate i at row k.
  Spline(std::vector<double> times, std::vector<Point> rows, std::vector<Point> bend)
      : times_(std::move(times)), rows_(std::move(rows)), bend_(std::move(bend)) {}

  double duration_s() const noexcept override { return times_.back(); }

  void sample(double time_s, std::span<double> q, std::span<double> v, std::span<double> a) const noexcept override {
    const bool moving = time_s > times_.front() && time_s < times_.back();
    const double t = std::clamp(time_s, times_.front(), times_.back());
    const auto next = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
    const auto k = static_cast<size_t>(next - times_.begin()) - 1;
    const double h = times_[k + 1] - times_[k];
    const double u = (t - times_[k]) / h;
    const double w = 1.0 - u;
    for (size_t i = 0; i < q.size(); ++i) {
      const double b0 = bend_[k][i];
      const double b1 = bend_[k + 1][i];
      q[i] = w * rows_[k][i] + u * rows_[k + 1][i] + h * h / 6.0 * ((w * w * w - w) * b0 + (u * u * u - u) * b1);
      v[i] = (rows_[k + 1][i] - rows_[k][i]) / h + h / 6.0 * ((3.0 * u * u - 1.0) * b1 - (3.0 * w * w - 1.0) * b0);
      a[i] = w * b0 + u * b1;
      if (!moving) v[i] = a[i] = 0.0;
    }
  }

 private:
  std::vector<double> times_;
  std::vector<Point> rows_, bend_;
};

// Clamped spline (zero slope at both ends): a tridiagonal system for the second derivatives, by forward elimination.
std::vector<Point> second_derivatives(const std::vector<double>& t, const std::vector<Point>& rows) {
  const size_t n = t.size();
  std::vector<Point> bend(n, Point(rows.front().size()));
  for (size_t i = 0; i < rows.front().size(); ++i) {
    std::vector<double> upper(n), right(n);
    double h = t[1] - t[0];
    upper[0] = 0.5;
    right[0] = 3.0 / (h * h) * (rows[1][i] - rows[0][i]);
    for (size_t k = 1; k < n; ++k) {
      const double before = t[k] - t[k - 1];
      const double slope_before = (rows[k][i] - rows[k - 1][i]) / before;
      const bool last = k + 1 == n;
      h = last ? 0.0 : t[k + 1] - t[k];
      const double slope = last ? 0.0 : (rows[k + 1][i] - rows[k][i]) / h;
      const double pivot = 2.0 * (before + h) - before * upper[k - 1];
      upper[k] = h / pivot;
      right[k] = (6.0 * (slope - slope_before) - before * right[k - 1]) / pivot;
    }
    bend[n - 1][i] = right[n - 1];
    for (size_t k = n - 1; k-- > 0;) bend[k][i] = right[k] - upper[k] * bend[k + 1][i];
  }
  return bend;
}

std::vector<double> parse_row(const std::string& line, const std::string& where) {
  std::vector<double> values;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    double value = 0.0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !std::isfinite(value)) {
      throw ModelError(where + ": '" + std::string(at, std::find(at, end, ',')) + "' is not a finite number");
    }
    values.push_back(value);
    at = rest;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
    if (at == end) return values;
    if (*at != ',') throw ModelError(where + ": expected a comma before '" + std::string(at, end) + "'");
    ++at;
  }
}

bool is_heading(const std::string& line) {
  return line.find_first_of("0123456789") == std::string::npos ||
         std::isalpha(static_cast<unsigned char>(line[0])) != 0;
}

}  // namespace

std::unique_ptr<Trajectory> load_trajectory(const std::filesystem::path& csv, int coordinates) {
  std::ifstream file(csv);
  if (!file) throw ModelError(csv.string() + ": cannot be read");
  std::vector<double> times;
  std::vector<Point> rows;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line == "\r" || line[0] == '#' || (number == 1 && is_heading(line))) continue;
    const std::string where = csv.string() + ":" + std::to_string(number);
    auto values = parse_row(line, where);
    if (values.size() != static_cast<size_t>(coordinates) + 1) {
      throw ModelError(where + ": " + std::to_string(values.size()) + " columns; time and " +
                       std::to_string(coordinates) + " positions are expected");
    }
    if (!times.empty() && values[0] <= times.back()) {
      throw ModelError(where + ": time " + std::to_string(values[0]) + " does not come after " +
                       std::to_string(times.back()));
    }
    times.push_back(values[0]);
    rows.emplace_back(values.begin() + 1, values.end());
  }
  if (rows.size() < 2) throw ModelError(csv.string() + ": has " + std::to_string(rows.size()) + " rows; 2 are needed");
  auto bend = second_derivatives(times, rows);
  return std::make_unique<Spline>(std::move(times), std::move(rows), std::move(bend));
}

}  // namespace dyn::sim
