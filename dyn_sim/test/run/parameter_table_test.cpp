// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The table of control parameters against what uses it: every member of Parameters has a line, its range is kept, and
// ROS has the same parameters (dyn_controllers/src/parameters.yaml, read as text: no ROS is needed).
#include "dyn_core/control/parameter_table.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <string>

namespace dyn::control {
namespace {

// How many members an aggregate has: the most initializers that it takes.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
template <class T, class... Members>
constexpr size_t members() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return members<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

TEST(ParameterTable, HasEveryMember) {
  constexpr size_t others = 5;  // law, gains, gravity_compensation, task, version
  EXPECT_EQ(members<Parameters>(), number_parameters.size() + flag_parameters.size() + joint_parameters.size() + others)
      << "a member of Parameters without a line in parameter_table.hpp";
  EXPECT_EQ(members<JointGains>(), gain_parameters.size());
}

TEST(ParameterTable, HasEveryNameAndMemberOnce) {
  std::set<std::string_view> names;
  Parameters p;
  std::set<const void*> places;
  const auto add = [&](std::string_view name, const void* place) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(places.insert(place).second) << name;
  };
  for (const auto& line : number_parameters) add(line.name, &(p.*line.member));
  for (const auto& line : flag_parameters) add(line.name, &(p.*line.member));
  for (const auto& line : joint_parameters) add(line.name, &(p.*line.member));
}

TEST(ParameterTable, RangesAreKept) {
  Parameters good;
  good.gains.assign(2, {});
  EXPECT_EQ(find_fault(good, 2), "");
  for (const NumberParameter& line : number_parameters) {
    const auto refused = [&](double value) {
      Parameters p = good;
      p.*line.member = value;
      const std::string fault = find_fault(p, 2);
      EXPECT_TRUE(fault.empty() || fault.find(std::string(line.name) + ": ") == 0) << fault;
      return !fault.empty();
    };
    EXPECT_TRUE(refused(line.lowest - 1e-3)) << line.name;
    EXPECT_EQ(refused(line.lowest), line.above) << line.name;
    EXPECT_FALSE(refused(line.lowest + 1e-3)) << line.name;
    EXPECT_TRUE(refused(std::nan(""))) << line.name;
    EXPECT_TRUE(refused(std::numeric_limits<double>::infinity())) << line.name;
    EXPECT_TRUE(refused(1e200)) << line.name;
    EXPECT_FALSE(refused(line.highest)) << line.name;
    EXPECT_TRUE(refused(std::nextafter(line.highest, 1e300))) << line.name;
  }
}

TEST(ParameterTable, RangesOfJointsAreKept) {
  Parameters good;
  good.gains.assign(2, {});
  for (const JointParameter& line : joint_parameters) {
    Parameters p = good;
    (p.*line.member).assign(2, line.highest);
    EXPECT_EQ(find_fault(p, 2), "") << line.name;
    (p.*line.member)[1] = 1e200;
    EXPECT_EQ(find_fault(p, 2).find(std::string(line.name) + " of coordinate 1: 1e+200 is not from 0 to "), 0U);
  }
  for (const GainParameter& line : gain_parameters) {
    Parameters p = good;
    p.gains[1].*line.member = ranges::gain;
    EXPECT_EQ(find_fault(p, 2), "") << line.name;
    p.gains[1].*line.member = 1e200;
    EXPECT_EQ(find_fault(p, 2).find("gains of coordinate 1, " + std::string(line.name) + ": 1e+200"), 0U);
  }
}

TEST(ParameterTable, RangesOfTheTaskAreKept) {
  TaskParameters p;
  for (const TaskNumber& line : task_numbers) {
    for (const double wrong : {-1.0, 1e10, 1e308, std::nan("")}) {
      p = {};
      p.*line.member = wrong;
      EXPECT_EQ(find_fault(p, 7).find("task." + std::string(line.name) + ": "), 0U) << wrong;
    }
    p = {};
    p.*line.member = ranges::gain;
    EXPECT_EQ(find_fault(p, 7), "") << line.name;
  }
  for (const TaskAxisNumbers& line : task_axis_numbers) {
    p = {};
    (p.*line.member)[5] = 1e200;
    EXPECT_EQ(find_fault(p, 7), "task." + std::string(line.name) + ": 1e+200 is not from 0 to 1e+09");
  }
  p = {};
  p.posture.assign(7, 1e9);
  EXPECT_EQ(find_fault(p, 7), "task.posture: 1e+09 is not from -1e+06 to 1e+06");
}

// --- ROS -------------------------------------------------------------------------------------------------------------

const std::string controllers = DYN_CONTROLLERS;

std::string text_of(const std::string& file) {
  std::ifstream stream(controllers + file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

YAML::Node ros_parameters() { return YAML::Load(text_of("/src/parameters.yaml"))["parameters"]; }

// Whether `text` has `words`, in whatever case, with no letter before or behind.
bool has_words(std::string text, std::string words) {
  const auto lower = [](std::string& s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
  };
  lower(text), lower(words);
  const auto letter = [&](size_t i) {
    return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0;
  };
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    if (!letter(at - 1) && !letter(at + words.size())) return true;
  }
  return false;
}

bool read_only(const YAML::Node& parameter) { return parameter["read_only"] && parameter["read_only"].as<bool>(); }

// The unit, and each part behind a semicolon ("0: none").
void expect_unit(const std::string& name, const YAML::Node& parameter, std::string_view unit) {
  const auto description = parameter["description"].as<std::string>();
  std::istringstream parts{std::string(unit)};
  for (std::string part; std::getline(parts, part, ';');) {
    part.erase(0, part.find_first_not_of(' '));
    EXPECT_TRUE(has_words(description, part)) << name << ": '" << part << "' is not in: " << description;
  }
}

void expect_may_change(const std::string& name, const YAML::Node& parameter) {
  EXPECT_FALSE(read_only(parameter)) << name;
  EXPECT_TRUE(has_words(parameter["description"].as<std::string>(), "may change while active")) << name;
}

void expect_range(const std::string& name, const YAML::Node& parameter, double lowest, double highest, bool above) {
  const YAML::Node validation = parameter["validation"];
  ASSERT_TRUE(validation) << name << " has no range";
  ASSERT_EQ(validation.size(), 1U) << name;
  const std::string kind = std::isfinite(highest) ? "bounds<>" : above ? "gt<>" : "gt_eq<>";
  ASSERT_TRUE(validation[kind]) << name << ": " << kind << " is expected";
  const auto bounds = validation[kind].as<std::vector<double>>();
  ASSERT_EQ(bounds.size(), std::isfinite(highest) ? 2U : 1U) << name;
  EXPECT_EQ(bounds.front(), lowest) << name;
  if (bounds.size() == 2) {
    EXPECT_EQ(bounds.back(), highest) << name;
  }
}

TEST(ParameterTable, RosHasTheSameNumbers) {
  constexpr double lead_by_mode = -1.0;  // reference_lead of ROS: 1 when chained, 0 from topics
  const YAML::Node ros = ros_parameters();
  for (const NumberParameter& line : number_parameters) {
    const std::string name(line.name);
    ASSERT_TRUE(ros[name]) << name;
    EXPECT_EQ(ros[name]["type"].as<std::string>(), "double") << name;
    expect_range(name, ros[name], name == "reference_lead" ? lead_by_mode : line.lowest, line.highest, line.above);
    expect_unit(name, ros[name], line.unit);
    expect_may_change(name, ros[name]);
  }
}

TEST(ParameterTable, RosHasTheSameFlagsChoicesAndGains) {
  const YAML::Node ros = ros_parameters();
  for (const FlagParameter& line : flag_parameters) {
    const std::string name(line.name);
    ASSERT_TRUE(ros[name]) << name;
    EXPECT_EQ(ros[name]["type"].as<std::string>(), "bool") << name;
    expect_may_change(name, ros[name]);
  }
  std::set<std::string> choices, table;
  for (const auto& choice : ros["gravity_compensation"]["validation"]["one_of<>"][0]) {
    choices.insert(choice.as<std::string>());
  }
  for (const auto& [name, value] : gravity_compensation_names) table.insert(std::string(name));
  EXPECT_EQ(choices, table);
  for (const auto& choice : ros["law"]["validation"]["one_of<>"][0]) {
    const auto law = choice.as<std::string>();
    EXPECT_TRUE(std::any_of(law_names.begin(), law_names.end(), [&](const auto& line) { return line.first == law; }))
        << law;
  }
  const YAML::Node gains = ros["gains"]["__map_joints"];
  EXPECT_EQ(gains.size(), gain_parameters.size());
  for (const GainParameter& line : gain_parameters) {
    const std::string name(line.name);
    ASSERT_TRUE(gains[name]) << name;
    expect_range("gains.JOINT." + name, gains[name], 0.0, ranges::gain, false);
    expect_may_change("gains.JOINT." + name, gains[name]);
  }
}

// Its row in the table of docs/ros2.md; those of `task` are in docs/task_space.md, as they are named below that group.
void expect_row(const std::string& page, const std::string& name, bool changes) {
  const auto begin = page.find("| `" + name + "` | ");
  ASSERT_NE(begin, std::string::npos) << name;
  const std::string row = page.substr(begin, page.find('\n', begin) - begin);
  EXPECT_EQ(row.find("| yes |") != std::string::npos, changes) << row;
}

void expect_rows(const YAML::Node& group, const std::string& prefix) {
  const std::string page = text_of("/../docs/ros2.md"), task_page = text_of("/../docs/task_space.md");
  for (const auto& entry : group) {
    const auto name = entry.first.as<std::string>();
    const bool is_group = !entry.second["type"] || !entry.second["type"].IsScalar();
    if (is_group) {
      expect_rows(entry.second, prefix + (name == "__map_joints" ? "JOINT" : name) + '.');
    } else if (prefix == "task.") {
      EXPECT_NE(task_page.find('`' + name + '`'), std::string::npos) << name;
    } else {
      expect_row(page, prefix + name, !read_only(entry.second));
    }
  }
}

TEST(ParameterTable, OfTheDocumentsHasAllOfRos) { expect_rows(ros_parameters(), ""); }

// What the table does not have is not a control parameter: fixed when the controller is configured, or of the live
// model.
TEST(ParameterTable, RosChangesNothingElseWhileActive) {
  const std::set<std::string> others{
      "law",  "gravity_compensation", "gains", "jsim_algorithm", "coriolis_algorithm", "gravity",
      "task", "external_wrench"};
  for (const auto& entry : ros_parameters()) {
    const auto name = entry.first.as<std::string>();
    const bool in_table = others.count(name) != 0 || find_parameter(number_parameters, name) != nullptr ||
                          find_parameter(flag_parameters, name) != nullptr;
    if (in_table) continue;
    if (entry.second["type"] && entry.second["type"].IsScalar()) {  // not a group with a member of that name
      EXPECT_TRUE(read_only(entry.second)) << name << " may change while active, and is not in the table";
    } else {
      for (const auto& part : entry.second) EXPECT_TRUE(read_only(part.second)) << name << '.' << part.first;
    }
  }
}

// Handed on to Parameters; those by joint are declared in the code.
TEST(ParameterTable, RosHandsOnEveryParameter) {
  const std::string code = text_of("/src/parameter_conversion.cpp");
  const YAML::Node ros = ros_parameters();
  const auto expect = [&](std::string_view name) {
    EXPECT_TRUE(has_words(code, "params." + std::string(name))) << name << " is not converted";
  };
  for (const NumberParameter& line : number_parameters) expect(line.name);
  for (const FlagParameter& line : flag_parameters) expect(line.name);
  expect("gravity_compensation");
  const std::string declared =
      text_of("/src/joint_numbers.cpp") + text_of("/include/dyn_controllers/joint_numbers.hpp");
  for (const JointParameter& line : joint_parameters) {
    EXPECT_TRUE(has_words(declared, '"' + std::string(line.name) + '"')) << line.name << " is not declared";
  }
}

}  // namespace
}  // namespace dyn::control
