// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn algorithms: the registries with their sources.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "algorithm_families.hpp"
#include "command.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

void list_as_json() {
  nlohmann::ordered_json all;
  for (const AlgorithmFamily& family : algorithm_families()) {
    auto& list = all[family.parameter] = nlohmann::ordered_json::array();
    for (size_t i = 0; i < family.names.size(); ++i) {
      list.push_back({{"name", family.names[i]}, {"source", family.sources[i]}});
    }
  }
  print_json(all);
}

void list_as_text() {
  for (const AlgorithmFamily& family : algorithm_families()) {
    std::cout << heading(family.parameter) << ": " << family.gives << "\n\n";
    Table table({{"name"}, {"source"}});
    for (size_t i = 0; i < family.names.size(); ++i) {
      table.add({std::string(family.names[i]), std::string(family.sources[i])});
    }
    table.print();
    std::cout << '\n';
  }
}

}  // namespace

Action declare_algorithms(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  add_json(app, *json);
  return [json] { *json ? list_as_json() : list_as_text(); };
}

}  // namespace dyn::cli
