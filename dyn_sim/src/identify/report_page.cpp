// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// report.html of `dyn replay` and `dyn identify`: dyn_sim/report/identify.html with the numbers in it.
#include <algorithm>
#include <sstream>

#include "identify/report.hpp"
#include "run/page_text.hpp"
#include "run/report_assets.hpp"
#include "run/report_parts.hpp"

namespace dyn::sim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Json = nlohmann::json;

constexpr Index most_rows = 3000;

std::string percent(double share) {
  std::ostringstream out;
  out.precision(3);
  out << 100.0 * share << " %";
  return out.str();
}

Json thinned(const Eigen::VectorXd& values) {
  const Index step = std::max<Index>(1, (values.size() + most_rows - 1) / most_rows);
  std::vector<float> some;
  for (Index k = 0; k < values.size(); k += step) some.push_back(static_cast<float>(values[k]));
  return report::base64_floats(some);
}

Json thinned_columns(const MatrixXd& X) {
  Json list = Json::array();
  for (Index c = 0; c < X.cols(); ++c) list.push_back(thinned(X.col(c)));
  return list;
}

// Of every joint the sample with the largest residual, the worst first.
Json worst_moments(const Comparison& c, const std::vector<std::string>& joints) {
  const MatrixXd residual = c.residual();
  std::vector<std::pair<double, Json>> all;
  for (Index j = 0; j < residual.cols(); ++j) {
    Index row = 0;
    const double most = residual.col(j).cwiseAbs().maxCoeff(&row);
    all.emplace_back(most, Json{{"joint", joints[j]},
                                {"time", c.time_s[row]},
                                {"measured", c.measured(row, j)},
                                {"predicted", c.measured(row, j) - residual(row, j)},
                                {"v", c.v(row, j)},
                                {"a", c.a(row, j)}});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Json list = Json::array();
  for (const auto& [most, moment] : all) list.push_back(moment);
  return list;
}

Json page_data(const Model& model, const Comparison& c) {
  ArmConfig config;
  config.description = model.description();
  ArmRecord arm;
  arm.config = &config;
  arm.coordinates = model.coordinate_names();
  Json data{
      {"scene", report::scene(arm)}, {"time", thinned(c.time_s)}, {"joints", Json::array()}, {"linear", Json::array()}};
  data["coordinates"] = Json::array();
  for (const std::string& name : arm.coordinates) data["coordinates"].push_back({{"name", name}});
  std::vector<std::string> joints;
  for (const int i : c.coordinates) {
    joints.push_back(arm.coordinates.at(i));
    bool linear = false;
    for (const Joint& joint : model.joints()) {
      if (joint.first_coordinate == i) linear = joint.description.type == JointType::prismatic;
    }
    data["joints"].push_back(joints.back());
    data["linear"].push_back(linear);
  }
  data["all_q"] = thinned_columns(c.all_q);
  data["q"] = thinned_columns(c.q);
  data["v"] = thinned_columns(c.v);
  data["a"] = thinned_columns(c.a);
  data["measured"] = thinned_columns(c.measured);
  data["residual"] = thinned_columns(c.residual());
  data["terms"] = {{"inertia", thinned_columns(c.predicted.inertia)},
                   {"coriolis", thinned_columns(c.predicted.coriolis)},
                   {"gravity", thinned_columns(c.predicted.gravity)},
                   {"friction", thinned_columns(c.predicted.friction)}};
  data["worst"] = worst_moments(c, joints);
  return data;
}

std::string filled(const std::string& title, const Json& data) {
  using namespace report;
  return page_of(title, identify_html, {style_css, identify_css},
                 {page_js, kinematics_js, scene_js, charts_js, identify_js},
                 data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string low_pass_text(double cutoff_hz) {
  std::ostringstream out;
  out.precision(3);
  out << "after a low-pass of " << cutoff_hz << " Hz";
  return out.str();
}

}  // namespace

std::string replay_page(const Model& model, const Comparison& comparison, const Fit& fit, double cutoff_hz,
                        const std::string& log) {
  Json data = page_data(model, comparison);
  data["sub"] = log + ", " + low_pass_text(cutoff_hz);
  data["figures"] = {{"Torque unexplained", percent(fit.relative), std::to_string(fit.samples) + " samples"}};
  return filled("Replay of " + model.name(), data);
}

std::string identification_page(const IdentifyReport& report, const Model& model, const Comparison& before,
                                const Comparison& after, const std::filesystem::path& out) {
  Json data = page_data(model, after);
  data["residual_before"] = thinned_columns(before.residual());
  data["identification"] = identification_details(report, out);
  data["maker_mass"] = Json::array();
  for (const IdentifiedLink& link : report.identified.links) data["maker_mass"].push_back(link.maker.mass_kg);
  data["sub"] = low_pass_text(report.cutoff_hz);
  data["figures"] = {
      {"Held out, the URDF as it was", percent(report.before.relative), "of the torque unexplained"},
      {"Held out, identified", percent(report.validation.relative),
       std::to_string(report.validation.samples) + " samples"},
      {"Identified from", percent(report.train.relative), std::to_string(report.train.samples) + " samples"},
      {"Base parameters determined", std::to_string(report.identified.rank),
       "of " + std::to_string(report.identified.base.size())},
      {"Friction", friction_names[static_cast<size_t>(report.identified.friction)],
       "by cross-validation unless given"}};
  return filled("Identification of " + model.name(), data);
}

}  // namespace dyn::sim
