// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "xml_reader.hpp"

#include <charconv>
#include <cstdint>

#include "dyn_core/error.hpp"

namespace dyn::xml {
namespace {

constexpr size_t max_bytes = size_t{32} << 20;
constexpr size_t max_elements = 500'000;
constexpr int max_depth = 100;
constexpr size_t max_shown = 40;  // characters of the file quoted in a message

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_name_char(char c) noexcept {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
  const bool further = (c >= '0' && c <= '9') || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  return letter || further;
}

// Length of the UTF-8 sequence at the front of text; 0 if it is none.
size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void append_utf8(std::string& to, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { to.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) return put(0xC0 | (c >> 6)), put(0x80 | (c & 0x3F));
  if (c < 0x10000) return put(0xE0 | (c >> 12)), put(0x80 | ((c >> 6) & 0x3F)), put(0x80 | (c & 0x3F));
  put(0xF0 | (c >> 18)), put(0x80 | ((c >> 12) & 0x3F)), put(0x80 | ((c >> 6) & 0x3F)), put(0x80 | (c & 0x3F));
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  Document read() {
    check_encoding();
    while (at_ < text_.size()) {
      if (text_[at_] == '<') {
        markup();
      } else {
        character_data();
      }
    }
    if (!open_.empty()) {
      const Element& element = document_.elements[open_.back()];
      fail("the file ends before <" + element.name + "> of line " + std::to_string(element.line) + " is closed");
    }
    if (document_.elements.empty()) fail("this is not XML: there is no element");
    return std::move(document_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(source_ + ":" + std::to_string(line_) + ": " + what);
  }

  void check_encoding() {
    if (text_.empty()) throw ModelError(source_ + ": the file is empty");
    if (text_.size() > max_bytes) {
      throw ModelError(source_ + ": the file has " + std::to_string(text_.size()) + " bytes, more than " +
                       std::to_string(max_bytes));
    }
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) fail("the file is UTF-16; UTF-8 is needed");
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    int line = 1;
    for (size_t i = 0; i < text_.size();) {
      const size_t length = utf8_length(text_.substr(i));
      const auto byte = static_cast<unsigned char>(text_[i]);
      if (length == 0 || (byte < 0x20 && !is_space(text_[i]))) {
        line_ = line;
        fail("byte " + std::to_string(byte) + " is not UTF-8 text");
      }
      if (byte == '\n') ++line;
      i += length;
    }
  }

  void advance(size_t count) {
    for (const size_t end = at_ + count; at_ < end; ++at_) {
      if (text_[at_] == '\n') ++line_;
    }
  }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] std::string shown() const {
    const auto near = rest().substr(0, max_shown + 4);
    const auto line = near.substr(0, near.find('\n'));
    size_t length = std::min(line.size(), max_shown);
    while (length < line.size() && (static_cast<unsigned char>(line[length]) & 0xC0) == 0x80) ++length;
    return "'" + std::string(line.substr(0, length)) + "'";
  }

  void skip_to_end_of(std::string_view what, std::string_view opening, std::string_view closing) {
    const size_t end = text_.find(closing, at_ + opening.size());
    if (end == std::string_view::npos) fail("the " + std::string(what) + " is never closed by " + std::string(closing));
    advance(end + closing.size() - at_);
  }

  void markup() {
    if (rest().starts_with("<!--")) return skip_to_end_of("comment", "<!--", "-->");
    if (rest().starts_with("<?")) return skip_to_end_of("processing instruction", "<?", "?>");
    if (rest().starts_with("<![CDATA[")) {
      if (open_.empty()) fail("text outside of the root element: " + shown());
      document_.elements[open_.back()].has_text = true;
      return skip_to_end_of("CDATA section", "<![CDATA[", "]]>");
    }
    if (rest().starts_with("<!")) fail("document types and entities are not accepted: " + shown());
    if (rest().starts_with("</")) return end_tag();
    start_tag();
  }

  void character_data() {
    const size_t end = std::min(text_.find('<', at_), text_.size());
    while (at_ < end && is_space(text_[at_])) advance(1);
    if (at_ == end) return;
    if (document_.elements.empty()) fail("this is not XML: it begins with " + shown());
    if (open_.empty()) fail("text after the end of the root element: " + shown());
    Element& element = document_.elements[open_.back()];
    element.has_text = true;
    for (const char c : text_.substr(at_, end - at_)) element.text.push_back(is_space(c) ? ' ' : c);
    advance(end - at_);
  }

  std::string name(const char* of_what) {
    size_t length = 0;
    while (length < rest().size() && is_name_char(rest()[length])) ++length;
    if (length == 0) fail("the name of " + std::string(of_what) + " is expected at " + shown());
    std::string result(rest().substr(0, length));
    advance(length);
    return result;
  }

  bool skip_space() {
    const size_t before = at_;
    while (at_ < text_.size() && is_space(text_[at_])) advance(1);
    return at_ != before;
  }

  void start_tag() {
    if (open_.empty() && !document_.elements.empty()) fail("a second root element begins at " + shown());
    if (document_.elements.size() >= max_elements) {
      fail("the file has more than " + std::to_string(max_elements) + " elements");
    }
    if (open_.size() >= max_depth) fail("elements are nested more than " + std::to_string(max_depth) + " deep");
    Element element;
    element.line = line_;
    advance(1);
    element.name = name("an element");
    const bool closed = attributes(element);
    link(std::move(element));
    if (closed) open_.pop_back();
  }

  // Up to and including '>'. True if the element ends here (/>).
  bool attributes(Element& element) {
    while (true) {
      const bool space = skip_space();
      if (rest().empty()) fail("the file ends inside of <" + element.name + ">");
      if (rest().starts_with(">")) return advance(1), false;
      if (rest().starts_with("/>")) return advance(2), true;
      if (!space) fail("<" + element.name + ">: a blank is missing before " + shown());
      Attribute attribute{name("an attribute"), {}};
      skip_space();
      if (!rest().starts_with("=")) fail("<" + element.name + ">: attribute '" + attribute.name + "' has no value");
      advance(1);
      skip_space();
      if (element.find(attribute.name)) {
        fail("<" + element.name + ">: attribute '" + attribute.name + "' is given twice");
      }
      attribute.value = quoted(element, attribute);
      element.attributes.push_back(std::move(attribute));
    }
  }

  std::string quoted(const Element& element, const Attribute& attribute) {
    const std::string where = "<" + element.name + ">: the value of '" + attribute.name + "' ";
    const char quote = rest().empty() ? '\0' : rest().front();
    if (quote != '"' && quote != '\'') fail(where + "is not in quotes at " + shown());
    advance(1);
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail(where + "is never closed");
    std::string value;
    while (at_ < end) {
      const char c = text_[at_];
      if (c == '<') fail(where + "contains '<'");
      if (c == '&') {
        entity(value);
      } else {
        value.push_back(is_space(c) ? ' ' : c);
        advance(1);
      }
    }
    advance(1);
    return value;
  }

  void entity(std::string& to) {
    const size_t length = rest().substr(0, max_shown).find(';');
    if (length == std::string_view::npos) fail("'&' does not begin an entity: " + shown());
    const std::string_view body = rest().substr(1, length - 1);
    static constexpr std::pair<std::string_view, char> known[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    bool found = false;
    for (const auto& [entity_name, character] : known) {
      if (body == entity_name) to.push_back(character), found = true;
    }
    if (!found && body.starts_with("#")) {
      const bool hex = body.size() > 1 && body[1] == 'x';
      const std::string_view digits = body.substr(hex ? 2 : 1);
      std::uint32_t code = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
      const bool complete = error == std::errc{} && end == digits.data() + digits.size();
      found = complete && code >= 0x20 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
      if (found) append_utf8(to, code);
    }
    if (!found) fail("unknown entity &" + std::string(body) + ";");
    advance(length + 1);
  }

  void end_tag() {
    const std::string before = shown();
    advance(2);
    const std::string closing = name("an element");
    skip_space();
    if (!rest().starts_with(">")) fail("</" + closing + " is not closed by '>'");
    if (open_.empty()) fail(before + " closes an element that was never opened");
    const Element& element = document_.elements[open_.back()];
    if (element.name != closing) {
      fail("</" + closing + "> was found before <" + element.name + "> of line " + std::to_string(element.line) +
           " is closed");
    }
    advance(1);
    open_.pop_back();
  }

  void link(Element element) {
    const int index = static_cast<int>(document_.elements.size());
    if (!open_.empty()) {
      element.parent = open_.back();
      Element& parent = document_.elements[open_.back()];
      if (parent.last_child >= 0) {
        document_.elements[parent.last_child].next_sibling = index;
      } else {
        parent.first_child = index;
      }
      parent.last_child = index;
    }
    document_.elements.push_back(std::move(element));
    open_.push_back(index);
  }

  std::string_view text_;
  const std::string& source_;
  size_t at_ = 0;
  int line_ = 1;
  Document document_;
  std::vector<int> open_;
};

}  // namespace

const std::string* Element::find(std::string_view attribute) const noexcept {
  for (const Attribute& a : attributes) {
    if (a.name == attribute) return &a.value;
  }
  return nullptr;
}

std::string Element::value(std::string_view attribute) const {
  const std::string* const found = find(attribute);
  return found != nullptr ? *found : std::string();
}

std::vector<const Element*> Document::children(const Element& parent, std::string_view name) const {
  std::vector<const Element*> found;
  for (int i = parent.first_child; i >= 0; i = elements[i].next_sibling) {
    const Element& child = elements[i];
    if (name.empty() || child.name == name) found.push_back(&child);
  }
  return found;
}

Document read(std::string_view text, const std::string& source) { return Reader(text, source).read(); }

std::string escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&apos;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace dyn::xml
