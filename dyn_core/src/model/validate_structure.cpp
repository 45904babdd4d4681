// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One tree: unique names, links that exist, one parent each, no loops, one root. No recursion: chains may be long.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "complain.hpp"
#include "dyn_core/model/validate.hpp"

namespace dyn {
namespace {

using LinkIndex = std::unordered_map<std::string, size_t>;

void check_name(const RobotDescription& robot, const std::string& what, const std::string& name) {
  if (name.find_first_not_of(" \t\n\r") == std::string::npos) fail(robot, "a " + what + " has an empty name");
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(name.begin(), name.end(), control)) {
    fail(robot, what + " '" + name + "': the name contains a control character");
  }
}

LinkIndex check_names(const RobotDescription& robot) {
  if (robot.links.empty()) fail(robot, "there is no link");
  if (robot.links.size() > max_links) {
    fail(robot, "there are " + std::to_string(robot.links.size()) + " links, more than " + std::to_string(max_links));
  }
  LinkIndex links;
  for (size_t i = 0; i < robot.links.size(); ++i) {
    check_name(robot, "link", robot.links[i].name);
    if (!links.emplace(robot.links[i].name, i).second) {
      fail(robot, link_text(robot.links[i].name) + " is defined twice");
    }
  }
  std::unordered_set<std::string> joints;
  for (const JointDescription& joint : robot.joints) {
    check_name(robot, "joint", joint.name);
    if (!joints.insert(joint.name).second) fail(robot, joint_text(joint.name) + " is defined twice");
  }
  return links;
}

// For every link the joint whose child it is, -1 for the root.
std::vector<int> check_parents(const RobotDescription& robot, const LinkIndex& links) {
  std::vector<int> holder(robot.links.size(), -1);
  for (size_t j = 0; j < robot.joints.size(); ++j) {
    const JointDescription& joint = robot.joints[j];
    for (const auto& [role, name] : {std::pair{"parent", &joint.parent_link}, {"child", &joint.child_link}}) {
      if (!links.contains(*name)) {
        fail(robot, joint_text(joint.name) + ": its " + role + " " + link_text(*name) + " does not exist");
      }
    }
    if (joint.parent_link == joint.child_link) {
      fail(robot, joint_text(joint.name) + ": " + link_text(joint.child_link) + " is its own parent");
    }
    int& held_by = holder[links.at(joint.child_link)];
    if (held_by >= 0) {
      fail(robot, link_text(joint.child_link) + " has two parents: " + joint_text(robot.joints[held_by].name) +
                      " and " + joint_text(joint.name));
    }
    held_by = static_cast<int>(j);
  }
  return holder;
}

// With one parent at most for every link, a link from which no root is reached is on a loop or below one.
void check_loops(const RobotDescription& robot, const LinkIndex& links, const std::vector<int>& holder) {
  std::vector<int> seen(robot.links.size(), -1);  // by the walk that began at link ...
  for (size_t start = 0; start < robot.links.size(); ++start) {
    size_t link = start;
    while (seen[link] < 0) {
      seen[link] = static_cast<int>(start);
      if (holder[link] < 0) break;
      link = links.at(robot.joints[holder[link]].parent_link);
    }
    if (holder[link] >= 0 && seen[link] == static_cast<int>(start)) {
      const JointDescription& joint = robot.joints[holder[link]];
      fail(robot, joint_text(joint.name) + " closes a loop at " + link_text(joint.child_link));
    }
  }
}

}  // namespace

void validate_structure(const RobotDescription& robot) {
  const LinkIndex links = check_names(robot);
  const std::vector<int> holder = check_parents(robot, links);
  check_loops(robot, links, holder);
  const auto root = std::find(holder.begin(), holder.end(), -1);
  const auto second = std::find(root + 1, holder.end(), -1);
  if (second != holder.end()) {
    fail(robot, "there are two roots: " + link_text(robot.links[root - holder.begin()].name) + " and " +
                    link_text(robot.links[second - holder.begin()].name));
  }
}

}  // namespace dyn
