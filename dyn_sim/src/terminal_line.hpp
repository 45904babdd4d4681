// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dyn::cli {

// What long work is doing, on the last line of a terminal at standard error, in place of what was said before. Empty:
// the line is free again.
void say_progress(const std::string& what);

}  // namespace dyn::cli
