// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// An output file.
#pragma once

#include <filesystem>
#include <fstream>

namespace dyn::sim::outputs {

// Throws ModelError if the file exists and cannot be replaced: a FIFO, a device, a directory.
void require_replaceable(const std::filesystem::path& file);

// An open file, or ModelError; close() throws if not everything could be written.
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
