// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Building and loading (never on the loop's thread) throws ModelError with one clear sentence. The real-time path is
// noexcept and returns a Status of fixed size; its text is made off the loop.
#pragma once

#include <stdexcept>

#include "dyn_core/realtime.hpp"

namespace dyn {

class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct [[nodiscard]] Status {
  enum class Code { ok, not_finite, singular_inertia };
  Code code = Code::ok;
  int body = -1;       // index into Tree; the coordinate where an entry of q, v or a is not finite; -1: neither
  double value = 0.0;  // the offending value: the pivot or the entry

  [[nodiscard]] constexpr bool ok() const noexcept { return code == Code::ok; }
  static constexpr Status singular(int body, double pivot) noexcept { return {Code::singular_inertia, body, pivot}; }
  static constexpr Status not_finite(int body, double value) noexcept { return {Code::not_finite, body, value}; }
};

}  // namespace dyn
