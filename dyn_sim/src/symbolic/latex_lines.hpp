// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Formulas of LaTeX in lines that fit on a page.
#pragma once

#include <string>
#include <string_view>

namespace dyn::symbolic {

inline constexpr const char* new_line = " \\\\\n&\\quad";  // of an align*

// An estimate for the ten-point fonts of TeX, for the commands that style.cpp writes.
[[nodiscard]] double width_pt(std::string_view formula);

// The right side of a line of an align*, continued in further lines where it is wider than the page: before a + or - of
// a sum, also of one in brackets, but not of an argument of sin or cos.
[[nodiscard]] std::string in_lines(const std::string& formula);

}  // namespace dyn::symbolic
