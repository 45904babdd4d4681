// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "dyn_core/error.hpp"

namespace dyn::test {

// The sentence of the ModelError that `act` throws; empty where it throws none.
[[nodiscard]] inline std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

}  // namespace dyn::test
