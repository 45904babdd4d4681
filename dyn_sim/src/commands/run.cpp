// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn run: the closed loop of a configuration, with live progress, and its files.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "dyn_core/error.hpp"
#include "dyn_sim/run/judge.hpp"
#include "dyn_sim/run/output_folder.hpp"
#include "dyn_sim/run/outputs.hpp"
#include "dyn_sim/run/runner.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal_view.hpp"

namespace dyn::cli {
namespace {

constexpr const char* run_help =
    R"(To begin, an arm of seven joints that swaps algorithms and carries a payload of 3 kg while it moves:
  dyn run arm7_computed_torque           in real time, 12 s
  dyn run arm7_computed_torque --fast    as fast as possible
Then open runs/arm7_computed_torque/report.html in a browser. scripts/demo does this and more.

The other scenarios, and every key of a configuration, are in docs/run.md; to change one, copy it from
config/scenarios. Ctrl-C brings the arms to rest and writes everything. Exit code 3 if the run failed: a failed
controller, a number that is not finite, a refused event, too much saturation, an arm that did not follow, or
a criterion of the configuration's `expect`; results.json has the causes in failures.)";

struct Call {
  std::string config;
  double duration_s = 0.0;
  std::string out, engine;
  bool fast = false;
  bool json = false;
};

std::atomic<int> interrupts{0};

void on_interrupt(int) { interrupts.fetch_add(1, std::memory_order_relaxed); }

// A hangup brings the arms to rest as well, unless it is ignored on purpose (nohup).
void listen_to_signals() {
  interrupts.store(0);
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

std::filesystem::path default_folder(const sim::RunConfig& config) {
  const std::filesystem::path name = config.file.stem();
  return std::filesystem::path("runs") / (name.empty() || name == "." || name == ".." ? "run" : name);
}

// CLI11's own ranges accept NaN.
CLI::Validator is_duration() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0.0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= 1e-3 && value <= 3600.0;
        return good ? std::string() : "'" + text + "' is not from 0.001 to 3600 s";
      },
      "", "duration");
}

// `end_s`: an event planned after it was prepared, but the run did not reach it.
void print_event(const sim::EventRecord& event, double end_s) {
  const bool reached = event.planned_s <= end_s && (event.applied_s >= 0.0 || !event.error.empty());
  const std::string result = !reached ? "  (not reached)" : event.error.empty() ? "" : "  REFUSED: " + event.error;
  std::cout << "  " << number(event.planned_s, 4) << " s  " << event.label << result << '\n';
  for (const std::string& warning : event.warnings) std::cout << "         warning: " << warning << '\n';
}

void print_arm(const sim::ArmRecord& arm, double end_s) {
  std::cout << heading(arm.config->name) << " (" << arm.config->robot << ", " << arm.config->jsim << ")\n";
  Table table({{""}, {"", Table::Align::right}, {""}});
  const bool in_task_space = !arm.frame_signals.empty();
  const char* const unit = in_task_space ? "m" : "rad or m";
  table.add({"tracking error, rms", number(arm.tracking_rms, 3), unit});
  table.add({"tracking error, largest", number(arm.tracking_max, 3), unit});
  if (in_task_space) {
    table.add({"tracking error, angle, largest", number(arm.angle_max, 3), "rad"});
    table.add({"force of the walls, largest", number(arm.wall_force_max, 4), "N"});
  }
  table.add({"torque, largest", number(arm.torque_max, 4), "N m or N"});
  if (arm.validation.available) {
    table.add({"samples compared with Pinocchio", std::to_string(arm.validation.samples), ""});
    table.add({"largest residual of M", number(arm.validation.max_M, 3), ""});
    table.add({"breaches of the tolerance", std::to_string(arm.validation.breaches), ""});
  }
  table.print();
  if (!arm.collision_begins_s.empty()) {
    std::cout << "collision first detected at " << number(arm.collision_begins_s.front(), 5) << " s, in "
              << arm.collision_cycles << " cycles\n";
  }
  for (const auto& [time_s, cut] : arm.reference_cuts) {
    std::cout << number(time_s, 5) << " s: " << control::describe(cut, arm.coordinates.at(cut.coordinate)) << '\n';
  }
  if (!arm.validation.available)
    std::cout << "not compared with Pinocchio: " << arm.validation.unavailable_reason << '\n';
  for (const auto& event : arm.events) print_event(event, end_s);
}

void print(const sim::RunRecord& record, const std::filesystem::path& out) {
  const bool at_rest = sim::causes_of(record).empty();
  const double end_s = static_cast<double>(record.cycles) / record.config->rate_hz;
  for (const auto& arm : record.arms) print_arm(arm, end_s);
  std::cout << record.cycles << " cycles, " << record.overruns << " overruns; update p50 "
            << number(record.update.p50, 4) << " ns, p99.9 " << number(record.update.p999, 4) << " ns, max "
            << number(record.update.max, 4) << " ns; " << record.scheduling << '\n';
  if (record.allocations_in_loop >= 0) std::cout << "allocations in the loop: " << record.allocations_in_loop << '\n';
  if (record.interrupted)
    std::cout << "ended early on request" << (at_rest ? ", with the arms brought to rest\n" : "\n");
  std::cout << "report: " << (out / "report.html").string() << '\n';
}

void run(const Call& call) {
  sim::RunConfig config = sim::load_run_config(sim::find_scenario(call.config));
  for (sim::ArmConfig& arm : config.arms) {
    if (!call.engine.empty()) arm.plant.engine = call.engine;
  }
  const std::filesystem::path out = call.out.empty() ? default_folder(config) : std::filesystem::path(call.out);
  sim::OutputFolder folder(out, sim::files_of(config));
  listen_to_signals();
  sim::RunOptions options;
  options.fast = call.fast;
  options.duration_s = call.duration_s;
  options.stop = &interrupts;
  const bool live = !call.json && isatty(STDERR_FILENO) != 0;
  TerminalView terminal(config, sim::planned_duration_s(config, options));
  if (live) {
    options.watch = [&terminal](const sim::LiveView& view) {
      std::fputs(terminal.frame(view).c_str(), stderr);
      std::fflush(stderr);
    };
  }
  const sim::RunRecord record = sim::run_closed_loop(config, options);
  for (const sim::ArmConfig& arm : config.arms) print_warnings(Model::build(arm.description, arm.live.model));

  const std::vector<std::string> causes = sim::causes_of(record);
  try {
    sim::write_run(record, folder.unfinished());
    folder.publish("results.json", sim::files_gone(config, out));
  } catch (const ModelError& error) {
    if (causes.empty()) throw;
    std::vector<std::string> all = causes;
    all.emplace_back(error.what());
    throw RunFailed(all);
  }
  if (call.json) {
    print_json(sim::results_json(record));
  } else {
    print(record, out);
  }
  if (!causes.empty()) throw RunFailed(causes);
}

}  // namespace

Action declare_run(CLI::App& app) {
  auto call = std::make_shared<Call>();
  app.footer(run_help);
  app.add_option("CONFIG", call->config, "A YAML file, or the name of a scenario in config/scenarios")->required();
  app.add_option("--duration", call->duration_s, "Seconds, instead of the configuration's duration_s")
      ->check(is_duration());
  app.add_option("--out", call->out, "Directory for results.json, log.csv, log.mcap and report.html [runs/CONFIG]");
  app.add_option("--engine", call->engine, "Engine of the plant, instead of the configuration's")
      ->check(CLI::IsMember({"native", "mujoco"}));
  app.add_flag("--fast", call->fast, "As fast as possible, not in real time");
  add_json(app, call->json);
  return [call] { run(*call); };
}

}  // namespace dyn::cli
