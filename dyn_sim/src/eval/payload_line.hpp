// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Converts the value of {"attach":...} to a payload.
#pragma once

#include <nlohmann/json.hpp>

#include "dyn_core/model/payload.hpp"

namespace dyn::cli {

// Throws ModelError if a key is missing, unknown or wrong, the URDF cannot be read, or the inertia is physically
// impossible.
[[nodiscard]] Payload read_payload(const nlohmann::json& argument);

}  // namespace dyn::cli
