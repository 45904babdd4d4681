// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/report_page.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "run/page_text.hpp"
#include "run/report_assets.hpp"

namespace dyn::study {
namespace {

using sim::report::escaped;
using sim::report::study_scene_html;

std::string heading(const Item& item, const std::string& title) {
  std::string html = "<h2>" + escaped(headline(item, title)) + "</h2>\n";
  if (item.paper.empty() && item.here.empty()) return html;
  return html + "<dl class=\"beside\"><dt>the paper</dt><dd>" + escaped(item.paper) + "</dd><dt>here</dt><dd>" +
         escaped(item.here) + "</dd></dl>\n";
}

// Six digits are more than a plot shows; null where there is no number.
nlohmann::json numbers(const std::vector<double>& values) {
  nlohmann::json out = nlohmann::json::array();
  for (const double value : values) {
    out.push_back(std::isfinite(value) ? nlohmann::json(static_cast<float>(value)) : nlohmann::json());
  }
  return out;
}

nlohmann::json json_of(const Figure& figure) {
  nlohmann::json series = nlohmann::json::array();
  for (const Series& s : figure.series) series.push_back({{"name", s.name}, {"y", numbers(s.y)}});
  return {{"x", numbers(figure.x)},   {"series", series},          {"xLabel", figure.x_label},
          {"yLabel", figure.y_label}, {"log", figure.logarithmic}, {"equal", figure.equal_scales}};
}

}  // namespace

std::string headline(const Item& item, const std::string& title) {
  return item.label.empty() ? title : item.label + ": " + title;
}

void ReportPage::say(const std::string& paragraph) { body_ += "<p>" + escaped(paragraph) + "</p>\n"; }

void ReportPage::table(const std::string& title, const Grid& grid, const Item& item) {
  body_ += "<section class=\"card\">" + heading(item, title) + "<div class=\"table\"><table><thead><tr>";
  for (const std::string& column : grid.columns) body_ += "<th>" + escaped(column) + "</th>";
  body_ += "</tr></thead><tbody>\n";
  for (const auto& row : grid.rows) {
    body_ += "<tr>";
    for (const std::string& cell : row) {
      const char* verdict = cell == "ok" ? " class=\"holds\"" : cell == "FAILS" ? " class=\"fails\"" : "";
      body_ += std::string("<td") + verdict + ">" + escaped(cell) + "</td>";
    }
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div></section>\n";
}

void ReportPage::figure(const Figure& figure, const std::string& svg) {
  body_ += "<section class=\"card\">" + heading(figure.item, figure.title) + "<div class=\"plot\" data-figure=\"" +
           std::to_string(figures_.size()) + "\">" + svg + "</div></section>\n";
  figures_.push_back(figure);
}

void ReportPage::scene(const std::string& title, const Animation& animation, const Item& item) {
  std::string card(study_scene_html);
  sim::report::replace(card, "@HEADING@", heading(item, title));
  sim::report::replace(card, "@SCENE@", sim::report::harmless(json_of(animation).dump()));
  body_ += card;
}

std::string ReportPage::text(const std::string& title) const {
  nlohmann::json data = nlohmann::json::array();
  for (const Figure& figure : figures_) data.push_back(json_of(figure));
  using namespace sim::report;
  std::string body(study_html);
  replace(body, "@TITLE@", escaped(title));
  replace(body, "@BODY@", body_);
  return page_of(title, body, {style_css, study_css}, {page_js, kinematics_js, scene_js, study_js, study_scene_js},
                 data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace dyn::study
