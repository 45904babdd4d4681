// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Derivatives and regressor in `dyn bench`: tasks "inverse derivatives" (dtau/dq, dtau/dv, M), "forward derivatives"
// (dqdd/dq, dqdd/dv, M^-1) and "regressor".
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bench/contestants.hpp"
#include "bench/peer.hpp"

namespace dyn::bench {

[[nodiscard]] std::vector<Contestant> derivative_contestants(const std::shared_ptr<const Model>& model,
                                                             const States& states);

// The expected result of a peer for such a task (Peer::read); empty for any other task. x is a or tau.
[[nodiscard]] std::vector<double> own_derivative_numbers(const Model& model, PeerTask task, std::span<const double> q,
                                                         std::span<const double> v, std::span<const double> x);

}  // namespace dyn::bench
