// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A figure as an SVG line chart that any browser shows.
#pragma once

#include <string>

#include "study/report_page.hpp"

namespace dyn::study {

[[nodiscard]] std::string svg_of(const Figure& figure);

}  // namespace dyn::study
