// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Numbers of a record that are not finite.
#include "dyn_core/numeric/residual.hpp"
#include "dyn_sim/run/judge.hpp"
#include "judge_text.hpp"

namespace dyn::sim {
namespace {

void scan_signals(const ArmRecord& record, Judge& judge) {
  for (int row = 0; row < record.rows; ++row) {
    for (int s = 0; s < static_cast<int>(Signal::count); ++s) {
      const auto signal = static_cast<Signal>(s);
      if ((signal == Signal::sensed || signal == Signal::a) && !record.sensed_known) continue;
      for (std::size_t c = 0; c < record.coordinates.size(); ++c) {
        const double value = record.signal(row, signal, static_cast<int>(c));
        const bool absent =
            c + static_cast<std::size_t>(record.partial_columns) >= record.coordinates.size() && std::isnan(value);
        if (!absent) judge.note(record.time_s[row], signal, c, value);
      }
    }
  }
}

bool too_large(double value) { return !(std::abs(value) <= Judge::largest); }

// The first in time; negative and empty: none.
std::pair<double, std::string> frame_signal_that_is_not_finite(const ArmRecord& record) {
  if (record.frame_signals.empty()) return {-1.0, {}};
  for (int row = 0; row < record.rows; ++row) {
    for (std::size_t s = 0; s < frame_signal_count; ++s) {
      if (!too_large(record.frame_signal(row, static_cast<FrameSignal>(s)))) continue;
      return {record.time_s[row], joined(frame_signal_names[s], " is not finite")};
    }
  }
  return {-1.0, {}};
}

using Figures = std::vector<std::pair<std::string, double>>;

void add_estimates(const ArmRecord& record, Figures& figures) {
  for (const EstimateRecord& estimate : record.estimates) {
    const auto add = [&](const char* what, double value) {
      figures.emplace_back(joined(what, " of the estimate '", estimate.name, "'"), value);
    };
    add("the time", estimate.attached_s);
    for (const identify::LearntPayload& learnt : estimate.history) {
      add("the duration", learnt.time_s);
      add("the mass", learnt.inertial.mass_kg);
      add("the centre of mass", largest_entry(learnt.inertial.com_m));
      add("the inertia", largest_entry(learnt.inertial.inertia_com_kgm2));
      add("a standard deviation", larger_error(learnt.sigma.mass_kg, largest_entry(learnt.sigma.com_m)));
      for (const double sigma : learnt.sigma.inertia_kgm2) add("a standard deviation", sigma);
    }
  }
}

std::string figure_that_is_not_finite(const ArmRecord& record) {
  Figures figures{{"the tracking error's rms", record.tracking_rms},
                  {"the largest tracking error", record.tracking_max},
                  {"the rms of the frame's angle", record.angle_rms},
                  {"the largest angle of the frame", record.angle_max},
                  {"the largest force of the walls", record.wall_force_max},
                  {"the largest torque", record.torque_max},
                  {"a passive joint's rate", record.passive_rate_max},
                  {"a passive joint's rate at the end", record.passive_rate_end},
                  {"M's difference from Pinocchio", record.validation.max_M},
                  {"C v's difference from Pinocchio", record.validation.max_Cv},
                  {"g's difference from Pinocchio", record.validation.max_g}};
  for (const ResidualRecord& r : record.residuals) {
    figures.emplace_back(joined("a difference from Pinocchio at ", r.time_s, " s"),
                         larger_error(r.M, larger_error(r.Cv, r.g)));
  }
  for (const auto& [time_s, cut] : record.reference_cuts) {
    figures.emplace_back(joined("a reference beyond the limits at ", time_s, " s"),
                         larger_error(std::abs(cut.given), std::abs(cut.limit_value)));
  }
  add_estimates(record, figures);
  for (const auto& [name, value] : figures) {
    if (too_large(value)) return joined(name, " is ", value);
  }
  return {};
}

}  // namespace

void Judge::tell_numbers(double end_s, ArmRecord& record) const {
  Judge seen = *this;
  scan_signals(record, seen);
  const auto [frame_s, of_frame] = frame_signal_that_is_not_finite(record);
  if (frame_s >= 0.0 && (seen.not_finite_s_ < 0.0 || frame_s < seen.not_finite_s_)) {
    add_failure(record, frame_s, of_frame);
  } else if (seen.not_finite_s_ >= 0.0) {
    add_failure(record, seen.not_finite_s_,
                joined(to_string(seen.signal_), " of ", coordinate_text(record, seen.coordinate_), " is not finite"));
  } else if (const std::string figure = figure_that_is_not_finite(record); !figure.empty()) {
    add_failure(record, end_s, figure);
  }
}

}  // namespace dyn::sim
