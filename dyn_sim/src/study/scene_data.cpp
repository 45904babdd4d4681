// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/scene_data.hpp"

#include <nlohmann/json.hpp>

#include "run/report_parts.hpp"

namespace dyn::study {

using sim::report::base64_floats;

nlohmann::json json_of(const Animation& animation) {
  nlohmann::json q = nlohmann::json::array();
  for (size_t c = 0; c < animation.coordinates.size(); ++c) {
    std::vector<float> column;
    for (const auto& row : animation.q) column.push_back(static_cast<float>(row[c]));
    q.push_back(base64_floats(column));
  }
  nlohmann::json scene = sim::report::robot_scene(animation.robot, animation.coordinates, animation.thickness_m);
  const Terrain& terrain = animation.terrain;
  if (terrain.count > 0) {
    scene["terrain"] = {{"x", terrain.x_m},
                        {"y", terrain.y_m},
                        {"step", terrain.step_m},
                        {"count", terrain.count},
                        {"heights", base64_floats({terrain.heights_m.begin(), terrain.heights_m.end()})}};
  }
  return {{"scene", scene},
          {"time", base64_floats({animation.time_s.begin(), animation.time_s.end()})},
          {"signals", {{"q", q}}}};
}

}  // namespace dyn::study
