// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace dyn::cli {
namespace {

bool colourful() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

// Width on the screen: UTF-8 continuation bytes take no column.
size_t width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Bytes of the UTF-8 character that begins at `at`; 0 if none does.
size_t character_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(at) < 0x80U                        ? 1
                        : byte(at) >= 0xC2U && byte(at) < 0xE0U ? 2
                        : byte(at) >= 0xE0U && byte(at) < 0xF0U ? 3
                        : byte(at) >= 0xF0U && byte(at) < 0xF5U ? 4
                                                                : 0;
  if (at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

std::string padded(const std::string& text, size_t to, Table::Align align) {
  const std::string room(to - std::min(to, width(text)), ' ');
  return align == Table::Align::left ? text + room : room + text;
}

}  // namespace

void print_json(const nlohmann::ordered_json& object) {
  std::cout << object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

void flush_output() {
  errno = 0;
  if (std::cout.flush()) return;
  const int reason = errno;
  throw std::runtime_error(std::string("cannot write to standard output") +
                           (reason != 0 ? std::string(": ") + std::strerror(reason) : std::string()));
}

std::string one_line(std::string_view text) {
  constexpr size_t longest = 600;
  std::string line;
  for (size_t i = 0; i < text.size();) {
    if (line.size() >= longest) return line + " ...";
    const size_t length = character_length(text, i);
    const auto first = static_cast<unsigned char>(text[i]);
    if (length == 0)
      line += '?';
    else if (first < 0x20U || first == 0x7FU)
      line += ' ';
    else
      line += text.substr(i, length);
    i += std::max<size_t>(length, 1);
  }
  return line;
}

std::string number(double value, int digits) {
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

std::string heading(const std::string& text) { return colourful() ? "\033[1m" + text + "\033[0m" : text; }

void Table::print() const {
  std::vector<size_t> widths;
  for (const Column& column : columns_) widths.push_back(width(column.title));
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  const auto line = [&](const auto& cell_of, size_t cells) {
    std::string out = "  ";
    for (size_t c = 0; c < cells; ++c) out += padded(cell_of(c), widths[c], columns_[c].align) + "  ";
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };
  std::cout << heading(line([&](size_t c) { return columns_[c].title; }, columns_.size())) << '\n';
  for (const auto& row : rows_) std::cout << line([&](size_t c) { return row[c]; }, row.size()) << '\n';
}

}  // namespace dyn::cli
