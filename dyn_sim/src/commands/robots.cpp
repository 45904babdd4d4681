// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn robots: the names that may be given as ROBOT instead of a file.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {

Action declare_robots(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  add_json(app, *json);
  return [json] {
    const std::vector<KnownRobot> robots = known_robots();
    if (*json) {
      nlohmann::ordered_json out;
      out["robots"] = nlohmann::ordered_json::array();
      for (const KnownRobot& robot : robots) {
        out["robots"].push_back({{"name", robot.name},
                                 {"file", robot.file.string()},
                                 {"from", robot.shipped ? "config" : "example-robot-data"}});
      }
      return print_json(out);
    }
    Table table({{"name"}, {"from"}, {"file"}});
    for (const KnownRobot& robot : robots) {
      table.add({robot.name, robot.shipped ? "config" : "example-robot-data", robot.file.string()});
    }
    table.print();
  };
}

}  // namespace dyn::cli
