// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Names in the files of a run.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "dyn_sim/run/record.hpp"

namespace dyn::sim::outputs {

[[nodiscard]] std::string law_name(control::Law law);
// Empty where no algorithm has that index.
[[nodiscard]] std::string jsim_name(int index);

struct CoordinateUnit {
  bool linear = false;  // m and N; else rad and N m
  double effort_limit = 0.0;
};
[[nodiscard]] CoordinateUnit coordinate_unit(const ArmRecord& arm, int coordinate);

// An open file, or ModelError; close() throws where not everything could be written.
class OutputFile {
 public:
  OutputFile(const std::filesystem::path& file, bool binary);
  std::ostream& stream() { return stream_; }
  void close();

 private:
  std::filesystem::path file_;
  std::ofstream stream_;
};

}  // namespace dyn::sim::outputs
