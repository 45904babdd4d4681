// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn identify: parameters of the robot from logs: a URDF, a report.
#include "dyn_sim/identify/identify.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "commands/log_options.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_sim/run/output_folder.hpp"
#include "identify/report.hpp"
#include "output.hpp"
#include "terminal_line.hpp"

namespace dyn::cli {
namespace {

using nlohmann::ordered_json;

struct Call {
  LogCall log;
  std::vector<std::string> files;
  std::string validate, out = "identified", friction;
  double prior_weight = -1.0;
  bool json = false;
};

std::vector<sim::Comparison> compared(const std::shared_ptr<const Model>& model,
                                      const std::vector<sim::Motion>& motions) {
  std::vector<sim::Comparison> all;
  for (const sim::Motion& motion : motions) all.push_back(sim::compare(model, motion));
  return all;
}

// Identifying with a faulty log would put its fault into the model. Returns what may be faults.
std::vector<std::string> refuse_faults(const std::shared_ptr<const Model>& model,
                                       const std::vector<sim::Motion>& motions,
                                       const std::vector<sim::Comparison>& comparisons) {
  std::vector<std::string> doubtful;
  for (size_t k = 0; k < motions.size(); ++k) {
    const sim::Faults faults = sim::find_faults(model, motions[k], comparisons[k]);
    if (!faults.certain.empty()) throw ModelError(motions[k].source + ": " + faults.certain.front());
    for (const std::string& fault : faults.doubtful) doubtful.push_back(motions[k].source + ": " + fault);
  }
  return doubtful;
}

std::vector<sim::MotionLog> load_logs(const Call& call, const Model& model) {
  std::vector<sim::MotionLog> logs;
  for (const std::string& file : call.files) logs.push_back(sim::load_log(file, model, log_choice(call.log)));
  if (!call.validate.empty()) logs.push_back(sim::load_log(call.validate, model, log_choice(call.log)));
  return logs;
}

sim::IdentifyOptions options_of(const Call& call) {
  sim::IdentifyOptions options;
  options.hold_out = call.log.hold_out >= 0.0 ? call.log.hold_out : (call.validate.empty() ? 0.4 : 0.0);
  if (call.prior_weight >= 0.0) options.prior_weight = call.prior_weight;
  for (size_t k = 0; k < sim::friction_names.size(); ++k) {
    if (call.friction == sim::friction_names[k]) options.friction = static_cast<sim::Friction>(k);
  }
  return options;
}

std::string percent(double relative) { return number(100.0 * relative, 3) + " %"; }

void warn_if_no_better(sim::IdentifyReport& report) {
  constexpr double little = 1e-4;  // of the torque: both explain it
  const double before = report.before.relative, after = report.validation.relative;
  if (after < std::max(before, little)) return;
  report.identified.warnings.push_back(
      "the identified robot explains what was held out no better than the URDF: " + percent(after) +
      " of the torque is left, and " + percent(before) + " before; do not use it");
}

void print(const sim::IdentifyReport& report, const std::filesystem::path& out) {
  Table table({{""}, {"of the torque unexplained", Table::Align::right}, {"samples", Table::Align::right}});
  table.add({"held out, the URDF as it was", percent(report.before.relative), std::to_string(report.before.samples)});
  table.add({"identified from", percent(report.train.relative), std::to_string(report.train.samples)});
  table.add({"held out, identified", percent(report.validation.relative), std::to_string(report.validation.samples)});
  table.print();
  std::cout << "\nfriction " << sim::friction_names[static_cast<size_t>(report.identified.friction)]
            << ", prior's weight " << number(report.identified.prior_weight, 3) << ", low-pass "
            << number(report.cutoff_hz, 3) << " Hz; " << report.identified.rank << " of "
            << report.identified.base.size() << " base parameters determined\n"
            << "robot:  " << (out / "identified.urdf").string() << "\nreport: " << (out / "report.html").string()
            << '\n';
}

void identify(const Call& call) {
  const std::filesystem::path out = std::filesystem::absolute(call.out).lexically_normal();
  const auto model = model_of(call.log);
  auto logs = load_logs(call, *model);
  const sim::IdentifyOptions options = options_of(call);
  sim::IdentifyReport report;
  say_progress("choosing a low-pass for the logs");
  report.cutoff_hz = sim::choose_cutoff(logs, given_cutoff(call.log));
  std::vector<sim::Motion> motions;
  for (const sim::MotionLog& log : logs) motions.push_back(sim::make_motion(log, report.cutoff_hz));
  logs.clear();
  say_progress("");
  for (const sim::Motion& motion : motions) say_notes(motion.source, motion.notes);
  say_progress("predicting the torques");
  const auto makers = compared(model, motions);
  say_progress("looking for faults of the logs");
  const auto doubtful = refuse_faults(model, motions, makers);

  std::vector<sim::Motion> judged_motions = motions;
  if (!call.validate.empty()) {
    judged_motions = {motions.back()};
    motions.pop_back();
  }
  const double judged_share = call.validate.empty() ? options.hold_out : 0.0;
  say_progress("identifying the robot");
  report.identified = sim::identify_robot(model, motions, options);
  auto& warnings = report.identified.warnings;
  warnings.insert(warnings.begin(), doubtful.begin(), doubtful.end());
  const std::filesystem::path file = find_robot(call.log.robot.name);
  const std::string urdf = sim::identified_urdf(read_urdf_text(file), model, report.identified);
  ModelOptions with = model->options();
  const auto after = std::make_shared<const Model>(Model::build(parse_urdf(urdf, "identified.urdf"), with));
  const std::vector<sim::Comparison> before =
      call.validate.empty() ? makers : std::vector<sim::Comparison>{makers.back()};
  const auto then = compared(after, judged_motions);
  report.before = sim::judge(before, judged_share);
  report.validation = sim::judge(then, judged_share);
  report.train = call.validate.empty() && options.hold_out > 0.0
                     ? sim::judge_training(then, options.hold_out)
                     : (options.hold_out > 0.0 ? sim::judge_training(compared(after, motions), options.hold_out)
                                               : sim::judge(compared(after, motions), 0.0));
  warn_if_no_better(report);
  say_progress("");
  for (const std::string& warning : warnings) std::cerr << "warning: " << one_line(warning) << '\n';

  sim::OutputFolder folder(out, {"identified.urdf", "identification.json", "report.html"});
  const ordered_json summary = sim::identification_json(report, out);
  write_text(folder.unfinished() / "identified.urdf", urdf);
  write_text(folder.unfinished() / "identification.json", sim::identification_details(report, out).dump(2) + "\n");
  write_text(folder.unfinished() / "report.html",
             sim::identification_page(report, *model, before.front(), then.front(), out));
  folder.publish("identification.json", {});
  if (call.json) {
    print_json(summary);
  } else {
    print(report, out);
  }
}

}  // namespace

Action declare_identify(CLI::App& app) {
  auto call = std::make_shared<Call>();
  add_log_options(app, call->log);
  app.add_option("LOG", call->files,
                 "Logs of the robot's motion: CSV with time_s, q.JOINT, v.JOINT, effort.JOINT, or rosbag2 (folder, "
                 ".mcap, .db3)")
      ->required();
  app.add_option("--validate", call->validate, "Validate with this log instead of the last part of each");
  app.add_option("--friction", call->friction, "Friction model; chosen by cross-validation unless given")
      ->check(CLI::IsMember({"viscous", "coulomb", "stribeck", "asymmetric"}));
  app.add_option("--prior-weight", call->prior_weight,
                 "Weight of the maker's values; 0: only the log counts; chosen by cross-validation unless given")
      ->check(between(0.0, 1e9, ""));
  app.add_option("--out", call->out, "Directory for identified.urdf, identification.json and report.html")
      ->capture_default_str();
  add_json(app, call->json);
  return [call] { identify(*call); };
}

}  // namespace dyn::cli
