// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The 3D view's scene: primitives of the URDF's <visual> elements. A link that is drawn by a mesh, or not at all, gets
// capsules from its own frame to the joints it carries, so that every robot looks like an arm.
#include <tinyxml2.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <map>
#include <sstream>

#include "dyn_core/error.hpp"
#include "dyn_core/model/urdf.hpp"
#include "report_parts.hpp"

namespace dyn::sim::report {
namespace {

using Json = nlohmann::json;
using Shapes = std::map<std::string, Json>;  // by link

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

Vec3d read_vector(const char* text) {
  Vec3d v = Vec3d::Zero();
  if (text == nullptr) return v;
  std::istringstream in(text);
  in >> v.x() >> v.y() >> v.z();
  return v;
}

Json read_color(const tinyxml2::XMLElement* material, const std::map<std::string, Json>& named) {
  if (material == nullptr) return nullptr;
  if (const auto* color = material->FirstChildElement("color")) {
    std::istringstream in(color->Attribute("rgba") ? color->Attribute("rgba") : "");
    double r = 0.7, g = 0.7, b = 0.7;
    in >> r >> g >> b;
    return {r, g, b};
  }
  const char* name = material->Attribute("name");
  const auto found = named.find(name ? name : "");
  return found == named.end() ? Json(nullptr) : found->second;
}

// One <visual>; null where it is a mesh.
Json read_visual(const tinyxml2::XMLElement& visual, const std::map<std::string, Json>& colors) {
  const auto* geometry = visual.FirstChildElement("geometry");
  if (geometry == nullptr) return nullptr;
  Json shape;
  if (const auto* box = geometry->FirstChildElement("box")) {
    shape = {{"kind", "box"}, {"size", to_json(read_vector(box->Attribute("size")))}};
  } else if (const auto* cylinder = geometry->FirstChildElement("cylinder")) {
    shape = {{"kind", "cylinder"},
             {"size", {cylinder->DoubleAttribute("radius"), cylinder->DoubleAttribute("length")}}};
  } else if (const auto* sphere = geometry->FirstChildElement("sphere")) {
    shape = {{"kind", "sphere"}, {"size", {sphere->DoubleAttribute("radius")}}};
  } else {
    return nullptr;
  }
  const auto* origin = visual.FirstChildElement("origin");
  const Vec3d xyz = read_vector(origin ? origin->Attribute("xyz") : nullptr);
  const Vec3d rpy = read_vector(origin ? origin->Attribute("rpy") : nullptr);
  shape["pose"] = to_json(pose_from_xyz_rpy(xyz, rpy));
  const Json color = read_color(visual.FirstChildElement("material"), colors);
  if (!color.is_null()) shape["color"] = color;
  return shape;
}

// Shapes of every link of a URDF; links with meshes are left out. Nothing where the text is not to be had any more: the
// picture is then of capsules.
Shapes read_shapes(const std::string& source) {
  Shapes shapes;
  tinyxml2::XMLDocument document;
  try {
    document.Parse(read_urdf_text(source).c_str());
  } catch (const ModelError&) {
    return shapes;
  }
  const auto* robot = document.FirstChildElement("robot");
  if (document.Error() || robot == nullptr) return shapes;
  std::map<std::string, Json> colors;
  for (auto* m = robot->FirstChildElement("material"); m; m = m->NextSiblingElement("material")) {
    if (m->Attribute("name")) colors[m->Attribute("name")] = read_color(m, {});
  }
  for (auto* link = robot->FirstChildElement("link"); link; link = link->NextSiblingElement("link")) {
    Json list = Json::array();
    for (auto* v = link->FirstChildElement("visual"); v; v = v->NextSiblingElement("visual")) {
      const Json shape = read_visual(*v, colors);
      if (!shape.is_null()) list.push_back(shape);
    }
    if (!list.empty() && link->Attribute("name")) shapes[link->Attribute("name")] = list;
  }
  return shapes;
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

// The box of even density that has this mass and inertia.
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

// Shapes of one link by what is known of it.
Json link_shapes(const RobotDescription& robot, const std::string& link, const Shapes& shapes, double radius) {
  const auto drawn = shapes.find(link);
  return drawn != shapes.end() ? drawn->second : capsules(robot, link, radius);
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

// Whether the event was put in force, and on the plant.
template <class PayloadEvent>
const PayloadEvent* on_plant(const ArmRecord& arm, size_t event) {
  const EventRecord& record = arm.events[event];
  if (record.applied_s < 0.0 || !record.error.empty()) return nullptr;
  const auto* const what = std::get_if<PayloadEvent>(&arm.config->events[event].what);
  return what != nullptr && what->target != Target::model ? what : nullptr;
}

// When the plant loses what it got by an event; negative: never.
double lost_s(const ArmRecord& arm, size_t attached, size_t count) {
  const std::string& name = std::get<AttachEvent>(arm.config->events[attached].what).payload.name();
  for (size_t i = attached + 1; i < count; ++i) {
    const auto* const detach = on_plant<DetachEvent>(arm, i);
    if (detach != nullptr && detach->payload == name) return arm.events[i].applied_s;
  }
  return -1.0;
}

// Links and joints that `payload` adds to the picture between two times. `carried`: what the plant was until then.
void add_payload(Json& json, const ArmRecord& arm, const Payload& payload, const RobotDescription& carried,
                 const RobotDescription& with, std::pair<double, double> from_to_s, double radius) {
  const Shapes drawn = payload.chain() ? read_shapes(payload.chain()->source) : Shapes{};
  for (size_t k = carried.links.size(); k < with.links.size(); ++k) {
    const LinkDescription& link = with.links[k];
    const std::string own = link.name.substr(link.name.rfind('/') + 1);
    Json shapes = link_shapes(with, drawn.count(own) ? own : link.name, drawn, 0.3 * radius);
    if (shapes.empty() && link.inertial) shapes.push_back(inertia_box(*link.inertial));
    Json item = {{"name", link.name}, {"shapes", shapes}, {"payload", true}, {"from", from_to_s.first}};
    if (from_to_s.second > from_to_s.first) item["to"] = from_to_s.second;
    json["links"].push_back(item);
  }
  for (size_t k = carried.joints.size(); k < with.joints.size(); ++k) {
    json["joints"].push_back(joint_json(with.joints[k], arm.coordinates));
  }
}

// In the order in which they came: a payload may hang on another one's link.
void add_events(Json& json, const ArmRecord& arm, double radius) {
  const size_t count = std::min(arm.events.size(), arm.config->events.size());
  RobotDescription carried = arm.config->description;
  for (size_t i = 0; i < count; ++i) {
    const double at_s = arm.events[i].applied_s;
    if (const auto* const attach = on_plant<AttachEvent>(arm, i)) {
      const RobotDescription with = dyn::attach(carried, attach->payload);
      add_payload(json, arm, attach->payload, carried, with, {at_s, lost_s(arm, i, count)}, radius);
      carried = with;
    } else if (const auto* const detach = on_plant<DetachEvent>(arm, i)) {
      carried = dyn::detach(carried, detach->payload);
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

nlohmann::json scene(const ArmRecord& arm) {
  Json json = {{"links", Json::array()}, {"joints", Json::array()}, {"pushes", Json::array()}, {"reach", 1.0}};
  if (!arm.config) return json;
  const RobotDescription& robot = arm.config->description;
  const double length = reach(robot), radius = 0.035 * length;
  const Shapes shapes = read_shapes(robot.source);
  json["reach"] = rounded(length);
  json["name"] = robot.name;
  for (const LinkDescription& link : robot.links) {
    json["links"].push_back({{"name", link.name}, {"shapes", link_shapes(robot, link.name, shapes, radius)}});
  }
  for (const JointDescription& joint : robot.joints) json["joints"].push_back(joint_json(joint, arm.coordinates));
  add_events(json, arm, radius);
  return json;
}

}  // namespace dyn::sim::report
