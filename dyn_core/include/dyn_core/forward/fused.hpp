// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// This project's own: M and h = C v + g in the base frame, then M = L^T D L with the zeros between branches kept.
// double runs the lane form: M and h by src/fused/, solved by src/forward/mass_factor.hpp (with mimic joints: here).
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/forward/cholesky.hpp"
#include "dyn_core/fused_form.hpp"
#include "dyn_core/inverse/fused.hpp"
#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::forward {

template <class T>
class Fused : public FusedForm {
 public:
  static constexpr std::string_view source = "dyn_control docs/speed.md";
  static constexpr unsigned needs = jsim::Fused<T>::needs | inverse::Fused<T>::needs;

  explicit Fused(int capacity)
      : jsim_(capacity), bias_(capacity), solver_(capacity), M_(capacity * capacity), h_(capacity) {}

  DYN_REALTIME Status compute(const Tree& tree, const Workspace<T>& ws, ConstVectorRef<T> tau,
                              VectorRef<T> qdd) noexcept {
    DYN_EXPECTS(ws.capacity >= tree.size && tau.size() == tree.coordinates && qdd.size() == tree.coordinates);
    jsim_.compute(tree, ws, matrix_view(M_.data(), tree.size, tree.size));
    bias_.bias(tree, ws, tree.gravity.template cast<T>(), VectorRef<T>(h_.data(), tree.size));
    return solve(tree, ws, tau, qdd);
  }

  // M and h in body order, for the caller to write before solve(). Entries of M between branches stay 0.
  [[nodiscard]] T* M() noexcept { return M_.data(); }
  [[nodiscard]] T* h() noexcept { return h_.data(); }
  DYN_REALTIME Status solve(const Tree& tree, const Workspace<T>& ws, ConstVectorRef<T> tau,
                            VectorRef<T> qdd) noexcept {
    return solver_.solve_given(tree, ws, matrix_view(M_.data(), tree.size, tree.size),
                               ConstVectorRef<T>(h_.data(), tree.size), tau, qdd);
  }

 private:
  jsim::Fused<T> jsim_;
  inverse::Fused<T> bias_;
  Cholesky<T> solver_;
  std::vector<T> M_, h_;
};

}  // namespace dyn::forward
