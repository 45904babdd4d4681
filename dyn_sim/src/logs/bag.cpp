// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "logs/bag.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dyn_core/error.hpp"
#include "logs/cdr.hpp"

namespace dyn::sim::logs {

BagColumns::BagColumns(std::string source, std::string topic) : source_(std::move(source)), topic_(std::move(topic)) {}

void BagColumns::fail(const std::string& what) const { throw ModelError(source_ + ": " + what); }

void BagColumns::declare(const std::string& topic, const std::string& type, const std::string& encoding) {
  if (topic != topic_) {
    if (type == "sensor_msgs/msg/JointState") others_.push_back(topic);
    return;
  }
  if (type != "sensor_msgs/msg/JointState")
    fail("topic " + topic + " is of " + type + ", not sensor_msgs/msg/JointState");
  if (encoding != "cdr") fail("topic " + topic + " is encoded as '" + encoding + "', not as cdr");
  declared_ = true;
}

// The first message determines the joints; another order is accepted, other joints come from another publisher.
void BagColumns::check_names(const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    fail("message " + std::to_string(messages_) + " of " + topic_ + " names joint '" + *twice + "' twice");
}

void BagColumns::add(std::span<const std::uint8_t> message, std::int64_t logged_ns) {
  ++messages_;
  constexpr std::uint8_t zstd[] = {0x28, 0xB5, 0x2F, 0xFD};
  if (message.size() > 4 && std::equal(std::begin(zstd), std::end(zstd), message.begin())) {
    fail(
        "every message of the bag is compressed by itself (ros2 bag record --compression-mode message), which is not "
        "read; ros2 bag convert writes it without");
  }
  JointState state;
  try {
    state = decode_joint_state(message);
  } catch (const ModelError& error) {
    fail("message " + std::to_string(messages_) + " of " + topic_ + ": " + error.what());
  }
  if (state.names.empty()) {
    ++strangers_;
    return;
  }
  check_names(state.names);
  if (names_.empty()) names_ = state.names;
  Row row{state.stamp_ns != 0 ? state.stamp_ns : logged_ns,
          std::vector<double>(3 * names_.size(), std::numeric_limits<double>::quiet_NaN())};
  bool complete = state.names.size() == names_.size();
  for (size_t k = 0; complete && k < names_.size(); ++k) {
    const auto found = std::find(state.names.begin(), state.names.end(), names_[k]);
    complete = found != state.names.end();
    if (!complete) break;
    const size_t from = found - state.names.begin();
    if (!state.position.empty()) row.values[3 * k] = state.position[from];
    if (!state.velocity.empty()) row.values[3 * k + 1] = state.velocity[from];
    if (!state.effort.empty()) row.values[3 * k + 2] = state.effort[from];
  }
  if (!complete) {
    ++strangers_;
    return;
  }
  constexpr std::int64_t latest_ns = 4'000'000'000'000'000'000;  // the year 2096; differences do not overflow
  if (row.time_ns < 0 || row.time_ns > latest_ns) {
    fail("message " + std::to_string(messages_) + " of " + topic_ + " has the time " + std::to_string(row.time_ns) +
         " ns; times from 0 to " + std::to_string(latest_ns) + " ns are read");
  }
  rows_.push_back(std::move(row));
}

RawLog BagColumns::finish() {
  if (rows_.empty()) {
    std::string there;
    for (const std::string& topic : others_) there += (there.empty() ? "" : ", ") + topic;
    if (messages_ > 0) fail("no message on topic " + topic_ + " names a joint");
    fail("there is no message on topic " + topic_ +
         (there.empty() ? std::string(" and no other topic of sensor_msgs/msg/JointState")
                        : "; joint states are on " + there + " (--topic)"));
  }
  RawLog log;
  log.source = source_;
  for (const Row& row : rows_) log.time_s.push_back(1e-9 * static_cast<double>(row.time_ns - rows_.front().time_ns));
  constexpr Quantity quantities[] = {Quantity::q, Quantity::v, Quantity::effort};
  for (size_t k = 0; k < names_.size(); ++k) {
    for (size_t i = 0; i < 3; ++i) {
      const auto known = [k, i](const Row& row) { return std::isfinite(row.values[3 * k + i]); };
      if (std::none_of(rows_.begin(), rows_.end(), known)) continue;  // this driver does not measure it
      std::vector<double>& column = log.column(names_[k], quantities[i]);
      for (const Row& row : rows_) column.push_back(row.values[3 * k + i]);
    }
  }
  if (strangers_ > 0) {
    log.notes.push_back(std::to_string(strangers_) + " of " + std::to_string(messages_) + " messages on " + topic_ +
                        " have other joints than the first and were left out");
  }
  return log;
}

}  // namespace dyn::sim::logs
