// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One target for libFuzzer: DYN_FUZZ_TARGET is its function.
#include <cstddef>
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dyn::fuzz::DYN_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
