// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn study: a paper's example, reproduced with its tables and figures.
#include <array>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "dyn_core/error.hpp"
#include "output.hpp"
#include "study/studies.hpp"

namespace dyn::study {

std::span<const Study> studies() {
  static constexpr std::array all{
      Study{"planar3", "paper 000: planar arm, M in closed form", planar3},
      Study{"rover-arm", "paper 000: rocker arm of a lunar rover, a tree with two branches", rover_arm},
      Study{"rover", "paper 000: a whole rover drives a circle on rugged ground", rover},
      Study{"puma", "paper 001: open-loop simulation by O(n) and O(n^3) forward dynamics", puma},
      Study{"explicit-complexity", "paper 000: operations of three explicit methods for M as chains grow",
            explicit_complexity},
      Study{"crucible", "paper 002: a payload on a passive joint, added and taken away", crucible},
      Study{"gdahj-scaling", "paper 003: GDAHJ against CRBA as chains grow", gdahj_scaling},
      Study{"kronecker", "paper 004: C by Kronecker products, and feedforward control", kronecker},
  };
  return all;
}

}  // namespace dyn::study

namespace dyn::cli {
namespace {

struct Call {
  std::string name, out;
};

void run_study(const Call& call) {
  for (const study::Study& study : study::studies()) {
    if (call.name != study.name) continue;
    study::Record record(call.name, call.out);
    study.run(record);
    if (std::vector<std::string> failures = record.finish(); !failures.empty()) throw RunFailed(std::move(failures));
    return;
  }
  throw ModelError("there is no study '" + call.name + "'");
}

}  // namespace

Action declare_study(CLI::App& app) {
  auto call = std::make_shared<Call>();
  std::vector<std::string> names;
  std::string listing = "Studies:\n";
  for (const study::Study& study : study::studies()) {
    names.emplace_back(study.name);
    listing +=
        "  " + std::string(study.name) + std::string(21 - std::string(study.name).size(), ' ') + study.summary + "\n";
  }
  app.footer(listing + "Exit code 3 if a check of the study fails; everything is written nevertheless.");
  app.add_option("NAME", call->name, "Name of the study")->required()->check(CLI::IsMember(names));
  app.add_option("--out", call->out, "Directory for report.html, and its figures as SVG and CSV")->type_name("DIR");
  return [call] { run_study(*call); };
}

}  // namespace dyn::cli
