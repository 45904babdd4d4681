// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A configuration of `dyn run` as Python's own dicts, lists and numbers, to be changed and handed to run() or sweep().
#include "configuration.hpp"

#include <charconv>
#include <set>

#include "dyn_core/error.hpp"
#include "dyn_sim/run/config.hpp"
#include "run/yaml_reader.hpp"

namespace dyn::python {
namespace {

template <class Number>
bool is_number(const std::string& text, Number& value) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && rest == text.data() + text.size();
}

// What YAML 1.2 calls a number, true, false or null; all else, and what is quoted, is text.
nb::object scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return nb::cast(text.c_str());
  if (text == "true") return nb::bool_(true);
  if (text == "false") return nb::bool_(false);
  if (text == "null" || text == "~") return nb::none();
  std::int64_t integer = 0;
  const bool leading_zero = text.size() > 1 && text.find_first_not_of('0') != 0 && text[0] == '0';
  if (is_number(text, integer) && !leading_zero) return nb::int_(integer);
  double real = 0.0;
  const bool word = text.find_first_of("nN") != std::string::npos;  // inf, nan: refused by whoever reads it
  if (!word && is_number(text, real)) return nb::float_(real);
  return nb::cast(text.c_str());
}

nb::object as_python(const YAML::Node& node, const std::string& file) {
  if (!node.IsDefined() || node.IsNull()) return nb::none();
  if (node.IsScalar()) return scalar(node);
  if (node.IsSequence()) {
    nb::list list;
    for (const auto& entry : node) list.append(as_python(entry, file));
    return list;
  }
  nb::dict dict;
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const std::string where = file + ":" + std::to_string(entry.first.Mark().line + 1) + ": ";
    if (!entry.first.IsScalar()) throw ModelError(where + "a key is not a name");
    const std::string& key = entry.first.Scalar();
    if (!seen.insert(key).second) throw ModelError(where + "duplicate key '" + key + "'");
    dict[key.c_str()] = as_python(entry.second, file);
  }
  return dict;
}

}  // namespace

nb::tuple read_configuration_file(const std::string& scenario) {
  const std::filesystem::path file = sim::find_scenario(scenario);
  return nb::make_tuple(as_python(sim::parse_document(sim::read_configuration(file), file.string()), file.string()),
                        file.string().c_str());
}

}  // namespace dyn::python
