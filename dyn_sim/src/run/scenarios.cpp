// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Scenarios by name: the configurations shipped beside the robots.
#include <algorithm>
#include <set>

#include "dyn_core/error.hpp"
#include "dyn_core/model/input_file.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_sim/run/config.hpp"

namespace dyn::sim {

namespace fs = std::filesystem;

fs::path find_scenario(const std::string& scenario) {
  refuse_nul(scenario);
  std::error_code error;
  if (fs::exists(scenario, error) || scenario.find('/') != std::string::npos) return scenario;
  std::set<fs::path> folders;
  for (const KnownRobot& robot : known_robots()) {
    if (robot.shipped) folders.insert(robot.file.parent_path().parent_path() / "scenarios");
  }
  std::string names;
  for (const fs::path& folder : folders) {
    if (fs::path file = folder / (scenario + ".yaml"); fs::is_regular_file(file, error)) return file;
    std::set<std::string> stems;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".yaml") stems.insert(entry.path().stem().string());
    }
    for (const std::string& stem : stems) names += (names.empty() ? "" : ", ") + stem;
  }
  throw ModelError("'" + scenario + "' cannot be read: there is no such file, and no scenario of that name" +
                   (names.empty() ? "" : "; available: " + names));
}

}  // namespace dyn::sim
