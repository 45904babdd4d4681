// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "logs/cdr.hpp"

#include <cstring>

#include "dyn_core/error.hpp"

namespace dyn::sim::logs {
namespace {

constexpr std::uint32_t most_names = 10'000;

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> message) : bytes_(message) {
    if (bytes_.size() < 4) throw ModelError("the message has " + std::to_string(bytes_.size()) + " bytes");
    if (bytes_[0] != 0 || bytes_[1] > 1) {
      throw ModelError("the message's encapsulation is " + std::to_string(bytes_[0]) + " " + std::to_string(bytes_[1]) +
                       ", not plain CDR");
    }
    big_ = bytes_[1] == 0;
    bytes_ = bytes_.subspan(4);
  }

  template <class T>
  T number() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    need(sizeof(T), 1);
    std::uint8_t raw[sizeof(T)];
    for (size_t k = 0; k < sizeof(T); ++k) raw[k] = bytes_[at_ + (big_ ? sizeof(T) - 1 - k : k)];
    at_ += sizeof(T);
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return value;
  }

  std::string text() {
    const auto length = number<std::uint32_t>();
    need(length, 1);
    if (length == 0) return {};
    const auto* const begin = reinterpret_cast<const char*>(bytes_.data() + at_);
    at_ += length;
    return {begin, length - 1};  // without the NUL
  }

  std::vector<std::string> texts() {
    const auto count = number<std::uint32_t>();
    if (count > most_names) {
      throw ModelError("the message names " + std::to_string(count) + " joints; at most " + std::to_string(most_names) +
                       " are read");
    }
    need(count, 4);
    std::vector<std::string> all;
    for (std::uint32_t k = 0; k < count; ++k) all.push_back(text());
    return all;
  }

  std::vector<double> numbers() {
    const auto count = number<std::uint32_t>();
    need(count, sizeof(double));
    std::vector<double> all;
    for (std::uint32_t k = 0; k < count; ++k) all.push_back(number<double>());
    return all;
  }

 private:
  void need(size_t count, size_t each) const {
    const size_t left = at_ < bytes_.size() ? bytes_.size() - at_ : 0;
    if (count <= left / each) return;
    throw ModelError("a field of " + std::to_string(count) + " entries does not fit into the " + std::to_string(left) +
                     " bytes that are left of the message");
  }

  std::span<const std::uint8_t> bytes_;
  size_t at_ = 0;
  bool big_ = false;
};

}  // namespace

JointState decode_joint_state(std::span<const std::uint8_t> message) {
  Reader reader(message);
  JointState state;
  const auto seconds = reader.number<std::int32_t>();
  const auto nanoseconds = reader.number<std::uint32_t>();
  state.stamp_ns = std::int64_t{seconds} * 1'000'000'000 + nanoseconds;
  (void)reader.text();  // frame_id
  state.names = reader.texts();
  state.position = reader.numbers();
  state.velocity = reader.numbers();
  state.effort = reader.numbers();
  const auto check = [&state](const std::vector<double>& values, const char* what) {
    if (values.empty() || values.size() == state.names.size()) return;
    throw ModelError(std::string(what) + " has " + std::to_string(values.size()) + " entries and name " +
                     std::to_string(state.names.size()));
  };
  check(state.position, "position");
  check(state.velocity, "velocity");
  check(state.effort, "effort");
  return state;
}

}  // namespace dyn::sim::logs
