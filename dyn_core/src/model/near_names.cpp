// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "near_names.hpp"

#include <algorithm>
#include <numeric>

namespace dyn {

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr size_t longest = 64;  // longer names are never similar
  if (a.size() > longest || b.size() > longest) return std::max(a.size(), b.size());
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names) {
  const std::string wanted = lower_case(name);
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& candidate : names) {
    const std::string known = lower_case(candidate);
    const bool part = wanted.size() > 1 && (known.starts_with(wanted) || wanted.starts_with(known));
    const size_t distance = part ? 1 : edit_distance(wanted, known);
    if (distance <= std::clamp<size_t>(wanted.size() / 2, 1, 3)) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (size_t i = 0; i < std::min<size_t>(near.size(), 3); ++i) result.push_back(near[i].second);
  return result;
}

}  // namespace dyn
