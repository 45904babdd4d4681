// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Records of an MCAP file: opcode, length in 8 bytes, content; integers little-endian, strings and lists with 4 bytes
// of length.
#include "log_mcap_writer.hpp"

#ifdef DYN_HAS_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <bit>

#include "dyn_core/error.hpp"

namespace dyn::sim::outputs {
namespace {

constexpr std::uint8_t header_op = 0x01, footer_op = 0x02, schema_op = 0x03, channel_op = 0x04, message_op = 0x05,
                       chunk_op = 0x06, message_index_op = 0x07, chunk_index_op = 0x08, statistics_op = 0x0B,
                       summary_offset_op = 0x0E, data_end_op = 0x0F;
constexpr std::string_view magic("\x89MCAP0\r\n", 8);
constexpr std::size_t chunk_size = std::size_t{1} << 20;

void put(std::string& to, std::uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) to += static_cast<char>((value >> (8 * k)) & 0xFF);
}

void put(std::string& to, std::string_view text) {
  put(to, text.size(), 4);
  to += text;
}

void put_record(std::string& to, std::uint8_t opcode, const std::string& content) {
  to += static_cast<char>(opcode);
  put(to, content.size(), 8);
  to += content;
}

#ifdef DYN_HAS_ZSTD
constexpr std::string_view compression = "zstd";
std::string packed(const std::string& plain) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3);
  if (ZSTD_isError(size) != 0U) throw ModelError(std::string("log.mcap: zstd: ") + ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}
#else
constexpr std::string_view compression;
std::string packed(const std::string& plain) { return plain; }
#endif

}  // namespace

void CdrMessage::begin() { bytes_.assign({0, 1, 0, 0}); }  // little-endian

void CdrMessage::number(std::uint64_t value, std::size_t size) {
  constexpr std::size_t head = 4;
  while ((bytes_.size() - head) % size != 0) bytes_ += '\0';
  outputs::put(bytes_, value, static_cast<int>(size));
}

void CdrMessage::put(double value) { number(std::bit_cast<std::uint64_t>(value), 8); }

void CdrMessage::put(std::string_view text) {
  put(static_cast<std::uint32_t>(text.size() + 1));
  bytes_ += text;
  bytes_ += '\0';
}

void CdrMessage::put(const std::vector<std::string>& texts) {
  put(static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) put(std::string_view(text));
}

void CdrMessage::put(std::span<const double> values) {
  put(static_cast<std::uint32_t>(values.size()));
  for (const double value : values) put(value);
}

void CdrMessage::put_time(std::uint64_t time_ns) {
  put(static_cast<std::uint32_t>(time_ns / 1'000'000'000));
  put(static_cast<std::uint32_t>(time_ns % 1'000'000'000));
}

void CdrMessage::put_header(std::uint64_t time_ns, std::string_view frame_id) {
  put_time(time_ns);
  put(frame_id);
}

McapWriter::McapWriter(std::ostream& stream) : stream_(stream) {
  stream_.write(magic.data(), static_cast<std::streamsize>(magic.size()));
  position_ = magic.size();
  std::string content;
  put(content, std::string_view("ros2"));
  put(content, std::string_view("dyn_control"));
  record(header_op, content);
}

void McapWriter::record(std::uint8_t opcode, const std::string& content) {
  std::string head(1, static_cast<char>(opcode));
  put(head, content.size(), 8);
  stream_.write(head.data(), static_cast<std::streamsize>(head.size()));
  stream_.write(content.data(), static_cast<std::streamsize>(content.size()));
  position_ += head.size() + content.size();
}

std::uint16_t McapWriter::add_channel(const std::string& topic, const std::string& type, std::string_view definition) {
  const auto [schema, is_new] = schema_of_.try_emplace(type, static_cast<std::uint16_t>(schemas_.size() + 1));
  std::string content;
  if (is_new) {
    put(content, schema->second, 2);
    put(content, type);
    put(content, std::string_view("ros2msg"));
    put(content, definition);
    schemas_.push_back(content);
    put_record(chunk_, schema_op, content);
  }
  const auto id = static_cast<std::uint16_t>(channels_.size() + 1);
  content.clear();
  put(content, id, 2);
  put(content, schema->second, 2);
  put(content, topic);
  put(content, std::string_view("cdr"));
  put(content, 0, 4);  // no metadata
  channels_.push_back(content);
  topics_.push_back({topic, type});
  put_record(chunk_, channel_op, content);
  messages_[id] = 0;
  return id;
}

void McapWriter::write(std::uint16_t channel, std::uint64_t time_ns, const CdrMessage& message) {
  std::string content;
  content.reserve(message.bytes().size() + 22);
  put(content, channel, 2);
  put(content, ++messages_[channel], 4);
  put(content, time_ns, 8);  // logged
  put(content, time_ns, 8);  // published
  content += message.bytes();
  chunk_first_ns_ = index_.empty() ? time_ns : std::min(chunk_first_ns_, time_ns);
  chunk_last_ns_ = index_.empty() ? time_ns : std::max(chunk_last_ns_, time_ns);
  index_[channel].emplace_back(time_ns, chunk_.size());
  put_record(chunk_, message_op, content);
  first_ns_ = total_ == 0 ? time_ns : std::min(first_ns_, time_ns);
  last_ns_ = std::max(last_ns_, time_ns);
  ++total_;
  if (chunk_.size() >= chunk_size) end_chunk();
}

// The chunk, followed by the positions of each channel's messages in it.
void McapWriter::end_chunk() {
  if (chunk_.empty()) return;
  const std::string small = packed(chunk_);
  Chunk chunk{position_, 0, chunk_first_ns_, chunk_last_ns_, 0, small.size(), chunk_.size(), {}};
  std::string content;
  put(content, chunk.first_ns, 8);
  put(content, chunk.last_ns, 8);
  put(content, chunk.plain, 8);
  put(content, 0, 4);  // CRC
  put(content, compression);
  put(content, small.size(), 8);
  content += small;
  record(chunk_op, content);
  chunk.length = position_ - chunk.at;
  for (const auto& [channel, places] : index_) {
    chunk.index_at[channel] = position_;
    content.clear();
    put(content, channel, 2);
    put(content, 16 * places.size(), 4);
    for (const auto& [time_ns, place] : places) {
      put(content, time_ns, 8);
      put(content, place, 8);
    }
    record(message_index_op, content);
  }
  chunk.index_length = position_ - chunk.at - chunk.length;
  chunks_.push_back(chunk);
  chunk_.clear();
  index_.clear();
  chunk_first_ns_ = chunk_last_ns_ = 0;
}

void McapWriter::finish() {
  end_chunk();
  std::string content;
  put(content, 0, 4);  // CRC of the data
  record(data_end_op, content);
  summarize();
  stream_.write(magic.data(), static_cast<std::streamsize>(magic.size()));
}

void McapWriter::summarize() {
  const std::uint64_t summary = position_;
  std::string offsets, content;
  std::uint64_t begin = position_;
  const auto end_group = [&](std::uint8_t opcode) {
    std::string group;
    put(group, opcode, 1);
    put(group, begin, 8);
    put(group, position_ - begin, 8);
    if (position_ > begin) put_record(offsets, summary_offset_op, group);
    begin = position_;
  };
  for (const std::string& schema : schemas_) record(schema_op, schema);
  end_group(schema_op);
  for (const std::string& channel : channels_) record(channel_op, channel);
  end_group(channel_op);
  put(content, total_, 8);
  put(content, schemas_.size(), 2);
  put(content, channels_.size(), 4);
  put(content, 0, 4);  // attachments
  put(content, 0, 4);  // metadata
  put(content, chunks_.size(), 4);
  put(content, first_ns_, 8);
  put(content, last_ns_, 8);
  put(content, messages_.size() * 10, 4);
  for (const auto& [channel, count] : messages_) {
    put(content, channel, 2);
    put(content, count, 8);
  }
  record(statistics_op, content);
  end_group(statistics_op);
  for (const Chunk& chunk : chunks_) {
    content.clear();
    for (const std::uint64_t value : {chunk.first_ns, chunk.last_ns, chunk.at, chunk.length}) put(content, value, 8);
    put(content, 10 * chunk.index_at.size(), 4);
    for (const auto& [channel, at] : chunk.index_at) {
      put(content, channel, 2);
      put(content, at, 8);
    }
    put(content, chunk.index_length, 8);
    put(content, compression);
    put(content, chunk.packed, 8);
    put(content, chunk.plain, 8);
    record(chunk_index_op, content);
  }
  end_group(chunk_index_op);
  const std::uint64_t summary_offsets = position_;
  stream_.write(offsets.data(), static_cast<std::streamsize>(offsets.size()));
  position_ += offsets.size();
  content.clear();
  put(content, summary, 8);
  put(content, summary_offsets, 8);
  put(content, 0, 4);  // CRC of the summary
  record(footer_op, content);
}

}  // namespace dyn::sim::outputs
