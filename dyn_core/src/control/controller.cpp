// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Construction, and parameters and limits from other threads. The loop's part is in cycle.cpp.
#include "dyn_core/control/controller.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

#include "control/cycle.hpp"
#include "dyn_core/control/payload_check.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::control {
namespace {

Terms make_terms(int n) {
  const std::vector<double> zero(n, 0.0);
  return {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
}

// With a rotor for each joint of a payload (model/rotors.hpp).
int most_bodies(const live::LiveModel& live) {
  return live.newest_model()->bodies() + 2 * (live.max_coordinates() - live.robot_coordinates());
}

void check_adaptation(const Model& model, const Actuation& actuation, const Parameters& parameters, double period_s) {
  if (parameters.law != Law::adaptive) return;
  const double highest = highest_adaptation_gain(model, actuation, parameters, period_s);
  if (parameters.adaptation_gain <= highest) return;
  std::ostringstream text;
  text.precision(3);
  text << "adaptation_gain: " << parameters.adaptation_gain << " 1/J is too much for a period of " << period_s
       << " s and the heaviest payload that the arm can hold: at most " << highest << " 1/J";
  throw ModelError(text.str());
}

}  // namespace

Actuation Actuation::from_model(const Model& model, const std::vector<std::string>& passive_joints) {
  Actuation a;
  for (const auto& name : passive_joints) {
    bool known = false;
    for (const Joint& joint : model.joints()) known = known || joint.description.name == name;
    if (!known) throw ModelError("passive_joints: the robot has no joint '" + name + "'");
  }
  for (const Joint& joint : model.joints()) {
    const JointDescription& d = joint.description;
    if (d.payload != 0) continue;
    bool is_passive = false;
    for (const auto& name : passive_joints) is_passive = is_passive || name == d.name;
    for (int k = 0; k < joint.degrees; ++k) {
      a.actuated.push_back(!is_passive);
      a.followed.push_back(false);
      a.continuous.push_back(d.type == JointType::continuous);
      a.effort_limit.push_back(d.limits ? d.limits->effort : MotionLimits::none);
      a.velocity_limit.push_back(d.limits ? d.limits->velocity : MotionLimits::none);
      const bool bounded = d.limits && d.limits->has_position;
      a.lower.push_back(bounded ? std::max(d.limits->lower, d.limits->soft_lower) : -MotionLimits::none);
      a.upper.push_back(bounded ? std::min(d.limits->upper, d.limits->soft_upper) : MotionLimits::none);
      a.friction.push_back(joint_friction(d));
    }
  }
  return a;
}

double effort_limit(const Actuation& actuation, const Parameters& parameters, size_t coordinate) noexcept {
  const double given = parameters.effort_limit.empty() ? 0.0 : parameters.effort_limit[coordinate];
  return given > 0.0 ? std::min(given, actuation.effort_limit[coordinate]) : actuation.effort_limit[coordinate];
}

CycleState::CycleState(int max_n, int max_bodies)
    : watch(max_n),
      limiters(max_n),
      M_last(max_n * max_n),
      terms(make_terms(max_n)),
      commands(max_n),
      payload(max_bodies),
      task(max_n),
      observer(max_n) {
  for (auto* x :
       {&given_q,       &given_v,     &given_a,   &followed_q,   &followed_v,      &followed_a,    &ref_q,
        &ref_v,         &ref_a,       &ref_now_q, &ref_now_v,    &ref_now_a,       &last_ref_a,    &passing,
        &wanted_by_a,   &wanted_by_v, &q_hat,     &v_hat,        &v_seen,          &bias_last,     &gravity_last,
        &diagonal_last, &offset_q,    &offset_v,  &offset_a,     &wanted_a,        &integral,      &integral_term,
        &pid,           &sliding_v,   &a_command, &motor_effort, &momentum_before, &momentum_step, &effort_last}) {
    x->assign(max_n, 0.0);
  }
  friction_before.resize(max_n);
}

Controller::Impl::Impl(live::LiveModel& live_model, Actuation what, const Parameters& first, double cycle_s)
    : CycleState(live_model.max_coordinates(), most_bodies(live_model)),
      live(live_model),
      actuation(what),
      period_s(cycle_s),
      max_n(live_model.max_coordinates()),
      robot_n(live_model.robot_coordinates()),
      joint_keys(max_n),
      newest{std::move(what), first, live_model.newest_model()->coordinate_names(), {}},
      passive(max_n),
      feedback_scale(max_n),
      slow_gains(max_n),
      motion_limits(max_n),
      velocity_guard(max_n),
      robot_inertia(max_n),
      inverse_inertias(max_n),
      column(max_n),
      anti_swing(most_bodies(live_model), max_n),
      task_law(max_n),
      before_warm_up(max_n, most_bodies(live_model)),
      carried(max_n),
      values_before(max_n),
      limiters_before(max_n),
      commands_before(max_n),
      friction_carried(max_n) {
  for (auto* x : {&inputs.q, &inputs.v, &inputs.ref_q, &inputs.ref_v, &inputs.ref_a}) x->assign(max_n, 0.0);
  check_has_mass(*live.newest_model());
  newest.place = payload_place = find_payload_link(newest.actuation, *live.newest_model());
  check(first, newest.actuation, newest.names, newest.place);
  std::iota(joint_keys.begin(), joint_keys.end(), 0);  // as the live model gives them to the first joints
  parameters = lockfree::Owned<Parameters>::make(first);
  payload.reset(first.adaptation_mass_kg, first.adaptation_radius_m);
}

PayloadPlace Controller::Impl::find_payload_link(const Actuation& what, const Model& model) {
  if (what.payload_link.empty()) return {};
  const Link* const link = model.find_link(what.payload_link);
  if (link == nullptr) throw ModelError("payload_link: the robot has no link '" + what.payload_link + "'");
  if (link->body < 0) throw ModelError("payload_link: '" + what.payload_link + "' does not move");
  const Tree& tree = model.tree();
  const int coordinate = tree.coordinate[link->body];
  int number = 0;
  while (body_of(tree, coordinate, number) != link->body) ++number;
  return {coordinate, number, link->body_T_link};
}

void Controller::Impl::check(const Parameters& candidate, const Actuation& what, const std::vector<std::string>& names,
                             const PayloadPlace& place) const {
  const int coordinates = static_cast<int>(names.size());
  if (const auto fault = find_fault(candidate, coordinates); !fault.empty()) throw ModelError(fault);
  if (candidate.law == Law::adaptive && place.coordinate < 0) {
    throw ModelError("law adaptive: it learns a payload, and payload_link does not say where");
  }
  if (what.actuated.size() < names.size()) {
    throw ModelError("limits of " + std::to_string(what.actuated.size()) + " joints were given, and the robot has " +
                     std::to_string(names.size()));
  }
  DYN_EXPECTS(what.entries.empty() || what.entries.size() == names.size());
  for (int i = 0; i < coordinates; ++i) {
    const bool driven = what.actuated[i] && !what.followed[i];
    if (!driven || std::isfinite(effort_limit(what, candidate, i))) continue;
    const std::string& joint = names[i];
    throw ModelError("joint '" + joint +
                     "' has no effort limit: give it one by <limit effort=\"...\"> in the URDF or by " +
                     "the parameter effort_limit." + joint);
  }
}

Controller::Controller(live::LiveModel& live, Actuation actuation, const Parameters& parameters, double period_s)
    : impl_(std::make_unique<Impl>(live, std::move(actuation), parameters, period_s)) {
  if (!(period_s > 0.0 && period_s < 1.0)) {
    throw ModelError("period: " + std::to_string(period_s) + " s is not between 0 and 1 s");
  }
  check_adaptation(*live.newest_model(), impl_->actuation, parameters, period_s);
}
Controller::~Controller() = default;

void Controller::set_parameters(const Parameters& parameters) {
  realtime::forbid("Controller::set_parameters");
  const std::scoped_lock change(impl_->changes);
  check_parameters(parameters);
  impl_->fresh_parameters.publish(impl_->make_newest(parameters));
}

lockfree::Owned<Parameters> Controller::ready(const Parameters& parameters) const {
  realtime::forbid("Controller::ready");
  const std::scoped_lock change(impl_->changes);
  check_parameters(parameters);
  return impl_->make_newest(parameters);
}

lockfree::Owned<Parameters> Controller::Impl::make_newest(const Parameters& candidate) {
  const std::scoped_lock lock(writers);
  newest.parameters = candidate;
  newest.parameters.version = ++versions;
  return lockfree::Owned<Parameters>::make(newest.parameters);
}

void Controller::check_parameters(const Parameters& parameters) const {
  const auto model = impl_->live.newest_model();
  const std::scoped_lock lock(impl_->writers);
  impl_->check(parameters, impl_->newest.actuation, impl_->newest.names, impl_->newest.place);
  check_adaptation(*model, impl_->newest.actuation, parameters, impl_->period_s);
}

void Controller::apply(lockfree::Owned<Parameters> parameters) noexcept {
  const realtime::Scope scope("Controller::apply");
  if (parameters->version > impl_->parameters->version) std::swap(impl_->parameters, parameters);
  impl_->fresh_parameters.retire(std::move(parameters));
}

void Controller::check_limits(const Actuation& actuation) const {
  const std::scoped_lock lock(impl_->writers);
  impl_->check(impl_->newest.parameters, actuation, impl_->newest.names, impl_->newest.place);
}

void Controller::set_limits(const Actuation& actuation) {
  realtime::forbid("Controller::set_limits");
  const std::scoped_lock change(impl_->changes);
  check_limits(actuation);
  const std::scoped_lock lock(impl_->writers);
  impl_->newest.actuation = actuation;
  impl_->newest.actuation.version = ++impl_->versions;
  impl_->fresh_actuation.publish(lockfree::Owned<Actuation>::make(impl_->newest.actuation));
}

live::Applied Controller::replace_joints(const Model& robot, const CoordinateMap& map, const Actuation& actuation,
                                         const Parameters& parameters, double transition_time_s,
                                         live::LiveModel::Change* later) {
  realtime::forbid("Controller::replace_joints");
  const PayloadPlace place = Impl::find_payload_link(actuation, robot);
  const std::scoped_lock change(impl_->changes);
  Newest fresh{actuation, parameters, robot.coordinate_names(), place};
  {
    const std::scoped_lock lock(impl_->writers);
    impl_->check(parameters, actuation, fresh.names, place);
    fresh.actuation.version = fresh.parameters.version = ++impl_->versions;
    std::swap(impl_->newest, fresh);
  }
  auto settings = std::make_shared<const RobotSettings>(impl_->newest.actuation, impl_->newest.parameters, place);
  try {
    return impl_->live.replace_joints(robot.description(), map, transition_time_s, later, std::move(settings));
  } catch (...) {
    const std::scoped_lock lock(impl_->writers);
    std::swap(impl_->newest, fresh);
    throw;
  }
}

const StateInput& Controller::state() const noexcept { return impl_->state; }
bool Controller::has_entries() const noexcept { return !impl_->actuation.entries.empty(); }
size_t Controller::entry_of(size_t coordinate) const noexcept { return impl_->entry_of(static_cast<int>(coordinate)); }
const TaskCycle& Controller::task() const noexcept { return impl_->task.cycle; }
live::Generation* Controller::last_generation() const noexcept { return impl_->last_good; }
double Controller::prediction() const noexcept { return impl_->parameters->prediction; }
double Controller::effort_bound(size_t coordinate) const noexcept {
  const int i = static_cast<int>(coordinate);
  return i < impl_->robot_n ? impl_->effort_bound(i) : 0.0;
}

double Controller::moving_effort(size_t coordinate) const noexcept {
  return impl_->moving_effort(static_cast<int>(coordinate));
}

void Controller::collect() {
  impl_->fresh_parameters.collect();
  impl_->fresh_actuation.collect();
}

void Controller::set_sample_ring(live::SampleRing* ring) noexcept { impl_->ring = ring; }
FollowedReference Controller::reference() const noexcept {
  const size_t own = impl_->robot_n;
  return {{impl_->followed_q.data(), own}, {impl_->followed_v.data(), own}, {impl_->followed_a.data(), own}};
}
const Terms& Controller::terms() const noexcept { return impl_->terms; }
BodyInertia Controller::estimated_payload() const noexcept { return impl_->payload.inertia(); }

}  // namespace dyn::control
