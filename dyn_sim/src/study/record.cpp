// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/record.hpp"

#include <iostream>
#include <sstream>

#include "output.hpp"
#include "run/output_file.hpp"
#include "study/svg_chart.hpp"
#include "terminal_line.hpp"

namespace dyn::study {
namespace {

constexpr const char *report_file = "report.html", *markdown_file = "report.md";

void write_file(const std::filesystem::path& file, const std::string& text) {
  sim::outputs::OutputFile out(file, true);
  out.stream() << text;
  out.close();
}

// A cell is quoted where a reader would take it for several.
std::string cell_of(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t k = 0; k < cells.size(); ++k) line += (k == 0 ? "" : ",") + cell_of(cells[k]);
  return line + '\n';
}

std::string csv_of(const Figure& figure) {
  std::ostringstream text;
  text.precision(17);
  std::vector<std::string> heading{figure.x_label};
  for (const Series& s : figure.series) heading.push_back(s.name);
  text << line_of(heading);
  for (size_t i = 0; i < figure.x.size(); ++i) {
    text << figure.x[i];
    for (const Series& s : figure.series) text << ',' << s.y[i];
    text << '\n';
  }
  return text.str();
}

std::string csv_of(const Grid& grid) {
  std::string text = line_of(grid.columns);
  for (const auto& row : grid.rows) text += line_of(row);
  return text;
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

std::string beside(const Item& item) {
  if (item.paper.empty() && item.here.empty()) return "";
  return "The paper: " + item.paper + "  \nHere: " + item.here + "\n\n";
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
  if (!out_.empty())
    folder_ = std::make_unique<sim::OutputFolder>(out_, std::vector<std::string>{report_file, markdown_file});
}

void Record::say(const std::string& paragraph) {
  std::cout << (markdown_.empty() ? "" : "\n") << paragraph << '\n';
  markdown_ += paragraph + "\n\n";
  page_.say(paragraph);
}

void Record::table(const std::string& title, const Grid& grid, const Item& item) {
  print(headline(item, title), grid);
  markdown_ += "## " + headline(item, title) + "\n\n" + beside(item) + markdown_of(grid) + '\n';
  page_.table(title, grid, item);
  if (folder_ && !grid.file.empty()) write_file(folder_->unfinished() / (grid.file + ".csv"), csv_of(grid));
}

void Record::figure(const Figure& figure) {
  if (!folder_) return;
  const std::string svg = svg_of(figure);
  write_file(folder_->unfinished() / (figure.file + ".csv"), csv_of(figure));
  write_file(folder_->unfinished() / (figure.file + ".svg"), svg);
  const std::string title = headline(figure.item, figure.title);
  markdown_ += "## " + title + "\n\n" + beside(figure.item) + "![" + title + "](" + figure.file + ".svg)\n\n";
  page_.figure(figure, svg);
}

void Record::scene(const std::string& title, const Animation& animation, const Item& item) {
  page_.scene(title, animation, item);
}

void Record::check(const std::string& what, double value, double limit) {
  const bool holds = value <= limit;
  checks_.rows.push_back({what, cli::number(value, 3), cli::number(limit, 3), holds ? "ok" : "FAILS"});
  if (!holds) {
    failures_.push_back(name_ + ": " + what + ": " + cli::number(value, 3) + ", more than " + cli::number(limit, 3));
  }
}

void Record::compare(const std::string& what, const std::string& paper, const std::string& here) {
  comparisons_.rows.push_back({what, paper, here});
}

void Record::progress(const std::string& what) const { cli::say_progress(what); }

std::vector<std::string> Record::finish() {
  progress("");
  if (!comparisons_.rows.empty()) table("Beside the paper", comparisons_);
  table("Checks", checks_);
  if (folder_) {
    write_file(folder_->unfinished() / markdown_file, "# Study " + name_ + "\n\n" + markdown_);
    write_file(folder_->unfinished() / report_file, page_.text("Study " + name_));
    folder_->publish(report_file, {});
    std::cout << "\nWritten: " << (out_ / report_file).string() << ", with its figures as SVG and CSV\n";
  }
  return failures_;
}

}  // namespace dyn::study
