// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C link by link: paper 002 (Laus, Simoni and Martins). Runs in the control loop: compute() does not allocate.
// double runs the lane form, src/coriolis/screw_lanes.cpp, O(n d^2): the sums over k of eq 35 are taken first, by
// twists of the bodies.
#pragma once

#include <string_view>

#include "dyn_core/precondition.hpp"
#include "dyn_core/progressive/link_screws.hpp"

namespace dyn::coriolis {

// C = C_1 + C_2 + ... + C_n padded with zeros, each C_i by Christoffel symbols from that link's own M_i (eq 35): O(n
// d^3).
template <class T>
class Screw {
 public:
  static constexpr std::string_view name = "screw";
  static constexpr std::string_view source = "paper 002 (Laus, Simoni and Martins), eqs 21, 35";
  static constexpr std::string_view lane_form = "src/coriolis/screw_lanes.cpp";
  static constexpr unsigned needs = LinkScrews<T>::needs;

  explicit Screw(int capacity) : link_(capacity) {}

  // in: positions and v of ws.  out: C in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> C) noexcept {
    DYN_EXPECTS(fits(tree, ws, C));
    C.setZero();
    for (int i = 0; i < tree.size; ++i) {
      link_.update(tree, ws, i, tree.principal[i]);
      link_.coriolis([&](int a) { return ws.v[link_.body(a)]; },
                     [&](int a, int b, const T& value) { C(link_.body(a), link_.body(b)) += value; });
    }
  }

 private:
  LinkScrews<T> link_;
};

}  // namespace dyn::coriolis
