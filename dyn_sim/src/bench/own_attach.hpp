// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a change of a running loop's model costs the thread that makes it.
#pragma once

#include <vector>

#include "bench/contestants.hpp"

namespace dyn::bench {

inline constexpr const char* attach_task = "attach+detach";

// 2 kg on the last link of an arm whose loop computes by the algorithms `screw`, attached and detached again; the loop
// takes each of the two models.
[[nodiscard]] std::vector<Contestant> attach_contestants(const Model& model);

}  // namespace dyn::bench
