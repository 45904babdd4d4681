// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A strict reader for the part of XML that robot descriptions use: elements, attributes, comments. It is used instead
// of urdfdom's XML parsers, which differ from version to version, accept broken XML and recurse as deep as the file is
// nested. No recursion here; document types (and with them entity bombs), other encodings than UTF-8, and absurd sizes
// are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyn::xml {

struct Attribute {
  std::string name, value;  // value with entities replaced and white space turned into blanks, as XML requires
};

struct Element {
  std::string name;
  int line = 0;
  int parent = -1, first_child = -1, last_child = -1, next_sibling = -1;  // indices into Document::elements
  bool has_text = false;                                                  // other than white space
  std::string text;  // white space as blanks, entities not replaced, CDATA sections left out
  std::vector<Attribute> attributes;

  [[nodiscard]] const std::string* find(std::string_view attribute) const noexcept;
  [[nodiscard]] std::string value(std::string_view attribute) const;  // empty if it is not given
};

struct Document {
  std::vector<Element> elements;  // in the order of the file; [0] is the root

  [[nodiscard]] const Element& root() const noexcept { return elements.front(); }
  [[nodiscard]] std::vector<const Element*> children(const Element& parent, std::string_view name = {}) const;
};

// Throws ModelError: "SOURCE:LINE: what is wrong".
[[nodiscard]] Document read(std::string_view text, const std::string& source);

// The text as an attribute's value or element's text.
[[nodiscard]] std::string escape(std::string_view text);

}  // namespace dyn::xml
