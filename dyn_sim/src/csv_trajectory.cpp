// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A trajectory from a CSV file: rows of time and positions, interpolated by cubic splines that are at rest at both
// ends.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string>

#include "dyn_core/error.hpp"
#include "dyn_core/model/input_file.hpp"
#include "dyn_core/numeric/ranges.hpp"
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

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    const size_t from = cell.find_first_not_of(" \t\r\""), to = cell.find_last_not_of(" \t\r\"");
    cells.push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
  }
  if (!line.empty() && line.back() == ',') cells.emplace_back();
  return cells;
}

double to_number(const std::string& cell, const std::string& where) {
  double value = 0.0;
  const char* const end = cell.data() + cell.size();
  const auto [rest, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) {
    throw ModelError(where + ": '" + cell.substr(0, 80) + "' is not a finite number");
  }
  if (std::abs(value) > ranges::position) {
    throw ModelError(where + ": '" + cell.substr(0, 80) + "' is not from -1e6 to 1e6");
  }
  return value;
}

bool begins_with_number(const std::string& line) {
  const auto cells = cells_of(line);
  double value = 0.0;
  return cells.empty() || std::from_chars(cells[0].data(), cells[0].data() + cells[0].size(), value).ec == std::errc{};
}

// The columns of the time and of each coordinate.
struct Columns {
  size_t time = 0;
  std::vector<size_t> coordinates;
};

Columns in_order(size_t coordinates) {
  Columns columns;
  for (size_t i = 0; i < coordinates; ++i) columns.coordinates.push_back(i + 1);
  return columns;
}

bool is_time(std::string name) {
  name = name.substr(0, name.find_first_of(" [("));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "t" || name == "time" || name == "time_s";
}

Columns columns_of(const std::string& heading, const std::vector<CoordinateRange>& coordinates,
                   const std::string& where) {
  std::string expected = "time";
  for (const CoordinateRange& c : coordinates) expected += ", " + c.name;
  const auto names = cells_of(heading);
  std::vector<size_t> times;
  Columns columns;
  columns.coordinates.assign(coordinates.size(), names.size());
  for (size_t column = 0; column < names.size(); ++column) {
    const auto is_it = [&](const CoordinateRange& c) {
      return names[column] == c.name || names[column] == "q." + c.name;
    };
    const auto found = std::find_if(coordinates.begin(), coordinates.end(), is_it);
    if (found == coordinates.end() && is_time(names[column])) {
      times.push_back(column);
      continue;
    }
    if (found == coordinates.end()) {
      throw ModelError(where + ": the heading '" + names[column].substr(0, 80) +
                       "' is not a coordinate of the robot; expected, in any order: " + expected);
    }
    size_t& place = columns.coordinates[found - coordinates.begin()];
    if (place != names.size()) throw ModelError(where + ": two columns have the heading '" + found->name + "'");
    place = column;
  }
  if (times.size() != 1) {
    throw ModelError(where + ": " + std::to_string(times.size()) + " columns have the heading 'time'; one is expected");
  }
  for (size_t i = 0; i < coordinates.size(); ++i) {
    if (columns.coordinates[i] == names.size()) {
      throw ModelError(where + ": the heading has no column for '" + coordinates[i].name + "'");
    }
  }
  columns.time = times[0];
  return columns;
}

struct Rows {
  std::vector<double> times;
  std::vector<Point> points;
};

// Rows closer together would lose the square of their distance beside a position.
constexpr double shortest_step_s = 1e-6;

void append_row(const std::string& line, const Columns& columns, const std::vector<CoordinateRange>& coordinates,
                const std::string& where, Rows& rows) {
  const auto cells = cells_of(line);
  if (cells.size() != coordinates.size() + 1) {
    throw ModelError(where + ": " + std::to_string(cells.size()) + " columns; time and " +
                     std::to_string(coordinates.size()) + " positions are expected");
  }
  const double time_s = to_number(cells[columns.time], where);
  if (!rows.times.empty() && !(time_s - rows.times.back() >= shortest_step_s)) {
    throw ModelError(where + ": time " + cells[columns.time] +
                     " s is not at least 1e-6 s after that of the row before");
  }
  Point point;
  for (const size_t column : columns.coordinates) point.push_back(to_number(cells[column], where));
  if (const auto outside = find_outside(coordinates, point); !outside.empty()) throw ModelError(where + ": " + outside);
  rows.times.push_back(time_s);
  rows.points.push_back(std::move(point));
}

}  // namespace

std::vector<CoordinateRange> coordinate_ranges(const Model& model) {
  std::vector<CoordinateRange> ranges;
  for (const std::string& name : model.coordinate_names()) ranges.push_back({name});
  for (const Joint& joint : model.joints()) {
    const auto& limits = joint.description.limits;
    if (joint.degrees != 1 || !limits || !limits->has_position) continue;
    CoordinateRange& range = ranges[joint.first_coordinate];
    range.lower = limits->lower;
    range.upper = limits->upper;
  }
  return ranges;
}

std::string find_outside(const std::vector<CoordinateRange>& ranges, const Point& q) {
  constexpr double rounding = 1e-9;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (q[i] >= ranges[i].lower - rounding && q[i] <= ranges[i].upper + rounding) continue;
    std::ostringstream text;
    text << "joint '" << ranges[i].name << "' at " << q[i] << " is outside its limits, " << ranges[i].lower << " to "
         << ranges[i].upper;
    return text.str();
  }
  return {};
}

std::unique_ptr<Trajectory> load_trajectory(const std::filesystem::path& csv,
                                            const std::vector<CoordinateRange>& coordinates) {
  constexpr size_t most_rows = 1'000'000, longest_line = 1'000'000;
  std::istringstream text(read_text_file(csv));
  Columns columns = in_order(coordinates.size());
  Rows rows;
  bool first = true;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    if (line.size() > longest_line) {
      throw ModelError(csv.string() + ":" + std::to_string(number) + ": the line has " + std::to_string(line.size()) +
                       " bytes, more than " + std::to_string(longest_line));
    }
    if (rows.times.size() == most_rows) throw ModelError(csv.string() + ": has more than a million rows");
    if (number == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);  // a byte order mark
    if (line.empty() || line == "\r" || line[0] == '#') continue;
    const std::string where = csv.string() + ":" + std::to_string(number);
    if (first && !begins_with_number(line)) {
      columns = columns_of(line, coordinates, where);
    } else {
      append_row(line, columns, coordinates, where, rows);
    }
    first = false;
  }
  if (rows.times.size() < 2) {
    throw ModelError(csv.string() + ": has " + std::to_string(rows.times.size()) + " rows; at least 2 are needed");
  }
  auto bend = second_derivatives(rows.times, rows.points);
  return std::make_unique<Spline>(std::move(rows.times), std::move(rows.points), std::move(bend));
}

}  // namespace dyn::sim
