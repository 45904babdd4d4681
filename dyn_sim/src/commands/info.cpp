// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn info: what a robot is, in the order that all other commands use.
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "algorithm_families.hpp"
#include "command.hpp"
#include "dh_yaml.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/rotors.hpp"
#include "dyn_sim/check_control.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

using nlohmann::ordered_json;

// Why forward dynamics does not apply: the sentence about a singular M at a state without symmetry; empty if it
// applies.
std::string forward_obstacle(const Model& model, std::string_view algorithm) {
  const size_t n = model.coordinates();
  std::vector<double> q(n), zero(n, 0.0), qdd(n);
  for (size_t i = 0; i < n; ++i) q[i] = 0.3 + 0.1 * static_cast<double>(i % 7);
  AlgorithmChoice choice;
  choice.forward = algorithm;
  Dynamics dynamics(model, choice);
  if (!dynamics.update(q, zero).ok()) return "the robot has no finite dynamics";
  const Status status = dynamics.forward(std::span<const double>(zero), std::span<double>(qdd));
  if (status.ok()) return "";
  return "M is singular" + (status.body < 0 ? "" : ": joint '" + model.body_joint(status.body) + "'");
}

std::string obstacle(const Model& model, const AlgorithmFamily& family, std::string_view name) {
  return std::string_view(family.parameter) == "forward_dynamics" ? forward_obstacle(model, name) : "";
}

ordered_json limits_of(const JointDescription& joint) {
  if (!joint.limits) return nullptr;
  ordered_json limits;
  limits["lower"] = joint.limits->has_position ? ordered_json(joint.limits->lower) : ordered_json(nullptr);
  limits["upper"] = joint.limits->has_position ? ordered_json(joint.limits->upper) : ordered_json(nullptr);
  limits["velocity"] = joint.limits->velocity;
  limits["effort"] = joint.limits->effort;
  return limits;
}

ordered_json algorithms_of(const Model& model, ordered_json& excluded) {
  ordered_json applies;
  for (const AlgorithmFamily& family : algorithm_families()) {
    auto& list = applies[family.parameter] = ordered_json::array();
    for (const std::string_view name : family.names) {
      const std::string why_not = obstacle(model, family, name);
      if (why_not.empty())
        list.push_back(name);
      else
        excluded.push_back({{"algorithm", name}, {"parameter", family.parameter}, {"reason", why_not}});
    }
  }
  return applies;
}

// The rotors that are bodies of their own where armature is asked for.
ordered_json rotors_of(const Model& model) {
  ordered_json rotors = ordered_json::array();
  for (const JointDescription& d : model.description().joints) {
    if (!d.rotor) continue;
    const Vec3d& axis = d.rotor->axis;
    rotors.push_back({{"joint", d.name},
                      {"link", d.parent_link},
                      {"gear_ratio", d.rotor->ratio},
                      {"axis", {axis.x(), axis.y(), axis.z()}},
                      {"inertia", rotor_inertia(d)}});
  }
  return rotors;
}

// One list for each property, each in the order of `joints`; masses by link, since fixed links have theirs too.
ordered_json describe_robot(const Model& model) {
  ordered_json out;
  out["name"] = model.name();
  out["source"] = model.description().source;
  out["coordinates"] = model.coordinates();
  for (const char* key : {"joints", "types", "parents", "children", "limits", "damping", "friction", "armature",
                          "damping_negative", "friction_negative", "stribeck", "stribeck_velocity", "offset"}) {
    out[key] = ordered_json::array();
  }
  for (const Joint& joint : model.joints()) {
    const JointDescription& d = joint.description;
    out["joints"].push_back(d.name);
    out["types"].push_back(to_string(d.type));
    out["parents"].push_back(d.parent_link);
    out["children"].push_back(d.child_link);
    out["limits"].push_back(limits_of(d));
    out["damping"].push_back(d.damping);
    out["friction"].push_back(d.friction);
    out["armature"].push_back(d.armature);
    out["damping_negative"].push_back(d.damping_negative.value_or(d.damping));
    out["friction_negative"].push_back(d.friction_negative.value_or(d.friction));
    out["stribeck"].push_back(d.stribeck);
    out["stribeck_velocity"].push_back(d.stribeck_velocity);
    out["offset"].push_back(d.friction_offset);
  }
  out["coordinate_names"] = model.coordinate_names();
  out["mimic"] = ordered_json::array();
  for (const JointDescription& d : model.description().joints) {
    if (!d.mimic) continue;
    out["mimic"].push_back({{"joint", d.name},
                            {"follows", d.mimic->joint},
                            {"multiplier", d.mimic->multiplier},
                            {"offset", d.mimic->offset}});
  }
  out["rotors"] = rotors_of(model);
  double total = 0.0;
  out["masses"] = ordered_json::object();
  for (const Link& link : model.links()) {
    out["masses"][link.name] = link.inertial.mass_kg;
    total += link.inertial.mass_kg;
  }
  out["total_mass"] = total;
  out["warnings"] = model.warnings();
  ordered_json excluded = ordered_json::array();
  out["algorithms"] = algorithms_of(model, excluded);
  out["does_not_apply"] = excluded;
  return out;
}

void print_joints(const Model& model) {
  Table table({{"q", Table::Align::right},
               {"joint"},
               {"type"},
               {"parent link"},
               {"child link"},
               {"mass kg", Table::Align::right},
               {"lower", Table::Align::right},
               {"upper", Table::Align::right},
               {"velocity", Table::Align::right},
               {"effort", Table::Align::right}});
  for (const Joint& joint : model.joints()) {
    const JointDescription& d = joint.description;
    const int first = joint.first_coordinate;
    const bool positions = d.limits && d.limits->has_position;
    table.add({joint.degrees == 1 ? std::to_string(first)
                                  : std::to_string(first) + ".." + std::to_string(first + joint.degrees - 1),
               d.name, to_string(d.type), d.parent_link, d.child_link, number(model.tree().mass[joint.body]),
               positions ? number(d.limits->lower) : "-", positions ? number(d.limits->upper) : "-",
               d.limits ? number(d.limits->velocity) : "-", d.limits ? number(d.limits->effort) : "-"});
  }
  table.print();
}

// One line for each joint that has any: its drive's friction and inertia.
void print_friction(const Model& model) {
  for (const Joint& joint : model.joints()) {
    const JointDescription& d = joint.description;
    std::string line;
    const auto add = [&line](const char* name, double value, double otherwise) {
      if (value != otherwise) line += std::string(line.empty() ? " " : ", ") + name + ' ' + number(value);
    };
    add("damping", d.damping, 0.0);
    add("friction", d.friction, 0.0);
    add("damping backwards", d.damping_negative.value_or(d.damping), d.damping);
    add("friction backwards", d.friction_negative.value_or(d.friction), d.friction);
    add("stribeck", d.stribeck, 0.0);
    if (d.stribeck != 0.0) add("below", d.stribeck_velocity, 0.0);
    add("offset", d.friction_offset, 0.0);
    add("armature", d.armature, 0.0);
    if (!line.empty()) std::cout << "  " << one_line(d.name) << ':' << line << '\n';
  }
  std::cout << '\n';
}

void print_text(const Model& model) {
  const ordered_json info = describe_robot(model);
  std::cout << heading(one_line(model.name())) << "  " << model.coordinates() << " coordinates, "
            << model.links().size() << " links, " << number(info["total_mass"].get<double>()) << " kg  ("
            << one_line(model.description().source) << ")\n\n";
  print_joints(model);
  std::cout << "\n  Rows in the order of q, v, a, tau; mass: of the body that the joint moves, fixed links included.\n";
  for (const auto& mimic : info["mimic"]) {
    std::cout << "  " << mimic["joint"].get<std::string>() << " follows " << mimic["follows"].get<std::string>()
              << ": q = " << number(mimic["multiplier"].get<double>()) << " q + "
              << number(mimic["offset"].get<double>()) << '\n';
  }
  for (const auto& rotor : info["rotors"]) {
    const auto axis = [&](int k) { return number(rotor["axis"][k].get<double>()); };
    std::cout << "  " << one_line(rotor["joint"].get<std::string>()) << " has a rotor on "
              << one_line(rotor["link"].get<std::string>()) << ": " << number(rotor["inertia"].get<double>())
              << " kg m^2, gear ratio " << number(rotor["gear_ratio"].get<double>()) << ", axis (" << axis(0) << ", "
              << axis(1) << ", " << axis(2) << ") of the joint's frame\n";
  }
  std::cout << '\n';
  print_friction(model);
  for (const AlgorithmFamily& family : algorithm_families()) {
    std::string names;
    for (const auto& name : info["algorithms"][family.parameter]) names += " " + name.get<std::string>();
    std::cout << "  " << family.parameter << ':' << (names.empty() ? " none" : names) << '\n';
  }
  for (const auto& excluded : info["does_not_apply"]) {
    std::cout << "  does not apply: " << excluded["algorithm"].get<std::string>() << " ("
              << excluded["reason"].get<std::string>() << ")\n";
  }
  for (const std::string& warning : model.warnings()) std::cout << "  warning: " << one_line(warning) << '\n';
}

const char* name_of(sim::Severity severity) {
  switch (severity) {
    case sim::Severity::error: return "error";
    case sim::Severity::warning: return "warning";
    default: return "hint";
  }
}

ordered_json as_json(const Model& model, const std::string& file, const sim::ControlCheck& check) {
  ordered_json out;
  out["robot"] = model.name();
  out["config"] = file;
  out["controllers"] = check.controllers;
  out["ok"] = check.ok();
  out["findings"] = ordered_json::array();
  for (const sim::ControlFinding& finding : check.findings) {
    ordered_json line;
    line["severity"] = name_of(finding.severity);
    line["check"] = finding.check;
    line["controller"] = finding.controller.empty() ? ordered_json(nullptr) : ordered_json(finding.controller);
    line["joint"] = finding.joint.empty() ? ordered_json(nullptr) : ordered_json(finding.joint);
    line["line"] = finding.line == 0 ? ordered_json(nullptr) : ordered_json(finding.line);
    line["sentence"] = finding.sentence;
    out["findings"].push_back(line);
  }
  return out;
}

// Exit code 3 if there are errors; warnings and hints alone do not change it.
void check_control(const Model& model, const std::string& file, bool json) {
  const sim::ControlCheck check = sim::check_control(model, file);
  std::vector<std::string> wrong;
  bool doubtful = false;
  for (const sim::ControlFinding& finding : check.findings) {
    const std::string where = finding.line == 0 ? "" : file + ":" + std::to_string(finding.line) + ": ";
    const std::string whose = finding.controller.empty() ? "" : finding.controller + ": ";
    const std::string line = one_line(where + whose + finding.sentence);
    if (finding.severity == sim::Severity::error) wrong.push_back(line);
    doubtful |= finding.severity != sim::Severity::hint;
    if (!json) std::cout << "  " << std::left << std::setw(9) << name_of(finding.severity) << line << '\n';
  }
  if (json) print_json(as_json(model, file, check));
  if (!json && !doubtful) std::cout << "  no errors or warnings in " << one_line(file) << '\n';
  if (!wrong.empty()) throw RunFailed(wrong);
}

}  // namespace

Action declare_info(CLI::App& app) {
  struct Arguments {
    RobotCall robot;
    std::string control;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  add_robot(app, arguments->robot);
  app.add_option("--check-control", arguments->control, "Check a file of ros2_control parameters for this robot");
  add_json(app, arguments->json);
  return [arguments] {
    const Model model = sim::load_any_model(arguments->robot.name, model_options(arguments->robot));
    if (!arguments->control.empty()) return check_control(model, arguments->control, arguments->json);
    arguments->json ? print_json(describe_robot(model)) : print_text(model);
  };
}

}  // namespace dyn::cli
