// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "urdf_check.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "dyn_core/error.hpp"
#include "near_names.hpp"
#include "xml_reader.hpp"

namespace dyn {
namespace {

struct AttributeRule {
  const char* name;
  int numbers;  // how many; 0: a name
  bool required = false;
  bool for_urdfdom = true;  // false: our own or newer than urdfdom, checked but not handed on
};
struct ElementRule {
  const char* name;
  bool required;
  std::span<const AttributeRule> attributes;
  bool extensible = false;  // other tools add attributes of their own here (K, D, command_effort, ...)
};

constexpr AttributeRule origin[] = {{"xyz", 3}, {"rpy", 3}};
constexpr AttributeRule mass[] = {{"value", 1, true}};
constexpr AttributeRule inertia[] = {{"ixx", 1, true}, {"ixy", 1, true}, {"ixz", 1, true},
                                     {"iyy", 1, true}, {"iyz", 1, true}, {"izz", 1, true}};
constexpr AttributeRule link_name[] = {{"link", 0, true}};
constexpr AttributeRule axis[] = {{"xyz", 3, true}};
constexpr AttributeRule limit[] = {{"lower", 1},
                                   {"upper", 1},
                                   {"effort", 1, true},
                                   {"velocity", 1, true},
                                   {"acceleration", 1, false, false},
                                   {"deceleration", 1, false, false},
                                   {"jerk", 1, false, false}};
constexpr AttributeRule dynamics[] = {{"damping", 1}, {"friction", 1}, {"armature", 1, false, false}};
constexpr AttributeRule mimic[] = {{"joint", 0, true}, {"multiplier", 1}, {"offset", 1}};

constexpr ElementRule inertial_rules[] = {{"origin", false, origin}, {"mass", true, mass}, {"inertia", true, inertia}};
constexpr ElementRule joint_rules[] = {{"origin", false, origin},     {"parent", true, link_name},
                                       {"child", true, link_name},    {"axis", false, axis},
                                       {"limit", false, limit, true}, {"dynamics", false, dynamics, true},
                                       {"mimic", false, mimic}};

struct TypeName {
  const char* name;
  JointType type;
};
constexpr TypeName joint_types[] = {{"fixed", JointType::fixed},           {"revolute", JointType::revolute},
                                    {"continuous", JointType::continuous}, {"prismatic", JointType::prismatic},
                                    {"floating", JointType::floating},     {"planar", JointType::planar}};

std::string quoted(const std::string& text) { return "'" + text + "'"; }

// A finite decimal number and nothing else; the sign + too, which from_chars does not know.
std::optional<double> number(std::string_view text) {
  if (text.starts_with("+") && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  while (true) {
    const size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return result;
    const size_t end = std::min(text.find(' ', begin), text.size());
    result.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

class Checker {
 public:
  Checker(const std::string& xml, const std::string& source) : source_(source), document_(xml::read(xml, source)) {}

  CheckedUrdf check() {
    const xml::Element& robot = document_.root();
    if (robot.name != "robot") fail(robot, "the root element is <" + robot.name + ">, not <robot>");
    result_.outline.source = source_;
    result_.outline.name = name_of(robot, "robot");
    std::string open = "<robot name=\"" + xml::escape(result_.outline.name) + "\"";
    if (const std::string* version = robot.find("version")) open += " version=\"" + xml::escape(*version) + "\"";
    result_.clean_xml = open + ">";
    static constexpr std::array known = {"link", "joint"};
    for (const xml::Element* element : document_.children(robot)) {
      if (element->name == "link") {
        link(*element);
      } else if (element->name == "joint") {
        joint(*element);
      } else {
        beware_of_misspelling(*element, "robot " + quoted(result_.outline.name), known);
      }
    }
    result_.clean_xml += "</robot>";
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const xml::Element& at, const std::string& what) const {
    throw ModelError(source_ + ":" + std::to_string(at.line) + ": " + what);
  }

  std::string name_of(const xml::Element& element, const std::string& what) const {
    const std::string* name = element.find("name");
    if (!name) fail(element, "<" + what + "> has no name");
    if (words(*name).empty()) fail(element, "<" + what + "> has an empty name");
    return *name;
  }

  // What is neither known nor close to a known name (sensors, safety controllers, materials) is no business of ours.
  template <class Names>
  void beware_of_misspelling(const xml::Element& element, const std::string& where, const Names& known) const {
    if (element.name.starts_with("xacro:"))
      fail(element, where + ": <" + element.name + "> is xacro, not yet expanded");
    for (const char* const known_name : known) {
      const std::string name = known_name;
      if (edit_distance(lower_case(element.name), name) <= std::max<size_t>(1, name.size() / 4)) {
        fail(element, where + ": <" + element.name + "> is unknown; is <" + name + "> meant?");
      }
    }
  }

  void link(const xml::Element& element) {
    const std::string name = name_of(element, "link");
    result_.outline.links.push_back({name, std::nullopt});
    result_.clean_xml += "<link name=\"" + xml::escape(name) + "\">";
    const std::string where = "link " + quoted(name);
    static constexpr std::array known = {"inertial"};
    bool found = false;
    for (const xml::Element* child : document_.children(element)) {
      if (child->name != "inertial") {
        if (child->name != "visual" && child->name != "collision") beware_of_misspelling(*child, where, known);
        continue;
      }
      if (found) fail(*child, where + ": <inertial> stands twice");
      found = true;
      result_.outline.links.back().inertial = Inertial{};
      result_.clean_xml += "<inertial>";
      content(*child, where + ": <inertial>", inertial_rules);
      result_.clean_xml += "</inertial>";
    }
    result_.clean_xml += "</link>";
  }

  void joint(const xml::Element& element) {
    JointDescription joint;
    joint.name = name_of(element, "joint");
    const std::string where = "joint " + quoted(joint.name);
    joint.type = type_of(element, where);
    result_.clean_xml +=
        "<joint name=\"" + xml::escape(joint.name) + "\" type=\"" + std::string(to_string(joint.type)) + "\">";
    content(element, where, joint_rules);
    result_.clean_xml += "</joint>";
    joint.parent_link = *document_.children(element, "parent").front()->find("link");
    joint.child_link = *document_.children(element, "child").front()->find("link");
    for (const xml::Element* dynamics_element : document_.children(element, "dynamics")) {
      if (const std::string* armature = dynamics_element->find("armature")) {
        joint.armature = number(words(*armature).front()).value_or(0.0);
      }
    }
    const bool needs_limit = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    if (needs_limit && document_.children(element, "limit").empty()) {
      fail(element, where + ": a " + std::string(to_string(joint.type)) + " joint needs a <limit>, and there is none");
    }
    result_.outline.joints.push_back(std::move(joint));
  }

  JointType type_of(const xml::Element& element, const std::string& where) const {
    const std::string* type = element.find("type");
    if (!type) fail(element, where + " has no type");
    for (const TypeName& known : joint_types) {
      if (*type == known.name) return known.type;
    }
    fail(element, where + ": type " + quoted(*type) +
                      " is unknown; there are fixed, revolute, continuous, prismatic, floating, planar");
  }

  void content(const xml::Element& element, const std::string& where, std::span<const ElementRule> rules) {
    if (element.has_text) fail(element, where + " contains text, where only elements belong");
    std::vector<const char*> known;
    for (const ElementRule& rule : rules) {
      known.push_back(rule.name);
      const auto found = document_.children(element, rule.name);
      if (found.empty() && rule.required) fail(element, where + " has no <" + rule.name + ">");
      if (found.size() > 1) fail(*found[1], where + ": <" + rule.name + "> stands twice");
      if (!found.empty()) leaf(*found.front(), where + ": <" + rule.name + ">", rule);
    }
    for (const xml::Element* child : document_.children(element)) {
      const bool is_known = std::any_of(known.begin(), known.end(), [&](const char* k) { return child->name == k; });
      if (!is_known) beware_of_misspelling(*child, where, known);
    }
  }

  void leaf(const xml::Element& element, const std::string& where, const ElementRule& rule) {
    for (const xml::Attribute& attribute : element.attributes) {
      const bool known = std::any_of(rule.attributes.begin(), rule.attributes.end(),
                                     [&](const AttributeRule& r) { return attribute.name == r.name; });
      const bool misspelt = std::any_of(rule.attributes.begin(), rule.attributes.end(), [&](const AttributeRule& r) {
        return edit_distance(lower_case(attribute.name), r.name) <= 1;
      });
      if (!known && (misspelt || !rule.extensible))
        fail(element, where + ": attribute " + attribute.name + "=" + quoted(attribute.value) + " is unknown");
    }
    std::string clean;
    for (const AttributeRule& r : rule.attributes) {
      const std::string* value = element.find(r.name);
      if (!value && r.required) fail(element, where + " has no attribute '" + r.name + "'");
      if (!value) continue;
      check_value(element, where + ": " + r.name + "=" + quoted(*value), *value, r.numbers);
      if (r.for_urdfdom) clean += " " + std::string(r.name) + "=\"" + xml::escape(*value) + "\"";
    }
    if (!clean.empty()) result_.clean_xml += "<" + element.name + clean + "/>";
  }

  void check_value(const xml::Element& element, const std::string& where, const std::string& value, int numbers) const {
    const auto parts = words(value);
    if (numbers == 0) {
      if (parts.empty()) fail(element, where + " is empty");
      return;
    }
    for (const std::string_view part : parts) {
      if (!number(part)) fail(element, where + ": '" + std::string(part) + "' is not a finite number");
    }
    if (parts.size() != static_cast<size_t>(numbers)) {
      fail(element, where + " has " + std::to_string(parts.size()) + (parts.size() == 1 ? " number" : " numbers") +
                        " instead of " + std::to_string(numbers));
    }
  }

  const std::string& source_;
  xml::Document document_;
  CheckedUrdf result_;
};

}  // namespace

CheckedUrdf check_urdf(const std::string& xml, const std::string& source) { return Checker(xml, source).check(); }

}  // namespace dyn
