// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/joint_changes.hpp"

#include <algorithm>

#include "dyn_core/error.hpp"

namespace dyn {
namespace {

// The meaning of a coordinate: its joint, the joint's motion and axis, and the joint before it.
struct Coordinate {
  std::string name, joint, before;
  Motion motion = Motion::revolute;
  Vec3d axis = Vec3d::Zero();  // in the link before; of floating and planar joints zero
};

const char* text_of(Motion motion) { return motion == Motion::revolute ? "revolute" : "prismatic"; }

std::vector<Coordinate> coordinates_of(const Model& model) {
  const Tree& tree = model.tree();
  std::vector<int> body_of(model.coordinates(), -1);
  for (int b = 0; b < tree.size; ++b) {
    int& body = body_of[tree.coordinate[b]];
    if (body < 0 && tree.ratio[b] == 1.0) body = b;
  }
  std::vector<Coordinate> all;
  for (const Joint& joint : model.joints()) {
    for (int k = 0; k < joint.degrees; ++k) {
      const int coordinate = joint.first_coordinate + k;
      const size_t body = body_of[coordinate];
      const int parent = tree.parent[body];
      Coordinate one{model.coordinate_names()[coordinate], joint.description.name,
                     parent < 0 ? std::string("the base") : "'" + model.body_joint(parent) + "'", tree.motion[body]};
      if (joint.degrees == 1) one.axis = joint.description.parent_T_joint.R * joint.description.axis;
      if (joint.description.payload == 0) all.push_back(one);
    }
  }
  return all;
}

// Why the second cannot continue a position of the first; empty where it can.
std::string difference(const Coordinate& was, const Coordinate& is) {
  const std::string joint = "joint '" + is.joint + "' ";
  if (was.motion != is.motion)
    return joint + "is " + text_of(is.motion) + ", and was " + text_of(was.motion) + " before";
  if (was.axis.dot(is.axis) < 0.0) return joint + "has an axis in the opposite direction of the one before";
  if (was.before != is.before) return joint + "comes after " + is.before + ", and came after " + was.before;
  return "";
}

const Coordinate* find(const std::vector<Coordinate>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Coordinate& c) { return c.name == name; });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

void demand_same_joints(const Model& before, const Model& after) {
  const std::vector<Coordinate> was = coordinates_of(before), is = coordinates_of(after);
  const std::string& source = after.description().source;
  for (size_t i = 0; i < std::max(was.size(), is.size()); ++i) {
    const std::string now = i < is.size() ? is[i].name : "nothing", then = i < was.size() ? was[i].name : "nothing";
    if (now != then) {
      throw ModelError(source + ": the new description moves other joints: '" + now + "' where '" + then + "' was");
    }
    if (const std::string why = difference(was[i], is[i]); !why.empty()) throw ModelError(source + ": " + why);
  }
}

std::vector<int> carried_coordinates(const Model& before, const Model& after, const CoordinateMap& map) {
  const std::vector<Coordinate> was = coordinates_of(before), is = coordinates_of(after);
  const std::string& source = after.description().source;
  for (const auto& [from, to] : map) {
    if (find(was, from) == nullptr) throw ModelError("map: the robot in use has no joint '" + from + "'");
    if (to && find(is, *to) == nullptr) throw ModelError("map: " + source + " has no joint '" + *to + "'");
  }
  std::vector<int> carried(is.size(), -1);
  for (size_t i = 0; i < was.size(); ++i) {
    const auto given = map.find(was[i].name);
    if (given != map.end() && !given->second) continue;  // it ends
    const Coordinate* to = find(is, given == map.end() ? was[i].name : *given->second);
    std::string why = to == nullptr ? "joint '" + was[i].joint + "' is gone" : difference(was[i], *to);
    // A joint named in the map may have another axis or place; only the unit of its position must stay.
    if (given != map.end() && was[i].motion == to->motion) why.clear();
    if (!why.empty()) {
      throw ModelError(source + ": " + why + "; 'map' must give for '" + was[i].name +
                       "' the joint of the same type that continues it, or null");
    }
    int& from = carried[to - is.data()];
    if (from >= 0) {
      throw ModelError("map: joint '" + to->name + "' cannot continue both '" + was[from].name + "' and '" +
                       was[i].name + "'");
    }
    from = static_cast<int>(i);
  }
  return carried;
}

}  // namespace dyn
