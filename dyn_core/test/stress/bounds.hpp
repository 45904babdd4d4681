// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Bounds of the errors of measure.hpp.
#pragma once

#include <string_view>

namespace dyn::stress {

[[nodiscard]] double bound_of(std::string_view family, std::string_view quantity, std::string_view algorithm);

}  // namespace dyn::stress
