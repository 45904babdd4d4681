// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// results.json: the figures of a run.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "dyn_core/numeric/residual.hpp"
#include "dyn_sim/run/outputs.hpp"
#include "output_file.hpp"
#include "results_names.hpp"

namespace dyn::sim {
namespace {

using Json = nlohmann::json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json percentiles(const Percentiles& p) {
  return {{"p50", finite(p.p50)}, {"p99", finite(p.p99)}, {"p99.9", finite(p.p999)}, {"max", finite(p.max)}};
}

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
    if (!event.warnings.empty()) json["warnings"] = event.warnings;
    if (named && arm.config) json["arm"] = arm.config->name;
    list.push_back(json);
  }
  return list;
}

Json vector_json(const Vec3d& x) { return {finite(x.x()), finite(x.y()), finite(x.z())}; }

// Mass, centre of mass and inertia about it in the frame of the link, with their standard deviations.
Json learnt_json(const identify::LearntPayload& learnt) {
  const Mat3d& I = learnt.inertial.inertia_com_kgm2;
  Json inertia = Json::array(), sigma_inertia = Json::array();
  for (const double x : {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)}) inertia.push_back(finite(x));
  for (const double x : learnt.sigma.inertia_kgm2) sigma_inertia.push_back(finite(x));
  Json torques = Json::array();
  if (learnt.of_drives) torques.push_back("commanded");
  if (learnt.of_sensors) torques.push_back("sensed");
  return {
      {"motion_s", finite(learnt.time_s)},
      {"torques", torques},
      {"converged", learnt.converged},
      {"mass", finite(learnt.inertial.mass_kg)},
      {"com", vector_json(learnt.inertial.com_m)},
      {"inertia", inertia},
      {"sigma",
       {{"mass", finite(learnt.sigma.mass_kg)}, {"com", vector_json(learnt.sigma.com_m)}, {"inertia", sigma_inertia}}}};
}

Json estimates(const ArmRecord& arm) {
  Json list = Json::array();
  for (const EstimateRecord& estimate : arm.estimates) {
    Json json = {{"name", estimate.name},
                 {"link", estimate.link},
                 {"over", estimate.over},
                 {"proposal", identify::to_string(estimate.proposal.what)},
                 {"payloads", estimate.proposal.payloads},
                 {"text", estimate.proposal.text},
                 {"attached_s", estimate.attached_s < 0.0 ? Json(nullptr) : finite(estimate.attached_s)},
                 {"history", Json::array()}};
    if (!estimate.history.empty()) json.update(learnt_json(estimate.history.back()));
    for (const auto& learnt : estimate.history) {
      json["history"].push_back({{"motion_s", finite(learnt.time_s)},
                                 {"converged", learnt.converged},
                                 {"mass", finite(learnt.inertial.mass_kg)},
                                 {"sigma_mass", finite(learnt.sigma.mass_kg)},
                                 {"com", vector_json(learnt.inertial.com_m)},
                                 {"sigma_com", vector_json(learnt.sigma.com_m)}});
    }
    list.push_back(json);
  }
  return list;
}

Json reference_cuts(const ArmRecord& arm) {
  Json list = Json::array();
  for (const auto& [time_s, cut] : arm.reference_cuts) {
    const std::string& joint = arm.coordinates.at(cut.coordinate);
    list.push_back({{"time_s", finite(time_s)},
                    {"joint", joint},
                    {"given", finite(cut.given)},
                    {"limit", finite(cut.limit_value)},
                    {"text", control::describe(cut, joint)}});
  }
  return {{"limited_cycles", arm.reference_limited_cycles}, {"cuts", list}};
}

Json failures(const RunRecord& run) {
  Json list = Json::array();
  for (const ArmRecord& arm : run.arms) {
    for (const FailureRecord& failure : arm.failures) {
      list.push_back(
          {{"arm", arm.config ? arm.config->name : ""}, {"time_s", finite(failure.time_s)}, {"cause", failure.cause}});
    }
  }
  return list;
}

int count_rows(const ArmRecord& arm, std::uint8_t flag) {
  return static_cast<int>(std::count_if(arm.flags.begin(), arm.flags.end(), [flag](auto f) { return f & flag; }));
}

// N, base axes, on the arm.
Json wall_force_at_end(const ArmRecord& arm) {
  if (arm.rows == 0) return nullptr;
  const auto force = [&](FrameSignal s) { return finite(arm.frame_signal(arm.rows - 1, s)); };
  return {force(FrameSignal::wall_x), force(FrameSignal::wall_y), force(FrameSignal::wall_z)};
}

Json arm_json(const ArmRecord& arm) {
  Json json = {{"tracking", {{"rms", finite(arm.tracking_rms)}, {"max", finite(arm.tracking_max)}}},
               {"torque", {{"max", finite(arm.torque_max)}}},
               {"saturation", finite(arm.saturation)},
               {"collisions", {{"cycles", arm.collision_cycles}, {"begins_s", arm.collision_begins_s}}},
               {"reference", reference_cuts(arm)},
               {"passive", {{"rate_max", finite(arm.passive_rate_max)}, {"rate_end", finite(arm.passive_rate_end)}}},
               {"validation", validation(arm)},
               {"events", events(arm, false)},
               {"estimates", estimates(arm)},
               {"coordinates", arm.coordinates},
               {"recorded_cycles", arm.rows},
               {"recorded_with",
                {{"saturation", count_rows(arm, ArmRecord::flag_saturated)},
                 {"collision", count_rows(arm, ArmRecord::flag_collision)},
                 {"holding", count_rows(arm, ArmRecord::flag_holding)},
                 {"fallback", count_rows(arm, ArmRecord::flag_fallback)}}}};
  if (!arm.config) return json;
  if (!arm.frame_signals.empty()) {
    json["frame"] = {{"name", arm.config->frame},
                     {"distance", {{"rms", finite(arm.tracking_rms)}, {"max", finite(arm.tracking_max)}}},
                     {"angle", {{"rms", finite(arm.angle_rms)}, {"max", finite(arm.angle_max)}}},
                     {"wall_force", {{"max", finite(arm.wall_force_max)}, {"end", wall_force_at_end(arm)}}}};
  }
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
    all.validation.max_M = larger_error(from.max_M, all.validation.max_M);
    all.validation.max_Cv = larger_error(from.max_Cv, all.validation.max_Cv);
    all.validation.max_g = larger_error(from.max_g, all.validation.max_g);
    if (all.validation.unavailable_reason.empty()) all.validation.unavailable_reason = from.unavailable_reason;
  }
  return validation(all);
}

}  // namespace

nlohmann::json results_json(const RunRecord& run) {
  double rms = 0.0, largest = 0.0, torque = 0.0, saturation = 0.0;
  Json arms = Json::array(), all_events = Json::array();
  for (const ArmRecord& arm : run.arms) {
    rms = larger_error(arm.tracking_rms, rms);
    largest = larger_error(arm.tracking_max, largest);
    torque = larger_error(arm.torque_max, torque);
    saturation = larger_error(arm.saturation, saturation);
    arms.push_back(arm_json(arm));
    for (const Json& event : events(arm, run.arms.size() > 1)) all_events.push_back(event);
  }
  std::stable_sort(all_events.begin(), all_events.end(),
                   [](const Json& a, const Json& b) { return a["planned_s"] < b["planned_s"]; });
  Json json = {{"tracking", {{"rms", finite(rms)}, {"max", finite(largest)}}},
               {"torque", {{"max", finite(torque)}}},
               {"saturation", finite(saturation)},
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
               {"failures", failures(run)},
               {"scheduling", run.scheduling},
               {"duration_s", finite(run.duration_s)}};
  if (run.config) json["files"] = files_of(*run.config);
  if (run.config) json["title"] = run.config->title;
  if (run.config) json["rate_hz"] = run.config->rate_hz;
  return json;
}

void write_results(const RunRecord& run, const std::filesystem::path& dir) {
  outputs::OutputFile file(dir / "results.json", false);
  file.stream() << results_json(run).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  file.close();
}

void write_run(const RunRecord& run, const std::filesystem::path& dir) {
  write_results(run, dir);
  write_csv(run, dir / "log.csv");
  write_mcap(run, dir / "log.mcap");
  write_report(run, dir / "report.html");
}

std::vector<std::string> files_of(const RunConfig& config) {
  std::vector<std::string> names{"results.json", "log.mcap", "metadata.yaml", "report.html"};
  if (config.arms.size() == 1) names.emplace_back("log.csv");
  for (size_t i = 0; i < config.arms.size() && config.arms.size() > 1; ++i) {
    names.push_back(outputs::arm_file("log.csv", config.arms[i].name));
  }
  return names;
}

std::vector<std::string> files_gone(const RunConfig& config, const std::filesystem::path& dir) {
  std::error_code error;
  const std::filesystem::path file = dir / "results.json";
  if (!std::filesystem::is_regular_file(file, error)) return {};
  std::ifstream text(file);
  const Json before = Json::parse(text, nullptr, false);
  const auto listed = before.is_object() ? before.find("files") : before.end();
  if (listed == before.end() || !listed->is_array()) return {};
  const auto now = files_of(config);
  std::vector<std::string> gone;
  for (const Json& entry : *listed) {
    const std::string name = entry.is_string() ? entry.get<std::string>() : "";
    const bool log = name.rfind("log.", 0) == 0 && name.find('/') == std::string::npos;
    if (log && std::find(now.begin(), now.end(), name) == now.end()) gone.push_back(name);
  }
  return gone;
}

}  // namespace dyn::sim
