// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M, C, g of ten thousand states at once, one state per vector lane: for planners and identification.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <dyn_core/batch.hpp>
#include <dyn_core/dynamics.hpp>
#include <dyn_core/model/robot_library.hpp>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <vector>

int main() try {
  constexpr std::size_t states = 10000;
  const auto model = std::make_shared<const dyn::Model>(dyn::load_model("arm7"));
  const std::size_t n = model->coordinates();
  std::vector<double> q(states * n), v(states * n), M(states * n * n), C(M.size()), g(states * n);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> draw(-1.0, 1.0);
  std::generate(q.begin(), q.end(), [&] { return draw(random); });
  std::generate(v.begin(), v.end(), [&] { return draw(random); });

  const auto begin = std::chrono::steady_clock::now();
  dyn::evaluate_batch(model, q, v, {.M = M, .C = C, .g = g}, 0);  // 0: as many threads as the machine has
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;

  // The last state by itself gives the same numbers.
  dyn::Dynamics one(model);
  if (!one.update(std::span(q).last(n), std::span(v).last(n)).ok()) return 1;
  double difference = 0.0;
  for (std::size_t i = 0; i < n * n; ++i) {
    difference = std::max(difference, std::abs(one.M().data()[i] - M[(states - 1) * n * n + i]));
  }
  std::cout << states << " states in " << 1e3 * took.count() << " ms; the last one differs from a single call by "
            << difference << " kg m^2 at most\n";
  return difference < 1e-12 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
