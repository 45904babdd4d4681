// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// An algorithm of a registry with its workspace, as the tests run it; and the step from bodies to user's coordinates.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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
      G(i, tree.coordinate[i]) = tree.ratio[i];
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

// A state no robot is ever in: all positions, or all velocities and torques, are not finite or beyond every bound.
struct BrokenState {
  Case state;
  Case moved;           // the same numbers, finite, but others than the good state's
  bool finite = false;  // 1e308
};

inline std::vector<BrokenState> broken_states(const Case& good) {
  std::vector<BrokenState> result;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e308}) {
    BrokenState q{good, good, std::isfinite(bad)}, v = q;
    std::fill(q.state.q.begin(), q.state.q.end(), bad);
    for (double& x : q.moved.q) x += 0.4;
    std::fill(v.state.v.begin(), v.state.v.end(), bad);
    std::fill(v.state.tau.begin(), v.state.tau.end(), bad);
    for (double& x : v.moved.v) x *= 1.5;
    for (double& x : v.moved.tau) x *= 1.5;
    result.push_back(q);
    result.push_back(v);
  }
  return result;
}

// Entries that depend on a number that is not finite must not be finite: those that differ between the good state and
// the moved one. The others are not compared.
inline void expect_no_number_from_none(const auto& result, const auto& good, const auto& moved) {
  const double small = 1e-9 * largest_entry(good);
  for (Eigen::Index j = 0; j < good.cols(); ++j) {
    for (Eigen::Index i = 0; i < good.rows(); ++i) {
      if (std::abs(moved(i, j) - good(i, j)) <= small) continue;
      EXPECT_FALSE(std::isfinite(result(i, j))) << i << ' ' << j << ": a number made of none, " << result(i, j);
    }
  }
}

// The state as floats have it, so that what float and double make of it differs by their arithmetic alone.
inline Case rounded_to_float(Case c) {
  for (auto* x : {&c.q, &c.v, &c.a, &c.tau}) {
    for (double& number : *x) number = static_cast<double>(static_cast<float>(number));
  }
  return c;
}

}  // namespace dyn::test
