// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Whether an arm's run succeeded, by the same criteria for `dyn run` and for a scenario played on ros2_control.
// Observations are recorded cycle by cycle in memory of fixed size, and reported in sentences when the run is over.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/control/controller.hpp"
#include "dyn_sim/run/frame_judge.hpp"

namespace dyn::sim {

// How the loop ended.
struct Ending {
  double end_s = 0.0, planned_s = 0.0;
  double late_s = 0.0;       // how late an event may be and still count as in time
  bool asked = false;        // requested from outside
  bool given_up = false;     // before the arms were at rest
  bool asked_again = false;  // and that because it was requested a second time
  std::string failed_arm;    // the first whose controller failed; empty: none
};

inline constexpr double quarter_turn_rad = 1.5707963267948966;
// A moving joint does not follow if the rms of its error is more than this share of the rms of its motion.
inline constexpr double largest_lost_share = 1.0 / 3.0;
inline constexpr double least_motion_rms = 0.05;  // rad or m; smaller motions and errors are ignored
// Where the arm was guided by hand, a joint is judged again when it is that near its trajectory, or after so long.
inline constexpr double longest_approach_s = 2.0;

// One sentence each, with arm and time: "arm 'left' at 1.5 s: ...".
[[nodiscard]] std::vector<std::string> causes_of(const RunRecord& record);

class Judge {
 public:
  // By which one coordinate is judged.
  struct Criteria {
    double lower, upper;   // position limits, rad or m
    double stop_margin;    // by which they may be exceeded
    double largest_error;  // rad or m; infinity if it is not judged
    bool linear, wraps, tracked;
  };
  // Those of a robot without payloads, by coordinate. The tracking of coordinates in `config.passive_joints` is not
  // judged.
  [[nodiscard]] static std::vector<Criteria> criteria(const Model& robot, const ArmConfig& config);

  // `columns`: of the record, where events add joints to those of the model.
  Judge(const Model& model, const ArmConfig& config, std::size_t columns = 0);

  // The loop, every cycle. `with_reference`: the arm should follow its trajectory, it is not being brought to rest.
  DYN_REALTIME void note(double time_s, const control::CycleReport& report, bool with_reference) noexcept;
  // From now on these; `columns`: those of the coordinates in the record. Other columns keep theirs.
  DYN_REALTIME void judge_by(std::span<const Criteria> criteria, std::span<const int> columns) noexcept;
  // The law in force from now on. Under gravity compensation the arm follows the hand that guides it.
  DYN_REALTIME void note_law(control::Law law) noexcept { guided_ = law == control::Law::gravity_compensation; }
  // The position of a joint; `reference` is that of its trajectory.
  DYN_REALTIME void note_joint(double time_s, std::size_t coordinate, double q, double reference,
                               bool with_reference) noexcept;
  // Under task_space, where no joint has a reference.
  DYN_REALTIME void note_frame(double time_s, const FrameSight& seen) noexcept { frame_.note(time_s, seen); }
  // Finds the first value that is not finite, also as a 32-bit number, as the report stores it.
  DYN_REALTIME void note(double time_s, Signal signal, std::size_t coordinate, double value) noexcept {
    if (not_finite_s_ < 0.0 && !(std::abs(value) <= largest)) {
      not_finite_s_ = time_s;
      signal_ = signal;
      coordinate_ = coordinate;
    }
  }
  [[nodiscard]] DYN_REALTIME bool failed() const noexcept { return failed_s_ >= 0.0; }

  // When the record is complete: fills its `failures` and `saturation`.
  void write_failures(const Ending& ending, ArmRecord& record) const;

  static constexpr double largest = static_cast<double>(std::numeric_limits<float>::max());

 private:
  // Of one coordinate.
  struct JointJudge {
    Criteria by;

    double beyond = 0.0, beyond_s = -1.0;           // largest excess over a limit, and when it was first too large
    double beyond_lower = 0.0, beyond_upper = 0.0;  // the limits then
    double error = 0.0, error_s = -1.0;             // likewise the distance from the reference
    double error_squares = 0.0;
    bool approaches = false;                                                     // from where a hand left it
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
  FrameJudge frame_;
  bool guided_;
  double guided_s_ = 0.0;      // last
  double failed_s_ = -1.0;     // when the controller failed
  double no_torque_s_ = -1.0;  // start of the present interval without a torque of its own; negative: none
  double holding_s_ = -1.0;    // start of the present interval in which it followed no reference
  Status status_;              // why it has no torque
  int frozen_ = -1;            // or the joint whose state is frozen
  double not_finite_s_ = -1.0;
  Signal signal_ = Signal::q;
  std::size_t coordinate_ = 0;
  std::int64_t cycles_ = 0, saturated_ = 0;
  double saturated_s_ = -1.0;  // first
};

}  // namespace dyn::sim
