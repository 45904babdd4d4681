// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M link by link from principal screws of inertia: paper 002 (Laus, Simoni and Martins). Runs in the control loop:
// compute() does not allocate. double runs the lane form, src/jsim/screw_lanes.cpp: the same sum, link by link.
#pragma once

#include <string_view>

#include "dyn_core/precondition.hpp"
#include "dyn_core/progressive/link_screws.hpp"

namespace dyn::jsim {

// M = M_1 + M_2 + ... + M_n padded with zeros (the double dagger of the paper, eq 19), M_i = J_i^T Mbar_i J_i (eq 21).
// Links are added in the order of the tree, so that the sum of the first links is the partial model of the robot.
template <class T>
class Screw {
 public:
  static constexpr std::string_view name = "screw";
  static constexpr std::string_view source = "paper 002 (Laus, Simoni and Martins), eqs 2-31";
  static constexpr std::string_view lane_form = "src/jsim/screw_lanes.cpp";
  static constexpr unsigned needs = LinkScrews<T>::needs;

  explicit Screw(int capacity) : link_(capacity) {}

  // in: positions of ws.  out: M, symmetric, in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> M) noexcept {
    DYN_EXPECTS(fits(tree, ws, M));
    M.setZero();
    for (int i = 0; i < tree.size; ++i) {
      link_.update(tree, ws, i, tree.principal[i]);
      link_.mass([&](int a, int b, const T& value) {
        M(link_.body(a), link_.body(b)) += value;
        if (a != b) M(link_.body(b), link_.body(a)) += value;
      });
    }
  }

 private:
  LinkScrews<T> link_;
};

}  // namespace dyn::jsim
