// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Sentences about what went wrong.
#pragma once

#include <sstream>
#include <string>

#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

template <class... Parts>
std::string joined(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

inline std::string coordinate_text(const ArmRecord& record, std::size_t coordinate) {
  return coordinate < record.coordinates.size() ? "joint '" + record.coordinates[coordinate] + "'"
                                                : "a payload's joint";
}

inline void add_failure(ArmRecord& record, double time_s, const std::string& cause) {
  record.failures.push_back({time_s, cause});
}

}  // namespace dyn::sim
