// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A vector indexed by int, as bodies, coordinates and the like are numbered. Debug builds check the range; -1 (none) is
// out of range.
#pragma once

#include <cstddef>
#include <vector>

#include "dyn_core/precondition.hpp"

namespace dyn {

template <class T>
class Indexed {
 public:
  Indexed() = default;
  explicit Indexed(int size, const T& value = T{}) : values_(size, value) {}

  [[nodiscard]] T& operator[](int i) noexcept {
    DYN_EXPECTS(has(i));
    return values_[i];
  }
  [[nodiscard]] const T& operator[](int i) const noexcept {
    DYN_EXPECTS(has(i));
    return values_[i];
  }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(values_.size()); }
  [[nodiscard]] bool has(int i) const noexcept { return i >= 0 && i < size(); }
  void resize(int size, const T& value = T{}) { values_.resize(size, value); }

  [[nodiscard]] auto begin() noexcept { return values_.begin(); }
  [[nodiscard]] auto end() noexcept { return values_.end(); }
  [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
  [[nodiscard]] auto end() const noexcept { return values_.end(); }

 private:
  std::vector<T> values_;
};

}  // namespace dyn
