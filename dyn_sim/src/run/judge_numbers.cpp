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

std::string figure_that_is_not_finite(const ArmRecord& record) {
  std::vector<std::pair<std::string, double>> figures{{"the tracking error's rms", record.tracking_rms},
                                                      {"the largest tracking error", record.tracking_max},
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
  for (const auto& [name, value] : figures) {
    if (!(std::abs(value) <= Judge::largest)) return joined(name, " is ", value);
  }
  return {};
}

}  // namespace

void Judge::tell_numbers(double end_s, ArmRecord& record) const {
  Judge seen = *this;
  scan_signals(record, seen);
  if (seen.not_finite_s_ >= 0.0) {
    add_failure(record, seen.not_finite_s_,
                joined(to_string(seen.signal_), " of ", coordinate_text(record, seen.coordinate_), " is not finite"));
  } else if (const std::string figure = figure_that_is_not_finite(record); !figure.empty()) {
    add_failure(record, end_s, figure);
  }
}

}  // namespace dyn::sim
