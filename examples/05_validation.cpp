// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Validation beside the loop: the loop's results go into a ring buffer, and another thread compares them with a model
// that Pinocchio builds from the same description.
#include <cmath>
#include <dyn_core/control/controller.hpp>
#include <dyn_core/live/sample_ring.hpp>
#include <dyn_core/model/robot_library.hpp>
#include <dyn_core/oracle/validator.hpp>
#include <exception>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

int main() try {
  constexpr double period_s = 1e-3;
  dyn::live::LiveModel live(dyn::load_robot("arm7"), {});
  const std::size_t n = live.robot_coordinates();
  dyn::live::SampleRing ring(256, live.max_coordinates(), live.newest_model()->bodies());
  dyn::oracle::Validator validator(live, ring, {.tolerance = 1e-10});

  dyn::control::Parameters parameters;
  parameters.gains.assign(n, {.p = 400.0, .d = 40.0});
  const auto actuation = dyn::control::Actuation::from_model(*live.newest_model(), {});
  dyn::control::Controller controller(live, actuation, parameters, period_s);

  std::vector<double> q(n, 0.0), v(n, 0.0), a(n, 0.0), effort(n);
  controller.activate({q, v});
  controller.set_sample_ring(&ring);
  for (int cycle = 0; cycle < 200; ++cycle) {
    for (std::size_t i = 0; i < n; ++i) {
      const double phase = 3.0 * cycle * period_s + static_cast<double>(i);
      q[i] = 0.5 * std::sin(phase);
      v[i] = 1.5 * std::cos(phase);
    }
    (void)controller.step({q, v}, {q, v, a}, effort);
  }
  while (validator.statistics().samples + ring.dropped() < 200) std::this_thread::yield();
  const auto seen = validator.statistics();
  std::cout << seen.samples << " samples, " << seen.breaches << " out of tolerance; largest relative differences: M "
            << seen.max_M << ", C v " << seen.max_Cv << ", g " << seen.max_g << '\n';
  return seen.breaches == 0 && seen.samples > 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
