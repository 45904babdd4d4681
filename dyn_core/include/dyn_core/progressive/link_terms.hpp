// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M_i, C_i and g_i of one link, or of one payload on a link, as a value: paper 002 (Laus, Simoni and Martins),
// section 2.4. joint_space_sum.hpp adds and removes them. Only the constructor allocates.
#pragma once

#include <vector>

#include "dyn_core/progressive/link_screws.hpp"

namespace dyn {

// Packed over the coordinates (entries of q) that move the link, from the base to the link; all others are 0. A mimic
// joint acts through the coordinate it follows: J's column times the ratio.
template <class T>
class LinkTerms {
 public:
  static constexpr unsigned needs = LinkScrews<T>::needs;

  // For links moved by at most `joints` simple joints.
  explicit LinkTerms(int joints)
      : screws_(joints),
        coordinate_(joints),
        place_(joints),
        ratio_(joints),
        M_(joints * joints),
        C_(joints * joints),
        g_(joints) {}

  [[nodiscard]] int capacity() const noexcept { return static_cast<int>(g_.size()); }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int coordinate(int k) const noexcept { return coordinate_[k]; }
  [[nodiscard]] ConstMatrixRef<T> M() const noexcept { return {M_.data(), size_, size_, Eigen::OuterStride<>(size_)}; }
  [[nodiscard]] ConstMatrixRef<T> C() const noexcept { return {C_.data(), size_, size_, Eigen::OuterStride<>(size_)}; }
  [[nodiscard]] ConstVectorRef<T> g() const noexcept { return {g_.data(), size_}; }

  // The body's own inertia. in: positions and v of ws.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, int body) noexcept {
    compute(tree, ws, body, tree.principal[body]);
  }

  // A payload carried rigidly by the body: `inertia` is the payload's, in the body frame.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, int body,
                            const PrincipalInertia& inertia) noexcept {
    screws_.update(tree, ws, body, inertia);
    place_chain(tree);
    MatrixRef<T> M = matrix_view(M_.data(), size_, size_);
    MatrixRef<T> C = matrix_view(C_.data(), size_, size_);
    VectorRef<T> g(g_.data(), size_);
    M.setZero();
    C.setZero();
    g.setZero();
    screws_.mass([&](int a, int b, const T& value) {
      const T scaled = ratio_[a] * value * ratio_[b];
      M(place_[a], place_[b]) += scaled;
      if (a != b) M(place_[b], place_[a]) += scaled;
    });
    screws_.coriolis([&](int a) { return ws.v[screws_.body(a)]; },
                     [&](int a, int b, const T& value) { C(place_[a], place_[b]) += ratio_[a] * value * ratio_[b]; });
    screws_.gravity(tree.gravity.template cast<T>(), [&](int a, const T& value) { g[place_[a]] += ratio_[a] * value; });
  }

  // Copies the value without allocating. False, and nothing is copied, where the capacity is too small.
  [[nodiscard]] DYN_REALTIME bool assign(const LinkTerms& from) noexcept {
    if (from.size_ > capacity()) return false;
    size_ = from.size_;
    for (int k = 0; k < size_; ++k) {
      coordinate_[k] = from.coordinate_[k];
      g_[k] = from.g_[k];
    }
    for (int k = 0; k < size_ * size_; ++k) {
      M_[k] = from.M_[k];
      C_[k] = from.C_[k];
    }
    return true;
  }

 private:
  // The place of each joint of the chain in the packed matrices; several mimic joints may share one.
  void place_chain(const Tree& tree) noexcept {
    size_ = 0;
    for (int a = screws_.size() - 1; a >= 0; --a) {
      const auto body = screws_.body(a);
      int k = 0;
      while (k < size_ && coordinate_[k] != tree.coordinate[body]) ++k;
      if (k == size_) coordinate_[size_++] = tree.coordinate[body];
      place_[a] = k;
      ratio_[a] = T(tree.ratio[body]);
    }
  }

  LinkScrews<T> screws_;
  std::vector<int> coordinate_;  // of packed entry k
  std::vector<int> place_;       // packed entry of chain joint a
  std::vector<T> ratio_;         // of chain joint a
  std::vector<T> M_, C_, g_;
  int size_ = 0;
};

}  // namespace dyn
