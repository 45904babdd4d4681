// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The report's data in compact form: decimated in time without losing peaks, 32-bit, base64.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "report_parts.hpp"
#include "results_names.hpp"

namespace dyn::sim::report {
namespace {

using Json = nlohmann::json;

// Two rows are taken from each of many equal intervals of time: for a signal with peaks its smallest and its largest
// value there, in the order in which they came; for others the values at the two ends.
struct Thinning {
  int rows = 0, stretches = 0;
  [[nodiscard]] int begin(int stretch) const {
    return static_cast<int>(static_cast<std::int64_t>(rows) * stretch / stretches);
  }
};

constexpr bool has_peaks(Signal s) {
  return s == Signal::position_error || s == Signal::velocity_error || s == Signal::friction || s == Signal::feedback ||
         s == Signal::applied || s == Signal::external || s == Signal::sensed;
}

Json packed(const std::vector<float>& values) {
  const bool constant = std::all_of(values.begin(), values.end(), [&](float v) { return v == values.front(); });
  if (!values.empty() && constant && std::isfinite(values.front())) return values.front();
  return base64_floats(values);
}

// First and last row taken from [from, to) of one signal.
std::pair<int, int> extremes(const ArmRecord& arm, Signal s, int coordinate, int from, int to) {
  int least = from, largest = from;
  for (int row = from; row < to; ++row) {
    const double value = arm.signal(row, s, coordinate);
    if (!std::isfinite(value)) return {row, row};  // a value that is not finite counts as the largest peak
    if (value < arm.signal(least, s, coordinate)) least = row;
    if (value > arm.signal(largest, s, coordinate)) largest = row;
  }
  return std::minmax(least, largest);
}

std::vector<float> thinned(const ArmRecord& arm, Signal s, int coordinate, const Thinning& to) {
  std::vector<float> values;
  values.reserve(2 * static_cast<size_t>(to.stretches));
  for (int k = 0; k < to.stretches; ++k) {
    const int first = to.begin(k), last = to.begin(k + 1) - 1;
    const auto rows = has_peaks(s) ? extremes(arm, s, coordinate, first, last + 1) : std::pair(first, last);
    values.push_back(static_cast<float>(arm.signal(rows.first, s, coordinate)));
    values.push_back(static_cast<float>(arm.signal(rows.second, s, coordinate)));
  }
  return values;
}

Json all_signals(const ArmRecord& arm, const Thinning& to) {
  Json signals;
  for (int s = 0; s < static_cast<int>(Signal::count); ++s) {
    Json& list = signals[to_string(static_cast<Signal>(s))] = Json::array();
    for (size_t c = 0; c < arm.coordinates.size(); ++c) {
      list.push_back(packed(thinned(arm, static_cast<Signal>(s), static_cast<int>(c), to)));
    }
  }
  return signals;
}

// Path of the frame and the forces, under task_space.
Json frame_data(const ArmRecord& arm, const Thinning& to) {
  Json json = {{"name", arm.config->frame}};
  for (size_t s = 0; s < frame_signal_count; ++s) {
    std::vector<float> values;
    for (int k = 0; k < to.stretches; ++k) {
      for (const int row : {to.begin(k), to.begin(k + 1) - 1}) {
        values.push_back(static_cast<float>(arm.frame_signal(row, static_cast<FrameSignal>(s))));
      }
    }
    json["signals"].push_back(base64_floats(values));
  }
  return json;
}

// [time, value] wherever the value changes.
template <class Value>
Json changes(const ArmRecord& arm, Value&& value) {
  Json list = Json::array();
  for (int row = 0; row < arm.rows; ++row) {
    const Json now = value(row);
    if (list.empty() || list.back()[1] != now) list.push_back({arm.time_s[row], now});
    if (list.size() > 2000) break;
  }
  return list;
}

Json events(const ArmRecord& arm) {
  static constexpr std::array kinds = {"set", "push", "attach", "detach", "robot", "estimate"};
  Json list = Json::array();
  for (size_t i = 0; i < arm.events.size(); ++i) {
    const EventRecord& event = arm.events[i];
    Json json = {{"planned", event.planned_s}, {"applied", event.applied_s}, {"label", event.label}};
    if (!event.error.empty()) json["error"] = event.error;
    if (arm.config && i < arm.config->events.size()) json["kind"] = kinds[arm.config->events[i].what.index()];
    for (const EstimateRecord& estimate : arm.estimates) {
      if (estimate.event != static_cast<int>(i) || event.applied_s < 0.0) continue;
      const bool attached = estimate.attached_s >= 0.0;
      json["outcome"] =
          (attached ? "attached: " : "proposal: " + std::string(identify::to_string(estimate.proposal.what)) + ", ") +
          estimate.proposal.text;
    }
    list.push_back(json);
  }
  return list;
}

// The largest error of each term in each interval.
Json residuals(const ArmRecord& arm, int rows) {
  const int samples = static_cast<int>(arm.residuals.size());
  const Thinning to{samples, std::min(samples, rows)};
  std::vector<float> time, M, Cv, g;
  for (int k = 0; k < to.stretches; ++k) {
    ResidualRecord largest;
    for (int i = to.begin(k); i < to.begin(k + 1); ++i) {
      const ResidualRecord& r = arm.residuals[i];
      largest.time_s = r.time_s;
      largest.M = std::max(largest.M, r.M);
      largest.Cv = std::max(largest.Cv, r.Cv);
      largest.g = std::max(largest.g, r.g);
    }
    time.push_back(static_cast<float>(largest.time_s));
    M.push_back(static_cast<float>(largest.M));
    Cv.push_back(static_cast<float>(largest.Cv));
    g.push_back(static_cast<float>(largest.g));
  }
  return {{"time", base64_floats(time)}, {"M", base64_floats(M)}, {"Cv", base64_floats(Cv)}, {"g", base64_floats(g)}};
}

void add_config(Json& json, const ArmRecord& arm) {
  if (!arm.config) return;
  const ArmConfig& config = *arm.config;
  json["name"] = config.name;
  json["robot"] = config.robot;
  json["law"] = outputs::law_name(config.controller.law);
  json["jsim"] = config.jsim;
  json["coriolis"] = config.coriolis;
  json["plant"] = config.plant.engine;
  json["validation"] = {{"mode", config.validation.mode}, {"tolerance", config.validation.tolerance}};
}

}  // namespace

std::string base64_floats(const std::vector<float>& values) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  bytes.reserve(values.size() * 4 + 2);
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * k)));
  }
  const size_t length = bytes.size();
  bytes.resize((length + 2) / 3 * 3, 0);
  std::string text;
  text.reserve(bytes.size() / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group = (std::uint32_t{bytes[i]} << 16) | (std::uint32_t{bytes[i + 1]} << 8) | bytes[i + 2];
    for (int k = 3; k >= 0; --k) text += digits[(group >> (6 * k)) & 63U];
  }
  for (size_t i = length; i < bytes.size(); ++i) text[text.size() - 1 - (i - length)] = '=';
  return text;
}

nlohmann::json histogram(const std::vector<float>& values) {
  constexpr int per_decade = 20, decades = 9;
  std::vector<std::int64_t> counts(per_decade * decades, 0);
  std::int64_t total = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const int bin = static_cast<int>(std::floor(std::log10(std::max(value, 1.0F)) * per_decade));
    ++counts[std::clamp(bin, 0, per_decade * decades - 1)];
    ++total;
  }
  return {{"per_decade", per_decade}, {"counts", counts}, {"total", total}};
}

nlohmann::json arm_data(const ArmRecord& arm, int rows) {
  const Thinning to{arm.rows, std::max(std::min(arm.rows, rows) / 2, arm.rows > 0 ? 1 : 0)};
  std::vector<float> time;
  for (int k = 0; k < to.stretches; ++k) {
    time.push_back(static_cast<float>(arm.time_s[to.begin(k)]));
    time.push_back(static_cast<float>(arm.time_s[to.begin(k + 1) - 1]));
  }
  Json coordinates = Json::array();
  for (size_t c = 0; c < arm.coordinates.size(); ++c) {
    const auto unit = outputs::coordinate_unit(arm, static_cast<int>(c));
    coordinates.push_back({{"name", arm.coordinates[c]}, {"linear", unit.linear}, {"limit", unit.effort_limit}});
  }
  Json json = {{"coordinates", coordinates},
               {"time", base64_floats(time)},
               {"rows", arm.rows},
               {"signals", all_signals(arm, to)},
               {"algorithms",
                changes(arm, [&](size_t r) { return r < arm.jsim.size() ? outputs::jsim_name(arm.jsim[r]) : ""; })},
               {"flags", changes(arm, [&](size_t r) { return r < arm.flags.size() ? arm.flags[r] : 0; })},
               {"events", events(arm)},
               {"residuals", residuals(arm, rows)},
               {"scene", scene(arm)}};
  add_config(json, arm);
  if (!arm.frame_signals.empty() && arm.config) json["frame"] = frame_data(arm, to);
  return json;
}

}  // namespace dyn::sim::report
