// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A controller with a state and a reference that tests set as they like, cycle by cycle.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "dyn_core/control/controller.hpp"
#include "live/arm.hpp"

namespace dyn::control {

inline constexpr double period_s = 1e-3;

// Without prediction, so that the expected torque is a formula of state and reference; any acceleration of the
// reference is allowed.
inline Parameters plain_parameters(int coordinates = 3) {
  Parameters p;
  p.gains.assign(coordinates, {400.0, 40.0, 0.0, 0.0});
  p.prediction = 0.0;
  p.state_timeout_s = 0.0;  // most tests set the torque against a state that they leave where it is
  p.acceleration_limit.assign(coordinates, 1e9);
  return p;
}

enum class References : std::uint8_t { any, limited };  // whether the URDF's limits of positions and velocities count

struct Rig {
  explicit Rig(const RobotDescription& robot = test::small_arm(), const Parameters& parameters = plain_parameters(),
               const std::vector<std::string>& passive_joints = {}, References references = References::any)
      : live(robot, options()),
        controller(live, actuation(*live.newest_model(), passive_joints, references), parameters, period_s),
        robot_n(live.robot_coordinates()) {
    const size_t n = live.max_coordinates();
    for (auto* x : {&q, &v, &ref_q, &ref_v, &ref_a}) x->assign(n, 0.0);
    effort.assign(n, std::numeric_limits<double>::quiet_NaN());
    for (size_t i = 0; i < robot_n; ++i) q[i] = ref_q[i] = 0.3 + 0.4 * static_cast<double>(i);
  }
  static live::LiveOptions options() {
    live::LiveOptions o;
    o.max_payload_dofs = 2;
    return o;
  }
  static Actuation actuation(const Model& model, const std::vector<std::string>& passive_joints,
                             References references) {
    Actuation what = Actuation::from_model(model, passive_joints);
    what.payload_link = model.description().links.back().name;
    if (references == References::limited) return what;
    const size_t n = what.lower.size();
    what.lower.assign(n, -MotionLimits::none);
    for (auto* limit : {&what.upper, &what.velocity_limit}) limit->assign(n, MotionLimits::none);
    return what;
  }

  CycleReport step() {
    if (!active) controller.activate({q, v});
    active = true;
    return controller.step({q, v}, {ref_q, ref_v, ref_a, fresh}, effort);
  }
  CycleReport steps(int count) {
    for (int k = 1; k < count; ++k) (void)step();
    return step();
  }
  // M, C and g of the controller's model at the state.
  [[nodiscard]] Dynamics model() const {
    Dynamics dynamics(live.newest_model());
    const size_t n = dynamics.model().coordinates();
    (void)dynamics.update(std::span(q.data(), n), std::span(v.data(), n));
    return dynamics;
  }
  // The torque for an acceleration at the state.
  [[nodiscard]] std::vector<double> torque_for(const std::vector<double>& a) const {
    Dynamics dynamics = model();
    std::vector<double> tau(a.size());
    dynamics.inverse(a, tau);
    return tau;
  }
  [[nodiscard]] std::vector<double> gravity() const {
    const Dynamics dynamics = model();
    return {dynamics.g().data(), dynamics.g().data() + dynamics.g().size()};
  }

  live::LiveModel live;
  Controller controller;
  size_t robot_n;
  std::vector<double> q, v, ref_q, ref_v, ref_a, effort;
  bool fresh = true;
  bool active = false;
};

}  // namespace dyn::control
