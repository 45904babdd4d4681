// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How long the name of a payload, or of the link that it is put on, may be.
#pragma once

#include <cstddef>
#include <string>

#include "dyn_core/error.hpp"

namespace dyn {

inline constexpr std::size_t most_name_bytes = 256;

// Throws ModelError, whose text has the first 32 bytes of the name only.
inline void check_name_length(const std::string& what, const std::string& name) {
  if (name.size() <= most_name_bytes) return;
  throw ModelError(what + " '" + name.substr(0, 32) + "...' has " + std::to_string(name.size()) + " bytes; at most " +
                   std::to_string(most_name_bytes) + " are allowed");
}

}  // namespace dyn
