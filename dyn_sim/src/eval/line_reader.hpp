// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Reads lines from a file descriptor as soon as they are complete, so that a program at the other end of a pipe gets
// its answer before it writes the next line.
#pragma once

#include <cstddef>
#include <string>

namespace dyn::cli {

class LineReader {
 public:
  static constexpr size_t longest_line = size_t{4} << 20U;  // bytes; three times a state of 2000 joints in full digits

  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  // False at the end of input. The last line needs no line feed. Throws if reading fails or a line is too long.
  bool next(std::string& line);
  [[nodiscard]] int line_number() const noexcept { return line_number_; }  // of the line that next() gave, from 1

 private:
  bool fill();

  int descriptor_;
  int line_number_ = 0;
  std::string buffer_;
  size_t begin_ = 0;
};

}  // namespace dyn::cli
