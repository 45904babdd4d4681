// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Reads numbers and names from a JSON object; errors are one sentence that names the entry and its value.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/numeric/types.hpp"

namespace dyn::cli {

// Throws if the object has a key that is not in the list; `what` names the object.
void allow_keys(const nlohmann::json& object, std::string_view what, std::initializer_list<std::string_view> keys);

// One number from -most to most for each of the names (a robot's coordinates); all zero if the key is missing.
[[nodiscard]] std::vector<double> read_entries(const nlohmann::json& object, const char* key,
                                               const std::vector<std::string>& names, double most);

[[nodiscard]] double read_number(const nlohmann::json& object, const char* key);
[[nodiscard]] std::string read_text(const nlohmann::json& object, const char* key);
[[nodiscard]] std::string as_text(const nlohmann::json& value, const char* key, const char* kind);
// `count` finite numbers; zeros if the key is missing.
[[nodiscard]] std::vector<double> read_numbers(const nlohmann::json& object, const char* key, size_t count);
[[nodiscard]] Vec3d read_vector(const nlohmann::json& object, const char* key);

}  // namespace dyn::cli
