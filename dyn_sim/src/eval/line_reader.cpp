// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "eval/line_reader.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "dyn_core/error.hpp"

namespace dyn::cli {

bool LineReader::fill() {
  std::array<char, 65536> block;
  ssize_t got = 0;
  do {
    got = read(descriptor_, block.data(), block.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw ModelError(std::string("cannot read standard input: ") + std::strerror(errno));
  buffer_.append(block.data(), got);
  return got > 0;
}

bool LineReader::next(std::string& line) {
  buffer_.erase(0, begin_);
  begin_ = 0;
  ++line_number_;
  size_t searched = 0;
  for (;;) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line.assign(buffer_, 0, end);
      begin_ = end + 1;
      return true;
    }
    searched = buffer_.size();
    if (searched > longest_line) {
      throw ModelError("line " + std::to_string(line_number_) + ": longer than " + std::to_string(longest_line) +
                       " bytes");
    }
    if (!fill()) break;
  }
  line = std::move(buffer_);
  buffer_.clear();
  return !line.empty();
}

}  // namespace dyn::cli
