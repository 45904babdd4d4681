// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What `dyn identify` leaves behind as text.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "dyn_sim/identify/identify.hpp"

namespace dyn::sim {

struct IdentifyReport {
  double cutoff_hz = 0.0;
  Identified identified;
  Fit before, train, validation;
};

// What --json prints.
[[nodiscard]] nlohmann::ordered_json identification_json(const IdentifyReport& report,
                                                         const std::filesystem::path& out);
// identification.json: that, and base parameters, cross-validation, what the log does not tell, warnings.
[[nodiscard]] nlohmann::ordered_json identification_details(const IdentifyReport& report,
                                                            const std::filesystem::path& out);
// report.html; `before` and `after` are of the same log.
[[nodiscard]] std::string identification_page(const IdentifyReport& report, const Model& model,
                                              const Comparison& before, const Comparison& after,
                                              const std::filesystem::path& out);
// report.html of `dyn replay`.
[[nodiscard]] std::string replay_page(const Model& model, const Comparison& comparison, const Fit& fit,
                                      double cutoff_hz, const std::string& log);

}  // namespace dyn::sim
