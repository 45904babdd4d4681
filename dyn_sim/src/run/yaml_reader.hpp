// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Strict reading of a YAML map: every value is requested by name and type, and a key that was not requested is an error
// that names file and line.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn::sim {

// The allowed range of a number; every number that is read has one.
struct YamlRange {
  double lowest, highest;
  const char* unit = "";  // with a space before it
};
inline constexpr YamlRange any_finite{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
inline constexpr YamlRange any_seed{0, std::numeric_limits<int>::max()};
inline constexpr YamlRange about_zero(double most, const char* unit = "") noexcept { return {-most, most, unit}; }

// A node as text for a message, at most one line long.
std::string shown(const YAML::Node& node);

// The message of an error about a parameter, "NAME: what", without the name.
std::string without_name(const ModelError& fault);

// The text of a configuration. Throws ModelError.
[[nodiscard]] std::string read_configuration(const std::filesystem::path& file);
// One document, read completely: content after a second "---" would otherwise be ignored silently. `file` is for
// messages.
[[nodiscard]] YAML::Node parse_document(const std::string& yaml, const std::string& file);

class YamlMap {
 public:
  // `path` names the node for messages: controller.gains.joint1. An absent node is an empty map.
  YamlMap(const YAML::Node& node, std::string file, std::string path);

  [[nodiscard]] bool has(const std::string& key);  // counts as a request for it
  [[nodiscard]] YamlMap map(const std::string& key);
  [[nodiscard]] std::vector<YamlMap> list(const std::string& key, std::size_t most);
  [[nodiscard]] std::vector<std::string> keys() const;
  [[nodiscard]] YAML::Node raw(const std::string& key);

  double number(const std::string& key, double otherwise, const YamlRange& range);
  double number(const std::string& key, const YamlRange& range);
  int integer(const std::string& key, int otherwise, const YamlRange& range);
  bool flag(const std::string& key, bool otherwise);
  std::string text(const std::string& key, const std::string& otherwise);
  std::string text(const std::string& key);
  std::vector<double> numbers(const std::string& key, const YamlRange& range);
  std::vector<int> integers(const std::string& key, const YamlRange& range);
  std::vector<std::string> texts(const std::string& key);
  Vec3d vector3(const std::string& key, const Vec3d& otherwise, const YamlRange& range);

  // Throws ModelError if it is not within its range.
  void check(const std::string& key, double value, const YamlRange& range) const;
  // What `check` throws about the value of the key, "NAME: what", with file and line instead of its NAME.
  template <class Check>
  void try_as(const std::string& key, const Check& check) const {
    try {
      check();
    } catch (const ModelError& fault) {
      fail(key, without_name(fault));
    }
  }
  // Throws ModelError if there is a key that was not requested.
  void finish() const;
  // "FILE:LINE: PATH.key", the beginning of a message about it; `key` may be one in a map below, gains.joint1.
  [[nodiscard]] std::string where(const std::string& key) const;
  // "FILE:LINE: PATH.key: what"
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  void refuse_duplicates() const;
  [[nodiscard]] bool is_given(const std::string& key) const;
  template <class T>
  T as(const std::string& key, const char* kind);

  YAML::Node node_;
  std::string file_, path_;
  std::vector<std::string> asked_;
};

}  // namespace dyn::sim
