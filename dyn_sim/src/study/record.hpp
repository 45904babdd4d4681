// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What a study finds: paragraphs, tables, figures, and checks that have to hold. Shown on standard output as it comes,
// and written as report.html (one file, plots that can be zoomed) and report.md, with SVG pictures and CSV files beside
// them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dyn_sim/run/output_folder.hpp"
#include "study/report_page.hpp"

namespace dyn::study {

class Record {
 public:
  // Nothing is written without a directory; throws ModelError where nothing can be written there.
  Record(std::string name, std::filesystem::path directory);

  void say(const std::string& paragraph);
  void table(const std::string& title, const Grid& grid, const Item& item = {});
  void figure(const Figure& figure);
  // A robot in motion, in 3D: in report.html only.
  void scene(const std::string& title, const Animation& animation, const Item& item = {});
  // A check that must hold: value <= limit.
  void check(const std::string& what, double value, double limit);
  // What the paper says beside what came out here; told, whichever it is.
  void compare(const std::string& what, const std::string& paper, const std::string& here);
  // On a terminal: the present step of the work.
  void progress(const std::string& what) const;

  // Writes the report. Returns one sentence for each check that failed.
  [[nodiscard]] std::vector<std::string> finish();

 private:
  std::string name_;
  std::filesystem::path out_;
  std::unique_ptr<sim::OutputFolder> folder_;
  std::string markdown_;
  ReportPage page_;
  Grid checks_{{"what has to hold", "here", "limit", ""}, {}};
  Grid comparisons_{{"", "the paper", "here"}, {}};
  std::vector<std::string> failures_;
};

}  // namespace dyn::study
