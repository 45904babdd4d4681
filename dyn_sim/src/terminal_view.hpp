// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The display of `dyn run` on a terminal: a few lines that are redrawn some ten times a second.
#pragma once

#include <string>

#include "dyn_sim/run/runner.hpp"

namespace dyn::cli {

class TerminalView {
 public:
  TerminalView(const sim::RunConfig& config, double duration_s);

  // Lines that end in '
  // ', without cursor movements.
  [[nodiscard]] std::string lines(const sim::LiveView& view) const;
  // The same, drawn over the previous output of a terminal.
  [[nodiscard]] std::string frame(const sim::LiveView& view);

 private:
  [[nodiscard]] std::string arm_lines(const sim::ArmConfig& config, const sim::ArmView& view) const;

  const sim::RunConfig& config_;
  double duration_s_;
  std::vector<std::vector<std::string>> joints_;  // by arm, at most as many as an ArmView holds
  std::vector<std::vector<double>> effort_limits_;
  int drawn_ = 0;  // lines
};

}  // namespace dyn::cli
