// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// rosbag2's .db3: an SQLite database with the tables topics and messages.
#include <sqlite3.h>

#include <memory>

#include "dyn_core/error.hpp"
#include "dyn_core/model/input_file.hpp"
#include "logs/bag.hpp"
#include "logs/reading.hpp"

namespace dyn::sim {
namespace {

using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

class Db3 {
 public:
  Db3(const std::filesystem::path& file, logs::BagColumns& columns)
      : database_(nullptr, &sqlite3_close), columns_(columns) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
    database_.reset(raw);
    if (code != SQLITE_OK) columns_.fail(std::string("this is not a rosbag2 database: ") + sqlite3_errstr(code));
    constexpr int longest_value = 64 << 20;  // bytes
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, longest_value);
    (void)sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);  // a view may have rows without end
  }

  void read(logs::Progress progress) {
    std::int64_t wanted = -1;
    const Statement topics = prepare("SELECT id, name, type, serialization_format FROM topics");
    while (step(topics)) {
      const std::string name = text(topics, 1);
      columns_.declare(name, text(topics, 2), text(topics, 3));
      if (name == columns_.topic()) wanted = sqlite3_column_int64(topics.get(), 0);
    }
    if (wanted < 0) return;
    const Statement messages = prepare("SELECT timestamp, data FROM messages WHERE topic_id = ?1 ORDER BY timestamp");
    sqlite3_bind_int64(messages.get(), 1, wanted);
    const Statement count = prepare("SELECT count(*) FROM messages");
    const auto all = static_cast<size_t>(step(count) ? sqlite3_column_int64(count.get(), 0) : 0);
    size_t done = 0;
    while (step(messages)) {
      const auto* const data = static_cast<const std::uint8_t*>(sqlite3_column_blob(messages.get(), 1));
      const size_t size = sqlite3_column_bytes(messages.get(), 1);
      columns_.add({data, data == nullptr ? 0 : size}, sqlite3_column_int64(messages.get(), 0));
      progress.at(++done, all);
    }
  }

 private:
  Statement prepare(const char* sql) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql, -1, &raw, nullptr) != SQLITE_OK) fail();
    return {raw, &sqlite3_finalize};
  }

  bool step(const Statement& statement) {
    const int code = sqlite3_step(statement.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail();
    return code == SQLITE_ROW;
  }

  static std::string text(const Statement& statement, int column) {
    const auto* const value = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), column));
    return value == nullptr ? std::string() : value;
  }

  [[noreturn]] void fail() {
    columns_.fail(std::string("this is not a rosbag2 database: ") + sqlite3_errmsg(database_.get()));
  }

  Database database_;
  logs::BagColumns& columns_;
};

}  // namespace

RawLog read_db3_log(const std::filesystem::path& file, const LogChoice& choice) {
  require_regular_file(file);
  logs::BagColumns columns(file.string(), choice.topic);
  Db3(file, columns).read({choice, file.string()});
  return columns.finish();
}

}  // namespace dyn::sim
