// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/joint_entries.hpp"

#include <algorithm>

namespace dyn_controllers {

std::vector<int> joint_entries(const dyn::Model& model, const std::vector<std::string>& names) {
  std::vector<int> entries;
  for (const dyn::Joint& joint : model.joints()) {
    if (joint.description.payload != 0) continue;
    for (int k = 0; k < joint.degrees; ++k) {
      const std::string& name = model.coordinate_names()[joint.first_coordinate + k];
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) {
        throw dyn::ModelError(model.description().source + ": joint '" + name +
                              "' has no interfaces here, since the robot with which the controller was configured "
                              "does not have it");
      }
      entries.push_back(static_cast<int>(found - names.begin()));
    }
  }
  return entries;
}

}  // namespace dyn_controllers
