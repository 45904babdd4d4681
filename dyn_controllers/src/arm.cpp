// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/arm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "dyn_controllers/handles.hpp"
#include "dyn_controllers/make_live_model.hpp"
#include "dyn_controllers/parameter_conversion.hpp"
#include "dyn_core/control/payload_check.hpp"
#include "dyn_core/model/urdf.hpp"
#include "hardware_interface/types/hardware_interface_type_values.hpp"

namespace dyn_controllers {
namespace {

using dyn::ModelError;
using Mode = dyn::control::CycleReport::Mode;

// Those of passive_joints that the robot has; the others may come with payloads.
std::vector<std::string> own_passive_joints(const dyn::Model& robot, const std::vector<std::string>& passive) {
  std::vector<std::string> own;
  for (const dyn::Joint& joint : robot.joints()) {
    const std::string& name = joint.description.name;
    if (std::find(passive.begin(), passive.end(), name) != passive.end()) own.push_back(name);
  }
  return own;
}

// Also where nothing is validated.
void check_fallback(const std::string& algorithm) {
  try {
    (void)dyn::AlgorithmIndex::find_jsim(algorithm);
  } catch (const ModelError& fault) {
    const std::string why = fault.what();
    throw ModelError("validation.fallback" + why.substr(why.find(':')));
  }
}

}  // namespace

Arm::Arm(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node, ControllerJointNumbers& numbers,
         const std::string& urdf, dyn::control::Law law, const parameters::Params& params, double period_s)
    : numbers_(numbers),
      law_(law),
      urdf_(urdf),
      frame_(params.frame),
      state_publish_rate_(params.state_publish_rate),
      period_s_(period_s),
      payload_link_(params.payload_link),
      passive_joints_(params.passive_joints),
      model_options_(live_options(params).model),
      joints_(params.joints),
      command_names_(params.command_interfaces),
      params_(params),
      lead_by_mode_(params.reference_lead < 0.0),
      holds_gravity_(params.gravity_compensation == "full"),
      reference_timeout_s_(params.reference_timeout),
      drive_adds_gravity_(params.gravity_compensation == "hardware"),
      base_sensor_(params.base_orientation),
      world_gravity_(gravity(params)) {
  check_fallback(params.validation.fallback);
  dyn::live::LiveOptions options = live_options(params);
  options.max_payload_dofs = static_cast<int>(params.max_payload_dofs);
  const std::string wrench_frame =
      urdf.empty() ? "" : observed_frame(params, dyn::parse_urdf(urdf, "robot_description"));
  if (!frame_.empty()) options.frames = {frame_};
  const bool named = !params.external_wrench.frame.empty();
  if (!wrench_frame.empty() && wrench_frame != frame_) {
    (named ? options.frames : options.payload_frames).push_back(wrench_frame);  // every robot must have what is named
  }
  live_ = make_live_model(urdf, numbers.armature, options, node->get_logger());
  const auto model = live_->newest_model();
  coordinate_names_ = model->coordinate_names();
  const std::vector<std::string> passive = own_passive_joints(*model, params.passive_joints);
  for (const std::string& name : params.passive_joints) {
    if (std::find(passive.begin(), passive.end(), name) == passive.end()) payload_joints_.push_back(name);
  }
  if (static_cast<std::int64_t>(payload_joints_.size()) > params.max_payload_dofs) {
    throw ModelError("passive_joints: the robot has no joint '" + payload_joints_.front() +
                     "', and max_payload_dofs is too small for it to be a payload's");
  }
  dyn::control::check_has_mass(*model);
  const std::vector<int> controlled = controlled_coordinates(*model, params);
  for (const int i : controlled) controlled_.push_back(i);
  if (law == dyn::control::Law::task_space) check_frame(*model);
  entries_ = entries_of(*model);
  actuation_ = actuation_of(*model);
  present_ = std::make_unique<dyn::lockfree::Latest<std::vector<char>>>(std::vector<char>(coordinate_names_.size(), 1));
  for (size_t i = 0; i < actuation_.followed.size(); ++i) {
    if (actuation_.followed[i]) followed_.push_back(i);
  }
  for (const std::string& name : params.command_interfaces) {
    commands_.push_back(name == hardware_interface::HW_IF_POSITION   ? Command::position
                        : name == hardware_interface::HW_IF_VELOCITY ? Command::velocity
                                                                     : Command::effort);
  }
  const size_t n = live_->max_coordinates();
  for (auto* x :
       {&q_, &v_, &ref_q_, &ref_v_, &ref_a_, &followed_q_, &followed_v_, &followed_a_, &braking_, &effort_, &acting_}) {
    x->assign(n, 0.0);
  }
  coordinate_of_.assign(n, -1);
  posture_ = std::make_unique<dyn::lockfree::Latest<Posture>>(Posture{.q = std::vector<double>(states())});
  read_limits();
  const dyn::control::Parameters first = converted(params, entries_);
  controller_ = std::make_unique<dyn::control::Controller>(*live_, actuation_, first, period_s);
  terms_ = controller_->terms();
  check_payloads_by(first, params);
  if (params.validation.mode != "off") validation_ = std::make_unique<Validation>(*node, *live_, params, period_s);
  std::vector<std::string> frames = options.frames;
  frames.insert(frames.end(), options.payload_frames.begin(), options.payload_frames.end());
  observation_ = std::make_unique<ArmObservation>(*node, frame_to_observe(*model, frames, wrench_frame), params,
                                                  live_->max_coordinates(), period_s);
  show_numbers();
}

dyn::control::Actuation Arm::actuation_of(const dyn::Model& model) const {
  auto actuation = dyn::control::Actuation::from_model(model, own_passive_joints(model, passive_joints_));
  const std::vector<int> entries = entries_of(model);
  const bool all_in_order =  // no entry is there twice
      entries.size() == coordinate_names_.size() && std::is_sorted(entries.begin(), entries.end());
  if (!all_in_order) {
    actuation.entries = entries;
    actuation.payload_entry = static_cast<int>(coordinate_names_.size());
  }
  for (size_t i = 0; i < actuation.actuated.size(); ++i) {
    const size_t entry = entries[i];
    const bool ours = std::find(controlled_.begin(), controlled_.end(), entry) != controlled_.end();
    actuation.followed[i] = !ours && actuation.actuated[i];
  }
  actuation.payload_link = payload_link_;
  return actuation;
}

// The user's limit in addition to the URDF's; 0: none.
void Arm::read_limits() {
  for (auto* x : {&given_effort_limit_, &given_acceleration_limit_}) x->assign(coordinate_names_.size(), 0.0);
  for (size_t k = 0; k < joints_.size(); ++k) {
    given_effort_limit_[controlled_[k]] = numbers_.effort_limit.of(joints_[k], 0.0);
    given_acceleration_limit_[controlled_[k]] = numbers_.acceleration_limit.of(joints_[k], 0.0);
  }
}

void Arm::show_numbers() {
  std::map<std::string, double> effort, acceleration;
  for (size_t k = 0; k < joints_.size(); ++k) {
    effort[joints_[k]] = given_effort_limit_[controlled_[k]];
    acceleration[joints_[k]] = given_acceleration_limit_[controlled_[k]];
  }
  numbers_.effort_limit.show(effort);
  numbers_.acceleration_limit.show(acceleration);
  numbers_.armature.show_of(live_->newest_model()->description());
}

std::vector<std::string> Arm::all_coordinate_names() const {
  std::vector<std::string> names = coordinate_names_;
  names.insert(names.end(), payload_joints_.begin(), payload_joints_.end());
  return names;
}

std::vector<std::string> Arm::state_interfaces() const {
  std::vector<std::string> names;
  for (const char* interface : {hardware_interface::HW_IF_POSITION, hardware_interface::HW_IF_VELOCITY}) {
    for (const std::string& joint : all_coordinate_names()) names.push_back(joint + '/' + interface);
  }
  for (const char* axis : {"x", "y", "z", "w"}) {
    if (base_moves()) names.push_back(base_sensor_ + "/orientation." + axis);
  }
  return names;
}

std::vector<std::string> Arm::command_interfaces() const {
  std::vector<std::string> names;
  for (const std::string& interface : command_names_) {
    for (const std::string& joint : joints_) names.push_back(joint + '/' + interface);
  }
  return names;
}

// For the robot with these entries.
dyn::control::Parameters Arm::converted(const parameters::Params& params, const std::vector<int>& entries) const {
  const std::vector<int> controlled(controlled_.begin(), controlled_.end());
  dyn::control::Parameters all =
      control_parameters(params, law_, controlled, static_cast<int>(coordinate_names_.size()));
  all.effort_limit = given_effort_limit_;
  all.acceleration_limit = given_acceleration_limit_;
  if (const auto fault = dyn::control::find_fault(all, live_->robot_coordinates()); !fault.empty()) {
    throw ModelError(fault);
  }
  const auto choose = [&entries](auto& values) {
    if (values.empty()) return;
    const auto of_all = values;
    values.clear();
    for (const int entry : entries) values.push_back(of_all[entry]);
  };
  choose(all.gains);
  choose(all.effort_limit);
  choose(all.acceleration_limit);
  choose(all.task.posture);
  return all;
}

void Arm::check_parameters(const parameters::Params& params) const {
  const std::scoped_lock lock(writers_);
  check(params);
}

void Arm::check(const parameters::Params& params) const {
  controller_->check_parameters(converted(params, entries_));
  (void)gravity(params);
  (void)dyn::AlgorithmIndex::find_jsim(params.jsim_algorithm);
  (void)dyn::AlgorithmIndex::find_coriolis(params.coriolis_algorithm);
}

void Arm::set_parameters(const parameters::Params& params) {
  const std::scoped_lock lock(writers_);
  check(params);
  const auto fresh = converted(params, entries_);
  if (params.jsim_algorithm != params_.jsim_algorithm) live_->set_jsim(params.jsim_algorithm);
  if (params.coriolis_algorithm != params_.coriolis_algorithm) live_->set_coriolis(params.coriolis_algorithm);
  if (params.gravity != params_.gravity) {
    live_->set_gravity(gravity(params));
    world_gravity_.back() = gravity(params);
    world_gravity_.publish();
  }
  reference_timeout_s_.store(params.reference_timeout, std::memory_order_relaxed);
  lead_by_mode_.store(params.reference_lead < 0.0, std::memory_order_relaxed);
  holds_gravity_.store(params.gravity_compensation == "full", std::memory_order_relaxed);
  controller_->set_parameters(fresh);
  if (params.gravity != params_.gravity || params.gravity_compensation != params_.gravity_compensation ||
      params.friction_compensation != params_.friction_compensation) {
    drive_adds_gravity_.store(params.gravity_compensation == "hardware", std::memory_order_relaxed);
    conditions_.fetch_add(1, std::memory_order_relaxed);
  }
  observation_->set_parameters(params);
  check_payloads_by(fresh, params);
  params_ = params;
}

// Parsing and parameters come before the lock, since a parameter callback takes it too.
std::string Arm::replace_description(const std::string& urdf) {
  {
    const std::scoped_lock lock(writers_);
    if (urdf == urdf_) return {};
  }
  const dyn::RobotDescription robot = described(urdf, numbers_.armature);
  dyn::live::Applied applied;
  {
    const std::scoped_lock lock(writers_);
    applied = live_->replace_robot(robot, params_.description_transition);
    actuation_ = actuation_of(*live_->newest_model());
    actuation_.friction_transition_s = params_.description_transition;
    controller_->set_limits(actuation_);
    check_payloads_by(converted(params_, entries_), params_);
    urdf_ = urdf;
  }
  numbers_.armature.show_of(robot);
  std::string text = "a new robot_description is used from generation " + std::to_string(applied.generation) + " on";
  for (const std::string& warning : applied.warnings) text += "; " + warning;
  return text;
}

// Coordinates of payloads come after the robot's, in the order of attachment; the loop reads their states in the order
// of passive_joints.
void Arm::refuse_payload_without_state(const dyn::Model& model) const {
  const auto& names = model.coordinate_names();
  const size_t own = entries_of(model).size();
  for (size_t i = own; i < names.size(); ++i) {
    const size_t k = i - own;
    if (k < payload_joints_.size() && payload_joints_[k] == names[i]) continue;
    throw ModelError("joint '" + names[i] + "' of the payload has no state source: entry " + std::to_string(k + 1) +
                     " of the payloads' joints in passive_joints is " +
                     (k < payload_joints_.size() ? '\'' + payload_joints_[k] + '\'' : std::string("missing")));
  }
}

// Refuses a description that leaves a driven joint without an effort limit, a payload whose joints have no state
// source, and a payload that the arm cannot carry in its present posture, or where that is not known in any; warns of
// one that it could not carry in others. The live model calls this under its writers' mutex, which thereby also guards
// what is read here.
void Arm::check_payloads_by(const dyn::control::Parameters& control, const parameters::Params& params) {
  live_->set_check([this, control, actuation = actuation_, gravity_mps2 = gravity(params)](
                       const dyn::Model& before, const dyn::Model& after, const dyn::Payload* attached) {
    refuse_payload_without_state(after);
    controller_->check_limits(actuation_of(after));
    if (attached == nullptr) return std::vector<std::string>{};
    (void)posture_->take();
    const Posture& now = posture_->front();
    const dyn::Vec3d& g_mps2 = base_moves() && now.known ? now.gravity_mps2 : gravity_mps2;
    return dyn::control::check_payload(before, *attached, posture_of(before, now), g_mps2, actuation, control);
  });
}

void Arm::read(const std::vector<hardware_interface::LoanedStateInterface>& interfaces) noexcept {
  (void)present_->take();
  const size_t n = coordinate_names_.size() + payload_joints_.size();
  for (size_t i = 0; i < n; ++i) q_[i] = value_of(interfaces[i]);
  for (size_t i = 0; i < n; ++i) v_[i] = value_of(interfaces[n + i]);
  for (const size_t i : followed_) {
    ref_q_[i] = q_[i];
    ref_v_[i] = v_[i];
  }
  if (base_moves()) read_base(interfaces, 2 * n);
  if (!is_active(activation())) note_payloads(live_->acquire(0.0));  // attached since it was active
}

void Arm::note_payloads(const dyn::live::Generation& generation) noexcept {
  payload_states_ = generation.model->coordinates() - generation.joint_keys.size();
}

// g_root = R^T g_world, with R the root link's orientation in the sensor's world. Without a valid quaternion gravity is
// unknown, which is a lost state.
void Arm::read_base(const std::vector<hardware_interface::LoanedStateInterface>& interfaces, size_t first) noexcept {
  (void)world_gravity_.take();
  const Eigen::Quaterniond turn(value_of(interfaces[first + 3]), value_of(interfaces[first]),
                                value_of(interfaces[first + 1]), value_of(interfaces[first + 2]));
  const double length = turn.norm();
  const bool sensible = length > 0.9 && length < 1.1;
  if (sensible) gravity_ = turn.normalized().toRotationMatrix().transpose() * world_gravity_.front();
  if (!sensible) gravity_.setConstant(std::numeric_limits<double>::quiet_NaN());
}

bool Arm::state_is_finite() const noexcept {
  double sum = 0.0;  // NaN and infinity survive multiplication by zero
  for (size_t i = 0; i < all_states(); ++i) sum += has(i) ? 0.0 * (q_[i] + v_[i]) : 0.0;
  if (base_moves()) sum += 0.0 * gravity_.sum();
  return sum == 0.0;
}

void Arm::activate() noexcept {
  stepped_ = state_is_lost_ = false;
  for (size_t i = 0; i < coordinate_names_.size(); ++i) {
    ref_q_[i] = followed_q_[i] = q_[i];
    ref_v_[i] = ref_a_[i] = followed_v_[i] = followed_a_[i] = 0.0;
  }
  show_posture();
  activation_.store((activation_.load(std::memory_order_relaxed) + 1) | 1U, std::memory_order_relaxed);
  controller_->activate({q_, v_});
  observation_->begin();
}

void Arm::show_posture() noexcept {
  if (!state_is_finite()) return;
  Posture& posture = posture_->back();
  posture.known = true;
  std::copy_n(q_.begin(), states(), posture.q.begin());
  posture.gravity_mps2 = gravity_;
  posture_->publish();
}

void Arm::set_reference(size_t k, double q, double v, double a) noexcept {
  ref_q_[controlled_[k]] = q;
  ref_v_[controlled_[k]] = v;
  ref_a_[controlled_[k]] = a;
}

void Arm::follow_state() noexcept {
  for (const size_t i : controlled_) {
    ref_q_[i] = q_[i];
    ref_v_[i] = v_[i];
  }
}

dyn::control::CycleReport Arm::step(bool fresh_reference, double elapsed_s) noexcept {
  stepped_ = true;
  show_posture();
  if (validation_) validation_->choose(*controller_);
  const double lead = chained_ && lead_by_mode_.load(std::memory_order_relaxed) ? 1.0 : 0.0;
  auto report = controller_->step({q_, v_, base_moves() ? &gravity_ : nullptr, elapsed_s},
                                  {ref_q_, ref_v_, ref_a_, fresh_reference, nullptr, task_, lead}, effort_);
  const dyn::live::Generation* const generation = controller_->last_generation();
  note_payloads(generation != nullptr ? *generation : live_->acquire(0.0));
  if (controller_->has_entries()) reorder(report);
  const bool lost =
      report.mode == Mode::holding_torque || report.mode == Mode::safe_torque || report.mode == Mode::failed;
  if (lost) {
    brake_reference();
  } else {
    take_followed();
  }
  state_is_lost_ = lost;
  learn(report);
  return report;
}

}  // namespace dyn_controllers
