// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn bench: ns per call of every algorithm, and of the peers that were built, on the same states in one process.
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/contestants.hpp"
#include "bench/own_attach.hpp"
#include "bench/own_derivatives.hpp"
#include "bench/own_frames.hpp"
#include "bench/own_plant.hpp"
#include "command.hpp"
#include "count/chain.hpp"
#include "dyn_core/kernel_sets.hpp"
#include "dyn_core/model/urdf.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

struct BenchOptions {
  RobotCall robot;
  bool json = false;
  bool all_peers = false;
  int chain = 0;
  std::string only;
  int calls = 0;
  unsigned seed = 1;
  bench::Effort effort;
};

std::string kernels_used() {
  const char* forced = std::getenv("DYN_ISA");
  return forced != nullptr ? forced : usable_kernel_sets().back();
}

// Peers' median over ours, for the same task.
nlohmann::ordered_json ratios(const std::vector<bench::Contestant>& all, const std::vector<bench::Times>& times,
                              size_t own, bool cold) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k].library == "dyn_control" || all[k].task != all[own].task) continue;
    out[all[k].library] = cold ? times[k].cold / times[own].cold : times[k].median / times[own].median;
  }
  return out;
}

nlohmann::ordered_json results(const std::vector<bench::Contestant>& all, const std::vector<bench::Times>& times) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (size_t k = 0; k < all.size(); ++k) {
    const bench::Times& t = times[k];
    nlohmann::ordered_json entry{{"task", all[k].task}, {"library", all[k].library}, {"algorithm", all[k].algorithm},
                                 {"ns", t.median},      {"ns_lowest", t.lowest},     {"ns_p10", t.p10},
                                 {"ns_p90", t.p90},     {"ns_cold", t.cold},         {"generated", all[k].generated}};
    if (all[k].library == "dyn_control") {
      entry["times_faster"] = ratios(all, times, k, false);
      entry["times_faster_cold"] = ratios(all, times, k, true);
    } else {
      entry["differs"] = all[k].differs;
    }
    out.push_back(entry);
  }
  return out;
}

std::set<std::string> generated_libraries(const nlohmann::ordered_json& out) {
  std::set<std::string> names;
  for (const auto& r : out["results"]) {
    if (r["generated"].get<bool>()) names.insert(r["library"].get<std::string>());
  }
  return names;
}

std::string ratio_text(const nlohmann::ordered_json& ratios, const std::set<std::string>& except) {
  std::string text;
  for (const auto& [library, ratio] : ratios.items()) {
    if (except.contains(library)) continue;
    text += (text.empty() ? "" : " / ") + number(ratio.get<double>(), 3);
  }
  return text;
}

// How many times faster `fused` is than code generated for this one robot, task by task.
void print_against_generated(const nlohmann::ordered_json& out, const std::set<std::string>& generated) {
  std::vector<Table::Column> columns{{"fused, times faster than"}};
  for (const auto& r : out["results"]) {
    if (r["algorithm"] == "fused") columns.push_back({r["task"].get<std::string>(), Table::Align::right});
  }
  Table table(columns);
  for (const std::string& library : generated) {
    std::vector<std::string> row{library};
    for (const auto& r : out["results"]) {
      if (r["algorithm"] != "fused") continue;
      const auto& ratios = r["times_faster"];
      row.push_back(ratios.contains(library) ? number(ratios[library].get<double>(), 3) : "");
    }
    table.add(row);
  }
  table.print();
}

void print(const nlohmann::ordered_json& out) {
  const std::set<std::string> generated = generated_libraries(out);
  Table table({{"task"},
               {"library"},
               {"algorithm"},
               {"ns", Table::Align::right},
               {"p10", Table::Align::right},
               {"p90", Table::Align::right},
               {"cold", Table::Align::right},
               {"times faster"},
               {"cold"},
               {"differs", Table::Align::right}});
  for (const auto& r : out["results"]) {
    const auto ns = [&r](const char* field) { return number(r[field].get<double>(), 4); };
    table.add({r["task"], r["library"], r["algorithm"], ns("ns"), ns("ns_p10"), ns("ns_p90"), ns("ns_cold"),
               ratio_text(r.value("times_faster", nlohmann::ordered_json::object()), generated),
               ratio_text(r.value("times_faster_cold", nlohmann::ordered_json::object()), generated),
               r.contains("differs") ? number(r["differs"].get<double>(), 2) : ""});
  }
  table.print();
  if (!generated.empty()) print_against_generated(out, generated);
}

// "M" for all contestants of a task, "M:fused" for one algorithm and the peers.
bool is_named(const bench::Contestant& c, const std::string& only) {
  if (only.empty() || only == c.task || only == c.task + ":" + c.algorithm) return true;
  return c.library != "dyn_control" && only.starts_with(c.task + ":");
}

std::string tasks_of(const std::vector<bench::Contestant>& all) {
  std::set<std::string> tasks{bench::plant_task, bench::attach_task};
  for (const bench::Contestant& c : all) tasks.insert(c.task);
  std::string list;
  for (const std::string& task : tasks) list += (list.empty() ? "" : ", ") + task;
  return list;
}

// Calls without timing: for programs that count instructions (scripts/instructions).
void just_call(const std::vector<bench::Contestant>& all, int calls, int states) {
  for (const bench::Contestant& c : all) {
    for (int k = 0; k < calls; k += states) c.run(0, std::min(states, calls - k));
  }
}

void run_bench(const BenchOptions& options) {
  const auto model = std::make_shared<const Model>(options.chain > 0 ? Model::build(generic_chain(options.chain))
                                                                     : load(options.robot));
  const bench::States states(*model, options.effort.states, options.seed);
  std::vector<bench::Contestant> all = bench::own_contestants(model, states);
  for (auto& own : bench::derivative_contestants(model, states)) all.push_back(std::move(own));
  for (auto& own : bench::frame_contestants(model, states)) all.push_back(std::move(own));
  if (options.only.starts_with(bench::plant_task)) {
    for (auto& own : bench::plant_contestants(*model)) all.push_back(std::move(own));
  }
  if (options.only.starts_with(bench::attach_task)) {
    for (auto& own : bench::attach_contestants(*model)) all.push_back(std::move(own));
  }
  if (options.calls == 0) {
    for (auto& peer : bench::peer_contestants(bench::peer_directory(), *model, states, options.all_peers)) {
      all.push_back(std::move(peer));
    }
  }
  if (options.all_peers && options.calls == 0) {
    for (auto& code : bench::symbolic_contestants(*model, states)) all.push_back(std::move(code));
  }
  const std::string tasks = tasks_of(all);
  std::erase_if(all, [&](const bench::Contestant& c) { return !is_named(c, options.only); });
  if (all.empty()) throw ModelError("--only: there is no task or algorithm '" + options.only + "'; tasks: " + tasks);
  if (options.calls > 0) return just_call(all, options.calls, options.effort.states);
  nlohmann::ordered_json out{{"robot", model->name()},
                             {"joints", model->coordinates()},
                             {"states", options.effort.states},
                             {"kernels", kernels_used()}};
  out["results"] = results(all, bench::measure(all, options.effort));
  options.json ? print_json(out) : print(out);
}

}  // namespace

Action declare_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  auto* group = app.add_option_group("robot", "one of");
  add_robot(app, options->robot, group);
  group->add_option("--chain", options->chain, "A serial chain of N revolute joints instead of a robot")
      ->type_name("N")
      ->check(CLI::Range(1, 500));
  group->require_option(1);
  add_json(app, options->json);
  app.add_flag("--peers", options->all_peers,
               "Besides Pinocchio, every library that was built as a peer, and code by dyn symbolic");
  app.add_option(
      "--only", options->only,
      "A task as it is printed (M, C, g, M+C+g, inverse derivatives, ..), or TASK:ALGORITHM; attach+detach: of "
      "a rigid payload, while a loop runs; plant: 1 ms of the simulated arm");
  app.add_option("--calls", options->calls, "Make this many calls of each without measuring")
      ->check(CLI::Range(1, 100000000));
  app.add_option("--seed", options->seed, "Seed of the random states");
  app.add_option("--rounds", options->effort.rounds, "Measuring turns of every contestant")
      ->check(CLI::Range(5, 10000));
  app.add_option("--cold", options->effort.cold_megabytes,
                 "MiB of other data written before each call of the column cold, and then a call for no states [8]")
      ->check(CLI::Range(1, 1024));
  return [options] { run_bench(*options); };
}

}  // namespace dyn::cli
