// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn precision: tracking errors of the laws on a plant equal to the model; docs/control.md explains the tables.
#include "dyn_sim/precision.hpp"

#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const sim::Tracking& tracking) { return {{"rms", tracking.rms}, {"max", tracking.max}}; }

ordered_json sampled() {
  ordered_json rows = ordered_json::array();
  for (const double rate_hz : {1000.0, 2000.0, 5000.0, 10000.0}) {
    rows.push_back({{"rate_hz", rate_hz},
                    {"prediction_0.5", to_json(sim::track(sim::arm7_moves(rate_hz, 0.5)))},
                    {"prediction_0", to_json(sim::track(sim::arm7_moves(rate_hz, 0.0)))}});
  }
  return rows;
}

ordered_json payload() {
  using sim::Belief;
  const std::array<std::pair<const char*, Belief>, 6> cases{{{"from the start", Belief::from_the_start},
                                                             {"same cycle", Belief::same_cycle},
                                                             {"one cycle late", Belief::one_cycle_late},
                                                             {"ramped over 0.1 s", Belief::ramped},
                                                             {"one cycle late, ramped", Belief::late_and_ramped},
                                                             {"never", Belief::never}}};
  ordered_json rows = ordered_json::array();
  for (const auto& [name, belief] : cases) {
    const sim::Tracking error = sim::track(sim::arm7_with_payload(belief), sim::payload_at_s);
    rows.push_back({{"attached_to_the_model", name}, {"error", to_json(error)}});
  }
  return rows;
}

ordered_json continuous() {
  const sim::RunConfig moves = sim::arm7_moves(1000.0, 0.5);
  const sim::Tracking computed = sim::track_continuously(moves.arms.front(), moves.duration_s, 1e-12);
  const sim::Tracking feedforward = sim::track_continuously(sim::paper_004_feedforward(), 1.0, 1e-14);
  return {{{"law", "computed torque"}, {"robot", "arm7"}, {"error", to_json(computed)}},
          {{"law", "feedforward, paper 004 eq 72"}, {"robot", "three_link"}, {"error", to_json(feedforward)}}};
}

std::string text(const ordered_json& value) { return number(value.get<double>(), 3); }

void print(const ordered_json& out) {
  std::cout << heading("Sampled: arm7, computed torque, quintic moves at 80 % of the velocity limits") << '\n';
  Table rates({{"rate"},
               {"rms, rad", Table::Align::right},
               {"largest", Table::Align::right},
               {"prediction: 0, rms", Table::Align::right},
               {"worse by", Table::Align::right}});
  for (const auto& row : out["sampled"]) {
    const double ratio = row["prediction_0"]["rms"].get<double>() / row["prediction_0.5"]["rms"].get<double>();
    rates.add({number(row["rate_hz"].get<double>(), 5) + " Hz", text(row["prediction_0.5"]["rms"]),
               text(row["prediction_0.5"]["max"]), text(row["prediction_0"]["rms"]), number(ratio, 3)});
  }
  rates.print();
  std::cout << '\n' << heading("3 kg attached to the flange of the plant in motion, 1 kHz; errors after that") << '\n';
  Table payloads({{"attached to the model"},
                  {"rms, rad", Table::Align::right},
                  {"largest", Table::Align::right},
                  {"to the first", Table::Align::right}});
  const double first = out["payload"][0]["error"]["rms"].get<double>();
  for (const auto& row : out["payload"]) {
    payloads.add({row["attached_to_the_model"], text(row["error"]["rms"]), text(row["error"]["max"]),
                  number(row["error"]["rms"].get<double>() / first, 3)});
  }
  payloads.print();
  std::cout << '\n' << heading("The law evaluated inside the integrator") << '\n';
  Table laws({{"law"}, {"robot"}, {"rms, rad", Table::Align::right}, {"largest", Table::Align::right}});
  for (const auto& row : out["continuous"]) {
    laws.add({row["law"], row["robot"], text(row["error"]["rms"]), text(row["error"]["max"])});
  }
  laws.print();
}

}  // namespace

Action declare_precision(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  add_json(app, *json);
  return [json] {
    const ordered_json out{{"sampled", sampled()}, {"payload", payload()}, {"continuous", continuous()}};
    *json ? print_json(out) : print(out);
  };
}

}  // namespace dyn::cli
