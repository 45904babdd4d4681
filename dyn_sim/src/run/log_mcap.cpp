// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// log.mcap: the signals of a run as messages. A message has one number for every coordinate under the coordinate's
// name, so that plotting programs offer /arm7/state.q.joint1. Time is that of the simulation.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dyn_sim/run/outputs.hpp"
#include "log_mcap_writer.hpp"
#include "number_text.hpp"
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

// Messages of some signals as text. Names are turned into JSON once, not in every message: a run of minutes has
// millions of numbers.
class SignalsText {
 public:
  template <size_t N>
  SignalsText(const ArmRecord& arm, const Signal (&signals)[N]) : arm_(arm) {
    for (const Signal s : signals) groups_.push_back({s, ',' + key(to_string(s)) + '{'});
    for (const std::string& name : arm.coordinates) keys_.push_back((keys_.empty() ? "" : ",") + key(name));
  }

  // All but the closing brace.
  void append(std::string& text, int row) const {
    text += "{\"time_s\":";
    outputs::append_number(text, arm_.time_s[static_cast<size_t>(row)]);
    for (const auto& [signal, opening] : groups_) {
      text += opening;
      for (size_t c = 0; c < keys_.size(); ++c) {
        text += keys_[c];
        const double value = arm_.signal(row, signal, static_cast<int>(c));
        if (std::isfinite(value)) {
          outputs::append_number(text, value);
        } else {
          text += "null";
        }
      }
      text += '}';
    }
  }

 private:
  static std::string key(const std::string& name) { return outputs::to_text(Json(name)) + ':'; }

  struct Group {
    Signal signal;
    std::string opening;
  };
  const ArmRecord& arm_;
  std::vector<Group> groups_;
  std::vector<std::string> keys_;  // of the coordinates
};

constexpr std::pair<const char*, int> flag_names[] = {{"saturated", ArmRecord::flag_saturated},
                                                      {"collision", ArmRecord::flag_collision},
                                                      {"ramping", ArmRecord::flag_ramping},
                                                      {"holding", ArmRecord::flag_holding},
                                                      {"fallback", ArmRecord::flag_fallback}};

void write_signals(outputs::McapWriter& writer, const ArmRecord& arm, const std::string& topic) {
  Json state = signals_schema(arm, state_signals);
  for (const auto& [flag, bit] : flag_names) state[flag] = {{"type", "boolean"}};
  state["jsim"] = text();
  const auto states = writer.add_channel(topic + "/state", "dyn.State", object(state));
  const auto torques = writer.add_channel(topic + "/torque", "dyn.Torque", object(signals_schema(arm, torque_signals)));
  const SignalsText state_text(arm, state_signals), torque_text(arm, torque_signals);
  std::string message;
  for (int row = 0; row < arm.rows; ++row) {
    const auto r = static_cast<size_t>(row);
    const int flags = r < arm.flags.size() ? arm.flags[r] : 0;
    message.clear();
    state_text.append(message, row);
    for (const auto& [flag, bit] : flag_names) {
      message.append(",\"").append(flag).append((flags & bit) != 0 ? "\":true" : "\":false");
    }
    const std::string jsim = r < arm.jsim.size() ? outputs::jsim_name(arm.jsim[r]) : "";
    message.append(",\"jsim\":\"").append(jsim).append("\"}");
    writer.write(states, to_ns(arm.time_s[r]), message);
    message.clear();
    torque_text.append(message, row);
    message += '}';
    writer.write(torques, to_ns(arm.time_s[r]), message);
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
