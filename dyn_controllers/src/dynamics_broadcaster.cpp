// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/dynamics_broadcaster.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "dyn_controllers/handles.hpp"
#include "dyn_controllers/joint_entries.hpp"
#include "dyn_controllers/make_live_model.hpp"
#include "dyn_controllers/reported.hpp"
#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

using controller_interface::interface_configuration_type;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

namespace {

// Their states are not claimed.
void refuse_payload_joints(const dyn::Model& model) {
  for (const dyn::Joint& joint : model.joints()) {
    if (joint.description.payload == 0 || joint.degrees == 0) continue;
    throw dyn::ModelError("joint '" + joint.description.name +
                          "' of the payload has no state source: this broadcaster takes rigid payloads only");
  }
}

}  // namespace

controller_interface::CallbackReturn DynamicsBroadcaster::on_init() {
  return reported(get_node()->get_logger(), CallbackReturn::ERROR, [this] {
    listener_ = std::make_shared<broadcaster_parameters::ParamListener>(get_node());
    armature_ = std::make_unique<Armature>(get_node());
  });
}

void DynamicsBroadcaster::set_up() {
  const auto params = listener_->get_params();
  dyn::live::LiveOptions options = live_options(params);
  options.check = [](const dyn::Model&, const dyn::Model& after, const dyn::Payload*) {
    refuse_payload_joints(after);
    return std::vector<std::string>{};
  };
  model_options_ = options.model;
  urdf_ = get_robot_description();
  live_ = make_live_model(urdf_, *armature_, options, get_node()->get_logger());
  armature_->show_of(live_->newest_model()->description());
  joints_ = live_->newest_model()->coordinate_names();
  measures_effort_ = params.measured_effort;
  observer_gain_ = params.observer_gain;
  period_s_ = 1.0 / get_update_rate();
  every_ = std::max(1L, std::lround(1.0 / (params.publish_rate * period_s_)));
  const size_t n = joints_.size();
  every_entry_.resize(n);
  std::iota(every_entry_.begin(), every_entry_.end(), 0);
  for (auto* x : {&q_, &v_, &tau_}) x->assign(n, 0.0);
  observer_ = std::make_unique<dyn::control::MomentumObserver>(static_cast<int>(n));
  const std::vector<double> vector(n, 0.0), matrix(n * n, 0.0);
  samples_ = std::make_unique<dyn::lockfree::Latest<Sample>>(
      Sample{0, 0, every_entry_, vector, vector, matrix, matrix, vector, vector});
  publisher_ =
      rclcpp::create_publisher<dyn_msgs::msg::Dynamics>(*get_node(), "~/dynamics", rclcpp::SystemDefaultsQoS());
  gate_ = std::make_unique<CallbackGate>();
  offer_services();
  timer_ = get_node()->create_wall_timer(std::chrono::duration<double>(0.5 / params.publish_rate),
                                         gate_->guard([this] { publish(); }));
}

void DynamicsBroadcaster::offer_services() {
  payloads_ = std::make_unique<PayloadServices>(
      *get_node(),
      PayloadCarrier{[this](const dyn::Payload& payload, double time_s) { return live_->attach(payload, time_s); },
                     [this](const std::string& name, double time_s) { return live_->detach(name, time_s); }});
  other_joints_ = std::make_unique<JointService>(*get_node(), payloads_->one_at_a_time(),
                                                 [this](const std::string& urdf, const dyn::CoordinateMap& map,
                                                        double time_s) { return replace_joints(urdf, map, time_s); });
  rclcpp::SubscriptionOptions one_at_a_time;
  one_at_a_time.callback_group = payloads_->one_at_a_time();
  description_ = rclcpp::create_subscription<std_msgs::msg::String>(
      *get_node(), "robot_description", rclcpp::QoS(1).reliable().transient_local(),
      gate_->guard([this](const std_msgs::msg::String::ConstSharedPtr& message) { take_description(message->data); }),
      one_at_a_time);
}

dyn::live::Applied DynamicsBroadcaster::replace_joints(const std::string& urdf, const dyn::CoordinateMap& map,
                                                       double transition_time_s) {
  const dyn::RobotDescription robot = described(urdf, *armature_);
  auto entries = std::make_shared<Entries>();
  entries->of = joint_entries(dyn::Model::build(robot, model_options_), joints_);
  auto applied = live_->replace_joints(robot, map, transition_time_s, nullptr, entries);
  urdf_ = urdf;
  armature_->show_of(robot);
  return applied;
}

// The same joints with other inertias.
void DynamicsBroadcaster::take_description(const std::string& urdf) {
  if (urdf == urdf_) return;
  try {
    const dyn::RobotDescription robot = described(urdf, *armature_);
    const auto applied = live_->replace_robot(robot, 0.0);
    urdf_ = urdf;
    armature_->show_of(robot);
    RCLCPP_INFO(get_node()->get_logger(), "a new robot_description is used from generation %lu on",
                static_cast<unsigned long>(applied.generation));
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "the new robot_description is refused: %s", error.what());
  }
}

controller_interface::CallbackReturn DynamicsBroadcaster::on_configure(const State&) {
  return reported(get_node()->get_logger(), CallbackReturn::FAILURE, [this] { set_up(); });
}

controller_interface::CallbackReturn DynamicsBroadcaster::on_cleanup(const State&) {
  gate_.reset();
  timer_.reset();
  description_.reset();
  other_joints_.reset();
  payloads_.reset();
  publisher_.reset();
  live_.reset();
  armature_->release();
  joints_.clear();
  return CallbackReturn::SUCCESS;
}

InterfaceConfiguration DynamicsBroadcaster::command_interface_configuration() const {
  return {interface_configuration_type::NONE, {}};
}

InterfaceConfiguration DynamicsBroadcaster::state_interface_configuration() const {
  std::vector<std::string> names;
  for (const char* interface :
       {hardware_interface::HW_IF_POSITION, hardware_interface::HW_IF_VELOCITY, hardware_interface::HW_IF_EFFORT}) {
    if (!measures_effort_ && interface == hardware_interface::HW_IF_EFFORT) continue;
    for (const std::string& joint : joints_) names.push_back(joint + '/' + interface);
  }
  return {interface_configuration_type::INDIVIDUAL, names};
}

controller_interface::CallbackReturn DynamicsBroadcaster::on_activate(const State&) {
  observing_ = false;
  return CallbackReturn::SUCCESS;
}

void DynamicsBroadcaster::read(std::span<const int> entries) noexcept {
  n_ = entries.size();
  size_t first = 0;
  for (auto* x : {&q_, &v_, &tau_}) {
    for (size_t i = 0; i < n_ && first < state_interfaces_.size(); ++i) {
      (*x)[i] = value_of(state_interfaces_[first + static_cast<size_t>(entries[i])]);
    }
    first += joints_.size();
  }
}

// A payload's dM v would appear as an external effort: the observer restarts with every change of the model.
void DynamicsBroadcaster::observe(const dyn::Dynamics& dynamics) noexcept {
  const dyn::ConstVectorRef<double> v(v_.data(), static_cast<Eigen::Index>(n_));
  const dyn::ConstVectorRef<double> tau(tau_.data(), static_cast<Eigen::Index>(n_));
  if (!observing_) observer_->reset(dynamics.M(), v);
  observing_ = true;
  observer_->update(dynamics.M(), dynamics.C(), dynamics.g(), v, tau, observer_gain_, period_s_);
}

return_type DynamicsBroadcaster::update(const rclcpp::Time& time, const rclcpp::Duration&) {
  const dyn::realtime::Scope scope("DynamicsBroadcaster::update");
  dyn::live::Generation& generation = live_->acquire(period_s_);
  const auto* const replaced = static_cast<const Entries*>(generation.joint_settings.get());
  const std::span<const int> entries = replaced == nullptr ? every_entry_ : replaced->of;
  read(entries);
  const dyn::Status status =
      generation.dynamics.update(std::span<const double>(q_.data(), n_), std::span<const double>(v_.data(), n_));
  observing_ = observing_ && status.ok() && generation.id == generation_ && generation.active_ramps == 0;
  generation_ = generation.id;
  if (status.ok() && measures_effort_) observe(generation.dynamics);
  cycle_ = (cycle_ + 1) % every_;
  if (status.ok() && cycle_ == 0) show(time.nanoseconds(), entries, generation.dynamics);
  return return_type::OK;
}

void DynamicsBroadcaster::show(std::int64_t stamp_ns, std::span<const int> entries,
                               const dyn::Dynamics& dynamics) noexcept {
  Sample& sample = samples_->back();
  sample.stamp_ns = stamp_ns;
  sample.n = n_;
  std::copy(entries.begin(), entries.end(), sample.entries.begin());
  std::copy_n(q_.begin(), n_, sample.q.begin());
  std::copy_n(v_.begin(), n_, sample.v.begin());
  std::copy_n(dynamics.M().data(), n_ * n_, sample.M.begin());
  std::copy_n(dynamics.C().data(), n_ * n_, sample.C.begin());
  std::copy_n(dynamics.g().data(), n_, sample.g.begin());
  if (observing_) std::copy_n(observer_->residual().data(), n_, sample.external.begin());
  samples_->publish();
}

void DynamicsBroadcaster::publish() {
  if (!samples_->take()) return;
  const Sample& sample = samples_->front();
  const size_t n = sample.n;
  message_.header.stamp = rclcpp::Time(sample.stamp_ns);
  message_.joint_names.clear();
  for (size_t i = 0; i < n; ++i) message_.joint_names.push_back(joints_[sample.entries[i]]);
  message_.position.assign(sample.q.begin(), sample.q.begin() + n);
  message_.velocity.assign(sample.v.begin(), sample.v.begin() + n);
  message_.gravity.assign(sample.g.begin(), sample.g.begin() + n);
  message_.mass_matrix.resize(n * n);
  message_.coriolis_matrix.resize(n * n);
  message_.momentum.assign(n, 0.0);
  for (size_t i = 0; i < n; ++i) {  // the samples are stored by columns
    for (size_t j = 0; j < n; ++j) {
      message_.mass_matrix[i * n + j] = sample.M[j * n + i];
      message_.coriolis_matrix[i * n + j] = sample.C[j * n + i];
      message_.momentum[i] += sample.M[j * n + i] * sample.v[j];
    }
  }
  if (measures_effort_) message_.external_effort.assign(sample.external.begin(), sample.external.begin() + n);
  publisher_->publish(message_);
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::DynamicsBroadcaster, controller_interface::ControllerInterface)
