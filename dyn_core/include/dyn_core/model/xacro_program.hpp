// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dyn {

// The Python whose module xacro is asked first to expand .xacro files; to be called before any is loaded.
void use_python_for_xacro(const std::string& python);

}  // namespace dyn
