// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a run leaves on disk. Everything is made from the RunRecord after the loop has ended; nothing here is real-time.
// All of them throw ModelError naming the file where it cannot be written.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

// The figures of one run, its `failures` and its `files`: the worst of all arms (tracking, torque, validation errors)
// or their sum (samples, breaches) at the top, and every arm by itself in `arms`. A figure that is not finite is null.
[[nodiscard]] nlohmann::json results_json(const RunRecord& run);
void write_results(const RunRecord& run, const std::filesystem::path& dir);  // dir/results.json

// One row a recorded cycle: time_s, then SIGNAL.COORDINATE for all signals, jsim, flags. With several arms one file an
// arm, its name before the extension: log.left.csv.
void write_csv(const RunRecord& run, const std::filesystem::path& file);

// ROS 2 messages in CDR, as `ros2 bag`, PlotJuggler, Foxglove and `dyn replay` read them; topics: log_mcap.cpp.
void write_mcap(const RunRecord& run, const std::filesystem::path& file);

// One page that needs nothing but itself: the arm in 3D, every signal, events, residuals, timing.
void write_report(const RunRecord& run, const std::filesystem::path& file);

// All of the above in one folder, and their names, results.json first. Where `dir` has the results.json of another run:
// the names of its files that this one has not.
void write_run(const RunRecord& run, const std::filesystem::path& dir);
[[nodiscard]] std::vector<std::string> files_of(const RunConfig& config);
[[nodiscard]] std::vector<std::string> files_gone(const RunConfig& config, const std::filesystem::path& dir);

}  // namespace dyn::sim
