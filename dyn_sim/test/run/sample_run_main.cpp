// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// sample_run ROBOT.urdf DIR: everything the sample runs leave behind, for the tests in Python: DIR/one, DIR/two.
#include <cstdio>

#include "dyn_sim/run/outputs.hpp"
#include "sample_run.hpp"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  try {
    for (const int arms : {1, 2}) {
      const auto run = dyn::sim::sample_run(arguments[1], arms, 10.0);
      const std::filesystem::path dir = std::filesystem::path(arguments[2]) / (arms == 1 ? "one" : "two");
      dyn::sim::write_results(run->record, dir);
      dyn::sim::write_csv(run->record, dir / "log.csv");
      dyn::sim::write_mcap(run->record, dir / "log.mcap");
      dyn::sim::write_report(run->record, dir / "report.html");
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
