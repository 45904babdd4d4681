// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The progressive model of paper 002 (Laus, Simoni and Martins): M, C and g of a robot as the padded sum of its pieces
// (links, payloads), which may be added and removed. Real-time safe: only the constructor allocates.
#pragma once

#include <algorithm>
#include <vector>

#include "dyn_core/progressive/link_terms.hpp"

namespace dyn {

// M = M_1 + M_2 + ..., C and g alike, missing rows and columns being 0 (the double dagger of the paper). Pieces are
// kept in the order in which they were added. Adding one takes time for that piece only.
// Removing one adds the remaining pieces up again in their order (a + b - b is not a in floating point), so that the
// sum is to the bit what it would be had the piece never been added. A piece may bring coordinates that no piece
// before it had: a payload on a passive joint.
template <class T>
class JointSpaceSum {
 public:
  static constexpr int refused = -1;

  // For at most `coordinates` entries of q and `pieces` pieces, each moved by at most `joints` joints.
  JointSpaceSum(int coordinates, int pieces, int joints)
      : largest_(coordinates),
        pieces_(pieces, LinkTerms<T>(joints)),
        used_(pieces, 0),
        order_(pieces),
        M_(coordinates * coordinates),
        C_(coordinates * coordinates),
        g_(coordinates) {}

  // A handle for remove() and replace(), or `refused` where there is no room (and nothing changed).
  [[nodiscard]] DYN_REALTIME int add(const LinkTerms<T>& piece) noexcept {
    const auto slot = static_cast<int>(std::find(used_.begin(), used_.end(), 0) - used_.begin());
    if (slot == static_cast<int>(used_.size()) || !fits(piece) || !pieces_[slot].assign(piece)) return refused;
    used_[slot] = 1;
    order_[count_++] = slot;
    accumulate(pieces_[slot]);
    return slot;
  }

  // False (and nothing changed) if there is no such piece.
  [[nodiscard]] DYN_REALTIME bool remove(int handle) noexcept {
    if (!holds(handle)) return false;
    used_[handle] = 0;
    const auto end = order_.begin() + count_;
    std::copy(std::find(order_.begin(), end, handle) + 1, end, std::find(order_.begin(), end, handle));
    --count_;
    sum_up();
    return true;
  }

  // The same piece in another state or with another inertia; it keeps its place in the order.
  [[nodiscard]] DYN_REALTIME bool replace(int handle, const LinkTerms<T>& piece) noexcept {
    if (!holds(handle) || !fits(piece) || !pieces_[handle].assign(piece)) return false;
    sum_up();
    return true;
  }

  [[nodiscard]] int pieces() const noexcept { return count_; }
  // One more than the largest coordinate that a piece moves.
  [[nodiscard]] int coordinates() const noexcept { return size_; }
  [[nodiscard]] ConstMatrixRef<T> M() const noexcept {
    return {M_.data(), size_, size_, Eigen::OuterStride<>(largest_)};
  }
  [[nodiscard]] ConstMatrixRef<T> C() const noexcept {
    return {C_.data(), size_, size_, Eigen::OuterStride<>(largest_)};
  }
  [[nodiscard]] ConstVectorRef<T> g() const noexcept { return {g_.data(), size_}; }

 private:
  [[nodiscard]] bool holds(int handle) const noexcept {
    return handle >= 0 && handle < static_cast<int>(used_.size()) && used_[handle] != 0;
  }
  [[nodiscard]] bool fits(const LinkTerms<T>& piece) const noexcept {
    for (int k = 0; k < piece.size(); ++k) {
      if (piece.coordinate(k) >= largest_) return false;
    }
    return true;
  }

  void sum_up() noexcept {
    std::fill(M_.begin(), M_.end(), T(0.0));
    std::fill(C_.begin(), C_.end(), T(0.0));
    std::fill(g_.begin(), g_.end(), T(0.0));
    size_ = 0;
    for (int k = 0; k < count_; ++k) accumulate(pieces_[order_[k]]);
  }

  void accumulate(const LinkTerms<T>& piece) noexcept {
    for (int b = 0; b < piece.size(); ++b) {
      const int column = piece.coordinate(b);
      size_ = std::max(size_, column + 1);
      g_[column] += piece.g()[b];
      for (int a = 0; a < piece.size(); ++a) {
        const int entry = column * largest_ + piece.coordinate(a);
        M_[entry] += piece.M()(a, b);
        C_[entry] += piece.C()(a, b);
      }
    }
  }

  int largest_;
  std::vector<LinkTerms<T>> pieces_;
  std::vector<char> used_;
  std::vector<int> order_;  // slots, in the order of adding
  std::vector<T> M_, C_, g_;
  int count_ = 0;
  int size_ = 0;
};

}  // namespace dyn
