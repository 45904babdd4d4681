// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M, C, g and h = C v + g of many states at once, a state a vector lane, for planners, identification and validation;
// not for the control loop.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "dyn_core/model/model.hpp"

namespace dyn {

// State k has its M and C (column-major) at [k n n, (k + 1) n n), its g and h at [k n, ..), in the user's coordinates.
// Spans that are empty are not wanted. What belongs to a state that is not finite becomes NaN.
struct BatchOutput {
  std::span<double> M{}, C{}, g{}, h{};
};

// One thread's worker: all memory is taken here, none by evaluate().
class BatchDynamics {
 public:
  // `kernels`: as in DYN_ISA; empty: the best that this machine has, or what DYN_ISA says.
  explicit BatchDynamics(std::shared_ptr<const Model> model, const std::string& kernels = {});
  BatchDynamics(const BatchDynamics&) = delete;
  BatchDynamics& operator=(const BatchDynamics&) = delete;
  BatchDynamics(BatchDynamics&&) noexcept;
  BatchDynamics& operator=(BatchDynamics&&) noexcept;
  ~BatchDynamics();

  // q and v of state k at [k n, (k + 1) n). Throws ModelError on wrong sizes.
  void evaluate(std::span<const double> q, std::span<const double> v, const BatchOutput& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same, the states shared out evenly among `threads` (0: as many as the machine has).
void evaluate_batch(const std::shared_ptr<const Model>& model, std::span<const double> q, std::span<const double> v,
                    const BatchOutput& out, unsigned threads = 1);

}  // namespace dyn
