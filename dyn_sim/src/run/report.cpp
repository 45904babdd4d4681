// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// report.html: page, style and scripts of dyn_sim/report/ (built into the program) with the run's data.
#include "dyn_sim/run/outputs.hpp"
#include "output_file.hpp"
#include "page_text.hpp"
#include "report_assets.hpp"
#include "report_parts.hpp"
#include "results_names.hpp"

namespace dyn::sim {
namespace {

using Json = nlohmann::json;

constexpr int largest_rows = 3000;
constexpr size_t largest_numbers = 600'000;  // for all arms together, 5.3 bytes each

int rows_of(const RunRecord& run) {
  size_t columns = 0;
  for (const ArmRecord& arm : run.arms) columns += arm.coordinates.size() * static_cast<size_t>(Signal::count);
  return static_cast<int>(std::min<size_t>(largest_rows, largest_numbers / std::max<size_t>(columns, 1)));
}

}  // namespace

void write_report(const RunRecord& run, const std::filesystem::path& path) {
  Json data = {{"results", results_json(run)},
               {"update", report::histogram(run.update_ns)},
               {"wakeup", report::histogram(run.wakeup_ns)},
               {"arms", Json::array()}};
  for (const ArmRecord& arm : run.arms) data["arms"].push_back(report::arm_data(arm, rows_of(run)));
  using namespace report;
  const std::string page = page_of(run.config ? run.config->title : std::string("run"), page_html, {style_css},
                                   {page_js, kinematics_js, scene_js, charts_js, app_js},
                                   data.dump(-1, ' ', false, Json::error_handler_t::replace));
  outputs::OutputFile file(path, true);
  file.stream() << page;
  file.close();
}

}  // namespace dyn::sim
