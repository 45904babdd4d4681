// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One frame and M^-1 in `dyn bench`, each computed alone from q (and v): tasks "frame" (pose), "J", "J+Jdot v",
// "Lambda" and "M^-1". The frame is that of the last link on the longest path from the base.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bench/contestants.hpp"
#include "bench/peer.hpp"

namespace dyn::bench {

[[nodiscard]] const Link& bench_frame(const Model& model);

[[nodiscard]] std::vector<Contestant> frame_contestants(const std::shared_ptr<const Model>& model,
                                                        const States& states);

// The expected result of a peer for such a task (Peer::read); empty for any other task, and if Lambda is near singular.
[[nodiscard]] std::vector<double> own_frame_numbers(const Model& model, PeerTask task, std::span<const double> q,
                                                    std::span<const double> v);

}  // namespace dyn::bench
