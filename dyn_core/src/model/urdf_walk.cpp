// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "urdf_walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "complain.hpp"
#include "dyn_core/model/payload.hpp"
#include "urdf_elements.hpp"
#include "urdf_transmissions.hpp"
#include "urdf_visuals.hpp"

namespace dyn {
namespace {

using urdf_text::Elements;

struct TypeName {
  const char* name;
  JointType type;
};
constexpr TypeName joint_types[] = {{"fixed", JointType::fixed},           {"revolute", JointType::revolute},
                                    {"continuous", JointType::continuous}, {"prismatic", JointType::prismatic},
                                    {"floating", JointType::floating},     {"planar", JointType::planar}};

class Walk {
 public:
  Walk(const std::string& xml, const std::string& source) : elements_(xml, source) { result_.robot.source = source; }

  UrdfText walk() {
    const xml::Document& document = elements_.document();
    const xml::Element& robot = document.root();
    if (robot.name != "robot") elements_.fail(robot, "the root element is <" + robot.name + ">, not <robot>");
    result_.robot.name = elements_.name_of(robot, "robot");
    std::string open = "<robot name=\"" + xml::escape(result_.robot.name) + "\"";
    if (const std::string* version = robot.find("version")) open += " version=\"" + xml::escape(*version) + "\"";
    result_.clean_xml = open + ">";
    static constexpr std::array known = {"link", "joint"};
    const VisualReader visuals(elements_);
    for (const xml::Element* element : document.children(robot)) {
      if (element->name == "link") {
        link(*element);
        visuals.read(*element, result_.robot);
      } else if (element->name == "joint") {
        joint(*element);
      } else {
        elements_.refuse_misspelling(*element, "robot '" + result_.robot.name + "'", known);
      }
    }
    for (const auto& [joint, dynamics] : without_ratio_) {
      JointDescription& driven = result_.robot.joints[joint];
      driven.rotor->ratio = transmission_ratio(elements_, *dynamics, driven.name);
    }
    result_.clean_xml += "</robot>";
    return std::move(result_);
  }

 private:
  void warn(const JointDescription& joint, const std::string& what) {
    result_.robot.warnings.push_back(joint_text(joint.name) + what);
  }

  void link(const xml::Element& element) {
    const std::string name = elements_.name_of(element, "link");
    const std::string where = link_text(name);
    result_.robot.links.push_back({name, std::nullopt});
    result_.clean_xml += "<link name=\"" + xml::escape(name) + "\">";
    static constexpr std::array known = {"inertial"};
    for (const xml::Element* child : elements_.document().children(element)) {
      if (child->name == "inertial") {
        inertial(*child, where, result_.robot.links.back());
      } else if (child->name != "visual" && child->name != "collision") {
        elements_.refuse_misspelling(*child, where, known);
      }
    }
    result_.clean_xml += "</link>";
  }

  // The tensor I' is given in the axes of the inertial frame; in those of the link: I = R I' R^T.
  void inertial(const xml::Element& element, const std::string& where, LinkDescription& link) {
    if (link.inertial) elements_.fail(element, where + ": duplicate <inertial>");
    result_.clean_xml +=
        "<inertial>" + elements_.check(element, where + ": <inertial>", urdf_text::inertial_rules()) + "</inertial>";
    const Pose link_T_inertial = origin(element);
    const xml::Element* const moments = elements_.child(element, "inertia");
    const auto moment = [&](const char* name) { return Elements::number(moments, name); };
    const Mat3d I =
        inertia_tensor(moment("ixx"), moment("ixy"), moment("ixz"), moment("iyy"), moment("iyz"), moment("izz"));
    const Mat3d turned = link_T_inertial.R * I * link_T_inertial.R.transpose();
    link.inertial = Inertial{Elements::number(elements_.child(element, "mass"), "value"), link_T_inertial.p_m,
                             0.5 * (turned + turned.transpose())};
  }

  void joint(const xml::Element& element) {
    JointDescription joint;
    joint.name = elements_.name_of(element, "joint");
    const std::string where = joint_text(joint.name);
    joint.type = type_of(element, where);
    result_.clean_xml +=
        "<joint name=\"" + xml::escape(joint.name) + "\" type=\"" + std::string(to_string(joint.type)) + "\">";
    result_.clean_xml += elements_.check(element, where, urdf_text::joint_rules()) + "</joint>";
    joint.parent_link = *elements_.child(element, "parent")->find("link");
    joint.child_link = *elements_.child(element, "child")->find("link");
    joint.parent_T_joint = origin(element);
    if (joint.type != JointType::fixed && joint.type != JointType::floating) axis(element, joint);
    mimic(element, joint);
    limits(element, joint);
    const xml::Element* const dynamics = elements_.child(element, "dynamics");
    joint.damping = Elements::number(dynamics, "damping");
    joint.friction = Elements::number(dynamics, "friction");
    joint.armature = Elements::number(dynamics, "armature");
    joint.friction_offset = Elements::number(dynamics, "offset");
    joint.stribeck = Elements::number(dynamics, "stribeck");
    joint.stribeck_velocity = Elements::number(dynamics, "stribeck_velocity", joint.stribeck_velocity);
    const auto given = [dynamics](const char* name) { return dynamics != nullptr && dynamics->find(name) != nullptr; };
    if (given("damping_negative")) joint.damping_negative = Elements::number(dynamics, "damping_negative");
    if (given("friction_negative")) joint.friction_negative = Elements::number(dynamics, "friction_negative");
    if (given("gear_ratio") || given("rotor_axis")) rotor(*dynamics, joint);
    result_.robot.joints.push_back(std::move(joint));
  }

  void rotor(const xml::Element& dynamics, JointDescription& joint) {
    const std::string where = joint_text(joint.name);
    const bool has_ratio = dynamics.find("gear_ratio") != nullptr;
    if (dynamics.find("armature") == nullptr) {
      elements_.fail(dynamics, where + " has " + (has_ratio ? "gear_ratio" : "rotor_axis") +
                                   ", but no armature from which the inertia of its rotor follows");
    }
    joint.rotor = Rotor{Elements::number(&dynamics, "gear_ratio"),
                        direction(dynamics, "rotor_axis", "rotor_axis", joint, joint.axis)};
    if (!has_ratio) without_ratio_.emplace_back(result_.robot.joints.size(), &dynamics);
  }

  JointType type_of(const xml::Element& element, const std::string& where) const {
    const std::string* type = element.find("type");
    if (!type) elements_.fail(element, where + " has no type");
    for (const TypeName& known : joint_types) {
      if (*type == known.name) return known.type;
    }
    elements_.fail(element, where + ": type '" + *type +
                                "' is unknown; available: fixed, revolute, continuous, prismatic, floating, planar");
  }

  [[nodiscard]] Pose origin(const xml::Element& element) const {
    const xml::Element* const origin = elements_.child(element, "origin");
    return pose_from_xyz_rpy(Elements::vector(origin, "xyz"), Elements::vector(origin, "rpy"));
  }

  void axis(const xml::Element& element, JointDescription& joint) {
    const xml::Element* const axis = elements_.child(element, "axis");
    if (axis != nullptr) joint.axis = direction(*axis, "xyz", "<axis>", joint, joint.axis);
  }

  Vec3d direction(const xml::Element& element, const char* attribute, const std::string& what,
                  const JointDescription& joint, const Vec3d& otherwise) {
    const Vec3d given = Elements::vector(&element, attribute, otherwise);
    const double length = given.norm();
    if (!(length > 0.0)) {
      elements_.fail(element, joint_text(joint.name) + ": " + what + " is (0, 0, 0), which is no direction");
    }
    if (std::abs(length - 1.0) > 1e-3) {
      warn(joint, ": " + what + " has length " + number_text(length) + "; only its direction is used");
    }
    return given / length;
  }

  void mimic(const xml::Element& element, JointDescription& joint) {
    const xml::Element* const mimic = elements_.child(element, "mimic");
    if (mimic == nullptr) return;
    if (joint.type == JointType::fixed) return warn(joint, " is fixed; its <mimic> has no effect");
    joint.mimic =
        Mimic{*mimic->find("joint"), Elements::number(mimic, "multiplier", 1.0), Elements::number(mimic, "offset")};
  }

  void limits(const xml::Element& element, JointDescription& joint) {
    const bool bounded = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    const xml::Element* const limit = elements_.child(element, "limit");
    if (limit == nullptr && bounded) {
      elements_.fail(element, joint_text(joint.name) + ": a " + std::string(to_string(joint.type)) +
                                  " joint needs a <limit>, and there is none");
    }
    if (limit == nullptr || joint.type == JointType::fixed) return;
    const JointLimits limits{Elements::number(limit, "lower"), Elements::number(limit, "upper"), bounded,
                             Elements::number(limit, "velocity"), Elements::number(limit, "effort")};
    joint.limits = limits;
    if (limits.effort == 0.0 && !joint.mimic) warn(joint, ": effort=\"0\" in <limit> means that no torque is allowed");
    if (limits.velocity == 0.0 && !joint.mimic) {
      warn(joint, ": velocity=\"0\" in <limit> means that no motion is allowed");
    }
    if (bounded && limits.lower == limits.upper) {
      warn(joint, ": lower and upper in <limit> are both " + number_text(limits.lower));
    }
    if (bounded) soft_limits(element, *joint.limits, joint);
  }

  // Both 0, URDF's default, means that there are none.
  void soft_limits(const xml::Element& element, JointLimits& limits, const JointDescription& joint) {
    const xml::Element* const safety = elements_.child(element, "safety_controller");
    const double lower = Elements::number(safety, "soft_lower_limit", limits.lower);
    const double upper = Elements::number(safety, "soft_upper_limit", limits.upper);
    if (safety == nullptr || (lower == 0.0 && upper == 0.0) || (lower == limits.lower && upper == limits.upper)) return;
    if (lower < upper && lower < limits.upper && upper > limits.lower) {
      limits.soft_lower = std::max(lower, limits.lower);
      limits.soft_upper = std::min(upper, limits.upper);
    } else {
      warn(joint, ": the soft limits " + number_text(lower) + " and " + number_text(upper) +
                      " in <safety_controller> leave no range of motion; they are ignored");
    }
  }

  Elements elements_;
  UrdfText result_;
  std::vector<std::pair<size_t, const xml::Element*>> without_ratio_;  // joints with a rotor, and their <dynamics>
};

}  // namespace

UrdfText walk_urdf(const std::string& xml, const std::string& source) { return Walk(xml, source).walk(); }

}  // namespace dyn
