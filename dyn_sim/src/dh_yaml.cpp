// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dh_yaml.hpp"

#include <cmath>

#include "dyn_core/error.hpp"
#include "dyn_core/model/dh_table.hpp"
#include "dyn_core/model/input_file.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "run/yaml_reader.hpp"

namespace dyn::sim {
namespace {

constexpr std::size_t most_links = 500;
constexpr YamlRange length_m{-1e3, 1e3, " m"}, angle_rad{-1e3, 1e3, " rad"}, mass_kg{0, 1e6, " kg"};
constexpr YamlRange inertia_kgm2{0, 1e6, " kg m^2"}, per_length{0, 1e6, " kg/m"}, limit{0, 1e6};

JointType type_of(YamlMap& row) {
  const std::string type = row.text("type", "continuous");
  for (const JointType known : {JointType::revolute, JointType::continuous, JointType::prismatic}) {
    if (type == to_string(known)) return known;
  }
  row.fail("type", "is '" + type + "', not revolute, continuous or prismatic");
}

DhLink read_link(YamlMap row) {
  DhLink link;
  link.type = type_of(row);
  link.a_m = row.number("a", 0.0, length_m);
  link.b_m = row.number("b", 0.0, length_m);
  link.alpha_rad = row.number("alpha", 0.0, angle_rad);
  link.theta_rad = row.number("theta", 0.0, angle_rad);
  if (row.has("mass") && row.has("mass_per_length")) row.fail("mass", "and mass_per_length are both given");
  const bool slides = link.type == JointType::prismatic;
  const double length = std::abs(link.a_m) + (slides ? 0.0 : std::abs(link.b_m));
  link.mass_kg = row.has("mass_per_length") ? length * row.number("mass_per_length", per_length)
                                            : row.number("mass", 0.0, mass_kg);
  link.tip_mass_kg = row.number("tip_mass", 0.0, mass_kg);
  link.hub_inertia_kgm2 = row.number("hub_inertia", 0.0, inertia_kgm2);
  link.hub_across_kgm2 = row.number("hub_across", 0.0, inertia_kgm2);
  // A rod along z would change its length with the joint.
  if (slides && link.b_m != 0.0 && link.mass_kg > 0.0) {
    row.fail("b", "of a prismatic joint with a rod must be 0: the part of the rod along b has no fixed length");
  }
  if (row.has("limits")) {
    YamlMap limits = row.map("limits");
    JointLimits read;
    read.has_position = limits.has("lower") || limits.has("upper");
    if (read.has_position) {
      read.lower = limits.number("lower", angle_rad);
      read.upper = limits.number("upper", angle_rad);
      if (read.upper < read.lower) limits.fail("upper", "is below lower");
    }
    read.velocity = limits.number("velocity", limit);
    read.effort = limits.number("effort", limit);
    limits.finish();
    link.limits = read;
  }
  if (link.type == JointType::revolute && !(link.limits && link.limits->has_position)) {
    row.fail("limits", "with lower and upper belong to a revolute joint (or its type is continuous)");
  }
  row.finish();
  return link;
}

// A reason for refusing the table is reported with the file's name.
RobotDescription described(const DhTable& table, const std::filesystem::path& file) {
  try {
    RobotDescription robot = describe(table);
    robot.source = file.string();
    return robot;
  } catch (const ModelError& error) {
    throw ModelError(file.string() + ": " + error.what());
  }
}

}  // namespace

bool is_dh_file(const std::filesystem::path& file) { return file.string().ends_with(".dh.yaml"); }

RobotDescription load_dh_file(const std::filesystem::path& file) {
  refuse_nul(file.string());
  require_regular_file(file);
  try {
    YamlMap document(parse_document(read_text_file(file), file.string()), file.string(), "");
    DhTable table;
    table.name = document.text("name");
    for (YamlMap& row : document.list("links", most_links)) table.links.push_back(read_link(row));
    if (table.links.empty()) document.fail("links", "has no row");
    document.finish();
    return described(table, file);
  } catch (const YAML::Exception& error) {
    throw ModelError(file.string() + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
}

RobotDescription load_any_robot(const std::string& robot) {
  return is_dh_file(robot) ? load_dh_file(robot) : load_robot(robot);
}

Model load_any_model(const std::string& robot, const ModelOptions& options) {
  return Model::build(load_any_robot(robot), options);
}

}  // namespace dyn::sim
