// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A study's report.html: one file with its style, script and numbers in it.
#pragma once

#include <string>
#include <vector>

#include "study/scene_data.hpp"

namespace dyn::study {

// What an item of a study reproduces: the paper's figure or table by its number ("Fig. 6a", "Table 3"; empty where the
// paper has none), what the paper says there, and what came out here.
struct Item {
  std::string label, paper, here;
};

struct Series {
  std::string name;
  std::vector<double> y;
};

// All series over the same x. The file's name without its ending.
struct Figure {
  std::string file, title, x_label, y_label;
  std::vector<double> x;
  std::vector<Series> series;
  bool logarithmic = false;   // y; zeros and negative values are left out
  bool equal_scales = false;  // a metre is as long in x as in y
  Item item = {};
};

// Also written as FILE.csv if it has a file name.
struct Grid {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string file = {};
};

[[nodiscard]] std::string headline(const Item& item, const std::string& title);  // "Fig. 6a: title"

class ReportPage {
 public:
  void say(const std::string& paragraph);
  void table(const std::string& title, const Grid& grid, const Item& item);
  void figure(const Figure& figure, const std::string& svg);
  void scene(const std::string& title, const Animation& animation, const Item& item);

  [[nodiscard]] std::string text(const std::string& title) const;

 private:
  std::string body_;
  std::vector<Figure> figures_;
};

}  // namespace dyn::study
