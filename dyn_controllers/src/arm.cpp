// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/arm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dyn_controllers/handles.hpp"
#include "dyn_controllers/parameter_conversion.hpp"
#include "dyn_core/model/urdf.hpp"
#include "hardware_interface/types/hardware_interface_type_values.hpp"

namespace dyn_controllers {
namespace {

using dyn::ModelError;

// Those of passive_joints that the robot has; the others may come with payloads.
std::vector<std::string> own_passive_joints(const dyn::Model& robot, const std::vector<std::string>& passive) {
  std::vector<std::string> own;
  for (const dyn::Joint& joint : robot.joints()) {
    const std::string& name = joint.description.name;
    if (std::find(passive.begin(), passive.end(), name) != passive.end()) own.push_back(name);
  }
  return own;
}

}  // namespace

Arm::Arm(const rclcpp_lifecycle::LifecycleNode::SharedPtr& node, const std::string& urdf, dyn::control::Law law,
         const parameters::Params& params, double period_s)
    : node_(node),
      law_(law),
      urdf_(urdf),
      joints_(params.joints),
      command_names_(params.command_interfaces),
      params_(params),
      lead_by_mode_(params.reference_lead < 0.0),
      holds_gravity_(params.gravity_compensation == "full"),
      base_sensor_(params.base_orientation),
      world_gravity_(gravity(params)) {
  if (urdf.empty()) throw ModelError("there is no robot_description yet");
  dyn::live::LiveOptions options;
  options.model.gravity_mps2 = gravity(params);
  options.model.armature = true;
  options.algorithms.jsim = params.jsim_algorithm;
  options.algorithms.coriolis = params.coriolis_algorithm;
  options.max_payload_dofs = static_cast<int>(params.max_payload_dofs);
  options.check = [this](const dyn::Model& model) { refuse_payload_without_state(model); };
  live_ = std::make_unique<dyn::live::LiveModel>(described(urdf), options);

  const auto model = live_->newest_model();
  for (const std::string& warning : model->warnings()) RCLCPP_WARN(node->get_logger(), "%s", warning.c_str());
  coordinate_names_ = model->coordinate_names();
  const std::vector<std::string> passive = own_passive_joints(*model, params.passive_joints);
  for (const std::string& name : params.passive_joints) {
    if (std::find(passive.begin(), passive.end(), name) == passive.end()) payload_joints_.push_back(name);
  }
  if (static_cast<std::int64_t>(payload_joints_.size()) > params.max_payload_dofs) {
    throw ModelError("passive_joints: the robot has no joint '" + payload_joints_.front() +
                     "', and max_payload_dofs has no room for it as a payload's");
  }
  dyn::control::Actuation actuation = dyn::control::Actuation::from_model(*model, passive);
  const std::vector<int> controlled = controlled_coordinates(*model, params);
  for (const int i : controlled) controlled_.push_back(static_cast<size_t>(i));
  for (size_t i = 0; i < actuation.actuated.size(); ++i) {
    const bool ours = std::find(controlled_.begin(), controlled_.end(), i) != controlled_.end();
    actuation.followed[i] = !ours && actuation.actuated[i];
    if (actuation.followed[i]) followed_.push_back(i);
  }
  for (const std::string& name : params.command_interfaces) {
    commands_.push_back(name == hardware_interface::HW_IF_POSITION   ? Command::position
                        : name == hardware_interface::HW_IF_VELOCITY ? Command::velocity
                                                                     : Command::effort);
  }
  const auto n = static_cast<size_t>(live_->max_coordinates());
  for (auto* x : {&q_, &v_, &ref_q_, &ref_v_, &ref_a_, &effort_}) x->assign(n, 0.0);
  controller_ = std::make_unique<dyn::control::Controller>(
      *live_, actuation, control_parameters(params, law, controlled, live_->robot_coordinates()), period_s);
  if (params.validation.mode != "off") validation_ = std::make_unique<Validation>(*node, *live_, params, period_s);
}

dyn::RobotDescription Arm::described(const std::string& urdf) const {
  dyn::RobotDescription robot = dyn::parse_urdf(urdf, "robot_description");
  apply_armature(*node_, robot);
  return robot;
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

dyn::control::Parameters Arm::converted(const parameters::Params& params) const {
  const std::vector<int> controlled(controlled_.begin(), controlled_.end());
  return control_parameters(params, law_, controlled, live_->robot_coordinates());
}

void Arm::check_parameters(const parameters::Params& params) const {
  (void)converted(params);
  (void)gravity(params);
  (void)dyn::AlgorithmIndex::find_jsim(params.jsim_algorithm);
  (void)dyn::AlgorithmIndex::find_coriolis(params.coriolis_algorithm);
}

void Arm::set_parameters(const parameters::Params& params) {
  const std::scoped_lock lock(writers_);
  check_parameters(params);
  const auto fresh = converted(params);
  if (params.jsim_algorithm != params_.jsim_algorithm) live_->set_jsim(params.jsim_algorithm);
  if (params.coriolis_algorithm != params_.coriolis_algorithm) live_->set_coriolis(params.coriolis_algorithm);
  if (params.gravity != params_.gravity) {
    live_->set_gravity(gravity(params));
    world_gravity_.back() = gravity(params);
    world_gravity_.publish();
  }
  lead_by_mode_.store(params.reference_lead < 0.0, std::memory_order_relaxed);
  holds_gravity_.store(params.gravity_compensation == "full", std::memory_order_relaxed);
  controller_->set_parameters(fresh);
  params_ = params;
}

std::string Arm::replace_description(const std::string& urdf) {
  const std::scoped_lock lock(writers_);
  if (urdf == urdf_) return {};
  const auto applied = live_->replace_robot(described(urdf), 0.0);
  urdf_ = urdf;
  return "a new robot_description is used from generation " + std::to_string(applied.generation) + " on";
}

// Coordinates of payloads stand behind the robot's, in the order of attachment; the loop reads their states in the
// order of passive_joints.
void Arm::refuse_payload_without_state(const dyn::Model& model) const {
  const auto& names = model.coordinate_names();
  for (size_t i = coordinate_names_.size(); i < names.size(); ++i) {
    const size_t k = i - coordinate_names_.size();
    if (k < payload_joints_.size() && payload_joints_[k] == names[i]) continue;
    throw ModelError("joint '" + names[i] + "' of the payload has no state source: entry " + std::to_string(k + 1) +
                     " of the payloads' joints in passive_joints is " +
                     (k < payload_joints_.size() ? '\'' + payload_joints_[k] + '\'' : std::string("not there")));
  }
}

dyn::live::Applied Arm::attach(const dyn::Payload& payload, double transition_time_s) {
  return live_->attach(payload, transition_time_s);
}

dyn::live::Applied Arm::detach(const std::string& name, double transition_time_s) {
  return live_->detach(name, transition_time_s);
}

void Arm::read(const std::vector<hardware_interface::LoanedStateInterface>& interfaces) noexcept {
  const size_t n = coordinate_names_.size() + payload_joints_.size();
  for (size_t i = 0; i < n; ++i) q_[i] = value_of(interfaces[i]);
  for (size_t i = 0; i < n; ++i) v_[i] = value_of(interfaces[n + i]);
  for (const size_t i : followed_) {
    ref_q_[i] = q_[i];
    ref_v_[i] = v_[i];
  }
  if (base_moves()) read_base(interfaces, 2 * n);
}

// g_root = R^T g_world, with R the root link's orientation in the sensor's world. Without a sensible quaternion gravity
// is not known, which is a lost state.
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
  for (size_t i = 0; i < coordinate_names_.size(); ++i) sum += 0.0 * (q_[i] + v_[i]);
  if (base_moves()) sum += 0.0 * gravity_.sum();
  return sum == 0.0;
}

void Arm::activate() noexcept {
  for (size_t i = 0; i < coordinate_names_.size(); ++i) {
    ref_q_[i] = q_[i];
    ref_v_[i] = ref_a_[i] = 0.0;
  }
  controller_->activate({q_, v_});
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

dyn::control::CycleReport Arm::step(bool fresh_reference) noexcept {
  if (validation_) validation_->choose(*controller_);
  const double lead = chained_ && lead_by_mode_.load(std::memory_order_relaxed) ? 1.0 : 0.0;
  return controller_->step({q_, v_, base_moves() ? &gravity_ : nullptr},
                           {ref_q_, ref_v_, ref_a_, fresh_reference, nullptr, lead}, effort_);
}

double Arm::command(Command what, size_t coordinate) const noexcept {
  switch (what) {
    case Command::position: return ref_q_[coordinate];
    case Command::velocity: return ref_v_[coordinate];
    case Command::effort: return effort_[coordinate];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void Arm::write(std::vector<hardware_interface::LoanedCommandInterface>& interfaces) noexcept {
  size_t next = 0;
  for (const Command what : commands_) {
    for (const size_t i : controlled_) put(interfaces[next++], command(what, i));
  }
}

void Arm::write_rest(std::vector<hardware_interface::LoanedCommandInterface>& interfaces) noexcept {
  const bool holds_gravity = holds_gravity_.load(std::memory_order_relaxed);
  for (const size_t i : controlled_) {
    if (std::isfinite(q_[i])) ref_q_[i] = q_[i];
    ref_v_[i] = 0.0;
    const double gravity = holds_gravity ? terms().gravity[i] : 0.0;
    effort_[i] = std::isfinite(gravity) ? gravity : 0.0;
  }
  write(interfaces);
}

}  // namespace dyn_controllers
