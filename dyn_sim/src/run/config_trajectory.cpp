// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Trajectories of a configuration.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "config_parts.hpp"
#include "dyn_core/numeric/ranges.hpp"

namespace dyn::sim {
namespace {

constexpr YamlRange positions = about_zero(ranges::position, " rad or m");
constexpr YamlRange frequencies = about_zero(1e4, " Hz");
constexpr YamlRange scales = about_zero(1e3);
constexpr int most_harmonics = 1000;

Point per_coordinate(YamlMap& map, const std::string& key, const Model& model, double otherwise,
                     const YamlRange& range) {
  const size_t n = model.coordinates();
  if (!map.has(key)) return Point(n, otherwise);
  auto values = map.raw(key).IsScalar() ? Point(n, map.number(key, range)) : map.numbers(key, range);
  if (values.size() != n) {
    map.fail(key, "has " + std::to_string(values.size()) + " values; the robot has " + std::to_string(n) +
                      " degrees of freedom");
  }
  return values;
}

Point velocity_limits(const Model& model) {
  Point limits;
  for (const Joint& joint : model.joints()) {
    const auto& d = joint.description;
    limits.insert(limits.end(), joint.degrees, d.limits ? d.limits->velocity : 0.0);
  }
  return limits;
}

std::vector<Point> read_way_points(YamlMap& map, const Model& model) {
  std::vector<Point> points;
  const YAML::Node node = map.raw("way_points");
  if (!node.IsDefined() || !node.IsSequence()) map.fail("way_points", "is not a list of lists of positions");
  for (const auto& row : node) {
    try {
      points.push_back(row.as<Point>());
    } catch (const YAML::Exception&) {
      map.fail("way_points", "'" + shown(row) + "' is not a list of positions");
    }
    if (points.back().size() != static_cast<size_t>(model.coordinates())) {
      map.fail("way_points", "'" + shown(row) + "' has " + std::to_string(points.back().size()) +
                                 " positions; the robot has " + std::to_string(model.coordinates()) +
                                 " degrees of freedom");
    }
    for (const double x : points.back()) map.check("way_points", x, positions);
    if (const auto outside = find_outside(coordinate_ranges(model), points.back()); !outside.empty()) {
      map.fail("way_points", "'" + shown(row) + "': " + outside);
    }
  }
  return points;
}

}  // namespace

std::shared_ptr<const Trajectory> read_trajectory(YamlMap map, const Model& model, const std::filesystem::path& file) {
  const std::string type = map.text("type");
  std::shared_ptr<const Trajectory> trajectory;
  if (type == "quintic") {
    const auto points = read_way_points(map, model);
    trajectory = map.has("move_time")
                     ? make_timed_quintic(points, map.number("move_time", about_zero(ranges::duration_s, " s")))
                     : make_quintic(points, velocity_limits(model), map.number("velocity_scale", 0.5, scales));
  } else if (type == "trapezoidal") {
    auto limits = velocity_limits(model);
    const double scale = map.number("velocity_scale", 0.5, scales);
    for (double& limit : limits) limit *= scale;
    trajectory = make_trapezoidal(
        read_way_points(map, model), limits,
        per_coordinate(map, "acceleration", model, 2.0, about_zero(ranges::acceleration, " rad/s^2 or m/s^2")));
  } else if (type == "sinusoid") {
    auto phase = per_coordinate(map, "phase_deg", model, -90.0, about_zero(1e6, " degrees"));
    for (double& angle : phase) angle *= std::numbers::pi / 180.0;
    trajectory = make_sinusoid(per_coordinate(map, "centre", model, 0.0, positions),
                               per_coordinate(map, "amplitude", model, 0.5, positions),
                               per_coordinate(map, "frequency_hz", model, 0.25, frequencies), phase);
  } else if (type == "fourier") {
    trajectory = make_fourier(per_coordinate(map, "centre", model, 0.0, positions),
                              per_coordinate(map, "amplitude", model, 0.5, positions),
                              map.number("base_hz", 0.1, frequencies), map.integer("harmonics", 5, {0, most_harmonics}),
                              static_cast<unsigned>(map.integer("seed", 1, any_seed)));
  } else if (type == "file") {
    trajectory = load_trajectory(file.parent_path() / map.text("path"), coordinate_ranges(model));
  } else {
    map.fail("type", "'" + type + "' must be quintic, trapezoidal, sinusoid, fourier or file" +
                         (type == "poses" ? "; poses belong to the law task_space" : ""));
  }
  map.finish();
  return trajectory;
}

}  // namespace dyn::sim
