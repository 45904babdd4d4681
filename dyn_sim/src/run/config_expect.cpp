// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// `expect` of a configuration: the criteria of the run.
#include <numbers>

#include "config_parts.hpp"
#include "dyn_core/numeric/ranges.hpp"
#include "dyn_sim/run/record.hpp"

namespace dyn::sim {
namespace {

std::optional<double> maybe(YamlMap& map, const std::string& key, const std::optional<double>& otherwise, double most) {
  const double value = map.number(key, otherwise.value_or(0.0), {0.0, most});
  return map.has(key) ? std::optional<double>(value) : otherwise;
}

// One number is the largest allowed; two are the least and the largest.
std::optional<std::pair<int, int>> read_collisions(YamlMap& map, const std::optional<std::pair<int, int>>& otherwise) {
  if (!map.has("collisions")) return otherwise;
  constexpr YamlRange possible{0.0, static_cast<double>(ArmRecord::most_collisions)};
  std::pair<int, int> range{0, 0};
  if (map.raw("collisions").IsSequence()) {
    const auto ends = map.integers("collisions", possible);
    if (ends.size() != 2) map.fail("collisions", "must be a number or a list of the least and the most");
    range = {ends[0], ends[1]};
  } else {
    range.second = map.integer("collisions", 0, possible);
  }
  if (range.second < range.first) map.fail("collisions", "the least is more than the most");
  return range;
}

}  // namespace

Expectations read_expect(YamlMap map, const Expectations& otherwise) {
  Expectations expect = otherwise;
  expect.tracking_rms = maybe(map, "tracking_rms", otherwise.tracking_rms, ranges::position);
  expect.tracking_max = maybe(map, "tracking_max", otherwise.tracking_max, ranges::position);
  expect.prismatic_error_m = map.number("prismatic_error", otherwise.prismatic_error_m, {0.0, ranges::position, " m"});
  if (!(expect.prismatic_error_m > 0.0)) map.fail("prismatic_error", "is not above 0 m");
  expect.frame_error_m = map.number("frame_error", otherwise.frame_error_m, {0.0, ranges::position, " m"});
  expect.frame_angle_rad = map.number("frame_angle", otherwise.frame_angle_rad, {0.0, std::numbers::pi, " rad"});
  expect.saturation = map.number("saturation", otherwise.saturation, {0.0, 1.0, ", a share"});
  expect.collisions = read_collisions(map, otherwise.collisions);
  expect.validation = maybe(map, "validation", otherwise.validation, 1.0);
  map.finish();
  return expect;
}

}  // namespace dyn::sim
