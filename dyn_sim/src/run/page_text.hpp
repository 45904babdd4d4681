// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Escaping of text and numbers for HTML pages.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "run/report_assets.hpp"

namespace dyn::sim::report {

// Replaces the first `mark` of the page by `text`.
inline void replace(std::string& page, std::string_view mark, std::string_view text) {
  const size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

// Text that is safe inside <script>: no "</script" and no "<!--".
[[nodiscard]] inline std::string harmless(std::string json) {
  for (size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at)) json.replace(at, 1, "\\u003c");
  return json;
}

[[nodiscard]] inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

// A complete page that needs no other file: dyn_sim/report/frame.html with the parts of this page. `json` is the data
// of its scripts.
[[nodiscard]] inline std::string page_of(std::string_view title, std::string_view body,
                                         std::initializer_list<std::string_view> styles,
                                         std::initializer_list<std::string_view> scripts, std::string json) {
  std::string style, script;
  for (const std::string_view text : styles) style += text;
  for (const std::string_view text : scripts) script.append("<script>\n").append(text).append("</script>\n");
  std::string page(frame_html);
  replace(page, "@STYLE@", style);
  replace(page, "@BODY@", body);
  replace(page, "@SCRIPTS@", script);
  replace(page, "@DATA@", harmless(std::move(json)));
  replace(page, "@TITLE@", escaped(title));
  return page;
}

}  // namespace dyn::sim::report
