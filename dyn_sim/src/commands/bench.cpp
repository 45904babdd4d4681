// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn bench: ns per call of every algorithm, and of the peers that were built, on the same states in one process.
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/contestants.hpp"
#include "command.hpp"
#include "dyn_core/fused/engine.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

struct BenchOptions {
  std::string robot;
  bool json = false;
  unsigned seed = 1;
  bench::Effort effort;
};

std::string kernels_used() {
  const char* forced = std::getenv("DYN_ISA");
  return forced != nullptr ? forced : fused::usable_kernels().back();
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
                                 {"ns_p90", t.p90},     {"ns_cold", t.cold}};
    if (all[k].library == "dyn_control") {
      entry["times_faster"] = ratios(all, times, k, false);
      entry["times_faster_cold"] = ratios(all, times, k, true);
    }
    out.push_back(entry);
  }
  return out;
}

std::string ratio_text(const nlohmann::ordered_json& ratios) {
  std::string text;
  for (const auto& [library, ratio] : ratios.items()) {
    text += (text.empty() ? "" : " / ") + number(ratio.get<double>(), 3);
  }
  return text;
}

void print(const nlohmann::ordered_json& out) {
  Table table({{"task"},
               {"library"},
               {"algorithm"},
               {"ns", Table::Align::right},
               {"p10", Table::Align::right},
               {"p90", Table::Align::right},
               {"cold", Table::Align::right},
               {"times faster"},
               {"cold"}});
  for (const auto& r : out["results"]) {
    const auto ns = [&r](const char* field) { return number(r[field].get<double>(), 4); };
    table.add({r["task"], r["library"], r["algorithm"], ns("ns"), ns("ns_p10"), ns("ns_p90"), ns("ns_cold"),
               ratio_text(r.value("times_faster", nlohmann::ordered_json::object())),
               ratio_text(r.value("times_faster_cold", nlohmann::ordered_json::object()))});
  }
  table.print();
}

}  // namespace

Action declare_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  add_robot(app, options->robot);
  add_json(app, options->json);
  app.add_option("--seed", options->seed, "Seed of the random states");
  app.add_option("--rounds", options->effort.rounds, "Turns of every contestant")->check(CLI::Range(5, 10000));
  return [options] {
    const auto model = std::make_shared<const Model>(load_model(options->robot));
    const bench::States states(*model, options->effort.states, options->seed);
    std::vector<bench::Contestant> all = bench::own_contestants(model, states);
    for (auto& peer : bench::peer_contestants(bench::peer_directory(), *model, states)) all.push_back(std::move(peer));
    nlohmann::ordered_json out{{"robot", model->name()},
                               {"joints", model->coordinates()},
                               {"states", options->effort.states},
                               {"kernels", kernels_used()}};
    out["results"] = results(all, bench::measure(all, options->effort));
    options->json ? print_json(out) : print(out);
  };
}

}  // namespace dyn::cli
