// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the targets share: numbers and names out of bytes, and a condition whose violation is a bug.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dyn_core/numeric/types.hpp"

namespace dyn::fuzz {

inline void require(bool truth, const char* what) {
  if (truth) return;
  (void)std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Numbers and names out of bytes: from most bytes figures that may be, from some those that may not.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}
  [[nodiscard]] bool empty() const { return left_.empty(); }
  unsigned char byte() {
    if (left_.empty()) return 0;
    const auto value = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return value;
  }
  double number() {
    const unsigned char kind = byte();
    if (kind < 200) return (static_cast<double>(kind) - 100.0) / 50.0;
    std::uint64_t bits = 0;
    for (int k = 0; k < 8; ++k) bits = bits << 8U | byte();
    return std::bit_cast<double>(bits);
  }
  Vec3d vector() {
    const double x = number(), y = number();
    return {x, y, number()};
  }
  std::string name() {
    const unsigned char kind = byte();
    if (kind < 200) return kind % 2 == 0 ? "box" : "ball";
    const std::string text(left_.substr(0, kind % 8U));
    left_.remove_prefix(text.size());
    return text;
  }

 private:
  std::string_view left_;
};

}  // namespace dyn::fuzz
