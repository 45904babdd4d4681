// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The files of a run. All are made from the RunRecord after the loop has ended; nothing here is real-time. All
// functions throw ModelError naming the file if it cannot be written.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

// The figures of one run, its `failures` and its `files`: at the top level the worst of all arms (tracking, torque,
// validation errors) or their sum (samples, breaches), and in `arms` those of every arm. A figure that is not finite is
// null.
[[nodiscard]] nlohmann::json results_json(const RunRecord& run);
void write_results(const RunRecord& run, const std::filesystem::path& dir);  // dir/results.json

// One row for each recorded cycle: time_s, then SIGNAL.COORDINATE for all signals, jsim, flags. With several arms there
// is one file per arm, with its name before the extension: log.left.csv.
void write_csv(const RunRecord& run, const std::filesystem::path& file);

// ROS 2 messages in CDR, as `ros2 bag`, PlotJuggler, Foxglove and `dyn replay` read them; topics: log_mcap.cpp. And
// metadata.yaml beside the file, with which the folder is a bag.
void write_mcap(const RunRecord& run, const std::filesystem::path& file);

// One page that needs no other file: the arm in 3D, every signal, events, residuals, timing.
void write_report(const RunRecord& run, const std::filesystem::path& file);

// The names of all files above, results.json first; and, if `dir` has the results.json of another run, the names of
// that run's files that this run does not write.
void write_run(const RunRecord& run, const std::filesystem::path& dir);
[[nodiscard]] std::vector<std::string> files_of(const RunConfig& config);
[[nodiscard]] std::vector<std::string> files_gone(const RunConfig& config, const std::filesystem::path& dir);

}  // namespace dyn::sim
