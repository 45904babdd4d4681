// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Dynamics: one robot, one state, and its M, C, g, h as numpy arrays on the core's own memory.
#include "dyn_core/dynamics.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "algorithm_families.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "state.hpp"
#include "terms.hpp"

namespace dyn::python {
namespace {

class PyDynamics {
 public:
  PyDynamics(const RobotModel& robot, Algorithms algorithms) : algorithms_(std::move(algorithms)) {
    enter(std::make_shared<State>(robot.model, algorithms_));
  }

  void update(nb::handle positions, nb::handle rates) {
    const Numbers q_now = read_coordinates(positions, "q", state_->model());
    const Numbers v_now = read_coordinates(rates, "v", state_->model());
    state_->update(q_now.values, v_now.values);
  }

  nb::object inverse(nb::handle a) {
    const Numbers a_in = read_finite_coordinates(a, "a", state_->model());
    const FreshArray tau = fresh_array({n()});
    state_->dynamics().inverse(a_in.values, tau.values);
    return tau.array;
  }

  nb::object forward(nb::handle tau) {
    const Numbers tau_in = read_finite_coordinates(tau, "tau", state_->model());
    const FreshArray qdd = fresh_array({n()});
    state_->require(state_->dynamics().forward(tau_in.values, qdd.values));
    return qdd.array;
  }

  nb::object minv() {
    const FreshArray inverse = fresh_array({n(), n()});
    state_->require(state_->dynamics().inverse_mass_matrix(inverse.values));
    return inverse.array;
  }

  FrameAnswer frame(const std::string& link) { return terms_.frame(*state_, link); }
  InverseDerivatives derivatives(nb::handle a) {
    return terms_.inverse_derivatives(*state_, read_finite_coordinates(a, "a", state_->model()).values);
  }
  ForwardDerivatives forward_derivatives(nb::handle tau) {
    return terms_.forward_derivatives(*state_, read_finite_coordinates(tau, "tau", state_->model()).values);
  }
  nb::object regressor(nb::handle a) {
    return terms_.regressor(*state_, read_finite_coordinates(a, "a", state_->model()).values);
  }
  nb::object parameters() { return terms_.parameters(*state_); }

  nb::list attach(const std::string& name, const std::string& link, std::optional<double> mass, nb::handle com,
                  nb::handle inertia, nb::handle xyz, nb::handle rpy, nb::object urdf);
  nb::list detach(const std::string& name) { return rebuild(dyn::detach(state_->model().description(), name)); }

  void set_gravity(nb::handle gravity) { state_->set_gravity(read_vector3(gravity, "gravity")); }
  [[nodiscard]] nb::object gravity() const {
    const FreshArray fresh = fresh_array({3});
    for (int i = 0; i < 3; ++i) fresh.values[i] = state_->dynamics().tree().gravity[i];
    return fresh.array;
  }

  // Everything that can fail comes first; then the state before goes.
  void choose(std::string Algorithms::*which, const std::string& name) {
    Algorithms changed = algorithms_;
    changed.*which = name;
    enter(std::make_shared<State>(with_gravity(state_->shared_model()), changed, state_->q(), state_->v()));
    algorithms_ = changed;
  }
  [[nodiscard]] std::string chosen(size_t family, int AlgorithmIndex::*which) const {
    const int index = state_->dynamics().algorithms().*which;
    return std::string(cli::algorithm_families()[family].names[index]);
  }

  [[nodiscard]] RobotModel model() const { return {state_->shared_model()}; }
  [[nodiscard]] std::vector<std::string> payloads() const { return attached_payloads(state_->model().description()); }
  [[nodiscard]] const State& state() const noexcept { return *state_; }

  nb::object M, C, g, h, q, v;  // arrays on the state's memory, made once

 private:
  [[nodiscard]] size_t n() const noexcept { return static_cast<size_t>(state_->model().coordinates()); }

  void enter(std::shared_ptr<State> state) {
    const nb::capsule owner = keep(state);
    const size_t size = state->model().coordinates();
    const auto column = static_cast<int64_t>(size);
    Dynamics& d = state->dynamics();
    M = numpy_view<const double>(d.M().data(), {size, size}, owner);  // symmetric
    C = numpy_view<const double>(d.C().data(), {size, size}, owner, {1, column});
    g = numpy_view<const double>(d.g().data(), {size}, owner);
    h = numpy_view<const double>(d.h().data(), {size}, owner);
    q = numpy_view<const double>(state->q().data(), {size}, owner);
    v = numpy_view<const double>(state->v().data(), {size}, owner);
    state_ = std::move(state);
    terms_ = Terms();
  }

  // The same model where gravity has not been changed; one with it where it has.
  [[nodiscard]] std::shared_ptr<const Model> with_gravity(const std::shared_ptr<const Model>& model) const {
    const Vec3d& now = state_->dynamics().tree().gravity;
    if (now == model->tree().gravity) return model;
    ModelOptions options = model->options();
    options.gravity_mps2 = now;
    return std::make_shared<const Model>(Model::build(model->description(), options));
  }

  nb::list rebuild(const RobotDescription& robot) {
    ModelOptions options = state_->model().options();
    options.gravity_mps2 = state_->dynamics().tree().gravity;
    auto model = std::make_shared<const Model>(Model::build(robot, options));
    warn(*model);
    // Payloads' joints come behind all others, but taking one away moves those behind it: states go by name.
    const auto& before = state_->model().coordinate_names();
    std::vector<double> q_now, v_now;
    for (const std::string& name : model->coordinate_names()) {
      const auto it = std::find(before.begin(), before.end(), name);
      const bool known = it != before.end();
      q_now.push_back(known ? state_->q()[it - before.begin()] : 0.0);
      v_now.push_back(known ? state_->v()[it - before.begin()] : 0.0);
    }
    enter(std::make_shared<State>(std::move(model), algorithms_, std::move(q_now), std::move(v_now)));
    nb::list joints;
    for (const Joint& joint : state_->model().joints()) joints.append(joint.description.name);
    return joints;
  }

  Algorithms algorithms_;
  std::shared_ptr<State> state_;
  Terms terms_;  // of that state's model
};

nb::list PyDynamics::attach(const std::string& name, const std::string& link, std::optional<double> mass,
                            nb::handle com, nb::handle inertia, nb::handle xyz, nb::handle rpy, nb::object urdf) {
  const Pose pose = pose_from_xyz_rpy(read_vector3(xyz, "xyz"), read_vector3(rpy, "rpy"));
  if (!urdf.is_none()) {
    if (mass) throw ModelError("attach: a payload has either a mass or a urdf");
    const auto file = nb::cast<std::string>(nb::module_::import_("os").attr("fsdecode")(urdf));
    return rebuild(
        dyn::attach(state_->model().description(), Payload::articulated(name, link, load_robot(file), pose)));
  }
  if (!mass) throw ModelError("attach: payload '" + name + "' has neither a mass nor a urdf");
  Inertial inertial;
  inertial.mass_kg = *mass;
  inertial.com_m = read_vector3(com, "com");
  const Numbers i = read_numbers(inertia, "inertia", 6);
  inertial.inertia_com_kgm2 =
      inertia_tensor(i.values[0], i.values[1], i.values[2], i.values[3], i.values[4], i.values[5]);
  return rebuild(dyn::attach(state_->model().description(), Payload::rigid(name, link, inertial, pose)));
}

std::string repr(const PyDynamics& d) {
  const Model& model = d.state().model();
  return "<dyn_control.Dynamics of '" + model.name() + "', " + std::to_string(model.coordinates()) +
         " coordinates, jsim " + d.chosen(0, &AlgorithmIndex::jsim) + ", coriolis " +
         d.chosen(1, &AlgorithmIndex::coriolis) + ">";
}

using Class = nb::class_<PyDynamics>;

void bind_terms(Class& c) {
  c.def("update", &PyDynamics::update, nb::arg("q").none(), nb::arg("v").none(),
        nb::sig("def update(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike) -> None"),
        R"(M, C, g and h at positions q (rad or m) and rates v (rad/s or m/s), each of shape (n,).

C-contiguous float64 arrays are read where they are; other real arrays and lists are converted. Raises ModelError,
naming the joint, where a number is not finite or a length is wrong; the state is then as before.)");
  c.def_ro("M", &PyDynamics::M, nb::sig("def M(self) -> numpy.typing.NDArray[numpy.float64]"),
           "Joint-space inertia matrix M(q), (n, n), symmetric, kg m^2 (kg m, kg with prismatic joints). A read-only "
           "view: valid until the next update.");
  c.def_ro("C", &PyDynamics::C, nb::sig("def C(self) -> numpy.typing.NDArray[numpy.float64]"),
           "Coriolis and centrifugal matrix C(q, v), (n, n): Mdot - 2 C is skew-symmetric. A read-only view: valid "
           "until the next update.");
  c.def_ro("g", &PyDynamics::g, nb::sig("def g(self) -> numpy.typing.NDArray[numpy.float64]"),
           "Gravity torque g(q), (n,), N m or N: it holds the robot at rest. A read-only view: valid until the next "
           "update.");
  c.def_ro("h", &PyDynamics::h, nb::sig("def h(self) -> numpy.typing.NDArray[numpy.float64]"),
           "h = C v + g, (n,), N m or N. A read-only view: valid until the next update.");
  c.def_ro("q", &PyDynamics::q, nb::sig("def q(self) -> numpy.typing.NDArray[numpy.float64]"),
           "Positions of the last update, zero before the first one. A read-only view.");
  c.def_ro("v", &PyDynamics::v, nb::sig("def v(self) -> numpy.typing.NDArray[numpy.float64]"),
           "Rates of the last update, zero before the first one. A read-only view.");
}

void bind_equations(Class& c) {
  c.def(
      "inverse", &PyDynamics::inverse, nb::arg("a").none(),
      nb::sig("def inverse(self, a: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
      "tau = M a + C v + g at the state of the last update, (n,), N m or N, for accelerations a in rad/s^2 or m/s^2.");
  c.def("forward", &PyDynamics::forward, nb::arg("tau").none(),
        nb::sig("def forward(self, tau: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
        "a from M a = tau - C v - g at the state of the last update, (n,), rad/s^2 or m/s^2. Raises ModelError, naming "
        "the joint, where M is singular.");
  c.def(
      "minv", &PyDynamics::minv, nb::sig("def minv(self) -> numpy.typing.NDArray[numpy.float64]"),
      "The inverse of M at the state of the last update, (n, n), symmetric. Raises ModelError, naming the joint, where "
      "M is singular.");
}

constexpr const char* array_of = " -> numpy.typing.NDArray[numpy.float64]";

void bind_derivatives(nb::module_& m, Class& c) {
  nb::class_<InverseDerivatives>(m, "InverseDerivatives", "Of tau = M a + C v + g; (n, n) each, row i of torque i.")
      .def_ro("dtau_dq", &InverseDerivatives::dtau_dq, "dtau/dq, N m/rad (N/m, ..).")
      .def_ro("dtau_dv", &InverseDerivatives::dtau_dv, "dtau/dv, N m s/rad (N s/m, ..).")
      .def_ro("dtau_da", &InverseDerivatives::dtau_da, "dtau/da = M.");
  nb::class_<ForwardDerivatives>(m, "ForwardDerivatives",
                                 "Of qdd = M^-1 (tau - C v - g); (n, n) each, row i of acceleration i.")
      .def_ro("qdd", &ForwardDerivatives::qdd, "The acceleration itself, (n,).")
      .def_ro("dqdd_dq", &ForwardDerivatives::dqdd_dq, "dqdd/dq, 1/s^2.")
      .def_ro("dqdd_dv", &ForwardDerivatives::dqdd_dv, "dqdd/dv, 1/s.")
      .def_ro("dqdd_dtau", &ForwardDerivatives::dqdd_dtau, "dqdd/dtau = M^-1.");
  c.def("derivatives", &PyDynamics::derivatives, nb::arg("a").none(),
        nb::sig("def derivatives(self, a: numpy.typing.ArrayLike) -> InverseDerivatives"),
        "dtau_dq and dtau_dv of the inverse dynamics tau = M a + C v + g at the state of the last update and a, "
        "analytic. They include armature if the model has it, but no friction.");
  c.def("forward_derivatives", &PyDynamics::forward_derivatives, nb::arg("tau").none(),
        nb::sig("def forward_derivatives(self, tau: numpy.typing.ArrayLike) -> ForwardDerivatives"),
        "dqdd_dq, dqdd_dv and dqdd_dtau of the forward dynamics at the state of the last update and tau, analytic. "
        "Raises "
        "ModelError, naming the joint, where M is singular.");
  static const std::string regressor = std::string("def regressor(self, a: numpy.typing.ArrayLike)") + array_of;
  c.def(
      "regressor", &PyDynamics::regressor, nb::arg("a").none(), nb::sig(regressor.c_str()),
      R"(Y(q, v, a), (n, 10 bodies), with Y p = tau = M a + C v + g: the dynamics are linear in the bodies' parameters p.

Bodies are those of Model.bodies, in that order. The ten of a body: m, m c_x, m c_y, m c_z, I_xx, I_xy, I_yy, I_xz, I_yz,
I_zz, about the origin and in the axes of the URDF frame of the link that its joint moves; kg, kg m, kg m^2.)");
  c.def_prop_ro("parameters", &PyDynamics::parameters,
                nb::sig("def parameters(self) -> numpy.typing.NDArray[numpy.float64]"),
                "p, (10 bodies,), of the model as it is now: regressor(a) @ p is inverse(a).");
}

void bind_frames(nb::module_& m, Class& c) {
  nb::class_<FrameAnswer>(
      m, "Frame",
      "A link's frame at one state, in base axes; a twist is (linear velocity of the frame's origin; "
      "angular velocity).")
      .def_ro("p", &FrameAnswer::p, "Position of the frame's origin in the base frame, (3,), m.")
      .def_ro("R", &FrameAnswer::R, "Rotation from the frame to the base, (3, 3): its columns are the frame's axes.")
      .def_ro("twist", &FrameAnswer::twist, "J v, (6,), m/s and rad/s.")
      .def_ro("J", &FrameAnswer::J, "Jacobian, (6, n): J v is the twist.")
      .def_ro("Jdot_v", &FrameAnswer::Jdot_v, "(6,): J a + Jdot_v is the twist's rate, m/s^2 and rad/s^2.")
      .def_ro("Lambda", &FrameAnswer::Lambda,
              "Operational-space inertia (J M^-1 J^T)^-1, (6, 6); None where the frame is singular.")
      .def_ro("Lambda_error", &FrameAnswer::Lambda_error, "Why Lambda is None, or nothing.");
  c.def("frame", &PyDynamics::frame, nb::arg("link"),
        "Pose, Jacobian, Jdot v and operational-space inertia of the frame of a link, or of a payload, at the state of "
        "the "
        "last update. Raises ModelError, naming near ones, where there is no such link.");
}

void bind_changes(Class& c) {
  const auto zeros = [](size_t count) {
    return nb::tuple(nb::list(nb::module_::import_("itertools").attr("repeat")(0.0, count)));
  };
  c.def(
      "attach", &PyDynamics::attach, nb::arg("name"), nb::arg("link"), nb::arg("mass") = nb::none(),
      nb::arg("com").none() = zeros(3), nb::arg("inertia").none() = zeros(6), nb::arg("xyz").none() = zeros(3),
      nb::arg("rpy").none() = zeros(3), nb::arg("urdf") = nb::none(),
      nb::sig("def attach(self, name: str, link: str, mass: float | None = None, com: "
              "collections.abc.Sequence[float] = (0, 0, 0), inertia: collections.abc.Sequence[float] = (0, 0, 0, 0, 0, "
              "0), xyz: collections.abc.Sequence[float] = (0, 0, 0), rpy: collections.abc.Sequence[float] = (0, 0, 0), "
              "urdf: str | os.PathLike | None = None) -> list[str]"),
      R"(Attaches a payload to a link; M, C, g, h are those with it at once. Returns the joints' names.

A rigid one has mass (kg), com (m), and inertia (ixx, ixy, ixz, iyy, iyz, izz about its centre of mass, kg m^2), in the
payload's frame, whose pose in the link is xyz (m) and rpy (rad). A chain with passive joints of its own is a urdf file
or the name of a robot; its joints, called NAME/.., come behind all others in q and start at zero. Arrays that were read
before keep the numbers from before. Raises ModelError with the reason; nothing has changed then.)");
  c.def("detach", &PyDynamics::detach, nb::arg("name"),
        "Detaches a payload. Returns the joints' names. Raises ModelError if there is none of that name.");
  c.def_prop_ro("payloads", &PyDynamics::payloads, "Names of the attached payloads, in the order of attachment.");
  c.def_prop_ro("model", &PyDynamics::model, "The present model, payloads included.");
  c.def_prop_rw("gravity", &PyDynamics::gravity, &PyDynamics::set_gravity,
                nb::for_getter(nb::sig("def gravity(self) -> numpy.typing.NDArray[numpy.float64]")),
                nb::for_setter(nb::sig("def gravity(self, gravity: collections.abc.Sequence[float], /) -> None")),
                "Acceleration of gravity in the base frame, m/s^2; may be set.");
}

template <size_t family>
void bind_choice(Class& c, const char* name, int AlgorithmIndex::*index, std::string Algorithms::*which,
                 const char* doc) {
  c.def_prop_rw(
      name, [index](const PyDynamics& d) { return d.chosen(family, index); },
      [which](PyDynamics& d, const std::string& value) { d.choose(which, value); }, doc);
}

}  // namespace

void bind_dynamics(nb::module_& m) {
  Class c(
      m, "Dynamics",
      "One robot at one state: M, C, g, h, inverse and forward dynamics by the algorithms chosen by name. One object a "
      "thread.");
  c.def(
      "__init__",
      [](PyDynamics* self, const RobotModel& model, const std::optional<std::string>& jsim,
         const std::optional<std::string>& coriolis, const std::optional<std::string>& forward,
         const std::optional<std::string>& inverse) {
        new (self)
            PyDynamics(model, {jsim.value_or(""), coriolis.value_or(""), forward.value_or(""), inverse.value_or("")});
      },
      nb::arg("model"), nb::arg("jsim") = nb::none(), nb::arg("coriolis") = nb::none(), nb::arg("forward") = nb::none(),
      nb::arg("inverse") = nb::none(),
      "Algorithms by the names that algorithms() lists; None: the fastest that fits. The state is zero at first.");
  bind_terms(c);
  bind_equations(c);
  bind_frames(m, c);
  bind_derivatives(m, c);
  bind_changes(c);
  bind_choice<0>(c, "jsim", &AlgorithmIndex::jsim, &Algorithms::jsim, "The algorithm for M; may be set.");
  bind_choice<1>(c, "coriolis", &AlgorithmIndex::coriolis, &Algorithms::coriolis, "The algorithm for C; may be set.");
  bind_choice<2>(c, "forward_algorithm", &AlgorithmIndex::forward, &Algorithms::forward,
                 "The algorithm for forward(tau); may be set.");
  bind_choice<3>(c, "inverse_algorithm", &AlgorithmIndex::inverse, &Algorithms::inverse,
                 "The algorithm for inverse(a); may be set.");
  c.def("__repr__", &repr);
}

}  // namespace dyn::python
