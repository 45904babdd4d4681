// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// How much of a log is read, and how far its reader is.
#pragma once

#include <cstddef>
#include <string>

#include "dyn_sim/logs/motion_log.hpp"

namespace dyn::sim::logs {

// More than ten minutes at 1 kHz of seven joints with position, velocity, acceleration and torque.
inline constexpr std::size_t most_numbers = 20'000'000;
inline constexpr std::size_t most_rows = 5'000'000;

// Throws ModelError naming the log if that many rows of so many numbers are more than is read.
void check_size(const std::string& source, std::size_t rows, std::size_t numbers_a_row);

class Progress {
 public:
  Progress(const LogChoice& choice, std::string source) : say_(choice.progress), source_(std::move(source)) {}
  // Says it where the per cent are others than before.
  void at(std::size_t done, std::size_t of);

 private:
  const std::function<void(const std::string&)>& say_;
  std::string source_;
  std::size_t said_ = 0;
};

}  // namespace dyn::sim::logs
