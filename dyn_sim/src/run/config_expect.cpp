// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// `expect` of a configuration: what the run is judged by.
#include "config_parts.hpp"
#include "dyn_sim/run/record.hpp"

namespace dyn::sim {
namespace {

std::optional<double> maybe(YamlMap& map, const std::string& key, const std::optional<double>& otherwise) {
  const double value = map.number(key, otherwise.value_or(0.0));
  if (value < 0.0) map.fail(key, "is below 0");
  return map.has(key) ? std::optional<double>(value) : otherwise;
}

// A number is the most there may be; two are the least and the most.
std::optional<std::pair<int, int>> read_collisions(YamlMap& map, const std::optional<std::pair<int, int>>& otherwise) {
  if (!map.has("collisions")) {
    (void)map.raw("collisions");
    return otherwise;
  }
  std::pair<int, int> range{0, 0};
  if (map.raw("collisions").IsSequence()) {
    const auto ends = map.integers("collisions");
    if (ends.size() != 2) map.fail("collisions", "is neither a number nor a list of the least and the most");
    range = {ends[0], ends[1]};
  } else {
    range.second = map.integer("collisions", 0);
  }
  if (range.first < 0 || range.second < range.first || range.second > static_cast<int>(ArmRecord::most_collisions)) {
    map.fail("collisions", "is not from 0 to " + std::to_string(ArmRecord::most_collisions));
  }
  return range;
}

}  // namespace

Expectations read_expect(YamlMap map, const Expectations& otherwise) {
  Expectations expect = otherwise;
  expect.tracking_rms = maybe(map, "tracking_rms", otherwise.tracking_rms);
  expect.tracking_max = maybe(map, "tracking_max", otherwise.tracking_max);
  expect.prismatic_error_m = map.number("prismatic_error", otherwise.prismatic_error_m);
  if (!(expect.prismatic_error_m > 0.0)) map.fail("prismatic_error", "is not above 0 m");
  expect.saturation = map.number("saturation", otherwise.saturation);
  if (!(expect.saturation >= 0.0 && expect.saturation <= 1.0)) map.fail("saturation", "is not a share, from 0 to 1");
  expect.collisions = read_collisions(map, otherwise.collisions);
  expect.validation = maybe(map, "validation", otherwise.validation);
  map.finish();
  return expect;
}

}  // namespace dyn::sim
