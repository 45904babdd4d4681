// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The contestants of `dyn bench`: all algorithms of this project, and the peers that were built (DYN_BENCH_PEERS).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "dyn_core/model/model.hpp"

namespace dyn::bench {

struct States {
  States(const Model& model, int count, unsigned seed);
  [[nodiscard]] const double* at(const std::vector<double>& values, int state) const {
    return values.data() + static_cast<std::ptrdiff_t>(state) * joints;
  }
  int joints, count;
  std::vector<double> q, v, a;
};

// The states must outlive the contestants.
[[nodiscard]] std::vector<Contestant> own_contestants(const std::shared_ptr<const Model>& model, const States& states);

// The code that `dyn symbolic` writes for a small robot; none if there is no compiler.
[[nodiscard]] std::vector<Contestant> symbolic_contestants(const Model& model, const States& states);

// The peers in the directory, or none: Pinocchio and, with `others`, every other library. Throws ModelError if one
// cannot be loaded, or disagrees with this project on a quantity for which it is timed.
[[nodiscard]] std::vector<Contestant> peer_contestants(const std::filesystem::path& directory, const Model& model,
                                                       const States& states, bool others);
[[nodiscard]] std::filesystem::path peer_directory();

}  // namespace dyn::bench
