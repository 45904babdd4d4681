// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "urdf_elements.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dyn_core/error.hpp"
#include "near_names.hpp"

namespace dyn::urdf_text {
namespace {

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
constexpr AttributeRule dynamics[] = {{"damping", 1},
                                      {"friction", 1},
                                      {"armature", 1, false, false},
                                      {"gear_ratio", 1, false, false},
                                      {"rotor_axis", 3, false, false},
                                      {"offset", 1, false, false},
                                      {"stribeck", 1, false, false},
                                      {"stribeck_velocity", 1, false, false},
                                      {"damping_negative", 1, false, false},
                                      {"friction_negative", 1, false, false}};
constexpr AttributeRule safety[] = {{"soft_lower_limit", 1, false, false},
                                    {"soft_upper_limit", 1, false, false},
                                    {"k_position", 1, false, false},
                                    {"k_velocity", 1, false, false}};
constexpr AttributeRule mimic[] = {{"joint", 0, true}, {"multiplier", 1}, {"offset", 1}};

constexpr ElementRule inertial_elements[] = {
    {"origin", false, origin}, {"mass", true, mass}, {"inertia", true, inertia}};
constexpr ElementRule joint_elements[] = {{"origin", false, origin},     {"parent", true, link_name},
                                          {"child", true, link_name},    {"axis", false, axis},
                                          {"limit", false, limit, true}, {"dynamics", false, dynamics, true},
                                          {"mimic", false, mimic},       {"safety_controller", false, safety, true}};

std::string quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace

std::span<const ElementRule> inertial_rules() noexcept { return inertial_elements; }
std::span<const ElementRule> joint_rules() noexcept { return joint_elements; }

std::optional<double> number(std::string_view text) {
  if (text.starts_with("+") && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<Vec3d> three_numbers(std::string_view text) {
  const auto parts = words(text);
  if (parts.size() != 3) return std::nullopt;
  const auto x = number(parts[0]), y = number(parts[1]), z = number(parts[2]);
  if (!x || !y || !z) return std::nullopt;
  return Vec3d(*x, *y, *z);
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

void Elements::fail(const xml::Element& at, const std::string& what) const {
  throw ModelError(source_ + ":" + std::to_string(at.line) + ": " + what);
}

std::string Elements::name_of(const xml::Element& element, const std::string& what) const {
  const std::string* name = element.find("name");
  if (!name) fail(element, "<" + what + "> has no name");
  if (words(*name).empty()) fail(element, "<" + what + "> has an empty name");
  return *name;
}

void Elements::refuse_misspelling(const xml::Element& element, const std::string& where,
                                  std::span<const char* const> known) const {
  if (element.name.starts_with("xacro:")) fail(element, where + ": <" + element.name + "> is xacro, not yet expanded");
  for (const std::string name : known) {
    if (edit_distance(lower_case(element.name), name) <= std::max<size_t>(1, name.size() / 4)) {
      fail(element, where + ": <" + element.name + "> is unknown; is <" + name + "> meant?");
    }
  }
}

std::string Elements::check(const xml::Element& element, const std::string& where,
                            std::span<const ElementRule> rules) const {
  if (element.has_text) fail(element, where + " contains text, where only elements belong");
  std::vector<const char*> known;
  std::string clean;
  for (const ElementRule& rule : rules) {
    known.push_back(rule.name);
    const auto found = document_.children(element, rule.name);
    if (found.empty() && rule.required) fail(element, where + " has no <" + rule.name + ">");
    if (found.size() > 1) fail(*found[1], where + ": duplicate <" + rule.name + ">");
    if (!found.empty()) clean += check_leaf(*found.front(), where + ": <" + rule.name + ">", rule);
  }
  for (const xml::Element* other : document_.children(element)) {
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const char* k) { return other->name == k; });
    if (!is_known) refuse_misspelling(*other, where, known);
  }
  return clean;
}

std::string Elements::check_leaf(const xml::Element& element, const std::string& where, const ElementRule& rule) const {
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
  return clean.empty() ? std::string() : "<" + element.name + clean + "/>";
}

void Elements::check_value(const xml::Element& element, const std::string& where, const std::string& value,
                           int numbers) const {
  const auto parts = words(value);
  if (numbers == 0) {
    if (parts.empty()) fail(element, where + " is empty");
    return;
  }
  for (const std::string_view part : parts) {
    if (!urdf_text::number(part)) fail(element, where + ": '" + std::string(part) + "' is not a finite number");
  }
  if (parts.size() != static_cast<size_t>(numbers)) {
    fail(element, where + " has " + std::to_string(parts.size()) + (parts.size() == 1 ? " number" : " numbers") +
                      " instead of " + std::to_string(numbers));
  }
}

const xml::Element* Elements::child(const xml::Element& element, const char* name) const {
  const auto found = document_.children(element, name);
  return found.empty() ? nullptr : found.front();
}

double Elements::number(const xml::Element* element, const char* attribute, double otherwise) {
  const std::string* const value = element != nullptr ? element->find(attribute) : nullptr;
  return value != nullptr ? urdf_text::number(words(*value).front()).value_or(otherwise) : otherwise;
}

Vec3d Elements::vector(const xml::Element* element, const char* attribute, const Vec3d& otherwise) {
  const std::string* const value = element != nullptr ? element->find(attribute) : nullptr;
  return value != nullptr ? three_numbers(*value).value_or(otherwise) : otherwise;
}

}  // namespace dyn::urdf_text
