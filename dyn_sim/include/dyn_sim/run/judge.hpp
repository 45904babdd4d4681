// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Whether an arm's run went well, the same for `dyn run` and for a scenario that is played on ros2_control. What is
// seen is noted cycle by cycle in memory of fixed size, and told in sentences when the run is over.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

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

inline constexpr double quarter_turn_rad = 1.5707963267948966;
// A joint that moves at all does not follow where its error's rms is more than this share of its motion's.
inline constexpr double largest_lost_share = 1.0 / 3.0;
inline constexpr double least_motion_rms = 0.05;  // rad or m; of the motion, and of an error that counts

// A sentence each, with arm and time: "arm 'left' at 1.5 s: ...".
[[nodiscard]] std::vector<std::string> causes_of(const RunRecord& record);

class Judge {
 public:
  // Of coordinates that are in `config.passive_joints` no tracking is asked.
  Judge(const Model& model, const ArmConfig& config);

  // The loop, every cycle. `with_reference`: the arm is to follow its trajectory, it is not being brought to rest.
  DYN_REALTIME void note(double time_s, const control::CycleReport& report, bool with_reference) noexcept;
  // A joint where it is; `reference` is where its trajectory has it.
  DYN_REALTIME void note_joint(double time_s, std::size_t coordinate, double q, double reference,
                               bool with_reference) noexcept;
  // The first value that is not finite, also as a 32-bit number, which is what the report has.
  DYN_REALTIME void note(double time_s, Signal signal, std::size_t coordinate, double value) noexcept {
    if (not_finite_s_ < 0.0 && !(std::abs(value) <= largest)) {
      not_finite_s_ = time_s;
      signal_ = signal;
      coordinate_ = coordinate;
    }
  }
  [[nodiscard]] DYN_REALTIME bool failed() const noexcept { return failed_s_ >= 0.0; }

  // When the record is whole: fills its `failures` and `saturation`.
  void tell(const Ending& ending, ArmRecord& record) const;

  static constexpr double largest = static_cast<double>(std::numeric_limits<float>::max());

  // The robot has these joints too, from some event on; `columns`: where they stand in the record.
  void add(const Model& robot, const ArmConfig& config, const std::vector<int>& columns);

 private:
  // Of one coordinate.
  struct JointJudge {
    double lower, upper;  // its stops, and how far beyond them it may be pressed
    double stop_margin;
    double largest_error;  // rad or m; infinity where nothing is asked of it
    bool linear, wraps, tracked;

    double beyond = 0.0, beyond_s = -1.0;  // farthest beyond a stop, and when it was first too far
    double error = 0.0, error_s = -1.0;    // the same of the distance from the reference
    double error_squares = 0.0;
    double reference_first = 0.0, reference_sum = 0.0, reference_squares = 0.0;  // sums of reference - first
    std::int64_t cycles = 0;

    [[nodiscard]] double error_rms() const noexcept;
    [[nodiscard]] double motion_rms() const noexcept;  // of the reference about its mean
  };

  void tell_numbers(double end_s, ArmRecord& record) const;
  void tell_controller(double end_s, bool to_the_end, ArmRecord& record) const;
  void tell_motion(ArmRecord& record) const;
  void tell_expected(double end_s, ArmRecord& record) const;

  const Expectations& expect_;
  std::vector<JointJudge> joints_;
  double failed_s_ = -1.0;     // the controller gave up
  double no_torque_s_ = -1.0;  // since when, without a break, it has had no torque of its own; negative: it has one
  double holding_s_ = -1.0;    // since when, without a break, it has followed no reference
  Status status_;              // why it has no torque
  int frozen_ = -1;            // or the joint whose state hangs
  double not_finite_s_ = -1.0;
  Signal signal_ = Signal::q;
  std::size_t coordinate_ = 0;
  std::int64_t cycles_ = 0, saturated_ = 0;
  double saturated_s_ = -1.0;  // first
};

}  // namespace dyn::sim
