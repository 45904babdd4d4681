// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "logs/reading.hpp"

#include <algorithm>

#include "dyn_core/error.hpp"

namespace dyn::sim::logs {

void check_size(const std::string& source, std::size_t rows, std::size_t numbers_a_row) {
  const std::size_t most = std::min(most_rows, most_numbers / std::max<std::size_t>(numbers_a_row, 1));
  if (rows <= most) return;
  throw ModelError(source + ": the log has more than " + std::to_string(most) + " rows of " +
                   std::to_string(numbers_a_row) + " numbers; at most " + std::to_string(most_rows) + " rows and " +
                   std::to_string(most_numbers) + " numbers are read: divide it into several logs");
}

void Progress::at(std::size_t done, std::size_t of) {
  const std::size_t percent = 100 * std::min(done, of) / std::max<std::size_t>(of, 1);
  if (!say_ || percent == said_) return;
  said_ = percent;
  say_("reading " + source_ + ": " + std::to_string(percent) + " %");
}

}  // namespace dyn::sim::logs
