// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <initializer_list>
#include <span>

#include "dyn_core/error.hpp"

namespace dyn {

// The first number that is not finite, by its coordinate; ok where there is none.
inline Status find_not_finite(std::initializer_list<std::span<const double>> vectors) noexcept {
  for (const std::span<const double> x : vectors) {
    for (size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i])) return Status::not_finite(static_cast<int>(i), x[i]);
    }
  }
  return {};
}

}  // namespace dyn
