// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Text and numbers on their way into a page of HTML.
#pragma once

#include <string>
#include <string_view>

namespace dyn::sim::report {

// The first `mark` of the page becomes `text`.
inline void replace(std::string& page, std::string_view mark, std::string_view text) {
  const size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

// Text that may stand inside <script>: no "</script" and no "<!--".
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

}  // namespace dyn::sim::report
