// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The messages of one topic of a rosbag2, one after another, into the columns of a log.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
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
  void check_names(const std::vector<std::string>& names);
  // Where each joint is in a message; empty where these are other joints.
  [[nodiscard]] std::vector<std::size_t> places(const std::vector<std::string>& names) const;

  std::string source_, topic_;
  std::vector<std::string> others_, names_;
  std::unordered_map<std::string, std::size_t> joint_;  // place in names_, by name
  std::vector<std::int64_t> time_ns_;                   // by row
  std::vector<std::vector<double>> columns_;  // position, velocity, effort of every joint; not a number where absent
  size_t messages_ = 0, strangers_ = 0;
  bool declared_ = false;
};

}  // namespace dyn::sim::logs
