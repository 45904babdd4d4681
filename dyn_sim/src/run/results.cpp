// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// results.json: the figures of a run, for machines.
#include <algorithm>
#include <cmath>

#include "dyn_sim/run/outputs.hpp"
#include "results_names.hpp"

namespace dyn::sim {
namespace {

using Json = nlohmann::json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json percentiles(const Percentiles& p) {
  return {{"p50", finite(p.p50)}, {"p99", finite(p.p99)}, {"p99.9", finite(p.p999)}, {"max", finite(p.max)}};
}

// The larger of two where NaN is the largest: a figure that was lost must show.
double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

Json validation(const ArmRecord& arm) {
  const auto& from = arm.validation;
  Json json = {{"available", from.available},
               {"samples", from.samples},
               {"dropped", from.dropped},
               {"breaches", from.breaches},
               {"samples_while_ramping", from.ramping},
               {"skipped", from.skipped},
               {"fallbacks", from.fallbacks},
               {"holds", from.holds},
               {"max_rel_error", {{"M", finite(from.max_M)}, {"Cv", finite(from.max_Cv)}, {"g", finite(from.max_g)}}}};
  if (arm.config) json["mode"] = arm.config->validation.mode;
  if (arm.config) json["tolerance"] = arm.config->validation.tolerance;
  if (!from.unavailable_reason.empty()) json["unavailable_reason"] = from.unavailable_reason;
  return json;
}

Json events(const ArmRecord& arm, bool named) {
  Json list = Json::array();
  for (const EventRecord& event : arm.events) {
    Json json = {{"planned_s", finite(event.planned_s)},
                 {"applied_s", event.applied_s < 0.0 ? Json(nullptr) : finite(event.applied_s)},
                 {"label", event.label},
                 {"ok", event.error.empty() && event.applied_s >= 0.0}};
    if (!event.error.empty()) json["error"] = event.error;
    if (named && arm.config) json["arm"] = arm.config->name;
    list.push_back(json);
  }
  return list;
}

int count_rows(const ArmRecord& arm, std::uint8_t flag) {
  return static_cast<int>(std::count_if(arm.flags.begin(), arm.flags.end(), [flag](auto f) { return f & flag; }));
}

Json arm_json(const ArmRecord& arm) {
  Json json = {{"tracking", {{"rms", finite(arm.tracking_rms)}, {"max", finite(arm.tracking_max)}}},
               {"torque", {{"max", finite(arm.torque_max)}}},
               {"collisions", {{"cycles", arm.collision_cycles}, {"begins_s", arm.collision_begins_s}}},
               {"passive", {{"rate_max", finite(arm.passive_rate_max)}, {"rate_end", finite(arm.passive_rate_end)}}},
               {"validation", validation(arm)},
               {"events", events(arm, false)},
               {"coordinates", arm.coordinates},
               {"recorded_cycles", arm.rows},
               {"recorded_with",
                {{"saturation", count_rows(arm, ArmRecord::flag_saturated)},
                 {"collision", count_rows(arm, ArmRecord::flag_collision)},
                 {"holding", count_rows(arm, ArmRecord::flag_holding)},
                 {"fallback", count_rows(arm, ArmRecord::flag_fallback)}}}};
  if (!arm.config) return json;
  json["name"] = arm.config->name;
  json["robot"] = arm.config->robot;
  json["law"] = outputs::law_name(arm.config->controller.law);
  json["plant"] = arm.config->plant.engine;
  return json;
}

Json all_validation(const RunRecord& run) {
  if (run.arms.size() == 1) return validation(run.arms.front());
  ArmRecord all;
  all.validation.available = !run.arms.empty();
  for (const ArmRecord& arm : run.arms) {
    const auto& from = arm.validation;
    all.validation.available = all.validation.available && from.available;
    all.validation.samples += from.samples;
    all.validation.dropped += from.dropped;
    all.validation.breaches += from.breaches;
    all.validation.ramping += from.ramping;
    all.validation.skipped += from.skipped;
    all.validation.fallbacks += from.fallbacks;
    all.validation.holds += from.holds;
    all.validation.max_M = worse(from.max_M, all.validation.max_M);
    all.validation.max_Cv = worse(from.max_Cv, all.validation.max_Cv);
    all.validation.max_g = worse(from.max_g, all.validation.max_g);
    if (all.validation.unavailable_reason.empty()) all.validation.unavailable_reason = from.unavailable_reason;
  }
  return validation(all);
}

}  // namespace

nlohmann::json results_json(const RunRecord& run) {
  double rms = 0.0, largest = 0.0, torque = 0.0;
  Json arms = Json::array(), all_events = Json::array();
  for (const ArmRecord& arm : run.arms) {
    rms = worse(arm.tracking_rms, rms);
    largest = worse(arm.tracking_max, largest);
    torque = worse(arm.torque_max, torque);
    arms.push_back(arm_json(arm));
    for (const Json& event : events(arm, run.arms.size() > 1)) all_events.push_back(event);
  }
  std::stable_sort(all_events.begin(), all_events.end(),
                   [](const Json& a, const Json& b) { return a["planned_s"] < b["planned_s"]; });
  Json json = {{"tracking", {{"rms", finite(rms)}, {"max", finite(largest)}}},
               {"torque", {{"max", finite(torque)}}},
               {"cycles", run.cycles},
               {"overruns", run.overruns},
               {"update_ns", percentiles(run.update)},
               {"wakeup_ns", percentiles(run.wakeup)},
               {"allocations_in_loop", run.allocations_in_loop < 0 ? Json(nullptr) : Json(run.allocations_in_loop)},
               {"validation", all_validation(run)},
               {"events", all_events},
               {"arms", arms},
               {"real_time", run.real_time},
               {"interrupted", run.interrupted},
               {"scheduling", run.scheduling},
               {"duration_s", finite(run.duration_s)}};
  if (run.config) json["title"] = run.config->title;
  if (run.config) json["rate_hz"] = run.config->rate_hz;
  return json;
}

void write_results(const RunRecord& run, const std::filesystem::path& dir) {
  outputs::OutputFile file(dir / "results.json", false);
  file.stream() << results_json(run).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  file.close();
}

}  // namespace dyn::sim
