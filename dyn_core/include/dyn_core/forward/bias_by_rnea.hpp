// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Adds compute() to forward dynamics that only have solve() for a given bias: the bias C v + g by RNEA.
#pragma once

#include <vector>

#include "dyn_core/inverse/rnea.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::forward {

// Algorithm: derives from this and has solve(tree, ws, bias by body, tau, qdd).
template <class Algorithm, class T>
class BiasByRnea {
 public:
  // in: cos_q, sin_q, q, v of ws, tau of the coordinates.  out: qdd of the coordinates.
  DYN_REALTIME Status compute(const Tree& tree, const Workspace<T>& ws, ConstVectorRef<T> tau,
                              VectorRef<T> qdd) noexcept {
    DYN_EXPECTS(ws.capacity >= tree.size && tau.size() == tree.coordinates && qdd.size() == tree.coordinates);
    VectorRef<T> bias(bias_.data(), tree.size);
    rnea_.bias(tree, ws, tree.gravity.template cast<T>(), bias);
    return static_cast<Algorithm&>(*this).solve(tree, ws, ConstVectorRef<T>(bias_.data(), tree.size), tau, qdd);
  }

 private:
  friend Algorithm;
  explicit BiasByRnea(int capacity) : rnea_(capacity), bias_(capacity) {}

  inverse::Rnea<T> rnea_;
  std::vector<T> bias_;
};

}  // namespace dyn::forward
