// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The elements and attributes that a URDF's links and joints may have, and their values. Strict: what other readers log
// and drop is refused, with file and line. Text after a number is refused, and so is an element that dynamics depends
// on if it is duplicate, misspelt, or has an unknown attribute.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dyn_core/numeric/types.hpp"
#include "xml_reader.hpp"

namespace dyn::urdf_text {

struct AttributeRule {
  const char* name;
  int numbers;  // how many; 0: a name
  bool required = false;
  bool for_urdfdom = true;  // false: our own or newer than urdfdom; checked, but not passed to urdfdom
};
struct ElementRule {
  const char* name;
  bool required;
  std::span<const AttributeRule> attributes;
  bool extensible = false;  // other tools add attributes of their own here (K, D, command_effort, ...)
};
[[nodiscard]] std::span<const ElementRule> inertial_rules() noexcept;
[[nodiscard]] std::span<const ElementRule> joint_rules() noexcept;

// The whole text as a finite decimal number; the sign + too, which from_chars does not accept.
[[nodiscard]] std::optional<double> number(std::string_view text);
[[nodiscard]] std::optional<Vec3d> three_numbers(std::string_view text);
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);

class Elements {
 public:
  Elements(const std::string& xml, const std::string& source) : source_(source), document_(xml::read(xml, source)) {}

  [[nodiscard]] const xml::Document& document() const noexcept { return document_; }
  [[noreturn]] void fail(const xml::Element& at, const std::string& what) const;
  [[nodiscard]] std::string name_of(const xml::Element& element, const std::string& what) const;
  // Throws for a name close to a known one; other unknown elements (sensors, materials) are ignored.
  void refuse_misspelling(const xml::Element& element, const std::string& where,
                          std::span<const char* const> known) const;
  // Throws unless the children of `element` keep the rules. Returns their text for urdfdom.
  [[nodiscard]] std::string check(const xml::Element& element, const std::string& where,
                                  std::span<const ElementRule> rules) const;

  // For checked elements: a child, or null; an attribute's value, or `otherwise` where it is not given.
  [[nodiscard]] const xml::Element* child(const xml::Element& element, const char* name) const;
  static double number(const xml::Element* element, const char* attribute, double otherwise = 0.0);
  static Vec3d vector(const xml::Element* element, const char* attribute, const Vec3d& otherwise = Vec3d::Zero());

 private:
  [[nodiscard]] std::string check_leaf(const xml::Element& element, const std::string& where,
                                       const ElementRule& rule) const;
  void check_value(const xml::Element& element, const std::string& where, const std::string& value, int numbers) const;

  const std::string& source_;
  xml::Document document_;
};

}  // namespace dyn::urdf_text
