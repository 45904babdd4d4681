// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "eval/json_line.hpp"

#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>
#include <vector>

#include "dyn_core/error.hpp"

namespace dyn::cli {
namespace {

using nlohmann::json;

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '+' || c == '-';
}

// A bare word that strtod reads as a number without a finite value: NaN, -Infinity, inf, 1e999.
bool is_not_finite(const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  return end == word.c_str() + word.size() && !std::isfinite(value);
}

// The same text with every such word outside of strings put in quotes.
std::string quote_not_finite(const std::string& line) {
  std::string out;
  out.reserve(line.size() + 16);
  bool in_string = false;
  for (size_t i = 0; i < line.size();) {
    if (in_string || !is_word(line[i])) {
      if (in_string && line[i] == '\\' && i + 1 < line.size()) out += line[i++];
      if (line[i] == '"') in_string = !in_string;
      out += line[i++];
      continue;
    }
    size_t end = i;
    while (end < line.size() && is_word(line[end])) ++end;
    const std::string word = line.substr(i, end - i);
    out += is_not_finite(word) ? '"' + word + '"' : word;
    i = end;
  }
  return out;
}

// The parser silently keeps the last of two equal keys; we refuse them.
class UniqueKeys {
 public:
  bool operator()(int, json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start) seen_.emplace_back();
    if (event == json::parse_event_t::object_end) seen_.pop_back();
    if (event == json::parse_event_t::key && !seen_.back().insert(parsed.get<std::string>()).second) {
      throw ModelError("duplicate key '" + parsed.get<std::string>() + "' in one object");
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> seen_;
};

// The parser allocates memory for every level.
void refuse_depth(const std::string& line) {
  constexpr int most = 32;
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (in_string && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && (line[i] == '[' || line[i] == '{') && ++depth > most) {
      throw ModelError("not JSON: lists and objects are nested more than " + std::to_string(most) + " deep");
    } else if (!in_string && (line[i] == ']' || line[i] == '}')) {
      --depth;
    }
  }
}

json parse_strictly(const std::string& text) {
  return json::parse(text, [keys = UniqueKeys()](int depth, json::parse_event_t event, json& parsed) mutable {
    return keys(depth, event, parsed);
  });
}

// "[json.exception.parse_error.101] parse error at line 1, column 8: syntax error ..." without its head.
std::string reason(const json::exception& error) {
  std::string_view text = error.what();
  if (const size_t head = text.find("] "); head != std::string_view::npos) text.remove_prefix(head + 2);
  constexpr std::string_view inner = "parse error at line 1, ";
  if (text.substr(0, inner.size()) == inner) text.remove_prefix(inner.size());
  return std::string(text);
}

}  // namespace

json parse_json_line(const std::string& line) {
  refuse_depth(line);
  try {
    return parse_strictly(line);
  } catch (const json::exception&) {
    try {
      return parse_strictly(quote_not_finite(line));
    } catch (const json::exception& error) {
      throw ModelError("not JSON: " + reason(error));
    }
  }
}

std::string describe(const json& value) {
  if (value.is_array()) return "an array of " + std::to_string(value.size());
  if (value.is_object()) return "an object";
  constexpr size_t longest = 40;
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest) + "..";
  return text;
}

}  // namespace dyn::cli
