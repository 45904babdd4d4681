// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The registries of dyn_core as plain lists of names. The headers that include all algorithms are slow to compile and
// are therefore included by algorithm_families.cpp and count/operation_counts.cpp only.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dyn::cli {

struct AlgorithmFamily {
  const char* parameter;  // jsim_algorithm, ...: as in parameters, reports and messages
  const char* gives;
  std::span<const std::string_view> names, sources;
};

[[nodiscard]] std::span<const AlgorithmFamily> algorithm_families();
[[nodiscard]] const AlgorithmFamily& family_of(std::string_view parameter);

// The registry's own copy of the name, valid for the lifetime of the program; throws ModelError if there is none.
[[nodiscard]] std::string_view registered_name(std::string_view parameter, std::string_view name);
[[nodiscard]] std::string listed(std::span<const std::string_view> names);

}  // namespace dyn::cli
