// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// MCAP (mcap.dev) as rosbag2 writes it: profile ros2, messages in CDR with the text of their definitions as schema,
// chunks of about 1 MiB by zstd (plain where the build has none) with an index of each, and a summary. The CRCs are 0,
// which means: not computed.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyn::sim::outputs {

// A message as ROS 2 serializes it: little-endian, numbers at multiples of their size.
class CdrMessage {
 public:
  void begin();
  void put(bool value) { number(value ? 1 : 0, 1); }
  void put(std::uint8_t value) { number(value, 1); }
  void put(std::uint32_t value) { number(value, 4); }
  void put(std::uint64_t value) { number(value, 8); }
  void put(double value);
  void put(std::string_view text);
  void put(const std::vector<std::string>& texts);
  void put(std::span<const double> values);
  void put_time(std::uint64_t time_ns);                               // builtin_interfaces/Time
  void put_header(std::uint64_t time_ns, std::string_view frame_id);  // std_msgs/Header
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  void number(std::uint64_t value, std::size_t size);
  std::string bytes_;
};

class McapWriter {
 public:
  explicit McapWriter(std::ostream& stream);
  // `type`: package/msg/Name; `definition`: its .msg and those of its fields, in rosbag2's format. Returns the
  // channel's number.
  std::uint16_t add_channel(const std::string& topic, const std::string& type, std::string_view definition);
  // Messages of a channel must be in the order of time.
  void write(std::uint16_t channel, std::uint64_t time_ns, const CdrMessage& message);
  void finish();
  // metadata.yaml of a bag whose only file is this one: what rosbag2 reads of a folder before anything else.
  [[nodiscard]] std::string metadata(const std::string& file_name) const;

 private:
  struct Topic {
    std::string name, type;
  };
  struct Chunk {
    std::uint64_t at = 0, length = 0, first_ns = 0, last_ns = 0, index_length = 0, packed = 0, plain = 0;
    std::map<std::uint16_t, std::uint64_t> index_at;  // by channel
  };
  void record(std::uint8_t opcode, const std::string& content);
  void end_chunk();
  void summarize();

  std::ostream& stream_;
  std::uint64_t position_ = 0;
  std::vector<std::string> schemas_, channels_;  // contents of their records
  std::vector<Topic> topics_;                    // by channel
  std::map<std::string, std::uint16_t> schema_of_;
  std::map<std::uint16_t, std::uint64_t> messages_;
  std::string chunk_;                                                                    // records of the present chunk
  std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> index_;  // of it: time, position
  std::uint64_t chunk_first_ns_ = 0, chunk_last_ns_ = 0;
  std::vector<Chunk> chunks_;
  std::uint64_t first_ns_ = 0, last_ns_ = 0, total_ = 0;
};

}  // namespace dyn::sim::outputs
