// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One line of text to one JSON object, strictly: every key once, nothing behind it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dyn::cli {

// Throws ModelError. NaN, Infinity and numbers beyond a double's range, which JSON has not, come as strings, so that
// whoever reads the entry can say where it stands.
[[nodiscard]] nlohmann::json parse_json_line(const std::string& line);

// A value for a message: short, on one line.
[[nodiscard]] std::string describe(const nlohmann::json& value);

}  // namespace dyn::cli
