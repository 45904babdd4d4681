// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Runs xacro as a program of its own, without a shell.
#pragma once

#include <filesystem>
#include <string>

namespace dyn {

// The expanded URDF. Throws ModelError if xacro is missing, fails (with its last line), or takes longer than 30 s.
[[nodiscard]] std::string run_xacro(const std::filesystem::path& file);

}  // namespace dyn
