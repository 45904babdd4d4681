// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Text that error messages about models share.
#pragma once

#include <locale>
#include <sstream>
#include <string>

#include "dyn_core/error.hpp"
#include "dyn_core/model/description.hpp"

namespace dyn {

[[noreturn]] inline void fail(const RobotDescription& robot, const std::string& what) {
  const std::string& where = robot.source.empty() ? robot.name : robot.source;
  throw ModelError(where.empty() ? what : where + ": " + what);
}

inline std::string number_text(double value) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << value;
  return out.str();
}
inline std::string link_text(const std::string& name) { return "link '" + name + "'"; }
inline std::string joint_text(const std::string& name) { return "joint '" + name + "'"; }

}  // namespace dyn
