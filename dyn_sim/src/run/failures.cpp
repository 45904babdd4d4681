// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "failures.hpp"

#include <algorithm>
#include <sstream>

namespace dyn::sim {
namespace {

template <class... Parts>
std::string joined(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

std::string coordinate_text(const ArmRecord& record, std::size_t coordinate) {
  return coordinate < record.coordinates.size() ? "joint '" + record.coordinates[coordinate] + "'"
                                                : "a payload's joint";
}

std::string reason(const Status& status, const ArmRecord& record) {
  if (status.code == Status::Code::singular_inertia) {
    const bool robot = record.model && status.body >= 0 && status.body < record.model->bodies();
    return joined(robot ? "joint '" + record.model->body_joint(status.body) + "'" : "a payload's joint",
                  ": M is singular, pivot ", status.value);
  }
  if (status.body < 0) return "its state or its reference is not finite";
  return joined("the torque of ", coordinate_text(record, static_cast<std::size_t>(status.body)), " is ", status.value);
}

void scan_signals(const ArmRecord& record, Trouble& trouble) {
  for (int row = 0; row < record.rows; ++row) {
    for (int s = 0; s < static_cast<int>(Signal::count); ++s) {
      for (std::size_t c = 0; c < record.coordinates.size(); ++c) {
        const auto signal = static_cast<Signal>(s);
        trouble.note(record.time_s[static_cast<std::size_t>(row)], signal, c,
                     record.signal(row, signal, static_cast<int>(c)));
      }
    }
  }
}

std::string figure_that_is_not_finite(const ArmRecord& record) {
  const std::array figures{std::pair("the tracking error's rms", record.tracking_rms),
                           std::pair("the largest tracking error", record.tracking_max),
                           std::pair("the largest torque", record.torque_max),
                           std::pair("a passive joint's rate", record.passive_rate_max),
                           std::pair("M's difference from Pinocchio", record.validation.max_M),
                           std::pair("C v's difference from Pinocchio", record.validation.max_Cv),
                           std::pair("g's difference from Pinocchio", record.validation.max_g)};
  for (const auto& [name, value] : figures) {
    if (!std::isfinite(value)) return joined(name, " is ", value);
  }
  return {};
}

void tell_events(const Ending& ending, double end_s, bool whole, ArmRecord& record) {
  for (const EventRecord& event : record.events) {
    if (event.planned_s > end_s) continue;
    if (!event.error.empty()) {
      record.failures.push_back({event.planned_s, "event '" + event.label + "' was refused: " + event.error});
    } else if (event.applied_s < 0.0 && whole && event.planned_s + ending.late_s < end_s) {
      record.failures.push_back({event.planned_s, "event '" + event.label + "' was not ready before the run ended"});
    }
  }
}

}  // namespace

void Trouble::note(double time_s, const control::CycleReport& report) noexcept {
  using Mode = control::CycleReport::Mode;
  if (report.mode == Mode::tracking || report.mode == Mode::holding_reference) {
    no_torque_s_ = -1.0;
    return;
  }
  if (no_torque_s_ < 0.0) {
    no_torque_s_ = time_s;
    status_ = report.status;
  }
  if (report.mode == Mode::failed && failed_s_ < 0.0) failed_s_ = time_s;
}

void tell_failures(const Trouble& trouble, const Ending& ending, ArmRecord& record) {
  const auto tell = [&record](double time_s, const std::string& cause) { record.failures.push_back({time_s, cause}); };
  const double end_s = trouble.failed() ? trouble.failed_s_ : ending.end_s;
  Trouble seen = trouble;
  scan_signals(record, seen);
  if (seen.not_finite_s_ >= 0.0) {
    tell(seen.not_finite_s_,
         joined(to_string(seen.signal_), " of ", coordinate_text(record, seen.coordinate_), " is not finite"));
  } else if (const std::string figure = figure_that_is_not_finite(record); !figure.empty()) {
    tell(end_s, figure);
  }
  if (trouble.failed()) {
    tell(end_s, joined("the controller failed, without a torque of its own since ", trouble.no_torque_s_,
                       " s: ", reason(trouble.status_, record)));
  } else if (trouble.no_torque_s_ >= 0.0) {
    tell(end_s, joined("the run ended with a controller that has had no torque of its own since ", trouble.no_torque_s_,
                       " s: ", reason(trouble.status_, record)));
  }
  const bool whole = !trouble.failed() && !ending.asked && ending.failed_arm.empty();
  tell_events(ending, end_s, whole, record);
  if (!trouble.failed() && ending.given_up) {
    tell(end_s, ending.asked_again ? "ended at once, asked for a second time: the arm was not brought to rest"
                                   : "ended before the arm was at rest: the plant is too slow to be waited for");
  } else if (!trouble.failed() && !ending.failed_arm.empty()) {
    tell(end_s, joined("brought to rest and ended ", ending.planned_s - end_s, " s early, since arm '",
                       ending.failed_arm, "' failed"));
  }
  std::stable_sort(record.failures.begin(), record.failures.end(),
                   [](const FailureRecord& a, const FailureRecord& b) { return a.time_s < b.time_s; });
}

}  // namespace dyn::sim
