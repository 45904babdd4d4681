// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "urdf_transmissions.hpp"

#include <algorithm>
#include <vector>

#include "complain.hpp"

namespace dyn {
namespace {

using urdf_text::Elements;
using List = std::vector<const xml::Element*>;
constexpr size_t enough = 80;  // characters that list other joints

List transmissions(const xml::Document& document) {
  List all = document.children(document.root(), "transmission");
  for (const xml::Element* control : document.children(document.root(), "ros2_control")) {
    for (const xml::Element* transmission : document.children(*control, "transmission")) all.push_back(transmission);
  }
  return all;
}

// The one transmission of the joint.
const xml::Element& transmission_of(const Elements& elements, const xml::Element& dynamics, const std::string& joint) {
  const xml::Document& document = elements.document();
  const xml::Element* found = nullptr;
  std::string others;
  for (const xml::Element* transmission : transmissions(document)) {
    for (const xml::Element* moved : document.children(*transmission, "joint")) {
      if (moved->value("name") != joint) {
        if (others.size() < enough) others += (others.empty() ? "" : ", ") + joint_text(moved->value("name"));
        continue;
      }
      if (found != nullptr && found != transmission) {
        elements.fail(*transmission, joint_text(joint) + " has two <transmission>; give its gear_ratio in <dynamics>");
      }
      found = transmission;
    }
  }
  if (found != nullptr) return *found;
  elements.fail(dynamics, joint_text(joint) + " has a rotor_axis, but no gear_ratio and no <transmission>" +
                              (others.empty() ? "" : "; there are some of " + others));
}

}  // namespace

double transmission_ratio(const Elements& elements, const xml::Element& dynamics, const std::string& joint) {
  const xml::Document& document = elements.document();
  const xml::Element& transmission = transmission_of(elements, dynamics, joint);
  const std::string where = joint_text(joint) + ": its <transmission>";
  const List joints = document.children(transmission, "joint");
  const List actuators = document.children(transmission, "actuator");
  if (joints.size() > 1 || actuators.size() > 1) {
    elements.fail(transmission,
                  where + " has " + std::to_string(joints.size()) + " joints and " + std::to_string(actuators.size()) +
                      " actuators; a rotor needs one joint and one actuator, or gear_ratio in <dynamics>");
  }
  List places = {&transmission};
  places.insert(places.end(), joints.begin(), joints.end());
  places.insert(places.end(), actuators.begin(), actuators.end());
  double ratio = 1.0;
  bool given = false;
  for (const xml::Element* place : places) {
    for (const xml::Element* child : document.children(*place)) {
      if (child->name != "mechanicalReduction" && child->name != "mechanical_reduction") continue;
      const auto words = urdf_text::words(child->text);
      const auto number = words.size() == 1 ? urdf_text::number(words.front()) : std::nullopt;
      if (!number)
        elements.fail(*child, where + ": <" + child->name + "> '" + child->text + "' is not a finite number");
      if (*number == 0.0) elements.fail(*child, where + ": <" + child->name + "> is 0");
      if (given && ratio != 1.0 && *number != 1.0) {
        elements.fail(*child, where + " has the reductions " + number_text(ratio) + " and " + number_text(*number) +
                                  "; give gear_ratio in <dynamics>");
      }
      ratio *= *number;
      given = true;
    }
  }
  if (!given) elements.fail(transmission, where + " has no <mechanicalReduction>; give gear_ratio in <dynamics>");
  return ratio;
}

}  // namespace dyn
