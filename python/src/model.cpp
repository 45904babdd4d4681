// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// load(robot) and Model.
#include "dyn_core/model/model.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "algorithm_families.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_core/model/xacro_program.hpp"
#include "dyn_core/regressor/layout.hpp"

namespace dyn::python {
namespace {

using Strings = std::vector<std::string>;

RobotModel load(nb::object robot, nb::handle gravity, bool armature, bool allow_impossible_inertia) {
  const auto name = nb::cast<std::string>(nb::module_::import_("os").attr("fsdecode")(robot));
  ModelOptions options;
  options.gravity_mps2 = read_vector3(gravity, "gravity");
  options.armature = armature;
  options.allow_impossible_inertia = allow_impossible_inertia;
  auto model = std::make_shared<const Model>(load_model(name, options));
  warn(*model);
  return {std::move(model)};
}

RobotModel parse(const std::string& urdf, const std::string& name, nb::handle gravity, bool armature,
                 bool allow_impossible_inertia) {
  ModelOptions options;
  options.gravity_mps2 = read_vector3(gravity, "gravity");
  options.armature = armature;
  options.allow_impossible_inertia = allow_impossible_inertia;
  auto model = std::make_shared<const Model>(Model::build(parse_urdf(urdf, name), options));
  warn(*model);
  return {std::move(model)};
}

// One row a coordinate: what `value` says of its joint.
template <class Value>
nb::object by_coordinate(const Model& model, const Value& value) {
  const FreshArray fresh = fresh_array({static_cast<size_t>(model.coordinates())});
  for (const Joint& joint : model.joints()) {
    for (int k = 0; k < joint.degrees; ++k) {
      fresh.values[joint.first_coordinate + k] = value(joint.description);
    }
  }
  return fresh.array;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

nb::object lower(const RobotModel& robot) {
  return by_coordinate(*robot.model, [](const JointDescription& j) {
    return j.limits && j.limits->has_position ? j.limits->lower : -infinity;
  });
}
nb::object upper(const RobotModel& robot) {
  return by_coordinate(*robot.model, [](const JointDescription& j) {
    return j.limits && j.limits->has_position ? j.limits->upper : infinity;
  });
}
nb::object velocity_limits(const RobotModel& robot) {
  return by_coordinate(*robot.model,
                       [](const JointDescription& j) { return j.limits ? j.limits->velocity : infinity; });
}
nb::object effort_limits(const RobotModel& robot) {
  return by_coordinate(*robot.model, [](const JointDescription& j) { return j.limits ? j.limits->effort : infinity; });
}

Strings joints(const RobotModel& robot) {
  Strings names;
  for (const Joint& joint : robot.model->joints()) names.push_back(joint.description.name);
  return names;
}

Strings links(const RobotModel& robot) {
  Strings names;
  for (const Link& link : robot.model->links()) names.push_back(link.name);
  return names;
}

Strings bodies(const RobotModel& robot) { return regressor::Layout(*robot.model).link; }

double mass(const RobotModel& robot) {
  double sum = 0.0;
  for (const double m : robot.model->tree().mass) sum += m;
  return sum;
}

// Of links that a joint moves and that have a mass of their own.
nb::dict masses(const RobotModel& robot) {
  nb::dict all;
  for (const Link& link : robot.model->links()) {
    if (link.body >= 0 && link.inertial.mass_kg > 0.0) all[nb::cast(link.name)] = link.inertial.mass_kg;
  }
  return all;
}

nb::dict joint_friction(const RobotModel& robot) {
  nb::dict all;
  for (const JointDescription& joint : robot.model->description().joints) {
    if (joint.damping > 0.0 || joint.friction > 0.0) {
      all[nb::cast(joint.name)] = nb::make_tuple(joint.damping, joint.friction);
    }
  }
  return all;
}

nb::object gravity(const RobotModel& robot) {
  const FreshArray fresh = fresh_array({3});
  for (int i = 0; i < 3; ++i) fresh.values[i] = robot.model->tree().gravity[i];
  return fresh.array;
}

nb::dict algorithms() {
  nb::dict all;
  const std::array<const char*, 4> keys{"jsim", "coriolis", "forward", "inverse"};
  size_t k = 0;
  for (const cli::AlgorithmFamily& family : cli::algorithm_families()) {
    nb::dict entries;
    for (size_t i = 0; i < family.names.size(); ++i) entries[nb::cast(family.names[i])] = nb::cast(family.sources[i]);
    all[keys.at(k++)] = entries;
  }
  return all;
}

nb::dict robots() {
  nb::dict all;
  for (const KnownRobot& robot : known_robots()) all[nb::cast(robot.name)] = nb::cast(robot.file.string());
  return all;
}

std::string repr(const RobotModel& robot) {
  return "<dyn_control.Model '" + robot.model->name() + "': " + std::to_string(robot.model->coordinates()) +
         " coordinates, " + std::to_string(robot.model->bodies()) + " bodies>";
}

}  // namespace

void warn(const Model& model) {
  const RobotDescription& robot = model.description();
  for (const std::string& warning : model.warnings()) {
    const std::string text = (robot.source.empty() ? robot.name : robot.source) + ": " + warning;
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
  }
}

void bind_model(nb::module_& m) {
  nb::class_<RobotModel>(m, "Model", "An immutable robot model, shared by any number of Dynamics and batches.")
      .def_prop_ro(
          "name", [](const RobotModel& r) { return r.model->name(); }, "The robot's name in its URDF.")
      .def_prop_ro(
          "source", [](const RobotModel& r) { return r.model->description().source; }, "The file it was read from.")
      .def_prop_ro(
          "n", [](const RobotModel& r) { return r.model->coordinates(); },
          "Degrees of freedom: the length of q, v, a and tau. Mimic joints have no entry.")
      .def_prop_ro("joints", &joints, "Names of the joints, in the order of q, v, a, tau.")
      .def_prop_ro(
          "coordinate_names", [](const RobotModel& r) { return r.model->coordinate_names(); },
          "A name for each entry of q: the joint's, for joints of several degrees of freedom `base.yaw` and the like.")
      .def_prop_ro("links", &links, "Names of all links, including those of fixed joints.")
      .def_prop_ro(
          "bodies", &bodies,
          "The link that each body's joint moves, in the order of the regressor's columns; fixed links are merged.")
      .def_prop_ro("lower", &lower, "Lower position limits, rad or m; -inf where there is none.")
      .def_prop_ro("upper", &upper, "Upper position limits, rad or m; inf where there is none.")
      .def_prop_ro("velocity_limits", &velocity_limits, "rad/s or m/s; inf where there is none.")
      .def_prop_ro("effort_limits", &effort_limits, "N m or N; inf where there is none.")
      .def_prop_ro("mass", &mass, "Mass of all moving bodies, kg.")
      .def_prop_ro("masses", &masses, nb::sig("def masses(self) -> dict[str, float]"),
                   "Masses of the links that move and have a mass of their own, kg.")
      .def_prop_ro("joint_friction", &joint_friction,
                   nb::sig("def joint_friction(self) -> dict[str, tuple[float, float]]"),
                   "Viscous damping (N m s/rad or N s/m) and Coulomb friction (N m or N) of joints that have some.")
      .def_prop_ro("gravity", &gravity, "Acceleration of gravity in the base frame, m/s^2.")
      .def_prop_ro(
          "warnings", [](const RobotModel& r) { return r.model->warnings(); },
          "Warnings about the description, one sentence each.")
      .def("__repr__", &repr);
  m.def("load", &load, nb::arg("robot"), nb::kw_only(), nb::arg("gravity").none() = nb::make_tuple(0.0, 0.0, -9.81),
        nb::arg("armature") = false, nb::arg("allow_impossible_inertia") = false,
        nb::sig("def load(robot: str | os.PathLike, *, gravity: collections.abc.Sequence[float] = (0.0, 0.0, -9.81), "
                "armature: bool = False, allow_impossible_inertia: bool = False) -> Model"),
        R"(Reads a robot: a .urdf or .urdf.xacro file, or a name that robots() lists.

gravity   acceleration in the base frame, m/s^2
armature  add the drives' reflected inertia (kg m^2 or kg) to the diagonal of M, and rotors with a gear_ratio as bodies
allow_impossible_inertia  take inertias that break the triangle inequality, with a warning each

Raises ModelError with one sentence (file, link or joint, value); what is doubtful but usable is a UserWarning.)");
  m.def("parse", &parse, nb::arg("urdf"), nb::arg("name") = "robot", nb::kw_only(),
        nb::arg("gravity").none() = nb::make_tuple(0.0, 0.0, -9.81), nb::arg("armature") = false,
        nb::arg("allow_impossible_inertia") = false,
        nb::sig("def parse(urdf: str, name: str = 'robot', *, gravity: collections.abc.Sequence[float] = (0.0, 0.0, "
                "-9.81), armature: bool = False, allow_impossible_inertia: bool = False) -> Model"),
        "Like load(), but from the text of a URDF, as in ROS's robot_description; `name` is for messages.");
  m.def("robots", &robots, nb::sig("def robots() -> dict[str, str]"),
        "Robots by name and the file of each: those shipped, and those of the package example-robot-data where it is "
        "installed.");
  m.def("algorithms", &algorithms, nb::sig("def algorithms() -> dict[str, dict[str, str]]"),
        "Names of the algorithms for jsim (M), coriolis (C), forward and inverse dynamics, each with paper and "
        "equation.");
  m.def("_urdf_text", [](const std::string& file) { return read_urdf_text(file); });
  m.def("_use_python_for_xacro", &use_python_for_xacro);
  m.def("_add_example_robots", [](const std::string& directory) { add_example_robots(directory); });
}

}  // namespace dyn::python
