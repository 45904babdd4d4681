// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Trajectories and timed events of a configuration.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "config_parts.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_core/numeric/ranges.hpp"

namespace dyn::sim {
namespace {

constexpr YamlRange positions = about_zero(ranges::position, " rad or m");
constexpr YamlRange frequencies = about_zero(1e4, " Hz");
constexpr YamlRange scales = about_zero(1e3);
constexpr std::size_t most_events = 10000;
constexpr int most_harmonics = 1000;

Point per_coordinate(YamlMap& map, const std::string& key, const Model& model, double otherwise,
                     const YamlRange& range) {
  const size_t n = model.coordinates();
  if (!map.has(key)) return Point(n, otherwise);
  auto values = map.raw(key).IsScalar() ? Point(n, map.number(key, range)) : map.numbers(key, range);
  if (values.size() != n) {
    map.fail(key, "has " + std::to_string(values.size()) + " values; the robot has " + std::to_string(n) +
                      " degrees of freedom");
  }
  return values;
}

Point velocity_limits(const Model& model) {
  Point limits;
  for (const Joint& joint : model.joints()) {
    const auto& d = joint.description;
    limits.insert(limits.end(), joint.degrees, d.limits ? d.limits->velocity : 0.0);
  }
  return limits;
}

std::vector<Point> read_way_points(YamlMap& map, const Model& model) {
  std::vector<Point> points;
  const YAML::Node node = map.raw("way_points");
  if (!node.IsDefined() || !node.IsSequence()) map.fail("way_points", "is not a list of lists of positions");
  for (const auto& row : node) {
    try {
      points.push_back(row.as<Point>());
    } catch (const YAML::Exception&) {
      map.fail("way_points", "'" + shown(row) + "' is not a list of positions");
    }
    if (points.back().size() != static_cast<size_t>(model.coordinates())) {
      map.fail("way_points", "'" + shown(row) + "' has " + std::to_string(points.back().size()) +
                                 " positions; the robot has " + std::to_string(model.coordinates()) +
                                 " degrees of freedom");
    }
    for (const double x : points.back()) map.check("way_points", x, positions);
    if (const auto outside = find_outside(coordinate_ranges(model), points.back()); !outside.empty()) {
      map.fail("way_points", "'" + shown(row) + "': " + outside);
    }
  }
  return points;
}

// The payload, and the file of its chain if it is one.
std::pair<Payload, std::filesystem::path> read_payload(YamlMap& map, const std::filesystem::path& file) {
  const std::string name = map.text("name");
  const std::string link = map.text("link");
  const Pose pose = pose_from_xyz_rpy(map.vector3("xyz", Vec3d::Zero(), any_finite),
                                      map.vector3("rpy", Vec3d::Zero(), about_zero(ranges::position, " rad")));
  if (map.has("urdf")) {
    const std::string urdf = map.text("urdf");
    const std::filesystem::path beside = file.parent_path() / urdf;
    std::error_code error;
    const std::filesystem::path chain = std::filesystem::is_regular_file(beside, error) ? beside : find_robot(urdf);
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

bool any_has_link(const std::vector<std::shared_ptr<const Model>>& robots, const std::string& link) {
  return std::any_of(robots.begin(), robots.end(),
                     [&](const auto& robot) { return robot->find_link(link) != nullptr; });
}

EstimateEvent read_estimate(YamlMap map, const std::vector<std::shared_ptr<const Model>>& robots, double transition_s) {
  EstimateEvent event;
  event.link = map.text("link");
  if (!any_has_link(robots, event.link)) map.fail("link", "the robot has no link '" + event.link + "'");
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

Event read_event(YamlMap& map, std::vector<std::shared_ptr<const Model>>& robots, const ModelOptions& options,
                 const std::filesystem::path& file) {
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
    if (!any_has_link(robots, p.link)) map.fail("push", "the robot has no link '" + p.link + "'");
    event.label = "push " + p.link;
    event.what = std::move(p);
  } else if (map.has("robot")) {
    event.what = read_change(map, options, transition, file);
    event.label = "robot = " + map.text("robot");
    robots.push_back(std::get<RobotEvent>(event.what).robot);
  } else if (map.has("estimate")) {
    EstimateEvent estimate = read_estimate(map.map("estimate"), robots, transition);
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

}  // namespace

std::shared_ptr<const Trajectory> read_trajectory(YamlMap map, const Model& model, const std::filesystem::path& file) {
  const std::string type = map.text("type");
  std::shared_ptr<const Trajectory> trajectory;
  if (type == "quintic") {
    const auto points = read_way_points(map, model);
    trajectory = map.has("move_time")
                     ? make_timed_quintic(points, map.number("move_time", about_zero(ranges::duration_s, " s")))
                     : make_quintic(points, velocity_limits(model), map.number("velocity_scale", 0.5, scales));
  } else if (type == "trapezoidal") {
    auto limits = velocity_limits(model);
    const double scale = map.number("velocity_scale", 0.5, scales);
    for (double& limit : limits) limit *= scale;
    trajectory = make_trapezoidal(
        read_way_points(map, model), limits,
        per_coordinate(map, "acceleration", model, 2.0, about_zero(ranges::acceleration, " rad/s^2 or m/s^2")));
  } else if (type == "sinusoid") {
    auto phase = per_coordinate(map, "phase_deg", model, -90.0, about_zero(1e6, " degrees"));
    for (double& angle : phase) angle *= std::numbers::pi / 180.0;
    trajectory = make_sinusoid(per_coordinate(map, "centre", model, 0.0, positions),
                               per_coordinate(map, "amplitude", model, 0.5, positions),
                               per_coordinate(map, "frequency_hz", model, 0.25, frequencies), phase);
  } else if (type == "fourier") {
    trajectory = make_fourier(per_coordinate(map, "centre", model, 0.0, positions),
                              per_coordinate(map, "amplitude", model, 0.5, positions),
                              map.number("base_hz", 0.1, frequencies), map.integer("harmonics", 5, {0, most_harmonics}),
                              static_cast<unsigned>(map.integer("seed", 1, any_seed)));
  } else if (type == "file") {
    trajectory = load_trajectory(file.parent_path() / map.text("path"), coordinate_ranges(model));
  } else {
    map.fail("type", "'" + type + "' must be quintic, trapezoidal, sinusoid, fourier or file" +
                         (type == "poses" ? "; poses belong to the law task_space" : ""));
  }
  map.finish();
  return trajectory;
}

std::vector<Event> read_events(YamlMap& map, const Model& model, const ModelOptions& options,
                               const std::filesystem::path& file) {
  std::vector<Event> events;
  std::vector<std::shared_ptr<const Model>> robots{std::make_shared<const Model>(model)};
  for (YamlMap& entry : map.list("events", most_events)) events.push_back(read_event(entry, robots, options, file));
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time_s < b.time_s; });
  return events;
}

}  // namespace dyn::sim
