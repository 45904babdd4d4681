// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Timed events of a configuration, and what can be known to be wrong with them before the run.
#include <algorithm>
#include <set>

#include "config_parts.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_core/numeric/ranges.hpp"

namespace dyn::sim {
namespace {

constexpr std::size_t most_events = 10000;

// The payload, and the file of its chain if it is one.
std::pair<Payload, std::filesystem::path> read_payload(YamlMap& map, const std::filesystem::path& file) {
  const std::string name = map.text("name");
  const std::string link = map.text("link");
  const Pose pose = pose_from_xyz_rpy(map.vector3("xyz", Vec3d::Zero(), any_finite),
                                      map.vector3("rpy", Vec3d::Zero(), about_zero(ranges::position, " rad")));
  if (map.has("urdf")) {
    const std::filesystem::path chain = find_description(map, "urdf", file);
    return {Payload::articulated(name, link, load_urdf(chain), pose), chain};
  }
  Inertial inertial;
  inertial.mass_kg = map.number("mass", any_finite);
  inertial.com_m = map.vector3("com", Vec3d::Zero(), any_finite);
  const auto i = map.has("inertia") ? map.numbers("inertia", any_finite) : std::vector<double>(6, 0.0);
  if (i.size() != 6) map.fail("inertia", "has " + std::to_string(i.size()) + " numbers; 6 are expected");
  inertial.inertia_com_kgm2 = inertia_tensor(i[0], i[1], i[2], i[3], i[4], i[5]);
  return {Payload::rigid(name, link, inertial, pose), {}};
}

Target read_target(YamlMap& map) {
  const std::string on = map.text("on", "both");
  if (on == "both") return Target::both;
  if (on == "plant") return Target::plant;
  if (on == "model") return Target::model;
  map.fail("on", "'" + on + "' must be both, plant or model");
}

CoordinateMap read_map(YamlMap map) {
  CoordinateMap joints;
  for (const std::string& from : map.keys()) {
    const bool ends = map.raw(from).IsNull();
    joints[from] = ends ? std::nullopt : std::optional(map.text(from));
  }
  return joints;
}

RobotEvent read_change(YamlMap& map, const ModelOptions& options, double transition_s,
                       const std::filesystem::path& file) {
  RobotEvent event;
  event.robot = std::make_shared<const Model>(Model::build(read_robot(map, file), options));
  event.map = read_map(map.map("map"));
  if (map.has("trajectory")) event.trajectory = read_trajectory(map.map("trajectory"), *event.robot, file);
  event.transition_time_s = transition_s;
  return event;
}

EstimateEvent read_estimate(YamlMap map, double transition_s) {
  EstimateEvent event;
  event.link = map.text("link");
  event.name = map.text("name", "payload");
  event.duration_s = map.number("duration", event.duration_s, about_zero(ranges::duration_s, " s"));
  event.attach = map.flag("attach", false);
  const std::string torque = map.text("torque", "commanded");
  if (torque != "commanded" && torque != "sensed") map.fail("torque", "'" + torque + "' must be commanded or sensed");
  event.sensed = torque == "sensed";
  event.cutoff_hz = map.number("cutoff", event.cutoff_hz, about_zero(1e4, " Hz"));
  event.transition_time_s = transition_s;
  map.finish();
  return event;
}

Event read_event(YamlMap& map, const ModelOptions& options, const std::filesystem::path& file) {
  Event event;
  event.time_s = map.number("at", about_zero(1e6, " s"));
  if (event.time_s < 0.0) map.fail("at", "is before the beginning");
  const double transition = map.number("transition_time", 0.0, about_zero(ranges::duration_s, " s"));
  if (transition < 0.0) map.fail("transition_time", "is below 0 s");
  if (map.has("attach")) {
    YamlMap attach = map.map("attach");
    auto [payload, chain] = read_payload(attach, file);
    attach.finish();
    event.label = "attach " + payload.name();
    event.what = AttachEvent{std::move(payload), read_target(map), transition, chain};
  } else if (map.has("detach")) {
    event.what = DetachEvent{map.text("detach"), read_target(map), transition};
    event.label = "detach " + std::get<DetachEvent>(event.what).payload;
  } else if (map.has("set")) {
    YamlMap set = map.map("set");
    const auto names = set.keys();
    if (names.size() != 1) map.fail("set", "sets " + std::to_string(names.size()) + " parameters; one is expected");
    event.what = SetEvent{names[0], set.text(names[0])};
    event.label = names[0] + " = " + set.text(names[0]);
  } else if (map.has("push")) {
    YamlMap push = map.map("push");
    PushEvent p{push.text("link"), push.vector3("force", Vec3d::Zero(), about_zero(ranges::effort, " N")),
                push.vector3("point", Vec3d::Zero(), about_zero(ranges::length_m, " m")),
                push.number("duration", 0.1, about_zero(ranges::duration_s, " s"))};
    if (!(p.duration_s > 0.0)) push.fail("duration", "is not above 0 s");
    push.finish();
    event.label = "push " + p.link;
    event.what = std::move(p);
  } else if (map.has("robot")) {
    event.what = read_change(map, options, transition, file);
    event.label = "robot = " + map.text("robot");
  } else if (map.has("estimate")) {
    EstimateEvent estimate = read_estimate(map.map("estimate"), transition);
    event.label = "estimate " + estimate.name + " on " + estimate.link;
    event.what = std::move(estimate);
  } else {
    map.fail("at", "the event must be one of attach, detach, set, push, robot, estimate");
  }
  if (!std::holds_alternative<AttachEvent>(event.what) && !std::holds_alternative<DetachEvent>(event.what)) {
    if (map.has("on")) map.fail("on", "belongs to attach and detach only");
  }
  map.finish();
  return event;
}

struct ReadEvent {
  Event event;
  YamlMap map;  // for messages
};

// What earlier events leave behind, as far as it is known before the run.
struct Expected {
  std::shared_ptr<const Model> robot;
  control::Parameters parameters;
  control::JointGains default_gains;
  std::set<std::string> payloads;  // that are attached, or were

  void come_to(const RobotEvent& event) {
    robot = event.robot;
    parameters.gains.assign(robot->coordinates(), default_gains);
    parameters.effort_limit.clear();
    parameters.acceleration_limit.clear();
  }
};

// Throws ModelError unless the robot has the link at that time, or a payload may: box/body.
void check_link(const ReadEvent& read, const char* key, const std::string& link, const Expected& expected) {
  if (expected.robot->find_link(link) != nullptr || expected.payloads.count(link.substr(0, link.find('/'))) != 0)
    return;
  read.map.fail(key, "the robot has no link '" + link + "'");
}

void check_event(const ReadEvent& read, double duration_s, Expected& expected) {
  const auto& [event, map] = read;
  if (event.time_s > duration_s) map.fail("at", "is after the end of the run, duration_s");
  if (const auto* const attach = std::get_if<AttachEvent>(&event.what)) {
    check_link(read, "attach.link", attach->payload.link(), expected);
    expected.payloads.insert(attach->payload.name());
  } else if (const auto* const detach = std::get_if<DetachEvent>(&event.what)) {
    if (expected.payloads.count(detach->payload) != 0) return;
    map.fail("detach", "no event before attaches '" + detach->payload + "'");
  } else if (const auto* const set = std::get_if<SetEvent>(&event.what)) {
    map.try_as("set." + set->parameter, [&] {
      expected.parameters = changed_parameters(set->parameter, set->value, *expected.robot, expected.parameters);
    });
  } else if (const auto* const change = std::get_if<RobotEvent>(&event.what)) {
    expected.come_to(*change);
  } else if (const auto* const push = std::get_if<PushEvent>(&event.what)) {
    check_link(read, "push.link", push->link, expected);
  } else if (const auto* const estimate = std::get_if<EstimateEvent>(&event.what)) {
    check_link(read, "estimate.link", estimate->link, expected);
    if (estimate->attach) expected.payloads.insert(estimate->name);
  }
}

}  // namespace

std::vector<Event> read_events(YamlMap& map, const Model& model, const ArmConfig& arm, const RunConfig& run) {
  std::vector<ReadEvent> all;
  Expected expected{std::make_shared<const Model>(model), arm.controller, arm.default_gains, {}};
  for (YamlMap& entry : map.list("events", most_events)) {
    all.push_back({read_event(entry, arm.live.model, run.file), entry});
  }
  std::vector<const ReadEvent*> by_time;
  for (const ReadEvent& read : all) by_time.push_back(&read);
  std::stable_sort(by_time.begin(), by_time.end(),
                   [](const ReadEvent* a, const ReadEvent* b) { return a->event.time_s < b->event.time_s; });
  std::vector<Event> events;
  for (const ReadEvent* const read : by_time) {
    check_event(*read, run.duration_s, expected);
    events.push_back(read->event);
  }
  return events;
}

}  // namespace dyn::sim
