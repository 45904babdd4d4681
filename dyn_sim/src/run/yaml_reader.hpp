// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Strict reading of a YAML map: every value is asked for by name and type, and what nobody asked for is an error that
// names file and line.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "dyn_core/numeric/types.hpp"

namespace dyn::sim {

class YamlMap {
 public:
  // `path` names the node for messages: controller.gains.joint1. An absent node is an empty map.
  YamlMap(const YAML::Node& node, std::string file, std::string path);

  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] YamlMap map(const std::string& key);
  [[nodiscard]] std::vector<YamlMap> list(const std::string& key);
  [[nodiscard]] std::vector<std::string> keys() const;
  [[nodiscard]] YAML::Node raw(const std::string& key);

  double number(const std::string& key, double otherwise);
  double number(const std::string& key);
  int integer(const std::string& key, int otherwise);
  bool flag(const std::string& key, bool otherwise);
  std::string text(const std::string& key, const std::string& otherwise);
  std::string text(const std::string& key);
  std::vector<double> numbers(const std::string& key);
  std::vector<int> integers(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  Vec3d vector3(const std::string& key, const Vec3d& otherwise);

  // Throws ModelError if there is a key that was not asked for.
  void finish() const;
  // "FILE:LINE: PATH.key: what"
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  void refuse_duplicates() const;
  template <class T>
  T as(const std::string& key, const char* kind);

  YAML::Node node_;
  std::string file_, path_;
  std::vector<std::string> asked_;
};

}  // namespace dyn::sim
