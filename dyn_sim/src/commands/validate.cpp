// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn validate: every algorithm against Pinocchio on random states.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "options.hpp"
#include "output.hpp"

#ifdef DYN_HAS_ORACLE
#include "dyn_core/oracle/validation.hpp"
#endif

namespace dyn::cli {
namespace {

struct Call {
  RobotCall robot;
  bool armature = false;
  int states = 100;
  std::uint64_t seed = 1;
  bool json = false;
};

#ifdef DYN_HAS_ORACLE

using oracle::AlgorithmResult;
using oracle::ValidationReport;

nlohmann::ordered_json state_json(const oracle::State& state) {
  return {{"q", state.q}, {"v", state.v}, {"a", state.a}, {"tau", state.tau}};
}

nlohmann::ordered_json to_json(const ValidationReport& report) {
  nlohmann::ordered_json out{{"robot", report.robot},
                             {"reference", report.reference},
                             {"states", report.states.size()},
                             {"seed", report.seed},
                             {"pass", report.pass()},
                             {"notes", report.notes},
                             {"largest_condition", report.largest_condition}};
  out["results"] = nlohmann::ordered_json::array();
  for (const AlgorithmResult& result : report.results) {
    const auto& worst = report.states[result.worst_state];
    out["results"].push_back({{"kind", result.kind},
                              {"name", result.name},
                              {"max_rel_error", result.error},
                              {"tolerance", result.tolerance},
                              {"pass", result.pass()},
                              {"worst_state", state_json(worst)}});
  }
  return out;
}

void print(const ValidationReport& report) {
  std::cout << heading(report.robot) << ": " << report.states.size() << " random states (seed " << report.seed
            << ") against " << report.reference << "\n\n";
  Table table({{"kind"},
               {"algorithm"},
               {"largest error", Table::Align::right},
               {"tolerance", Table::Align::right},
               {"worst state", Table::Align::right},
               {""}});
  for (const AlgorithmResult& result : report.results) {
    table.add({result.kind, result.name, number(result.error, 3), number(result.tolerance, 3),
               std::to_string(result.worst_state), result.pass() ? "ok" : "FAILS"});
  }
  table.print();
  for (const std::string& note : report.notes) std::cout << "note: " << note << '\n';
  std::cout << "\nLargest condition number of M: " << number(report.largest_condition, 3) << '\n';
}

void validate(const Call& call) {
  ModelOptions options = model_options(call.robot);
  options.armature = call.armature;
  const Model model = load(call.robot, options);
  const ValidationReport report = oracle::validate(model, call.states, call.seed);
  if (call.json) {
    print_json(to_json(report));
  } else {
    print(report);
  }
  for (const AlgorithmResult& result : report.results) {
    if (result.pass()) continue;
    throw ModelError(report.robot + ": " + result.kind + " " + result.name + " differs from " + report.reference +
                     " by " + number(result.error, 3) + ", more than " + number(result.tolerance, 3) + ", in state " +
                     std::to_string(result.worst_state));
  }
}

#else

void validate(const Call&) {
  throw ModelError("this program was built without Pinocchio; build it where CMake finds Pinocchio 3 or later");
}

#endif

}  // namespace

Action declare_validate(CLI::App& app) {
  auto call = std::make_shared<Call>();
  add_robot(app, call->robot);
  app.add_option("--states", call->states, "Number of random states, within the joints' limits")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_flag("--armature", call->armature, "With the drives' reflected inertia, and their rotors");
  app.add_option("--seed", call->seed, "Seed of the random states")->capture_default_str();
  add_json(app, call->json);
  return [call] { validate(*call); };
}

}  // namespace dyn::cli
