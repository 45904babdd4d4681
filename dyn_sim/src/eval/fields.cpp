// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "eval/fields.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/error.hpp"
#include "eval/json_line.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

using nlohmann::json;

bool is_finite_number(const json& value) { return value.is_number() && std::isfinite(value.get<double>()); }

const json& required(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) throw ModelError(std::string("'") + key + "' is missing");
  return *it;
}

}  // namespace

void allow_keys(const json& object, std::string_view what, std::initializer_list<std::string_view> keys) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::string known;
    for (const std::string_view k : keys) known += (known.empty() ? "" : ", ") + std::string(k);
    throw ModelError("unknown key '" + key + "'; " + std::string(what) + " has " + known);
  }
}

std::vector<double> read_entries(const json& object, const char* key, const std::vector<std::string>& names,
                                 double most) {
  std::vector<double> entries(names.size(), 0.0);
  const auto it = object.find(key);
  if (it == object.end()) return entries;
  const std::string k = key;
  if (!it->is_array()) throw ModelError(k + " is " + describe(*it) + ", not an array of numbers");
  for (size_t i = 0; i < std::min(it->size(), names.size()); ++i) {
    const json& value = (*it)[i];
    if (!is_finite_number(value)) {
      throw ModelError("joint '" + names[i] + "': " + k + " is " + describe(value) + ", not a finite number");
    }
    entries[i] = value.get<double>();
    if (std::abs(entries[i]) > most) {
      throw ModelError("joint '" + names[i] + "': " + k + " is " + number(entries[i]) + ", not from " + number(-most) +
                       " to " + number(most));
    }
  }
  const std::string lengths =
      k + " has " + std::to_string(it->size()) + " numbers, the robot " + std::to_string(names.size()) + " coordinates";
  if (it->size() < names.size()) throw ModelError(lengths + ": none for joint '" + names[it->size()] + "'");
  if (it->size() > names.size()) {
    const std::string last = names.empty() ? "there is no joint" : "the last joint is '" + names.back() + "'";
    throw ModelError(lengths + ": " + describe((*it)[names.size()]) + " is too many, " + last);
  }
  return entries;
}

double read_number(const json& object, const char* key) {
  const json& value = required(object, key);
  if (!is_finite_number(value)) {
    throw ModelError(std::string("'") + key + "' is " + describe(value) + ", not a finite number");
  }
  return value.get<double>();
}

std::string read_text(const json& object, const char* key) { return as_text(required(object, key), key, "a string"); }

std::string as_text(const json& value, const char* key, const char* kind) {
  if (!value.is_string()) throw ModelError(std::string("'") + key + "' is " + describe(value) + ", not " + kind);
  auto text = value.get<std::string>();
  if (text.find('\0') != std::string::npos) {
    throw ModelError(std::string("'") + key + "' is " + describe(value) + ", with a NUL character in it");
  }
  return text;
}

std::vector<double> read_numbers(const json& object, const char* key, size_t count) {
  std::vector<double> numbers(count, 0.0);
  const auto it = object.find(key);
  if (it == object.end()) return numbers;
  if (!it->is_array() || it->size() != count) {
    throw ModelError(std::string("'") + key + "' is " + describe(*it) + ", not an array of " + std::to_string(count) +
                     " numbers");
  }
  for (size_t i = 0; i < count; ++i) {
    if (!is_finite_number((*it)[i])) {
      throw ModelError(std::string("'") + key + "' entry " + std::to_string(i) + " is " + describe((*it)[i]) +
                       ", not a finite number");
    }
    numbers[i] = (*it)[i].get<double>();
  }
  return numbers;
}

Vec3d read_vector(const json& object, const char* key) {
  const std::vector<double> numbers = read_numbers(object, key, 3);
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace dyn::cli
