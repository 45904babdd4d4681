// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/record.hpp"

#include <unistd.h>

#include <iostream>
#include <sstream>

#include "dyn_core/error.hpp"
#include "output.hpp"
#include "run/output_file.hpp"
#include "study/svg_chart.hpp"

namespace dyn::study {
namespace {

constexpr const char* report_file = "report.md";

void write_file(const std::filesystem::path& file, const std::string& text) {
  sim::outputs::OutputFile out(file, true);
  out.stream() << text;
  out.close();
}

// One cell of a heading, without commas: "t, s" is written "t (s)".
std::string heading_of(std::string label) {
  for (size_t comma = label.find(','); comma != std::string::npos; comma = label.find(',')) {
    label = label.substr(0, comma) + " (" + label.substr(label.find_first_not_of(" ,", comma)) + ')';
  }
  return label;
}

std::string csv_of(const Figure& figure) {
  std::ostringstream text;
  text.precision(17);
  text << heading_of(figure.x_label);
  for (const Series& s : figure.series) text << ',' << heading_of(s.name);
  text << '\n';
  for (size_t i = 0; i < figure.x.size(); ++i) {
    text << figure.x[i];
    for (const Series& s : figure.series) text << ',' << s.y[i];
    text << '\n';
  }
  return text.str();
}

std::string markdown_of(const Grid& grid) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += ' ' + cell + " |";
    return text + '\n';
  };
  std::string text = line(grid.columns) + line(std::vector<std::string>(grid.columns.size(), "---"));
  for (const auto& row : grid.rows) text += line(row);
  return text;
}

void print(const std::string& title, const Grid& grid) {
  std::cout << '\n' << cli::heading(title) << "\n\n";
  std::vector<cli::Table::Column> columns;
  for (const std::string& column : grid.columns) columns.push_back({column, cli::Table::Align::left});
  cli::Table table(columns);
  for (const auto& row : grid.rows) table.add(row);
  table.print();
}

}  // namespace

Record::Record(std::string name, std::filesystem::path directory) : name_(std::move(name)), out_(std::move(directory)) {
  if (!out_.empty()) folder_ = std::make_unique<sim::OutputFolder>(out_, std::vector<std::string>{report_file});
}

void Record::say(const std::string& paragraph) {
  std::cout << (markdown_.empty() ? "" : "\n") << paragraph << '\n';
  markdown_ += paragraph + "\n\n";
}

void Record::table(const std::string& title, const Grid& grid) {
  print(title, grid);
  markdown_ += "## " + title + "\n\n" + markdown_of(grid) + '\n';
}

void Record::figure(const Figure& figure) {
  if (!folder_) return;
  write_file(folder_->unfinished() / (figure.file + ".csv"), csv_of(figure));
  write_file(folder_->unfinished() / (figure.file + ".svg"), svg_of(figure));
  markdown_ += "![" + figure.title + "](" + figure.file + ".svg)\n\n";
}

void Record::check(const std::string& what, double value, double limit) {
  const bool holds = value <= limit;
  checks_.rows.push_back({what, cli::number(value, 3), cli::number(limit, 3), holds ? "ok" : "FAILS"});
  if (!holds && first_failure_.empty()) {
    first_failure_ = what + ": " + cli::number(value, 3) + ", more than " + cli::number(limit, 3);
  }
}

void Record::compare(const std::string& what, const std::string& paper, const std::string& here) {
  comparisons_.rows.push_back({what, paper, here});
}

void Record::progress(const std::string& what) const {
  if (isatty(STDERR_FILENO) == 1) std::cerr << "\r\033[K" << what << std::flush;
}

void Record::finish() {
  progress("");
  if (!comparisons_.rows.empty()) table("Beside the paper", comparisons_);
  table("Checks", checks_);
  if (folder_) {
    write_file(folder_->unfinished() / report_file, "# Study " + name_ + "\n\n" + markdown_);
    folder_->publish(report_file, {});
    std::cout << "\nWritten: " << (out_ / report_file).string() << ", with its figures as SVG and CSV\n";
  }
  if (!first_failure_.empty()) throw ModelError(name_ + ": " + first_failure_);
}

}  // namespace dyn::study
