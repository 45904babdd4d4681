// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// MCAP (mcap.dev), as far as reading one topic needs it: records of opcode, length and content, in the file or in
// chunks, plain or compressed. Debian has no library for it.
#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "dyn_core/error.hpp"
#include "dyn_core/model/input_file.hpp"
#include "logs/bag.hpp"
#include "logs/reading.hpp"

namespace dyn::sim {
namespace {

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

constexpr std::uint8_t schema_op = 0x03, channel_op = 0x04, message_op = 0x05, chunk_op = 0x06, data_end_op = 0x0F,
                       footer_op = 0x02;
constexpr std::uint8_t magic[] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
constexpr std::uint64_t largest_record = std::uint64_t{64} << 20;  // a chunk of ros2 bag has less than 1 MiB
constexpr size_t longest_type = 256;                               // bytes of a type's name
constexpr std::uint64_t most_unpacked = std::uint64_t{16} << 30;   // of all chunks together

class Fields {
 public:
  Fields(View content, const logs::BagColumns& bag, const char* what) : content_(content), bag_(bag), what_(what) {}

  std::uint64_t number(size_t bytes) {
    const View raw = take(bytes);
    std::uint64_t value = 0;
    for (size_t k = 0; k < bytes; ++k) value |= std::uint64_t{raw[k]} << (8 * k);
    return value;
  }
  std::string text() {
    const View raw = take(number(4));
    return {raw.begin(), raw.end()};
  }
  View take(std::uint64_t bytes) {
    if (bytes > content_.size() - at_) {
      bag_.fail(std::string("a ") + what_ + " is damaged: " + std::to_string(bytes) + " bytes are declared and " +
                std::to_string(content_.size() - at_) + " are there");
    }
    const View part = content_.subspan(at_, bytes);
    at_ += static_cast<size_t>(bytes);
    return part;
  }
  View rest() { return take(content_.size() - at_); }

 private:
  View content_;
  const logs::BagColumns& bag_;
  const char* what_;
  size_t at_ = 0;
};

Bytes unpacked_zstd(View packed, size_t size, const logs::BagColumns& bag) {
  Bytes plain(size);
  const size_t got = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0U)
    bag.fail(std::string("a chunk cannot be decompressed by zstd: ") + ZSTD_getErrorName(got));
  if (got != size) bag.fail("a chunk has " + std::to_string(got) + " bytes and says " + std::to_string(size));
  return plain;
}

Bytes unpacked_lz4(View packed, size_t size, const logs::BagColumns& bag) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) != 0U) bag.fail("lz4 cannot be set up");
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(raw,
                                                                                     &LZ4F_freeDecompressionContext);
  Bytes plain(size);
  size_t out = 0, in = 0;
  while (in < packed.size() && out < size) {
    size_t produced = size - out, consumed = packed.size() - in;
    const size_t hint =
        LZ4F_decompress(context.get(), plain.data() + out, &produced, packed.data() + in, &consumed, nullptr);
    if (LZ4F_isError(hint) != 0U)
      bag.fail(std::string("a chunk cannot be decompressed by lz4: ") + LZ4F_getErrorName(hint));
    out += produced;
    in += consumed;
    if (consumed == 0) break;  // no progress
  }
  if (out != size) bag.fail("a chunk has " + std::to_string(out) + " bytes and says " + std::to_string(size));
  return plain;
}

class Mcap {
 public:
  Mcap(const std::filesystem::path& file, logs::BagColumns& bag) : in_(file, std::ios::binary), bag_(bag) {
    std::error_code error;
    size_ = left_ = std::filesystem::file_size(file, error);
    if (!in_ || error) bag_.fail("the file cannot be read");
  }

  void read(logs::Progress progress) {
    std::uint8_t head[8] = {};
    if (!get(head, sizeof head) || !std::equal(std::begin(magic), std::end(magic), head))
      bag_.fail("this is not an MCAP file");
    while (true) {
      std::uint8_t start[9];
      if (!get(start, sizeof start)) bag_.fail("the bag is truncated: it has no end of data");
      std::uint64_t length = 0;
      for (size_t k = 0; k < 8; ++k) length |= std::uint64_t{start[1 + k]} << (8 * k);
      if (start[0] == data_end_op || start[0] == footer_op) return;
      if (length > left_) {
        bag_.fail("the bag is truncated: a record of " + std::to_string(length) + " bytes begins " +
                  std::to_string(left_) + " bytes before the end of the file");
      }
      if (length > largest_record)
        bag_.fail("a record has " + std::to_string(length) + " bytes; at most " + std::to_string(largest_record) +
                  " are read");
      Bytes content(length);
      if (!get(content.data(), content.size())) bag_.fail("the file cannot be read to its end");
      record(start[0], content, false);
      progress.at(size_ - left_, size_);
    }
  }

 private:
  bool get(std::uint8_t* to, size_t count) {
    if (count > left_ || !in_.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count))) return false;
    left_ -= count;
    return true;
  }

  void record(std::uint8_t opcode, View content, bool in_chunk) {
    if (opcode == schema_op) {
      Fields fields(content, bag_, "schema");
      const auto id = fields.number(2);
      schemas_[id] = fields.text().substr(0, longest_type);
    } else if (opcode == channel_op) {
      channel(content);
    } else if (opcode == message_op) {
      Fields fields(content, bag_, "message");
      const auto id = fields.number(2);
      (void)fields.number(4);
      const auto logged_ns = static_cast<std::int64_t>(fields.number(8));
      (void)fields.number(8);
      if (wanted_.count(id) > 0) bag_.add(fields.rest(), logged_ns);
    } else if (opcode == chunk_op && !in_chunk) {
      chunk(content);
    }
  }

  void channel(View content) {
    Fields fields(content, bag_, "channel");
    const auto id = fields.number(2), schema = fields.number(2);
    const std::string topic = fields.text(), encoding = fields.text();
    if (wanted_.count(id) > 0) return;  // repeated in a later chunk
    bag_.declare(topic, schemas_.count(schema) > 0 ? schemas_[schema] : "an unknown type", encoding);
    if (topic == bag_.topic()) wanted_.insert(id);
  }

  void chunk(View content) {
    Fields fields(content, bag_, "chunk");
    (void)fields.take(16);  // times of its first and last message
    const auto size = fields.number(8);
    (void)fields.number(4);  // CRC
    const std::string compression = fields.text();
    const View packed = fields.take(fields.number(8));
    if (size > largest_record) {
      bag_.fail("a chunk says that it has " + std::to_string(size) + " bytes; at most " +
                std::to_string(largest_record) + " are read");
    }
    unpacked_ += size;
    if (unpacked_ > most_unpacked) {
      bag_.fail("the bag has more than " + std::to_string(most_unpacked) +
                " bytes once it is decompressed; ros2 bag convert writes one with fewer topics");
    }
    Bytes unpacked;
    if (compression == "zstd") {
      unpacked = unpacked_zstd(packed, size, bag_);
    } else if (compression == "lz4") {
      unpacked = unpacked_lz4(packed, size, bag_);
    } else if (!compression.empty()) {
      bag_.fail("a chunk is compressed by '" + compression + "', not by zstd or lz4");
    }
    const View plain = compression.empty() ? packed : View(unpacked);
    Fields records(plain, bag_, "chunk");
    for (size_t at = 0; at < plain.size();) {
      const auto opcode = static_cast<std::uint8_t>(records.number(1));
      const View inner = records.take(records.number(8));
      at += 9 + inner.size();
      record(opcode, inner, true);
    }
  }

  std::ifstream in_;
  std::uint64_t size_ = 0, left_ = 0, unpacked_ = 0;  // bytes: of the file, of it to be read, of the chunks so far
  logs::BagColumns& bag_;
  std::map<std::uint64_t, std::string> schemas_;
  std::set<std::uint64_t> wanted_;
};

}  // namespace

RawLog read_mcap_log(const std::filesystem::path& file, const LogChoice& choice) {
  require_regular_file(file);
  logs::BagColumns columns(file.string(), choice.topic);
  Mcap(file, columns).read({choice, file.string()});
  return columns.finish();
}

}  // namespace dyn::sim
