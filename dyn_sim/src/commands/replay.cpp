// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn replay: torques that a model predicts for a recorded motion, beside the measured ones.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "commands/log_options.hpp"
#include "dyn_core/error.hpp"
#include "dyn_sim/run/output_folder.hpp"
#include "identify/report.hpp"
#include "output.hpp"
#include "terminal_line.hpp"

namespace dyn::cli {
namespace {

using nlohmann::ordered_json;

struct Call {
  LogCall log;
  std::string file, out;
  bool json = false;
};

ordered_json to_json(const Eigen::VectorXd& values) {
  ordered_json list = ordered_json::array();
  for (const double x : values) list.push_back(x);
  return list;
}

std::vector<std::string> names_of(const Model& model, const std::vector<int>& coordinates) {
  std::vector<std::string> names;
  for (const int c : coordinates) names.push_back(model.coordinate_names().at(c));
  return names;
}

void print(const std::vector<std::string>& joints, const sim::Fit& fit, double cutoff_hz) {
  Table table({{"joint"},
               {"torque, rms", Table::Align::right},
               {"error, rms", Table::Align::right},
               {"error", Table::Align::right}});
  for (size_t i = 0; i < joints.size(); ++i) {
    table.add({joints[i], number(fit.torque_rms[i], 4), number(fit.rms[i], 4),
               fit.torque_rms[i] > 0.0 ? number(100.0 * fit.rms[i] / fit.torque_rms[i], 3) + " %" : ""});
  }
  table.print();
  std::cout << "\nThe model leaves " << number(100.0 * fit.relative, 3) << " % of the torque unexplained ("
            << fit.samples << " samples after a low-pass of " << number(cutoff_hz, 3) << " Hz).\n";
}

void replay(const Call& call) {
  const auto model = model_of(call.log);
  double cutoff_hz = 0.0;
  const sim::Motion motion = [&] {
    const sim::MotionLog log = sim::load_log(call.file, *model, log_choice(call.log));
    say_progress("choosing a low-pass for " + call.file);
    cutoff_hz = sim::choose_cutoff({&log, 1}, given_cutoff(call.log));
    return sim::make_motion(log, cutoff_hz);
  }();
  say_progress("");
  say_notes(motion.source, motion.notes);
  say_progress("predicting the torques");
  std::vector<sim::Comparison> comparisons;
  comparisons.push_back(sim::compare(model, motion));
  const sim::Comparison& comparison = comparisons.front();
  say_progress("looking for faults of the log");
  const sim::Faults faults = sim::find_faults(model, motion, comparison);
  say_progress("");
  for (const auto& some : {faults.certain, faults.doubtful}) {
    for (const std::string& fault : some) std::cerr << "warning: " << one_line(motion.source + ": " + fault) << '\n';
  }
  const sim::Fit fit = sim::judge(comparisons, std::max(call.log.hold_out, 0.0));
  const auto joints = names_of(*model, motion.compared);
  if (!call.out.empty()) {
    sim::OutputFolder folder(call.out, {"report.html"});
    write_text(folder.unfinished() / "report.html", sim::replay_page(*model, comparison, fit, cutoff_hz, call.file));
    folder.publish("report.html", {});
  }
  if (call.json) {
    print_json({{"samples", fit.samples},
                {"joints", joints},
                {"cutoff_hz", cutoff_hz},
                {"rms", to_json(fit.rms)},
                {"torque_rms", to_json(fit.torque_rms)},
                {"relative", fit.relative}});
  } else {
    std::cout << heading(model->name()) << ", " << call.file << "\n\n";
    print(joints, fit, cutoff_hz);
  }
}

}  // namespace

Action declare_replay(CLI::App& app) {
  auto call = std::make_shared<Call>();
  add_log_options(app, call->log);
  app.add_option("LOG", call->file,
                 "A log: CSV with time_s, q.JOINT, v.JOINT, effort.JOINT, or rosbag2 (folder, .mcap, .db3)")
      ->required();
  app.add_option("--out", call->out, "Directory for report.html, which is written only if this is given");
  add_json(app, call->json);
  return [call] { replay(*call); };
}

}  // namespace dyn::cli
