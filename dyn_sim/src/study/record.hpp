// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a study finds: paragraphs, tables, figures, and checks that have to hold. Shown on standard output as it comes,
// and written as report.md with SVG pictures and CSV files beside it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dyn_sim/run/output_folder.hpp"

namespace dyn::study {

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
};

struct Grid {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

class Record {
 public:
  // Nothing is written without a directory; throws ModelError where nothing can be written there.
  Record(std::string name, std::filesystem::path directory);

  void say(const std::string& paragraph);
  void table(const std::string& title, const Grid& grid);
  void figure(const Figure& figure);
  // Has to hold: value <= limit.
  void check(const std::string& what, double value, double limit);
  // What the paper says beside what came out here; told, whichever it is.
  void compare(const std::string& what, const std::string& paper, const std::string& here);
  // On a terminal: what is being worked on.
  void progress(const std::string& what) const;

  // Writes report.md; throws ModelError naming the first check that failed.
  void finish();

 private:
  std::string name_;
  std::filesystem::path out_;
  std::unique_ptr<sim::OutputFolder> folder_;
  std::string markdown_;
  Grid checks_{{"what has to hold", "here", "limit", ""}, {}};
  Grid comparisons_{{"", "the paper", "here"}, {}};
  std::string first_failure_;
};

}  // namespace dyn::study
