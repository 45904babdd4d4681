// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Logs as CSV. Only the columns that are used are read as numbers.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <unordered_set>

#include "dyn_core/error.hpp"
#include "dyn_core/model/input_file.hpp"
#include "dyn_sim/logs/motion_log.hpp"
#include "logs/reading.hpp"

namespace dyn::sim {
namespace {

constexpr size_t longest_line = 1'000'000;  // bytes

struct Column {
  std::string joint;
  Quantity quantity = Quantity::q;
  std::vector<double>* values = nullptr;  // null: ignored
  bool time = false;
};

// Cells of a line, quotes taken away; false where a quote is left open.
bool split(std::string_view line, std::vector<std::string>& cells) {
  cells.clear();
  cells.emplace_back();
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) {
    const size_t from = cell.find_first_not_of(" \t"), to = cell.find_last_not_of(" \t");
    cell = from == std::string::npos ? "" : cell.substr(from, to - from + 1);
  }
  return !quoted;
}

std::string shown(std::string_view text) {
  std::string begin(text.substr(0, 40));
  std::replace_if(
      begin.begin(), begin.end(), [](char c) { return c >= 0 && c < ' '; }, '?');
  return "'" + begin + (text.size() > 40 ? "...'" : "'");
}

// The effort columns that are used: those requested, else effort, else applied of dyn run.
std::string effort_prefix(const std::vector<std::string>& names, const LogChoice& choice, const std::string& where) {
  const auto has = [&names](const std::string& prefix) {
    for (const std::string& name : names) {
      if (name.rfind(prefix + ".", 0) == 0) return true;
    }
    return false;
  };
  if (!choice.effort.empty()) {
    if (has(choice.effort)) return choice.effort;
    throw ModelError(where + ": --effort " + choice.effort + ": there is no column " + choice.effort + ".JOINT");
  }
  for (const char* prefix : {"effort", "applied", "sensed"}) {
    if (has(prefix)) return prefix;
  }
  return "effort";
}

std::optional<Quantity> quantity_of(const std::string& prefix, const std::string& effort) {
  if (prefix == "q") return Quantity::q;
  if (prefix == "v") return Quantity::v;
  if (prefix == "a") return Quantity::a;
  if (prefix == effort) return Quantity::effort;
  return std::nullopt;
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, const LogChoice& choice)
      : file_(file.string()), choice_(choice), progress_(choice, file_), buffer_(longest_line + 2) {
    require_regular_file(file);
    std::error_code error;
    size_ = std::filesystem::file_size(file, error);
    in_.open(file, std::ios::binary);
    if (!in_) throw ModelError(file_ + ": the file cannot be read");
    log_.source = file_;
  }

  RawLog read() {
    std::string line;
    while (next(line)) {
      if (number_ == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);  // a byte order mark
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty() || line[0] == '#') continue;
      if (columns_.empty()) {
        header(line);
      } else {
        row(line);
      }
    }
    if (in_.bad()) throw ModelError(file_ + ": the file cannot be read to its end");
    if (columns_.empty()) throw ModelError(file_ + ": the file is empty; a header with time_s and q.JOINT is expected");
    return std::move(log_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(file_ + ":" + std::to_string(number_) + ": " + what);
  }

  // The next line without its end; false behind the last one.
  bool next(std::string& line) {
    in_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    const auto count = static_cast<size_t>(in_.gcount());
    if (in_.fail() && count == 0) return false;
    ++number_;
    if (in_.fail()) fail("the line has more than " + std::to_string(longest_line) + " bytes");
    line.assign(buffer_.data(), in_.eof() ? count : count - 1);
    done_ += count;
    progress_.at(done_, size_);
    return true;
  }

  void header(const std::string& line) {
    std::vector<std::string> names;
    if (!split(line, names)) fail("a quote in the header is not closed");
    const std::string effort = effort_prefix(names, choice_, file_);
    bool time = false;
    for (const std::string& name : names) {
      Column column;
      const size_t dot = name.find('.');
      if (name == "time_s") {
        if (time) fail("two columns have the name time_s");
        time = column.time = true;
        column.values = &log_.time_s;
      } else if (dot != std::string::npos && dot + 1 < name.size()) {
        if (const auto quantity = quantity_of(name.substr(0, dot), effort)) take(name, dot, *quantity, column);
      }
      columns_.push_back(column);
    }
    if (!time) fail("the header has no column time_s; it begins with " + shown(line));
    if (effort != "effort") log_.notes.push_back("the torque is that of the columns " + effort + ".JOINT");
  }

  void take(const std::string& name, size_t dot, Quantity quantity, Column& column) {
    column.joint = name.substr(dot + 1);
    column.quantity = quantity;
    column.values = &log_.column(column.joint, quantity);
    if (!taken_.insert(column.values).second) fail("two columns have the name " + name);
  }

  void row(std::string_view line) {
    if (line.find('"') != std::string_view::npos) return quoted_row(line);
    size_t index = 0;
    for (size_t begin = 0; begin <= line.size(); ++index) {
      const size_t end = std::min(line.find(',', begin), line.size());
      if (index < columns_.size()) cell(index, line.substr(begin, end - begin));
      begin = end + 1;
    }
    count(index);
  }

  void quoted_row(std::string_view line) {
    std::vector<std::string> cells;
    if (!split(line, cells)) fail("a quote is not closed");
    for (size_t i = 0; i < std::min(cells.size(), columns_.size()); ++i) cell(i, cells[i]);
    count(cells.size());
  }

  void count(size_t cells) const {
    if (cells != columns_.size()) {
      fail("the row has " + std::to_string(cells) + " columns and the header " + std::to_string(columns_.size()));
    }
    logs::check_size(file_, log_.time_s.size(), taken_.size() + 1);
  }

  void cell(size_t index, std::string_view text) {
    const Column& column = columns_[index];
    if (column.values == nullptr) return;
    const std::string_view whole = text;
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || (column.time && !std::isfinite(value))) {
      static constexpr const char* names[] = {"q.", "v.", "a.", "effort."};
      const std::string name = column.time ? "time_s" : names[static_cast<size_t>(column.quantity)] + column.joint;
      fail(name + " is " + shown(whole) + ", which is not a finite number");
    }
    column.values->push_back(value);
  }

  std::string file_;
  const LogChoice& choice_;
  logs::Progress progress_;
  std::vector<char> buffer_;  // for a line
  size_t size_ = 0, done_ = 0;
  std::ifstream in_;
  RawLog log_;
  std::vector<Column> columns_;
  std::unordered_set<const std::vector<double>*> taken_;
  size_t number_ = 0;
};

}  // namespace

RawLog read_csv_log(const std::filesystem::path& file, const LogChoice& choice) { return Reader(file, choice).read(); }

}  // namespace dyn::sim
