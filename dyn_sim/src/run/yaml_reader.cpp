// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "yaml_reader.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "dyn_core/model/input_file.hpp"

namespace dyn::sim {

std::string shown(const YAML::Node& node) {
  constexpr std::size_t longest = 80;
  if (node.IsMap()) return "a map";
  if (node.IsSequence() && node.size() > longest / 2) return "a list of " + std::to_string(node.size());
  const std::string text = node.IsScalar() ? node.Scalar() : YAML::Dump(node);
  return text.size() > longest ? text.substr(0, longest) + ".." : text;
}

std::string without_name(const ModelError& fault) {
  const std::string message = fault.what(), colon = ": ";
  const auto end = message.find(colon);
  return end == std::string::npos ? message : message.substr(end + colon.size());
}

std::string read_configuration(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    throw ModelError(file.string() + ": cannot be read: there is no such file");
  return read_text_file(file);
}

namespace {

// The documents of a text as its parser meets them: refuses a second one that is not empty, and a text that the parser
// does not get past: where one begins with a comma, yaml-cpp reads one empty document after the other for ever.
class OneDocument : public YAML::EventHandler {
 public:
  OneDocument(const std::string& yaml, const std::string& file) : yaml_(yaml), file_(file) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (count_ > 0 && mark.pos == start_.pos) {
      const std::string next = static_cast<size_t>(mark.pos) < yaml_.size() ? yaml_.substr(mark.pos, 1) : "";
      throw ModelError(file_ + ":" + std::to_string(mark.line + 1) + ": not YAML: unexpected '" + next + "'");
    }
    start_ = mark;
    ++count_;
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override {
    note_content(mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { note_content(mark); }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    note_content(mark);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    note_content(mark);
  }
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnDocumentEnd() override {}
  void OnSequenceEnd() override {}
  void OnMapEnd() override {}

 private:
  void note_content(const YAML::Mark& mark) const {
    if (count_ < 2) return;
    throw ModelError(file_ + ":" + std::to_string(mark.line + 1) +
                     ": a second document; a configuration must be one document");
  }

  const std::string &yaml_, &file_;
  YAML::Mark start_;
  int count_ = 0;
};

}  // namespace

YAML::Node parse_document(const std::string& yaml, const std::string& file) {
  constexpr std::size_t most_bytes = std::size_t{1} << 20U;  // a node takes some 300 bytes of memory
  if (yaml.size() > most_bytes) {
    throw ModelError(file + ": the file has " + std::to_string(yaml.size()) + " bytes, more than " +
                     std::to_string(most_bytes) + "; way points by the thousand are read from a CSV file");
  }
  try {
    std::istringstream text(yaml);
    YAML::Parser parser(text);
    OneDocument documents(yaml, file);
    while (parser.HandleNextDocument(documents)) continue;
    return YAML::Load(yaml);
  } catch (const YAML::Exception& fault) {
    const bool deep = dynamic_cast<const YAML::DeepRecursion*>(&fault) != nullptr;  // whose message is "bad file"
    throw ModelError(file + ":" + std::to_string(fault.mark.line + 1) +
                     ": not YAML: " + (deep ? "lists and maps are nested too deeply" : fault.msg));
  }
}

YamlMap::YamlMap(const YAML::Node& node, std::string file, std::string path)
    : node_(node), file_(std::move(file)), path_(std::move(path)) {
  if (node_.IsDefined() && !node_.IsNull() && !node_.IsMap()) {
    throw ModelError(file_ + ":" + std::to_string(node_.Mark().line + 1) + ": " +
                     (path_.empty() ? "the document" : path_) + " is not a map of names and values");
  }
  refuse_duplicates();
}

// yaml-cpp keeps both of two equal keys and returns the first.
void YamlMap::refuse_duplicates() const {
  if (!node_.IsMap()) return;
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const std::string where = file_ + ":" + std::to_string(entry.first.Mark().line + 1) + ": ";
    const std::string inside = path_.empty() ? "" : path_ + ": ";
    if (!entry.first.IsScalar()) throw ModelError(where + inside + "a key is not a name");
    if (!seen.insert(entry.first.Scalar()).second) {
      throw ModelError(where + inside + "duplicate key '" + entry.first.Scalar() + "'");
    }
  }
}

bool YamlMap::is_given(const std::string& key) const { return node_.IsMap() && node_[key].IsDefined(); }

bool YamlMap::has(const std::string& key) {
  asked_.push_back(key);
  return is_given(key);
}

std::vector<std::string> YamlMap::keys() const {
  std::vector<std::string> names;
  if (node_.IsMap()) {
    for (const auto& entry : node_) names.push_back(entry.first.as<std::string>());
  }
  return names;
}

YAML::Node YamlMap::raw(const std::string& key) {
  asked_.push_back(key);
  return is_given(key) ? node_[key] : YAML::Node(YAML::NodeType::Undefined);
}

YamlMap YamlMap::map(const std::string& key) { return {raw(key), file_, path_.empty() ? key : path_ + "." + key}; }

std::vector<YamlMap> YamlMap::list(const std::string& key, std::size_t most) {
  const YAML::Node node = raw(key);
  std::vector<YamlMap> entries;
  if (!node.IsDefined() || node.IsNull()) return entries;
  if (!node.IsSequence()) fail(key, "is not a list");
  if (node.size() > most) {
    fail(key, "has " + std::to_string(node.size()) + " entries, more than " + std::to_string(most));
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    entries.emplace_back(node[i], file_, (path_.empty() ? key : path_ + "." + key) + "[" + std::to_string(i) + "]");
  }
  return entries;
}

std::string YamlMap::where(const std::string& key) const {
  YAML::Node node = node_;
  for (std::size_t begin = 0, end = 0; end != std::string::npos && node.IsMap(); begin = end + 1) {
    end = key.find('.', begin);
    const YAML::Node below = node[key.substr(begin, end - begin)];
    if (!below.IsDefined()) break;
    node.reset(below);
  }
  const std::string line = node.IsDefined() ? ":" + std::to_string(node.Mark().line + 1) : "";
  return file_ + line + ": " + (path_.empty() ? key : path_ + "." + key);
}

void YamlMap::fail(const std::string& key, const std::string& what) const {
  throw ModelError(where(key) + ": " + what);
}

template <class T>
T YamlMap::as(const std::string& key, const char* kind) {
  const YAML::Node node = raw(key);
  if (!node_.IsDefined()) throw ModelError(file_ + ": " + path_ + ": is missing");
  if (!node.IsDefined()) fail(key, std::string("is missing; ") + kind + " is expected");
  try {
    return node.as<T>();
  } catch (const YAML::Exception&) {
    fail(key, "'" + shown(node) + "' is not " + kind);
  }
}

void YamlMap::check(const std::string& key, double value, const YamlRange& range) const {
  if (value >= range.lowest && value <= range.highest) return;
  std::ostringstream text;
  text << value << " is " << (std::isfinite(value) ? "" : "not a finite number, and ") << "not from " << range.lowest
       << " to " << range.highest << range.unit;
  fail(key, text.str());
}

double YamlMap::number(const std::string& key, const YamlRange& range) {
  const auto value = as<double>(key, "a number");
  check(key, value, range);
  return value;
}
double YamlMap::number(const std::string& key, double otherwise, const YamlRange& range) {
  return has(key) ? number(key, range) : otherwise;
}
int YamlMap::integer(const std::string& key, int otherwise, const YamlRange& range) {
  if (!has(key)) return otherwise;
  const auto value = as<long long>(key, "a whole number");
  check(key, static_cast<double>(value), range);
  return static_cast<int>(value);
}
bool YamlMap::flag(const std::string& key, bool otherwise) {
  return has(key) ? as<bool>(key, "true or false") : otherwise;
}
std::string YamlMap::text(const std::string& key) { return as<std::string>(key, "a string"); }
std::string YamlMap::text(const std::string& key, const std::string& otherwise) {
  return has(key) ? text(key) : otherwise;
}
std::vector<double> YamlMap::numbers(const std::string& key, const YamlRange& range) {
  auto values = as<std::vector<double>>(key, "a list of numbers");
  for (const double x : values) check(key, x, range);
  return values;
}
std::vector<int> YamlMap::integers(const std::string& key, const YamlRange& range) {
  auto values = as<std::vector<int>>(key, "a list of whole numbers");
  for (const int x : values) check(key, x, range);
  return values;
}
std::vector<std::string> YamlMap::texts(const std::string& key) {
  return has(key) ? as<std::vector<std::string>>(key, "a list of names") : std::vector<std::string>{};
}
Vec3d YamlMap::vector3(const std::string& key, const Vec3d& otherwise, const YamlRange& range) {
  if (!has(key)) return otherwise;
  const auto values = numbers(key, range);
  if (values.size() != 3) fail(key, "has " + std::to_string(values.size()) + " numbers; 3 are expected");
  return {values[0], values[1], values[2]};
}

void YamlMap::finish() const {
  for (const auto& key : keys()) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    const std::set<std::string> all(asked_.begin(), asked_.end());
    std::string known;
    for (const std::string& name : all) known += (known.empty() ? "" : ", ") + name;
    fail(key, "unknown key; known keys: " + known);
  }
}

}  // namespace dyn::sim
