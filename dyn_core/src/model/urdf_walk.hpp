// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The one walk over a URDF's text, from which the whole RobotDescription comes.
#pragma once

#include <string>

#include "dyn_core/model/description.hpp"

namespace dyn {

struct UrdfText {
  RobotDescription robot;
  std::string clean_xml;  // the parts that dynamics depends on, for urdfdom_check.hpp
};

// Throws ModelError: "SOURCE:LINE: link or joint: what is wrong". Does not check that it is a tree:
// validate_structure().
[[nodiscard]] UrdfText walk_urdf(const std::string& xml, const std::string& source);

}  // namespace dyn
