// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Parses one line of text as one JSON object, strictly: every key once, nothing after the object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dyn::cli {

// Throws ModelError. NaN, Infinity and numbers beyond a double's range, which JSON does not have, become strings, so
// that the code that reads the entry can report its place.
[[nodiscard]] nlohmann::json parse_json_line(const std::string& line);

// A value for a message: short, on one line.
[[nodiscard]] std::string describe(const nlohmann::json& value);

}  // namespace dyn::cli
