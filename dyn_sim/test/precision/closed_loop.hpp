// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A controller on a plant, cycle by cycle, without a clock; tests look at it between the cycles.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "dyn_core/control/controller.hpp"
#include "dyn_sim/run/config.hpp"

namespace dyn::sim::test {

struct ClosedLoop {
  explicit ClosedLoop(const ArmConfig& config, double period = 1e-3)
      : arm(config),
        period_s(period),
        live(config.description, options(config)),
        controller(live, actuation(config), config.controller, period),
        plant(make_plant(config.description, config.plant, config.live.model.gravity_mps2)),
        n(live.robot_coordinates()) {
    for (auto* x : {&ref_q, &ref_v, &ref_a}) x->assign(n, 0.0);
    effort.assign(live.max_coordinates(), 0.0);
    sample(0.0);
    plant->reset(ref_q, ref_v);
    controller.activate({plant->q(), plant->v()});
  }

  // The reference comes as from a topic: given `lead` periods ahead, no trajectory to ask.
  control::CycleReport step() {
    time_s = static_cast<double>(cycle++) * period_s;
    sample(time_s + lead * period_s);
    const auto report = controller.step({plant->q(), plant->v()}, {ref_q, ref_v, ref_a}, effort);
    sample(time_s);
    for (size_t i = 0; i < n; ++i) {
      squares += std::pow(ref_q[i] - plant->q()[i], 2);
      ++count;
    }
    plant->advance({effort.data(), plant->q().size()}, period_s);
    return report;
  }
  // The rms error over that time.
  double run(double seconds) {
    squares = 0.0;
    count = 0;
    for (int k = 0; k < static_cast<int>(std::lround(seconds / period_s)); ++k) (void)step();
    return std::sqrt(squares / static_cast<double>(count));
  }

  static live::LiveOptions options(const ArmConfig& config) {
    live::LiveOptions o = config.live;
    o.max_payload_dofs = 2;
    return o;
  }
  [[nodiscard]] control::Actuation actuation(const ArmConfig& config) const {
    auto what = control::Actuation::from_model(*live.newest_model(), config.passive_joints);
    what.payload_link = config.payload_link;
    return what;
  }
  void sample(double at_s) { arm.trajectory->sample(at_s, ref_q, ref_v, ref_a); }

  ArmConfig arm;
  double period_s;
  live::LiveModel live;
  control::Controller controller;
  std::unique_ptr<Plant> plant;
  size_t n;
  std::vector<double> ref_q, ref_v, ref_a, effort;
  double lead = 0.0, time_s = 0.0, squares = 0.0;
  long count = 0, cycle = 0;
};

}  // namespace dyn::sim::test
