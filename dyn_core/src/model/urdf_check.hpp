// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold of a URDF's text before urdfdom sees it, since urdfdom logs and drops what it cannot read: every
// number is one, every element known to matter is complete, stands once, and has no attribute that nobody reads.
#pragma once

#include <string>

#include "dyn_core/model/description.hpp"

namespace dyn {

struct CheckedUrdf {
  RobotDescription outline;  // names, types, parents and armature; urdfdom gives the rest
  std::string clean_xml;     // the parts that dynamics depends on, for urdfdom
};

// Throws ModelError: "SOURCE:LINE: link or joint: what is wrong".
[[nodiscard]] CheckedUrdf check_urdf(const std::string& xml, const std::string& source);

}  // namespace dyn
