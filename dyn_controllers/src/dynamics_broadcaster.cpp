// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/dynamics_broadcaster.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dyn_controllers/handles.hpp"
#include "dyn_controllers/make_live_model.hpp"
#include "dyn_controllers/reported.hpp"
#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {

using controller_interface::interface_configuration_type;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

controller_interface::CallbackReturn DynamicsBroadcaster::on_init() {
  return reported(get_node()->get_logger(), CallbackReturn::ERROR, [this] {
    listener_ = std::make_shared<broadcaster_parameters::ParamListener>(get_node());
    armature_ = std::make_unique<Armature>(get_node());
  });
}

void DynamicsBroadcaster::set_up() {
  const auto params = listener_->get_params();
  live_ = make_live_model(get_robot_description(), *armature_, live_options(params), get_node()->get_logger());
  armature_->show_of(live_->newest_model()->description());
  joints_ = live_->newest_model()->coordinate_names();
  measures_effort_ = params.measured_effort;
  observer_gain_ = params.observer_gain;
  period_s_ = 1.0 / get_update_rate();
  every_ = std::max(1L, std::lround(1.0 / (params.publish_rate * period_s_)));
  const size_t n = joints_.size();
  for (auto* x : {&q_, &v_, &tau_}) x->assign(n, 0.0);
  observer_ = std::make_unique<dyn::control::MomentumObserver>(static_cast<int>(n));
  const std::vector<double> vector(n, 0.0), matrix(n * n, 0.0);
  samples_ = std::make_unique<dyn::lockfree::Latest<Sample>>(Sample{0, vector, vector, matrix, matrix, vector, vector});
  message_.joint_names = joints_;
  publisher_ =
      rclcpp::create_publisher<dyn_msgs::msg::Dynamics>(*get_node(), "~/dynamics", rclcpp::SystemDefaultsQoS());
  payloads_ = std::make_unique<PayloadServices>(
      *get_node(),
      PayloadCarrier{[this](const dyn::Payload& payload, double time_s) { return live_->attach(payload, time_s); },
                     [this](const std::string& name, double time_s) { return live_->detach(name, time_s); }});
  timer_ =
      get_node()->create_wall_timer(std::chrono::duration<double>(0.5 / params.publish_rate), [this] { publish(); });
}

controller_interface::CallbackReturn DynamicsBroadcaster::on_configure(const State&) {
  return reported(get_node()->get_logger(), CallbackReturn::FAILURE, [this] { set_up(); });
}

controller_interface::CallbackReturn DynamicsBroadcaster::on_cleanup(const State&) {
  timer_.reset();
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

void DynamicsBroadcaster::read() noexcept {
  size_t next = 0;
  for (auto* x : {&q_, &v_, &tau_}) {
    for (size_t i = 0; i < x->size() && next < state_interfaces_.size(); ++i) {
      (*x)[i] = value_of(state_interfaces_[next++]);
    }
  }
}

// A payload's dM v would appear as an external effort: the observer restarts with every change of the model.
void DynamicsBroadcaster::observe(const dyn::Dynamics& dynamics) noexcept {
  const dyn::ConstVectorRef<double> v(v_.data(), v_.size());
  const dyn::ConstVectorRef<double> tau(tau_.data(), tau_.size());
  if (!observing_) observer_->reset(dynamics.M(), v);
  observing_ = true;
  observer_->update(dynamics.M(), dynamics.C(), dynamics.g(), v, tau, observer_gain_, period_s_);
}

return_type DynamicsBroadcaster::update(const rclcpp::Time& time, const rclcpp::Duration&) {
  const dyn::realtime::Scope scope("DynamicsBroadcaster::update");
  read();
  dyn::live::Generation& generation = live_->acquire(period_s_);
  const dyn::Status status = generation.dynamics.update(q_, v_);
  observing_ = observing_ && status.ok() && generation.id == generation_ && generation.active_ramps == 0;
  generation_ = generation.id;
  if (status.ok() && measures_effort_) observe(generation.dynamics);
  cycle_ = (cycle_ + 1) % every_;
  if (!status.ok() || cycle_ != 0) return return_type::OK;
  Sample& sample = samples_->back();
  sample.stamp_ns = time.nanoseconds();
  sample.q = q_;
  sample.v = v_;
  const dyn::Dynamics& dynamics = generation.dynamics;
  std::copy_n(dynamics.M().data(), sample.M.size(), sample.M.begin());
  std::copy_n(dynamics.C().data(), sample.C.size(), sample.C.begin());
  std::copy_n(dynamics.g().data(), sample.g.size(), sample.g.begin());
  if (observing_) std::copy_n(observer_->residual().data(), sample.external.size(), sample.external.begin());
  samples_->publish();
  return return_type::OK;
}

void DynamicsBroadcaster::publish() {
  if (!samples_->take()) return;
  const Sample& sample = samples_->front();
  const size_t n = joints_.size();
  message_.header.stamp = rclcpp::Time(sample.stamp_ns);
  message_.position = sample.q;
  message_.velocity = sample.v;
  message_.gravity = sample.g;
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
  if (measures_effort_) message_.external_effort = sample.external;
  publisher_->publish(message_);
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::DynamicsBroadcaster, controller_interface::ControllerInterface)
