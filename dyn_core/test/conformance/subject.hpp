// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// An algorithm of a registry with its workspace, as the tests run it; and the step from bodies to user's coordinates.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

#include "conformance/cases.hpp"
#include "conformance/wrong.hpp"
#include "dyn_core/kinematics/kinematics.hpp"

namespace dyn::test {

// The index-th entry of a registry, for double and float: Entry<JsimAlgorithms, 2>.
template <template <class> class Registry, size_t I>
struct Entry {
  template <class T>
  using Algorithm = std::tuple_element_t<I, Registry<T>>;
};

template <template <class> class Registry, class Sequence>
struct EntriesOf;
template <template <class> class Registry, size_t... I>
struct EntriesOf<Registry, std::index_sequence<I...>> {
  using Types = ::testing::Types<Entry<Registry, I>...>;
};
// ::testing::Types of all entries of a registry: one line there is one more subject here. With the program
// test_wrong_algorithms it is wrong ones instead, and every test has to fail.
template <template <class> class Registry>
#ifdef DYN_TEST_WRONG_ALGORITHMS
using Entries = WrongEntries<Registry>;
#else
using Entries = typename EntriesOf<Registry, std::make_index_sequence<std::tuple_size_v<Registry<double>>>>::Types;
#endif

struct EntryName {
  template <class E>
  static std::string GetName(int) {
    const std::string name(E::template Algorithm<double>::name);
    if constexpr (requires { E::label; }) return name + "_" + E::label;
    return name;
  }
};

// A result that is not a number fails every test, whatever else the test looks at.
inline void expect_finite(const auto& result, const Case& c) {
  EXPECT_TRUE(result.allFinite()) << c.robot << ": not a number";
}

template <class T>
struct Body {
  explicit Body(const Model& m, int capacity = 0) : tree(m.tree()), ws(std::max(capacity, tree.size)) {}

  void at(const Case& c, unsigned needs) {
    const auto cast = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
    spread_positions(tree, cast(c.q).data(), ws);
    spread_rates(tree, cast(c.v).data(), ws.v);
    spread_rates(tree, cast(c.a).data(), ws.a);
    update_kinematics(tree, ws, needs);
  }

  // From bodies to the user's coordinates: G^T B G, G^T b with q_body = G q + offset.
  [[nodiscard]] MatX<double> user(const MatX<T>& bodies) const {
    MatX<double> G = MatX<double>::Zero(tree.size, tree.coordinates);
    for (int i = 0; i < tree.size; ++i) {
      G(i, tree.coordinate[static_cast<size_t>(i)]) = tree.ratio[static_cast<size_t>(i)];
    }
    const MatX<double> B = bodies.template cast<double>();
    if (B.cols() == 1) return G.transpose() * B;
    return G.transpose() * B * G;
  }

  const Tree& tree;
  Workspace<T> ws;
};

// M and C by an algorithm of either matrix registry, body order.
template <class Algorithm, class T>
MatX<T> matrix_of(Algorithm& algorithm, const Body<T>& body) {
  const int n = body.tree.size;
  MatX<T> result = MatX<T>::Constant(n, n, T(777.0));  // an entry that is left out shows
  algorithm.compute(body.tree, body.ws, matrix_view(result.data(), n, n));
  return result;
}

// States no robot is ever in: not finite, or beyond every bound.
inline std::vector<Case> broken_states(const Case& c) {
  std::vector<Case> result;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e308}) {
    result.push_back(c);
    std::fill(result.back().q.begin(), result.back().q.end(), bad);
    result.push_back(c);
    std::fill(result.back().v.begin(), result.back().v.end(), bad);
    std::fill(result.back().tau.begin(), result.back().tau.end(), bad);
  }
  return result;
}

}  // namespace dyn::test
