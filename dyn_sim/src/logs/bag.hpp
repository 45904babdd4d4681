// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The messages of one topic of a rosbag2, one after another, into the columns of a log.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dyn_sim/logs/motion_log.hpp"

namespace dyn::sim::logs {

class BagColumns {
 public:
  BagColumns(std::string source, std::string topic);

  [[nodiscard]] const std::string& topic() const noexcept { return topic_; }
  // Declares one topic of the bag. Throws ModelError if the requested topic has other messages than JointState in CDR.
  void declare(const std::string& topic, const std::string& type, const std::string& encoding);
  void add(std::span<const std::uint8_t> message, std::int64_t logged_ns);
  // Throws ModelError if there were no messages; `topics`: the topics that the bag has instead.
  [[nodiscard]] RawLog finish();
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Row {
    std::int64_t time_ns;
    std::vector<double> values;  // position, velocity, effort of every joint; not a number where there is none
  };
  void check_names(const std::vector<std::string>& names);

  std::string source_, topic_;
  std::vector<std::string> others_, names_;
  std::vector<Row> rows_;
  size_t messages_ = 0, strangers_ = 0;
  bool declared_ = false;
};

}  // namespace dyn::sim::logs
