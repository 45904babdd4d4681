// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What holds alike for algorithms that make a matrix, M or C.
#pragma once

#include <algorithm>

#include "conformance/subject.hpp"
#include "support/allocation_counter.hpp"

namespace dyn::test {

template <class Entry>
class MatrixConformance : public ::testing::Test {
 protected:
  template <class T>
  using Algorithm = typename Entry::template Algorithm<T>;

  // By an algorithm that has seen no robot before, in body order.
  template <class T = double>
  static MatX<T> fresh(const Case& c) {
    Body<T> body(*c.model);
    body.at(c, Algorithm<T>::needs);
    Algorithm<T> algorithm(body.tree.size);
    MatX<T> matrix = matrix_of(algorithm, body);
    expect_finite(matrix, c);
    return matrix;
  }
  static MatX<double> user(const Case& c, const auto& matrix) {
    return Body<typename std::decay_t<decltype(matrix)>::Scalar>(*c.model).user(matrix);
  }

  static void expect_zeros_between_branches() {
    for (const Case& c : all_cases()) {
      const MatX<double> matrix = fresh(c);
      const Tree& tree = c.model->tree();
      for (int i = 0; i < tree.size; ++i) {
        for (int j = 0; j < tree.size; ++j) {
          if (!tree.supports(i, j) && !tree.supports(j, i)) {
            ASSERT_EQ(matrix(i, j), 0.0) << c.robot << ' ' << i << ' ' << j;
          }
        }
      }
    }
  }

  static void expect_no_allocation() {
    for (const Case& c : all_cases()) {
      Body<double> body(*c.model);
      body.at(c, needs_all);
      Algorithm<double> algorithm(body.tree.size);
      MatX<double> matrix(body.tree.size, body.tree.size);
      const auto view = matrix_view(matrix.data(), body.tree.size, body.tree.size);
      EXPECT_TRUE(count_allocations([&] { algorithm.compute(body.tree, body.ws, view); }).none()) << c.robot;
      expect_finite(matrix, c);
    }
  }

  // A state that is not finite gives no finite results, and does not affect the results of a later finite state.
  static void expect_no_trace_of_broken_states() {
    const Case& good = all_cases()[17];
    const MatX<double> expected = fresh(good);
    Body<double> body(*good.model);
    Algorithm<double> algorithm(body.tree.size);
    for (const BrokenState& broken : broken_states(good)) {
      body.at(broken.state, Algorithm<double>::needs);
      const MatX<double> result = matrix_of(algorithm, body);
      if (!broken.finite) expect_no_number_from_none(result, expected, fresh(broken.moved));
      body.at(good, Algorithm<double>::needs);
      EXPECT_EQ(matrix_of(algorithm, body), expected) << "something of the broken state is left";
    }
  }

  // One object serves robots of any size up to its capacity, one after the other.
  static void expect_no_memory_of_the_robot_before() {
    int capacity = 0;
    for (const Case& c : all_cases()) capacity = std::max(capacity, c.model->bodies());
    Algorithm<double> shared(capacity);
    for (const Case& c : all_cases()) {
      Body<double> body(*c.model, capacity);
      body.at(c, Algorithm<double>::needs);
      EXPECT_EQ(matrix_of(shared, body), fresh(c)) << c.robot;
    }
  }
};

}  // namespace dyn::test
