// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "logs/bag.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dyn_core/error.hpp"
#include "logs/cdr.hpp"
#include "logs/reading.hpp"

namespace dyn::sim::logs {

BagColumns::BagColumns(std::string source, std::string topic) : source_(std::move(source)), topic_(std::move(topic)) {}

void BagColumns::fail(const std::string& what) const { throw ModelError(source_ + ": " + what); }

void BagColumns::declare(const std::string& topic, const std::string& type, const std::string& encoding) {
  if (topic != topic_) {
    constexpr size_t most_shown = 20;
    if (type == "sensor_msgs/msg/JointState" && others_.size() < most_shown) others_.push_back(topic.substr(0, 256));
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

std::vector<size_t> BagColumns::places(const std::vector<std::string>& names) const {
  if (names.size() != names_.size()) return {};
  std::vector<size_t> place(names_.size());
  for (size_t k = 0; k < names.size(); ++k) {
    const auto found = joint_.find(names[k]);
    if (found == joint_.end()) return {};
    place[found->second] = k;
  }
  return place;
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
  if (state.names != names_) check_names(state.names);
  if (names_.empty()) {
    names_ = state.names;
    for (size_t k = 0; k < names_.size(); ++k) joint_.emplace(names_[k], k);
    columns_.resize(3 * names_.size());
  }
  const std::vector<size_t> place = places(state.names);
  if (place.empty()) {
    ++strangers_;
    return;
  }
  const std::int64_t time_ns = state.stamp_ns != 0 ? state.stamp_ns : logged_ns;
  constexpr std::int64_t latest_ns = 4'000'000'000'000'000'000;  // the year 2096; differences do not overflow
  if (time_ns < 0 || time_ns > latest_ns) {
    fail("message " + std::to_string(messages_) + " of " + topic_ + " has the time " + std::to_string(time_ns) +
         " ns; times from 0 to " + std::to_string(latest_ns) + " ns are read");
  }
  time_ns_.push_back(time_ns);
  check_size(source_, time_ns_.size(), 1 + columns_.size());
  for (size_t k = 0; k < place.size(); ++k) {
    size_t column = 3 * k;
    for (const std::vector<double>* values : {&state.position, &state.velocity, &state.effort}) {
      columns_[column++].push_back(values->empty() ? std::numeric_limits<double>::quiet_NaN() : (*values)[place[k]]);
    }
  }
}

RawLog BagColumns::finish() {
  if (time_ns_.empty()) {
    std::string there;
    for (const std::string& topic : others_) there += (there.empty() ? "" : ", ") + topic;
    if (messages_ > 0) fail("no message on topic " + topic_ + " names a joint");
    fail("there is no message on topic " + topic_ +
         (there.empty() ? std::string(" and no other topic of sensor_msgs/msg/JointState")
                        : "; joint states are on " + there + " (--topic)"));
  }
  RawLog log;
  log.source = source_;
  for (const std::int64_t ns : time_ns_) log.time_s.push_back(1e-9 * static_cast<double>(ns - time_ns_.front()));
  constexpr Quantity quantities[] = {Quantity::q, Quantity::v, Quantity::effort};
  for (size_t k = 0; k < names_.size(); ++k) {
    for (size_t i = 0; i < 3; ++i) {
      std::vector<double>& column = columns_[3 * k + i];
      const bool known = std::any_of(column.begin(), column.end(), [](double x) { return std::isfinite(x); });
      if (known) log.column(names_[k], quantities[i]) = std::move(column);  // else this driver does not measure it
    }
  }
  if (strangers_ > 0) {
    log.notes.push_back(std::to_string(strangers_) + " of " + std::to_string(messages_) + " messages on " + topic_ +
                        " have other joints than the first and were left out");
  }
  return log;
}

}  // namespace dyn::sim::logs
