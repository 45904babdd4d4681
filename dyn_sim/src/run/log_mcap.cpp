// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// log.mcap: the signals of a run as messages. A message has one number for every coordinate under the coordinate's
// name, so that plotting programs offer /arm7/state.q.joint1. Time is that of the simulation.
#include <cmath>

#include "dyn_sim/run/outputs.hpp"
#include "log_mcap_writer.hpp"
#include "output_file.hpp"
#include "results_names.hpp"

namespace dyn::sim {
namespace {

using Json = nlohmann::json;

std::uint64_t to_ns(double time_s) { return time_s > 0.0 ? static_cast<std::uint64_t>(std::llround(time_s * 1e9)) : 0; }

Json object(Json properties) { return {{"type", "object"}, {"properties", std::move(properties)}}; }
Json number() { return {{"type", "number"}}; }
Json text() { return {{"type", "string"}}; }

constexpr Signal state_signals[] = {Signal::q,
                                    Signal::v,
                                    Signal::q_reference,
                                    Signal::v_reference,
                                    Signal::a_reference,
                                    Signal::position_error,
                                    Signal::velocity_error};
constexpr Signal torque_signals[] = {Signal::inertia,  Signal::coriolis, Signal::gravity,  Signal::friction,
                                     Signal::feedback, Signal::applied,  Signal::external, Signal::sensed};

template <size_t N>
Json signals_schema(const ArmRecord& arm, const Signal (&signals)[N]) {
  Json coordinates, properties = {{"time_s", number()}};
  for (const std::string& name : arm.coordinates) coordinates[name] = number();
  for (const Signal s : signals) properties[to_string(s)] = object(coordinates);
  return properties;
}

template <size_t N>
Json signals_message(const ArmRecord& arm, int row, const Signal (&signals)[N]) {
  Json message = {{"time_s", arm.time_s[row]}};
  for (const Signal s : signals) {
    Json& values = message[to_string(s)] = Json::object();
    for (size_t c = 0; c < arm.coordinates.size(); ++c) {
      const double value = arm.signal(row, s, static_cast<int>(c));
      values[arm.coordinates[c]] = std::isfinite(value) ? Json(value) : Json(nullptr);
    }
  }
  return message;
}

void write_signals(outputs::McapWriter& writer, const ArmRecord& arm, const std::string& topic) {
  Json state = signals_schema(arm, state_signals);
  for (const char* flag : {"saturated", "collision", "ramping", "holding", "fallback"}) {
    state[flag] = {{"type", "boolean"}};
  }
  state["jsim"] = text();
  const auto states = writer.add_channel(topic + "/state", "dyn.State", object(state));
  const auto torques = writer.add_channel(topic + "/torque", "dyn.Torque", object(signals_schema(arm, torque_signals)));
  for (int row = 0; row < arm.rows; ++row) {
    const auto r = static_cast<size_t>(row);
    const int flags = r < arm.flags.size() ? arm.flags[r] : 0;
    Json message = signals_message(arm, row, state_signals);
    message["saturated"] = (flags & ArmRecord::flag_saturated) != 0;
    message["collision"] = (flags & ArmRecord::flag_collision) != 0;
    message["ramping"] = (flags & ArmRecord::flag_ramping) != 0;
    message["holding"] = (flags & ArmRecord::flag_holding) != 0;
    message["fallback"] = (flags & ArmRecord::flag_fallback) != 0;
    message["jsim"] = r < arm.jsim.size() ? outputs::jsim_name(arm.jsim[r]) : "";
    writer.write(states, to_ns(arm.time_s[r]), outputs::to_text(message));
    writer.write(torques, to_ns(arm.time_s[r]), outputs::to_text(signals_message(arm, row, torque_signals)));
  }
}

void write_validation(outputs::McapWriter& writer, const ArmRecord& arm, const std::string& topic) {
  const Json schema = object({{"time_s", number()}, {"M", number()}, {"Cv", number()}, {"g", number()}});
  const auto channel = writer.add_channel(topic + "/validation", "dyn.Validation", schema);
  for (const ResidualRecord& r : arm.residuals) {
    writer.write(channel, to_ns(r.time_s), Json({{"time_s", r.time_s}, {"M", r.M}, {"Cv", r.Cv}, {"g", r.g}}).dump());
  }
}

void write_events(outputs::McapWriter& writer, const RunRecord& run) {
  const auto channel = writer.add_channel(
      "/events", "dyn.Event",
      object({{"time_s", number()}, {"planned_s", number()}, {"arm", text()}, {"label", text()}, {"error", text()}}));
  for (const ArmRecord& arm : run.arms) {
    for (const EventRecord& event : arm.events) {
      const double time_s = event.applied_s >= 0.0 ? event.applied_s : event.planned_s;
      const Json message = {{"time_s", time_s},
                            {"planned_s", event.planned_s},
                            {"arm", arm.config ? arm.config->name : ""},
                            {"label", event.label},
                            {"error", event.error}};
      writer.write(channel, to_ns(time_s), outputs::to_text(message));
    }
  }
}

}  // namespace

void write_mcap(const RunRecord& run, const std::filesystem::path& path) {
  outputs::OutputFile file(path, true);
  outputs::McapWriter writer(file.stream());
  for (size_t i = 0; i < run.arms.size(); ++i) {
    const ArmRecord& arm = run.arms[i];
    const std::string topic = "/" + (arm.config ? arm.config->name : "arm" + std::to_string(i + 1));
    write_signals(writer, arm, topic);
    write_validation(writer, arm, topic);
  }
  write_events(writer, run);
  writer.finish();
  file.close();
}

}  // namespace dyn::sim
