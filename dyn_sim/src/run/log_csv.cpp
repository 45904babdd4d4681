// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// log.csv: every recorded cycle of every signal; numbers read back exactly.
#include "dyn_sim/run/outputs.hpp"
#include "number_text.hpp"
#include "output_file.hpp"
#include "results_names.hpp"

namespace dyn::sim {
namespace {

// Quoted if it has a comma, a quote or a line break.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string header(const ArmRecord& arm) {
  std::string line = "time_s";
  for (int s = 0; s < static_cast<int>(Signal::count); ++s) {
    for (const std::string& name : arm.coordinates) {
      line += ',' + field(to_string(static_cast<Signal>(s)) + ('.' + name));
    }
  }
  for (const char* const name : frame_signal_names) {
    if (!arm.frame_signals.empty()) line += std::string(",") + name;
  }
  return line + ",jsim,flags\n";
}

void append_row(std::string& line, const ArmRecord& arm, int row) {
  const size_t width = static_cast<size_t>(Signal::count) * arm.coordinates.size();
  outputs::append_number(line, arm.time_s[row]);
  for (size_t k = 0; k < width; ++k) {
    line += ',';
    outputs::append_number(line, arm.signals[row * width + k]);
  }
  for (size_t k = 0; k < frame_signal_count && !arm.frame_signals.empty(); ++k) {
    line += ',';
    outputs::append_number(line, arm.frame_signal(row, static_cast<FrameSignal>(k)));
  }
  line += ',' + (row < std::ssize(arm.jsim) ? outputs::jsim_name(arm.jsim[row]) : std::string());
  line += ',' + (row < std::ssize(arm.flags) ? std::to_string(arm.flags[row]) : std::string("0")) + '\n';
}

void write_arm(const ArmRecord& arm, const std::filesystem::path& path) {
  outputs::OutputFile file(path, false);
  file.stream() << header(arm);
  std::string line;
  for (int row = 0; row < arm.rows; ++row) {
    line.clear();
    append_row(line, arm, row);
    file.stream().write(line.data(), static_cast<std::streamsize>(line.size()));
  }
  file.close();
}

}  // namespace

void write_csv(const RunRecord& run, const std::filesystem::path& file) {
  if (run.arms.size() == 1) return write_arm(run.arms.front(), file);
  for (size_t i = 0; i < run.arms.size(); ++i) {
    const std::string name = run.arms[i].config ? run.arms[i].config->name : "arm" + std::to_string(i + 1);
    write_arm(run.arms[i], file.parent_path() / outputs::arm_file(file.filename().string(), name));
  }
}

}  // namespace dyn::sim
