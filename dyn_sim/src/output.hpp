// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Standard output: one JSON object, or aligned tables for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dyn::cli {

// The object as one line. Numbers read back exactly; invalid UTF-8 is replaced.
void print_json(const nlohmann::ordered_json& object);

// Throws with the system's reason if standard output cannot be written.
void flush_output();

// Control characters become spaces and invalid UTF-8 question marks, so that a message stays one line of text whatever
// a file contains; long texts are cut.
[[nodiscard]] std::string one_line(std::string_view text);

// Up to `digits` significant digits, for people.
[[nodiscard]] std::string number(double value, int digits = 5);

// Bold on a terminal that supports it, plain otherwise.
[[nodiscard]] std::string heading(const std::string& text);

// Columns as wide as their widest cell, separated by two spaces; numbers right-aligned.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dyn::cli
