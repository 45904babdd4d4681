// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Files that users name. Only regular files are read: a FIFO would block, a device might never end. A NUL in a name is
// refused, since the system would open a file of another name.
#pragma once

#include <filesystem>
#include <string>

namespace dyn {

// Both throw ModelError naming the file. `name`: what the user gave, a path or a robot's name.
void refuse_nul(const std::string& name);
void require_regular_file(const std::filesystem::path& file);

// The whole text, of at most 32 MiB. Throws ModelError naming the file and what is wrong with it.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file);

}  // namespace dyn
