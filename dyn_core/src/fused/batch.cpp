// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/fused/batch.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "dyn_core/dynamics.hpp"

namespace dyn {
namespace {

struct Batch {
  std::span<const double> q, v;
  std::span<double> M, C, g;
};

void copy_or_nan(bool ok, const double* from, size_t count, std::span<double> to, size_t state) {
  if (to.empty()) return;
  double* first = to.data() + state * count;
  if (ok) {
    std::copy_n(from, count, first);
  } else {
    std::fill_n(first, count, std::numeric_limits<double>::quiet_NaN());
  }
}

void evaluate(Dynamics dynamics, const Batch& batch, size_t first, size_t last) {
  const auto n = static_cast<size_t>(dynamics.model().coordinates());
  const unsigned terms =
      (batch.M.empty() ? 0U : term_M) | (batch.C.empty() ? 0U : term_C) | (batch.g.empty() ? 0U : term_g);
  for (size_t k = first; k < last; ++k) {
    const bool ok = dynamics.update_terms(batch.q.subspan(k * n, n), batch.v.subspan(k * n, n), terms).ok();
    copy_or_nan(ok, dynamics.M().data(), n * n, batch.M, k);
    copy_or_nan(ok, dynamics.C().data(), n * n, batch.C, k);
    copy_or_nan(ok, dynamics.g().data(), n, batch.g, k);
  }
}

void check_size(const char* what, size_t size, size_t expected, bool may_be_empty) {
  if (size == expected || (may_be_empty && size == 0)) return;
  throw ModelError("evaluate_batch: " + std::string(what) + " has " + std::to_string(size) + " numbers, not " +
                   std::to_string(expected));
}

}  // namespace

void evaluate_batch(const std::shared_ptr<const Model>& model, std::span<const double> q, std::span<const double> v,
                    std::span<double> M, std::span<double> C, std::span<double> g, unsigned threads) {
  const auto n = static_cast<size_t>(model->coordinates());
  const size_t states = n == 0 ? 0 : q.size() / n;
  check_size("q", q.size(), states * n, false);
  check_size("v", v.size(), states * n, false);
  check_size("M", M.size(), states * n * n, true);
  check_size("C", C.size(), states * n * n, true);
  check_size("g", g.size(), states * n, true);
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  const Batch batch{q, v, M, C, g};
  const size_t share = (states + threads - 1) / threads;
  std::vector<std::jthread> others;
  for (size_t first = share; first < states; first += share) {
    others.emplace_back(evaluate, Dynamics(model), batch, first, std::min(first + share, states));
  }
  evaluate(Dynamics(model), batch, 0, std::min(share, states));
}

}  // namespace dyn
