// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What makes a run a failure: noted by the loop in memory of fixed size, told in sentences after it has ended.
#pragma once

#include <cmath>
#include <string>

#include "dyn_core/control/controller.hpp"
#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

// How the loop ended.
struct Ending {
  double end_s = 0.0, planned_s = 0.0;
  double late_s = 0.0;       // how late an event may come and still count as in time
  bool asked = false;        // from outside
  bool given_up = false;     // before the arms were at rest
  bool asked_again = false;  // and that since it was asked for a second time
  std::string failed_arm;    // the first whose controller gave up; empty: none
};

// Of one arm, in the loop.
class Trouble {
 public:
  void note(double time_s, const control::CycleReport& report) noexcept;
  // The first value that is not finite.
  void note(double time_s, Signal signal, std::size_t coordinate, double value) noexcept {
    if (not_finite_s_ < 0.0 && !std::isfinite(value)) {
      not_finite_s_ = time_s;
      signal_ = signal;
      coordinate_ = coordinate;
    }
  }
  [[nodiscard]] bool failed() const noexcept { return failed_s_ >= 0.0; }

 private:
  friend void tell_failures(const Trouble& trouble, const Ending& ending, ArmRecord& record);

  double failed_s_ = -1.0;     // the controller gave up
  double no_torque_s_ = -1.0;  // since when, without a break, it has had no torque of its own; negative: it has one
  Status status_;              // why not
  double not_finite_s_ = -1.0;
  Signal signal_ = Signal::q;
  std::size_t coordinate_ = 0;
};

// Fills record.failures.
void tell_failures(const Trouble& trouble, const Ending& ending, ArmRecord& record);

}  // namespace dyn::sim
