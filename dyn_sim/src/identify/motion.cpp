// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/identify/motion.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "dyn_core/error.hpp"
#include "identify/low_pass.hpp"

namespace dyn::sim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using identify::Ends;
using identify::LowPass;

constexpr double even = 1e-4;         // of a step: an even grid of time, left as it is
constexpr double rounding = 5e-16;    // of a time: that of an epoch has steps of 2.4e-7 s
constexpr double gap_in_steps = 8.0;  // a longer pause is a gap
constexpr Index shortest_stretch = 10;

std::string text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

double median_step(const MotionLog& log) {
  std::vector<double> steps;
  for (size_t k = 1; k < log.time_s.size(); ++k) steps.push_back(log.time_s[k] - log.time_s[k - 1]);
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  return steps[steps.size() / 2];
}

struct Range {
  Index begin, end;  // rows
};

std::vector<Range> between_gaps(const MotionLog& log, double step_s) {
  std::vector<Range> ranges{{0, 1}};
  for (Index k = 1; k < log.rows(); ++k) {
    if (log.time_s[k] - log.time_s[k - 1] > gap_in_steps * step_s) ranges.push_back({k, k});
    ranges.back().end = k + 1;
  }
  return ranges;
}

bool is_even(const MotionLog& log, const Range& range, double step_s) {
  for (Index k = range.begin + 1; k < range.end; ++k) {
    if (std::abs(log.time_s[k] - log.time_s[k - 1] - step_s) > even * step_s + rounding * std::abs(log.time_s[k]))
      return false;
  }
  return true;
}

// Cubic through two rows with the slopes of their neighbours (Catmull and Rom on an uneven grid).
MatrixXd on_grid(const MotionLog& log, const MatrixXd& X, const Range& range, const Eigen::VectorXd& grid) {
  const auto t = [&log](Index k) { return log.time_s[k]; };
  const auto slope = [&](Index k, Index c) {
    const Index before = std::max(k - 1, range.begin), after = std::min(k + 1, range.end - 1);
    return (X(after, c) - X(before, c)) / (t(after) - t(before));
  };
  MatrixXd Y(grid.size(), X.cols());
  Index k = range.begin;
  for (Index i = 0; i < grid.size(); ++i) {
    while (k + 2 < range.end && t(k + 1) <= grid[i]) ++k;
    const double h = t(k + 1) - t(k), u = (grid[i] - t(k)) / h, w = 1.0 - u;
    for (Index c = 0; c < X.cols(); ++c) {
      Y(i, c) = w * w * (1.0 + 2.0 * u) * X(k, c) + u * u * (3.0 - 2.0 * u) * X(k + 1, c) +
                h * u * w * (w * slope(k, c) - u * slope(k + 1, c));
    }
  }
  return Y;
}

Eigen::VectorXd even_times(const MotionLog& log, const Range& range, double step_s) {
  const double begin = log.time_s[range.begin], end = log.time_s[range.end - 1];
  const auto count = static_cast<Index>(std::floor((end - begin) / step_s + 1e-6)) + 1;
  return Eigen::VectorXd::LinSpaced(count, begin, begin + static_cast<double>(count - 1) * step_s);
}

Stretch cut(const MotionLog& log, const Range& range, double step_s, bool as_it_is) {
  Stretch s;
  s.step_s = step_s;
  const Index rows = range.end - range.begin;
  if (as_it_is) {
    s.time_s = Eigen::Map<const Eigen::VectorXd>(log.time_s.data() + range.begin, rows);
    s.q = log.q.middleRows(range.begin, rows);
    s.v = log.v.middleRows(range.begin, rows);
    s.a = log.a.middleRows(range.begin, rows);
    s.effort = log.effort.middleRows(range.begin, rows);
  } else {
    s.time_s = even_times(log, range, step_s);
    s.q = on_grid(log, log.q, range, s.time_s);
    s.v = on_grid(log, log.v, range, s.time_s);
    s.a = on_grid(log, log.a, range, s.time_s);
    s.effort = on_grid(log, log.effort, range, s.time_s);
  }
  s.begin = 0;
  s.end = s.time_s.size();
  return s;
}

// Velocities and accelerations that were not measured, from what is left of the noise below twice the cutoff: products
// of noise would not average out, and what the model makes of it passes the low-pass after that anyway.
void differentiate(Stretch& s, const MotionLog& log, double cutoff_hz) {
  const double rate_hz = 1.0 / s.step_s;
  const LowPass before(std::min(2.0 * cutoff_hz, 0.45 * rate_hz), rate_hz);
  for (Index c = 0; c < s.q.cols(); ++c) {
    before.apply(s.q.col(c), Ends::straight);
    if (log.has_v) {
      before.apply(s.v.col(c), Ends::straight);
    } else {
      s.v.col(c) = identify::differentiated(s.q.col(c), s.step_s);
    }
    if (!log.has_a) s.a.col(c) = identify::differentiated(s.v.col(c), s.step_s);
  }
  const Index ends = LowPass(cutoff_hz, rate_hz).uncertain_ends();
  s.begin = std::min(ends, s.time_s.size());
  s.end = std::max(s.begin, s.time_s.size() - ends);
}

// By positions, and by velocities where they were measured: noise can only make either too high.
double spectral_cutoff(const MotionLog& log, const Range& range, double step_s) {
  std::vector<int> joints;
  for (Index c = 0; c < log.q.cols(); ++c) {
    if (log.in_log[c]) joints.push_back(static_cast<int>(c));
  }
  const bool as_it_is = is_even(log, range, step_s);
  const auto cutoff_hz = [&](const MatrixXd& X, int order) {
    const MatrixXd even_rows =
        as_it_is ? MatrixXd(X.middleRows(range.begin, range.end - range.begin)(Eigen::all, joints))
                 : MatrixXd(on_grid(log, X(Eigen::all, joints), range, even_times(log, range, step_s)));
    return identify::choose_cutoff_hz(even_rows, order, 1.0 / step_s);
  };
  const double by_positions = cutoff_hz(log.q, 2);
  return log.has_v ? std::min(by_positions, cutoff_hz(log.v, 1)) : by_positions;
}

double length_s(const MotionLog& log, const Range& range) {
  return log.time_s[range.end - 1] - log.time_s[range.begin];
}

void check_cutoff(const MotionLog& log, double cutoff_hz) {
  const double rate_hz = 1.0 / median_step(log);
  if (cutoff_hz < 0.45 * rate_hz) return;
  throw ModelError("--cutoff " + text(cutoff_hz) + " Hz: " + log.source + " has " + text(rate_hz) +
                   " rows a second, of which a low-pass below " + text(0.45 * rate_hz) + " Hz can be made");
}

}  // namespace

double choose_cutoff(std::span<const MotionLog> logs, const std::optional<double>& given_hz) {
  if (given_hz) {
    for (const MotionLog& log : logs) check_cutoff(log, *given_hz);
    return *given_hz;
  }
  constexpr double short_share = 0.25;  // of the longest stretch: a shorter log, as the last of a split bag, tells less
  std::vector<Range> longest;
  double most_s = 0.0;
  for (const MotionLog& log : logs) {
    const auto ranges = between_gaps(log, median_step(log));
    longest.push_back(*std::max_element(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
      return a.end - a.begin < b.end - b.begin;
    }));
    most_s = std::max(most_s, length_s(log, longest.back()));
  }
  double chosen = 0.0;
  for (size_t k = 0; k < logs.size(); ++k) {
    if (length_s(logs[k], longest[k]) < short_share * most_s) continue;
    chosen = std::max(chosen, spectral_cutoff(logs[k], longest[k], median_step(logs[k])));
  }
  for (const MotionLog& log : logs) chosen = std::min(chosen, 0.4 / median_step(log));
  return chosen;
}

Motion make_motion(const MotionLog& log, double cutoff_hz) {
  Motion motion;
  motion.source = log.source;
  motion.cutoff_hz = cutoff_hz;
  motion.notes = log.notes;
  motion.differentiated = !log.has_a || !log.has_v;
  for (size_t i = 0; i < log.has_effort.size(); ++i) {
    if (log.has_effort[i]) motion.compared.push_back(static_cast<int>(i));
  }
  const double step_s = median_step(log);
  const auto ranges = between_gaps(log, step_s);
  if (ranges.size() > 1) {
    motion.notes.push_back("the log has " + std::to_string(ranges.size() - 1) +
                           " gaps; the stretches between them are filtered by themselves");
  }
  Index interpolated = 0, dropped = 0;
  for (const Range& range : ranges) {
    const Index rows = range.end - range.begin;
    const double mean =
        rows > 1 ? (log.time_s[range.end - 1] - log.time_s[range.begin]) / static_cast<double>(rows - 1) : step_s;
    const bool as_it_is = is_even(log, range, mean);
    if (rows >= shortest_stretch) {
      motion.stretches.push_back(cut(log, range, as_it_is ? mean : step_s, as_it_is));
      if (motion.differentiated) differentiate(motion.stretches.back(), log, cutoff_hz);
      if (!as_it_is) interpolated += rows;
      if (motion.stretches.back().used() > 0) continue;
      motion.stretches.pop_back();
    }
    dropped += rows;
  }
  if (interpolated > 0)
    motion.notes.push_back("the times of the rows are uneven; " + std::to_string(interpolated) +
                           " rows were interpolated every " + text(step_s) + " s");
  if (dropped > 0)
    motion.notes.push_back(std::to_string(dropped) +
                           " rows are in intervals too short to be filtered and were left out");
  if (motion.samples() < 3) {
    throw ModelError(log.source + ": " + std::to_string(log.rows()) + " rows at " + text(1.0 / step_s) +
                     " Hz leave nothing to compare behind a low-pass of " + text(cutoff_hz) + " Hz");
  }
  return motion;
}

}  // namespace dyn::sim
