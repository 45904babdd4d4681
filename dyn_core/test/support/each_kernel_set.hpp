// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The same test with each instruction set that this machine can run: models that are made meanwhile use its kernels.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "dyn_core/kernel_sets.hpp"

namespace dyn::test {

template <class F>
void with_each_kernel_set(F&& f) {
  const char* const before = std::getenv("DYN_ISA");
  const std::string kept = before == nullptr ? "" : before;
  for (const std::string& set : usable_kernel_sets()) {
    SCOPED_TRACE(set);
    setenv("DYN_ISA", set.c_str(), 1);
    f();
  }
  before == nullptr ? unsetenv("DYN_ISA") : setenv("DYN_ISA", kept.c_str(), 1);
}

}  // namespace dyn::test
