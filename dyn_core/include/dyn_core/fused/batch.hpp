// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M, C and g of many states at once, for planners, identification and validation; not for the control loop.
#pragma once

#include <memory>
#include <span>

#include "dyn_core/model/model.hpp"

namespace dyn {

// State k has its q and v at [k n, (k + 1) n), its M and C (column-major) at [k n n, ..) and its g at [k n, ..), in the
// user's coordinates. Spans that are empty are not wanted. What belongs to a state that is not finite becomes NaN. The
// states are shared out evenly among `threads` (0: as many as the machine has). Throws ModelError on wrong sizes.
void evaluate_batch(const std::shared_ptr<const Model>& model, std::span<const double> q, std::span<const double> v,
                    std::span<double> M, std::span<double> C, std::span<double> g, unsigned threads = 1);

}  // namespace dyn
