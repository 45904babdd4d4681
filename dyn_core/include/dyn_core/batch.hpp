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

// State k: M and C (column-major) at [k n n, (k + 1) n n), g and h at [k n, (k + 1) n), in the user's coordinates. A
// term whose span is empty is not computed. All results of a state that is not finite are NaN.
struct BatchOutput {
  std::span<double> M{}, C{}, g{}, h{};
};

// For one thread. The constructor allocates all memory; evaluate() allocates none.
class BatchDynamics {
 public:
  // `kernels`: one of usable_kernel_sets(); empty: what DYN_ISA says, else the fastest that this machine can run.
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

// The same with the states divided evenly among so many threads (0: as many as the machine has).
void evaluate_batch(const std::shared_ptr<const Model>& model, std::span<const double> q, std::span<const double> v,
                    const BatchOutput& out, unsigned threads = 1);

}  // namespace dyn
