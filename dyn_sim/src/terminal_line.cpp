// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "terminal_line.hpp"

#include <unistd.h>

#include <iostream>

#include "output.hpp"

namespace dyn::cli {

void say_progress(const std::string& what) {
  if (isatty(STDERR_FILENO) == 1) std::cerr << "\r\033[K" << one_line(what) << std::flush;
}

}  // namespace dyn::cli
