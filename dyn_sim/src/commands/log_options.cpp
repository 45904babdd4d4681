// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "commands/log_options.hpp"

#include <cmath>
#include <fstream>
#include <iostream>

#include "dyn_core/error.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "output.hpp"
#include "terminal_line.hpp"

namespace dyn::cli {
namespace {

// JOINT=VALUE; joints may have = in their names.
std::optional<std::pair<std::string, double>> joint_at(const std::string& text) {
  const size_t equals = text.rfind('=');
  double value = 0.0;
  if (equals == std::string::npos || equals == 0 || !CLI::detail::lexical_cast(text.substr(equals + 1), value) ||
      !std::isfinite(value)) {
    return std::nullopt;
  }
  return std::pair{text.substr(0, equals), value};
}

}  // namespace

CLI::Validator between(double least, double most, const std::string& unit) {
  return CLI::Validator(
      [least, most, unit](const std::string& text) {
        double value = 0.0;
        if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return std::string();
        return "'" + text + "' is not from " + number(least) + " to " + number(most) + unit;
      },
      "", "range");
}

void add_log_options(CLI::App& app, LogCall& call) {
  add_robot(app, call.robot);
  app.add_option("--effort", call.effort,
                 "For log.csv of dyn run: the torque sensed behind the drive, or applied by it [applied]")
      ->check(CLI::IsMember({"sensed", "applied"}));
  app.add_option("--at", call.at, "JOINT=VALUE: position of a joint that is not in the log [0]")
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [](const std::string& text) {
            return joint_at(text) ? std::string() : "'" + text + "' is not JOINT=VALUE with a finite number";
          },
          "", "joint"));
  app.add_option("--topic", call.topic, "For a bag: topic of its JointState messages")->capture_default_str();
  app.add_option("--gravity", call.gravity, "X,Y,Z in m/s^2, base frame [0,0,-9.81]")->check(is_vector());
  app.add_option("--cutoff", call.cutoff_hz,
                 "Hz of the zero-phase low-pass; chosen from the spectrum and printed unless given")
      ->check(between(1e-3, 1e6, " Hz"));
  app.add_option("--hold-out", call.hold_out,
                 "Share of each log, at its end, that is held out for judging, 0.4 for 40 %")
      ->check(between(0.0, 0.95, ""));
}

sim::LogChoice log_choice(const LogCall& call) {
  sim::LogChoice choice{call.effort, {}, call.topic, say_progress};
  for (const std::string& text : call.at) {
    if (const auto at = joint_at(text)) choice.at.insert_or_assign(at->first, at->second);
  }
  return choice;
}

std::optional<double> given_cutoff(const LogCall& call) {
  return call.cutoff_hz > 0.0 ? std::optional<double>(call.cutoff_hz) : std::nullopt;
}

std::shared_ptr<const Model> model_of(const LogCall& call) {
  ModelOptions options = model_options(call.robot);
  options.armature = true;
  if (!call.gravity.empty()) options.gravity_mps2 = parse_vector(call.gravity);
  auto model = std::make_shared<const Model>(load_model(call.robot.name, options));
  print_warnings(*model);
  return model;
}

void say_notes(const std::string& source, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::cerr << "note: " << one_line(source + ": " + note) << '\n';
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw ModelError(file.string() + ": cannot be written");
}

}  // namespace dyn::cli
