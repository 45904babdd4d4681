// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/run/judge.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

#include "columns.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "judge_text.hpp"

namespace dyn::sim {
namespace {

using Mode = control::CycleReport::Mode;

std::string reason(const Status& status, const ArmRecord& record) {
  if (status.code == Status::Code::singular_inertia) {
    const bool robot = record.model && status.body >= 0 && status.body < record.model->bodies();
    return joined(robot ? "joint '" + record.model->body_joint(status.body) + "'" : "a payload's joint",
                  ": M is singular, pivot ", status.value);
  }
  if (status.body < 0) return "its state or its reference is not finite";
  return joined("the torque of ", coordinate_text(record, status.body), " is ", status.value);
}

void tell_events(const Ending& ending, double end_s, bool whole, ArmRecord& record) {
  for (const EventRecord& event : record.events) {
    if (event.planned_s > end_s) continue;
    if (!event.error.empty()) {
      add_failure(record, event.planned_s, "event '" + event.label + "' was refused: " + event.error);
    } else if (event.applied_s < 0.0 && whole && event.planned_s + ending.late_s < end_s) {
      add_failure(record, event.planned_s, "event '" + event.label + "' was not ready before the run ended");
    }
  }
}

const char* unit_of(bool linear) { return linear ? " m" : " rad"; }

// "joint 'a' TEXT", and for how many more joints it is true.
std::string of_joints(const std::string& worst, std::size_t all) {
  return all < 2 ? worst : joined(worst, ", and so ", all - 1, all == 2 ? " other joint" : " other joints");
}

}  // namespace

std::vector<std::string> causes_of(const RunRecord& record) {
  std::vector<std::string> causes;
  for (const ArmRecord& arm : record.arms) {
    for (const FailureRecord& failure : arm.failures) {
      causes.push_back(joined("arm '", arm.config->name, "' at ", failure.time_s, " s: ", failure.cause));
    }
  }
  return causes;
}

Judge::Judge(const Model& model, const ArmConfig& config, std::size_t columns)
    : expect_(config.expect), frame_(config), guided_(config.controller.law == control::Law::gravity_compensation) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const std::vector<Criteria> own = criteria(model, config);
  const Criteria not_judged{-none, none, 0.0, none, false, false, false};  // joints of payloads
  joints_.resize(std::max(columns, own.size()), {not_judged});
  for (std::size_t i = 0; i < own.size(); ++i) joints_[i].by = own[i];
}

std::vector<Judge::Criteria> Judge::criteria(const Model& robot, const ArmConfig& config) {
  constexpr double stop_margin_rad = 0.01, stop_margin_m = 0.002;
  const auto ranges = coordinate_ranges(robot);
  const auto passive = passive_coordinates(robot, config);
  const bool by_joint = config.controller.law != control::Law::task_space;
  std::vector<Criteria> all;
  for (const Joint& joint : robot.joints()) {
    for (int k = 0; k < joint.degrees; ++k) {
      const std::size_t i = all.size();
      const bool linear = CoordinateUnit::of(joint, k).linear;
      const bool wraps = joint.description.type == JointType::continuous;
      const double most =
          config.expect.tracking_max.value_or(linear ? config.expect.prismatic_error_m : quarter_turn_rad);
      const bool tracked = by_joint && passive[i] == 0;
      all.push_back(
          {ranges[i].lower, ranges[i].upper, linear ? stop_margin_m : stop_margin_rad, most, linear, wraps, tracked});
    }
  }
  return all;
}

void Judge::judge_by(std::span<const Criteria> criteria, std::span<const int> columns) noexcept {
  for (std::size_t i = 0; i < criteria.size(); ++i) joints_[columns[i]].by = criteria[i];
}

double Judge::JointJudge::error_rms() const noexcept {
  return cycles > 0 ? std::sqrt(error_squares / static_cast<double>(cycles)) : 0.0;
}

double Judge::JointJudge::motion_rms() const noexcept {
  if (cycles == 0) return 0.0;
  const auto n = static_cast<double>(cycles);
  return std::sqrt(std::max(0.0, reference_squares / n - (reference_sum / n) * (reference_sum / n)));
}

void Judge::note(double time_s, const control::CycleReport& report, bool with_reference) noexcept {
  if (guided_) guided_s_ = time_s;
  if (with_reference) {
    ++cycles_;
    if (report.saturated) {
      ++saturated_;
      if (saturated_s_ < 0.0) saturated_s_ = time_s;
    }
  }
  if (report.mode == Mode::tracking) holding_s_ = -1.0;
  if (report.mode != Mode::tracking && holding_s_ < 0.0 && with_reference) holding_s_ = time_s;
  if (report.mode == Mode::tracking || report.mode == Mode::holding_reference) {
    no_torque_s_ = -1.0;
    return;
  }
  if (no_torque_s_ < 0.0) {
    no_torque_s_ = time_s;
    status_ = report.status;
    frozen_ = report.frozen;
  }
  if (report.mode == Mode::failed && failed_s_ < 0.0) failed_s_ = time_s;
}

void Judge::note_joint(double time_s, std::size_t coordinate, double q, double reference,
                       bool with_reference) noexcept {
  JointJudge& joint = joints_[coordinate];
  const Criteria& by = joint.by;
  const double beyond = std::max(q - by.upper, by.lower - q);
  if (beyond > by.stop_margin && joint.beyond_s < 0.0) joint.beyond_s = time_s;
  if (beyond > joint.beyond) {
    joint.beyond = beyond;
    joint.beyond_lower = by.lower;
    joint.beyond_upper = by.upper;
  }
  if (!with_reference || !by.tracked) return;
  double error = reference - q;
  if (by.wraps) error = std::remainder(error, 2.0 * std::numbers::pi);
  const bool far = std::abs(error) > least_motion_rms && time_s < guided_s_ + longest_approach_s;
  joint.approaches = guided_ || (joint.approaches && far);
  if (!joint.approaches || expect_.tracking_max) {
    if (std::abs(error) > by.largest_error && joint.error_s < 0.0) joint.error_s = time_s;
    joint.error = std::max(joint.error, std::abs(error));
  }
  if (joint.approaches) return;
  joint.error_squares += error * error;
  if (joint.cycles == 0) joint.reference_first = reference;
  const double way = reference - joint.reference_first;
  joint.reference_sum += way;
  joint.reference_squares += way * way;
  ++joint.cycles;
}

void Judge::tell_controller(double end_s, bool to_the_end, ArmRecord& record) const {
  const std::string why = frozen_ < 0
                              ? reason(status_, record)
                              : "the state of " + coordinate_text(record, frozen_) + " stayed the same to the last bit";
  if (failed()) {
    add_failure(record, end_s,
                joined("the controller failed, after holding or safe torques since ", no_torque_s_, " s: ", why));
  } else if (no_torque_s_ >= 0.0) {
    add_failure(record, end_s,
                joined("the run ended with a controller that has commanded held or safe torques since ", no_torque_s_,
                       " s: ", why));
  } else if (holding_s_ >= 0.0 && to_the_end) {
    add_failure(record, holding_s_,
                "the controller held the arm from then to the end and did not follow its reference: none came, or the "
                "validator's fallback held it");
  }
  record.saturation = cycles_ > 0 ? static_cast<double>(saturated_) / static_cast<double>(cycles_) : 0.0;
  if (record.saturation > expect_.saturation) {
    add_failure(record, saturated_s_,
                joined("the effort was at a limit in ", std::round(1000.0 * record.saturation) / 10.0,
                       " % of the cycles, more than ", 100.0 * expect_.saturation, " %"));
  }
}

void Judge::tell_motion(ArmRecord& record) const {
  const auto among = [this](auto&& fault, auto&& size) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      if (fault(joints_[i])) found.push_back(i);
    }
    std::stable_sort(found.begin(), found.end(),
                     [&](std::size_t a, std::size_t b) { return size(joints_[a]) > size(joints_[b]); });
    return found;
  };
  const auto beyond =
      among([](const JointJudge& j) { return j.beyond_s >= 0.0; }, [](const JointJudge& j) { return j.beyond; });
  if (!beyond.empty()) {
    const JointJudge& joint = joints_[beyond[0]];
    add_failure(record, joint.beyond_s,
                of_joints(joined(coordinate_text(record, beyond[0]), " went ", joint.beyond, unit_of(joint.by.linear),
                                 " beyond its position limits, ", joint.beyond_lower, " to ", joint.beyond_upper),
                          beyond.size()));
  }
  const auto away =
      among([](const JointJudge& j) { return j.error_s >= 0.0; }, [](const JointJudge& j) { return j.error; });
  if (!away.empty()) {
    const JointJudge& joint = joints_[away[0]];
    add_failure(record, joint.error_s,
                of_joints(joined(coordinate_text(record, away[0]), " was up to ", joint.error, unit_of(joint.by.linear),
                                 " away from its reference, more than ", joint.by.largest_error),
                          away.size()));
  }
  const auto share = [](const JointJudge& j) { return j.error_rms() / std::max(j.motion_rms(), 1e-12); };
  const auto lost = among(
      [](const JointJudge& j) {
        const double motion = j.motion_rms();
        return motion > least_motion_rms && j.error_rms() > std::max(least_motion_rms, largest_lost_share * motion);
      },
      share);
  if (!lost.empty() && !expect_.tracking_rms) {
    const JointJudge& joint = joints_[lost[0]];
    add_failure(record, 0.0,
                of_joints(joined(coordinate_text(record, lost[0]), " did not follow: the rms of its error, ",
                                 joint.error_rms(), unit_of(joint.by.linear),
                                 ", is more than a third of that of its motion, ", joint.motion_rms()),
                          lost.size()));
  }
}

void Judge::tell_expected(double end_s, ArmRecord& record) const {
  if (expect_.tracking_rms && record.tracking_rms > *expect_.tracking_rms) {
    add_failure(record, end_s,
                joined("the tracking error's rms is ", record.tracking_rms, ", more than the ", *expect_.tracking_rms,
                       " expected"));
  }
  const auto seen = static_cast<int>(record.collision_begins_s.size());
  if (expect_.collisions && (seen < expect_.collisions->first || seen > expect_.collisions->second)) {
    const auto [least, most] = *expect_.collisions;
    const std::string wanted = least == most || least == 0 ? joined(most) : joined(least, " to ", most);
    add_failure(record, seen > most ? record.collision_begins_s[most] : end_s,
                joined("collisions: ", seen, " detected, ", wanted, " expected"));
  }
  if (!expect_.validation) return;
  const auto& v = record.validation;
  const double worst = larger_error(v.max_M, larger_error(v.max_Cv, v.max_g));
  if (v.samples == 0) {
    add_failure(record, end_s,
                "not compared with Pinocchio, although validation was expected: " +
                    (v.unavailable_reason.empty() ? "there was no sample" : v.unavailable_reason));
  } else if (*expect_.validation == 0.0 ? v.breaches > 0 : worst > *expect_.validation) {
    add_failure(record, end_s,
                *expect_.validation == 0.0 ? joined(v.breaches, " of ", v.samples,
                                                    " samples differ from Pinocchio by more than validation.tolerance")
                                           : joined("the largest difference from Pinocchio is ", worst,
                                                    ", more than the ", *expect_.validation, " expected"));
  }
}

void Judge::write_failures(const Ending& ending, ArmRecord& record) const {
  const double end_s = failed() ? failed_s_ : ending.end_s;
  const bool whole = !failed() && !ending.asked && ending.failed_arm.empty();
  tell_numbers(end_s, record);
  tell_controller(end_s, whole, record);
  tell_motion(record);
  frame_.tell(record);
  tell_expected(end_s, record);
  tell_events(ending, end_s, whole, record);
  if (!failed() && ending.given_up) {
    add_failure(record, end_s,
                ending.asked_again ? "ended at once by a second signal: the arm was not brought to rest"
                                   : "ended before the arm was at rest: the plant is too slow");
  } else if (!failed() && !ending.failed_arm.empty()) {
    add_failure(record, end_s,
                joined("brought to rest and ended ", ending.planned_s - end_s, " s early, since arm '",
                       ending.failed_arm, "' failed"));
  }
  std::stable_sort(record.failures.begin(), record.failures.end(),
                   [](const FailureRecord& a, const FailureRecord& b) { return a.time_s < b.time_s; });
}

}  // namespace dyn::sim
