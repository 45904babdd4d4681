// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The scene of the 3D view: the primitives of the description's visuals. A link with a mesh or without visuals gets
// capsules from its frame to the joints it carries, so that every robot looks like an arm.
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "dyn_core/model/payload.hpp"
#include "report_parts.hpp"

namespace dyn::sim::report {
namespace {

using Json = nlohmann::json;

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json to_json(const Vec3d& v) { return {rounded(v.x()), rounded(v.y()), rounded(v.z())}; }
Json to_json(const Pose& pose) {
  Json rows = Json::array();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) rows.push_back(rounded(pose.R(r, c)));
    rows.push_back(rounded(pose.p_m(r)));
  }
  return rows;  // 3x4, by rows
}

Json to_json(const Visual& visual) {
  Json shape = {{"pose", to_json(visual.link_T_visual)}};
  const Vec3d& size = visual.size_m;
  switch (visual.shape) {
    case Visual::Shape::box:
      shape["kind"] = "box";
      shape["size"] = to_json(size);
      break;
    case Visual::Shape::cylinder:
      shape["kind"] = "cylinder";
      shape["size"] = {size.x(), size.y()};
      break;
    case Visual::Shape::sphere:
      shape["kind"] = "sphere";
      shape["size"] = {size.x()};
      break;
  }
  if (visual.color) shape["color"] = {visual.color->x(), visual.color->y(), visual.color->z()};
  return shape;
}

double reach(const RobotDescription& robot) {
  double sum = 0.0;
  for (const JointDescription& joint : robot.joints) sum += joint.parent_T_joint.p_m.norm();
  return sum > 0.0 ? sum : 1.0;
}

Json capsules(const RobotDescription& robot, const std::string& link, double radius) {
  Json list = Json::array();
  for (const JointDescription& joint : robot.joints) {
    if (joint.parent_link != link) continue;
    const Vec3d to = joint.parent_T_joint.p_m;
    if (to.norm() > 0.2 * radius) list.push_back({{"kind", "capsule"}, {"size", {radius}}, {"to", to_json(to)}});
  }
  return list;
}

// The homogeneous box that has this mass and inertia.
Json inertia_box(const Inertial& inertial) {
  const Eigen::SelfAdjointEigenSolver<Mat3d> axes(inertial.inertia_com_kgm2);
  const Vec3d& moments = axes.eigenvalues();
  const double sum = 0.5 * moments.sum(), mass = std::max(inertial.mass_kg, 1e-9);
  Vec3d size;
  for (int k = 0; k < 3; ++k) size(k) = std::sqrt(std::max(12.0 * (sum - moments(k)) / mass, 0.0));
  const double smallest = std::max(0.02, 0.1 * size.maxCoeff());
  size = size.cwiseMax(smallest);
  Pose pose{axes.eigenvectors(), inertial.com_m};
  if (pose.R.determinant() < 0.0) pose.R.col(2) *= -1.0;
  return {{"kind", "box"}, {"size", to_json(size)}, {"pose", to_json(pose)}, {"color", {0.95, 0.61, 0.07}}};
}

// The shapes of a link from its visuals, else from its joints.
Json link_shapes(const RobotDescription& robot, const LinkDescription& link, double radius) {
  if (link.visuals.empty()) return capsules(robot, link.name, radius);
  Json list = Json::array();
  for (const Visual& visual : link.visuals) list.push_back(to_json(visual));
  return list;
}

// The entry of q that moves a joint, -1 for none; a mimic joint's is that of the joint it follows.
int first_coordinate(const std::vector<std::string>& coordinates, const JointDescription& joint) {
  const std::string& name = joint.mimic ? joint.mimic->joint : joint.name;
  for (size_t c = 0; c < coordinates.size(); ++c) {
    if (coordinates[c] == name || coordinates[c].rfind(name + '.', 0) == 0) return static_cast<int>(c);
  }
  return -1;
}

Json joint_json(const JointDescription& joint, const std::vector<std::string>& coordinates) {
  Json json = {{"parent", joint.parent_link},   {"child", joint.child_link},
               {"type", to_string(joint.type)}, {"pose", to_json(joint.parent_T_joint)},
               {"axis", to_json(joint.axis)},   {"coordinate", first_coordinate(coordinates, joint)}};
  if (joint.mimic) json["ratio"] = joint.mimic->multiplier;
  if (joint.mimic) json["offset"] = joint.mimic->offset;
  return json;
}

// Whether the event was applied to the plant.
template <class PayloadEvent>
const PayloadEvent* on_plant(const ArmRecord& arm, size_t event) {
  const EventRecord& record = arm.events[event];
  if (record.applied_s < 0.0 || !record.error.empty()) return nullptr;
  const auto* const what = std::get_if<PayloadEvent>(&arm.config->events[event].what);
  return what != nullptr && what->target != Target::model ? what : nullptr;
}

// When the plant loses what an event added; negative: never.
double lost_s(const ArmRecord& arm, size_t attached, size_t count) {
  const std::string& name = std::get<AttachEvent>(arm.config->events[attached].what).payload.name();
  for (size_t i = attached + 1; i < count; ++i) {
    const auto* const detach = on_plant<DetachEvent>(arm, i);
    if (detach != nullptr && detach->payload == name) return arm.events[i].applied_s;
  }
  return -1.0;
}

// The links and joints that a payload adds to the scene between two times. `carried`: the plant's description before
// it.
void add_payload(Json& json, const ArmRecord& arm, const RobotDescription& carried, const RobotDescription& with,
                 std::pair<double, double> from_to_s, double radius) {
  for (size_t k = carried.links.size(); k < with.links.size(); ++k) {
    const LinkDescription& link = with.links[k];
    Json shapes = link_shapes(with, link, 0.3 * radius);
    if (shapes.empty() && link.inertial) shapes.push_back(inertia_box(*link.inertial));
    Json item = {{"name", link.name}, {"shapes", shapes}, {"payload", true}, {"from", from_to_s.first}};
    if (from_to_s.second > from_to_s.first) item["to"] = from_to_s.second;
    json["links"].push_back(item);
  }
  for (size_t k = carried.joints.size(); k < with.joints.size(); ++k) {
    json["joints"].push_back(joint_json(with.joints[k], arm.coordinates));
  }
}

// Whether the event replaced the robot of the plant.
const RobotEvent* other_robot(const ArmRecord& arm, size_t event) {
  const EventRecord& record = arm.events[event];
  if (record.applied_s < 0.0 || !record.error.empty()) return nullptr;
  return std::get_if<RobotEvent>(&arm.config->events[event].what);
}

bool has_link(const RobotDescription& robot, const std::string& name) {
  return std::any_of(robot.links.begin(), robot.links.end(), [&](const auto& link) { return link.name == name; });
}

// Links that later robots have in addition to earlier ones, with their times, and the joints that carry them. Links
// that later robots lack, or move otherwise, are drawn as in the first robot.
void add_robots(Json& json, const ArmRecord& arm, double radius) {
  std::vector<std::string> drawn;
  for (const LinkDescription& link : arm.config->description.links) drawn.push_back(link.name);
  const size_t count = std::min(arm.events.size(), arm.config->events.size());
  for (size_t i = 0; i < count; ++i) {
    const RobotEvent* const change = other_robot(arm, i);
    if (change == nullptr) continue;
    const RobotDescription& robot = change->robot->description();
    for (const LinkDescription& link : robot.links) {
      if (std::find(drawn.begin(), drawn.end(), link.name) != drawn.end()) continue;
      drawn.push_back(link.name);
      Json item = {
          {"name", link.name}, {"shapes", link_shapes(robot, link, radius)}, {"from", arm.events[i].applied_s}};
      for (size_t k = i + 1; k < count && !item.contains("to"); ++k) {
        const RobotEvent* const next = other_robot(arm, k);
        if (next != nullptr && !has_link(next->robot->description(), link.name)) item["to"] = arm.events[k].applied_s;
      }
      json["links"].push_back(item);
      for (const JointDescription& joint : robot.joints) {
        if (joint.child_link == link.name) json["joints"].push_back(joint_json(joint, arm.coordinates));
      }
    }
  }
}

// In the order of attachment: a payload may be attached to a link of another one.
void add_events(Json& json, const ArmRecord& arm, double radius) {
  const size_t count = std::min(arm.events.size(), arm.config->events.size());
  RobotDescription carried = arm.config->description;
  std::vector<std::pair<std::string, const Payload*>> on;
  for (size_t i = 0; i < count; ++i) {
    const double at_s = arm.events[i].applied_s;
    if (const auto* const attach = on_plant<AttachEvent>(arm, i)) {
      const RobotDescription with = dyn::attach(carried, attach->payload);
      add_payload(json, arm, carried, with, {at_s, lost_s(arm, i, count)}, radius);
      carried = with;
      on.emplace_back(attach->payload.name(), &attach->payload);
    } else if (const auto* const detach = on_plant<DetachEvent>(arm, i)) {
      std::erase_if(on, [&](const auto& entry) { return entry.first == detach->payload; });
      carried = dyn::detach(carried, detach->payload);
    } else if (const auto* const change = other_robot(arm, i)) {
      RobotDescription robot = change->robot->description();
      for (const auto& [name, payload] : on) robot = dyn::attach(robot, *payload);
      carried = std::move(robot);
    }
    const auto* const push = std::get_if<PushEvent>(&arm.config->events[i].what);
    if (push == nullptr || at_s < 0.0) continue;
    json["pushes"].push_back({{"link", push->link},
                              {"force", to_json(push->force_N)},
                              {"point", to_json(push->point_m)},
                              {"from", at_s},
                              {"to", at_s + push->duration_s}});
  }
}

}  // namespace

nlohmann::json robot_scene(const RobotDescription& robot, const std::vector<std::string>& coordinates,
                           double radius_m) {
  Json json = {{"links", Json::array()}, {"joints", Json::array()}, {"pushes", Json::array()}};
  json["reach"] = rounded(reach(robot));
  json["name"] = robot.name;
  for (const LinkDescription& link : robot.links) {
    json["links"].push_back({{"name", link.name}, {"shapes", link_shapes(robot, link, radius_m)}});
  }
  for (const JointDescription& joint : robot.joints) json["joints"].push_back(joint_json(joint, coordinates));
  return json;
}

nlohmann::json scene(const ArmRecord& arm) {
  if (!arm.config) {
    return {{"links", Json::array()}, {"joints", Json::array()}, {"pushes", Json::array()}, {"reach", 1.0}};
  }
  const RobotDescription& robot = arm.config->description;
  const double radius = 0.035 * reach(robot);
  Json json = robot_scene(robot, arm.coordinates, radius);
  json["walls"] = Json::array();
  for (const Wall& wall : arm.config->plant.walls) {
    json["walls"].push_back({{"point", to_json(wall.point_m)}, {"normal", to_json(wall.normal)}});
  }
  add_robots(json, arm, radius);
  add_events(json, arm, radius);
  return json;
}

}  // namespace dyn::sim::report
