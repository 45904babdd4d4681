// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Names that a user may have meant, for error messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyn {

[[nodiscard]] std::string lower_case(std::string_view text);

// Least number of letters to insert, delete or replace that turn a into b.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b);

// At most three of the names, the most similar first; empty where none is similar.
[[nodiscard]] std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names);

}  // namespace dyn
