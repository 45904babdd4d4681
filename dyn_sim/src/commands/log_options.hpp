// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Options of the commands that read logs.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "dyn_sim/identify/motion.hpp"
#include "dyn_sim/identify/replay.hpp"
#include "options.hpp"

namespace dyn::cli {

struct LogCall {
  RobotCall robot;
  std::string effort, topic = "/joint_states", gravity;
  std::vector<std::string> at;
  double cutoff_hz = 0.0;  // 0: chosen
  double hold_out = -1.0;  // -1: not given
};

void add_log_options(CLI::App& app, LogCall& call);
// Unlike CLI11's own ranges it refuses NaN.
[[nodiscard]] CLI::Validator between(double least, double most, const std::string& unit);
[[nodiscard]] sim::LogChoice log_choice(const LogCall& call);
[[nodiscard]] std::optional<double> given_cutoff(const LogCall& call);
// With its armature.
[[nodiscard]] std::shared_ptr<const Model> model_of(const LogCall& call);
// On standard error, one line each.
void say_notes(const std::string& source, const std::vector<std::string>& notes);
// Throws ModelError if the file cannot be written.
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace dyn::cli
