// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Records of an MCAP file: opcode, length in 8 bytes, content; integers little-endian, strings with 4 bytes of length.
#include "log_mcap_writer.hpp"

#include <algorithm>

namespace dyn::sim::outputs {
namespace {

constexpr std::uint8_t header_op = 0x01, footer_op = 0x02, schema_op = 0x03, channel_op = 0x04, message_op = 0x05,
                       statistics_op = 0x0B, data_end_op = 0x0F;
constexpr std::string_view magic("\x89MCAP0\r\n", 8);

void put(std::string& to, std::uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) to += static_cast<char>((value >> (8 * k)) & 0xFF);
}

void put(std::string& to, const std::string& text) {
  put(to, text.size(), 4);
  to += text;
}

}  // namespace

std::string to_text(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

McapWriter::McapWriter(std::ostream& stream) : stream_(stream) {
  stream_.write(magic.data(), static_cast<std::streamsize>(magic.size()));
  position_ = magic.size();
  std::string content;
  put(content, std::string());  // profile: none
  put(content, std::string("dyn_control"));
  record(header_op, content);
}

void McapWriter::record(std::uint8_t opcode, const std::string& content) {
  std::string head(1, static_cast<char>(opcode));
  put(head, content.size(), 8);
  stream_.write(head.data(), static_cast<std::streamsize>(head.size()));
  stream_.write(content.data(), static_cast<std::streamsize>(content.size()));
  position_ += head.size() + content.size();
}

std::uint16_t McapWriter::add_channel(const std::string& topic, const std::string& schema_name,
                                      const nlohmann::json& schema) {
  const auto id = static_cast<std::uint16_t>(channels_.size() + 1);
  std::string content;
  put(content, id, 2);
  put(content, schema_name);
  put(content, std::string("jsonschema"));
  put(content, to_text(schema));
  schemas_.push_back(content);
  record(schema_op, content);

  content.clear();
  put(content, id, 2);
  put(content, id, 2);  // its schema
  put(content, topic);
  put(content, std::string("json"));
  put(content, 0, 4);  // no metadata
  channels_.push_back(content);
  record(channel_op, content);
  messages_[id] = 0;
  return id;
}

void McapWriter::write(std::uint16_t channel, std::uint64_t time_ns, const std::string& json) {
  std::string content;
  content.reserve(json.size() + 22);
  put(content, channel, 2);
  put(content, ++sequence_[channel], 4);
  put(content, time_ns, 8);  // logged
  put(content, time_ns, 8);  // published
  content += json;
  record(message_op, content);
  first_ns_ = total_ == 0 ? time_ns : std::min(first_ns_, time_ns);
  last_ns_ = std::max(last_ns_, time_ns);
  ++total_;
  ++messages_[channel];
}

void McapWriter::finish() {
  std::string content;
  put(content, 0, 4);  // CRC of the data: none
  record(data_end_op, content);
  const std::uint64_t summary = position_;
  for (const std::string& schema : schemas_) record(schema_op, schema);
  for (const std::string& channel : channels_) record(channel_op, channel);
  content.clear();
  put(content, total_, 8);
  put(content, schemas_.size(), 2);
  put(content, channels_.size(), 4);
  put(content, 0, 4);  // attachments
  put(content, 0, 4);  // metadata
  put(content, 0, 4);  // chunks
  put(content, first_ns_, 8);
  put(content, last_ns_, 8);
  put(content, messages_.size() * 10, 4);
  for (const auto& [channel, count] : messages_) {
    put(content, channel, 2);
    put(content, count, 8);
  }
  record(statistics_op, content);
  content.clear();
  put(content, summary, 8);
  put(content, 0, 8);  // no summary offsets
  put(content, 0, 4);  // CRC of the summary: none
  record(footer_op, content);
  stream_.write(magic.data(), static_cast<std::streamsize>(magic.size()));
}

}  // namespace dyn::sim::outputs
