// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From the order of the bodies to the user's coordinates: q_body = G q + offset, G the ratios of mimic joints.
#pragma once

#include <algorithm>
#include <vector>

#include "dyn_core/model/tree.hpp"

namespace dyn {

// G^T B G
template <class T>
DYN_REALTIME void matrix_to_user(const Tree& tree, const std::vector<T>& bodies, std::vector<T>& user) noexcept {
  const int n = tree.size;
  std::fill(user.begin(), user.end(), T(0.0));
  for (int j = 0; j < n; ++j) {
    T* column = user.data() + static_cast<long>(tree.coordinate[j]) * tree.coordinates;
    for (int i = 0; i < n; ++i) {
      const T value = bodies[j * n + i];
      column[tree.coordinate[i]] += tree.has_mimic ? T(T(tree.ratio[i]) * value * T(tree.ratio[j])) : value;
    }
  }
}

// G^T b
template <class T>
DYN_REALTIME void vector_to_user(const Tree& tree, const T* bodies, T* user) noexcept {
  std::fill_n(user, tree.coordinates, T(0.0));
  for (int i = 0; i < tree.size; ++i) user[tree.coordinate[i]] += T(tree.ratio[i]) * bodies[i];
}

}  // namespace dyn
