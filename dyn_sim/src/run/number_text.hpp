// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string>

namespace dyn::sim::outputs {

// The shortest text that reads back as the same number.
inline void append_number(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end.ptr);
}

}  // namespace dyn::sim::outputs
