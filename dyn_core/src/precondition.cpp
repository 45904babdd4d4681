// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/precondition.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace dyn {
namespace {

void print(const char* text) noexcept { (void)!write(STDERR_FILENO, text, std::strlen(text)); }

}  // namespace

void precondition_failed(const char* condition, const char* file, int line) noexcept {
  char number[16] = {};
  (void)std::to_chars(number, number + sizeof number - 1, line);
  print("dyn_core: precondition violated: ");
  print(condition);
  print(", ");
  print(file);
  print(":");
  print(number);
  print("\n");
  std::abort();
}

}  // namespace dyn
