// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Which terms of the equation of motion are to be computed. The kernels include this file: it may hold nothing that the
// compiler emits code for.
#pragma once

namespace dyn {

// A bit set; h may bring C and g with it.
enum Terms : unsigned { term_M = 1, term_C = 2, term_g = 4, term_h = 8, terms_all = 15 };

}  // namespace dyn
