// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// MCAP (mcap.dev), as little of it as readers need: JSON messages with JSON schemas, no chunks, no compression; a
// summary with schemas, channels, statistics, and the CRC of data and summary 0, which means: not computed.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace dyn::sim::outputs {

// Bytes of a name that are no UTF-8 are replaced: a log is not lost for them.
[[nodiscard]] std::string to_text(const nlohmann::json& json);

class McapWriter {
 public:
  explicit McapWriter(std::ostream& stream);
  // Returns the channel's number.
  std::uint16_t add_channel(const std::string& topic, const std::string& schema_name, const nlohmann::json& schema);
  void write(std::uint16_t channel, std::uint64_t time_ns, const std::string& json);
  void finish();

 private:
  void record(std::uint8_t opcode, const std::string& content);

  std::ostream& stream_;
  std::uint64_t position_ = 0;
  std::vector<std::string> schemas_, channels_;  // contents of their records, for the summary
  std::map<std::uint16_t, std::uint64_t> messages_;
  std::map<std::uint16_t, std::uint32_t> sequence_;
  std::uint64_t first_ns_ = 0, last_ns_ = 0, total_ = 0;
};

}  // namespace dyn::sim::outputs
