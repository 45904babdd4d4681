// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/simulated_arm.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "dyn_controllers/message_range.hpp"
#include "dyn_controllers/reported.hpp"
#include "dyn_controllers/vector_messages.hpp"
#include "dyn_core/model/name_limit.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_core/numeric/ranges.hpp"
#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {
namespace {

using dyn::ModelError;

}  // namespace

SimulatedArm::CallbackReturn SimulatedArm::on_init(const hardware_interface::HardwareComponentInterfaceParams& params) {
  if (hardware_interface::SystemInterface::on_init(params) != CallbackReturn::SUCCESS) return CallbackReturn::ERROR;
  return reported(get_logger(), CallbackReturn::ERROR, [this] { make_plant(); });
}

// The whole robot, in which joints that do not belong to this hardware stand still. Those of another hardware are known
// from the first robot.
dyn::RobotDescription SimulatedArm::own_robot(const std::string& urdf) const {
  dyn::RobotDescription robot = dyn::parse_urdf(urdf, "robot_description");
  for (dyn::JointDescription& joint : robot.joints) {
    const bool ours = std::any_of(info_.joints.begin(), info_.joints.end(),
                                  [&](const auto& component) { return component.name == joint.name; });
    if (ours || joint.mimic || joint.type == dyn::JointType::fixed) continue;
    if (!every_joint_.empty() &&
        std::find(every_joint_.begin(), every_joint_.end(), joint.name) == every_joint_.end()) {
      throw ModelError(robot.source + ": joint '" + joint.name + "' has no interfaces in the <ros2_control> tag");
    }
    joint.type = dyn::JointType::fixed;
    joint.limits.reset();
  }
  return robot;
}

void SimulatedArm::make_plant() {
  every_joint_.clear();
  const dyn::RobotDescription robot = own_robot(info_.original_xml);
  for (const dyn::JointDescription& joint : robot.joints) every_joint_.push_back(joint.name);
  settings_ = read_settings(info_.hardware_parameters);
  plant_ = dyn::sim::make_plant(robot, settings_.plant, settings_.gravity_mps2);
  carried_ = robot;
  attached_.clear();
  const dyn::Model& model = plant_->model();
  drives_ = std::make_unique<SimulatedDrives>(model, settings_.drives);
  start_q_.clear();
  for (size_t i = 0; i < settings_.start_q.size(); ++i) start_q_[model.coordinate_names()[i]] = settings_.start_q[i];

  joints_.clear();
  for (const auto& component : info_.joints) place_joint(component);
  payload_joints_.clear();
  for (const auto& component : info_.sensors) payload_joints_.push_back({component.name, -1, nullptr, nullptr});
}

void SimulatedArm::place_joint(const hardware_interface::ComponentInfo& component) {
  JointHandles handles;
  handles.name = component.name;
  find_joint(handles, plant_->model());
  if (handles.coordinate < 0) throw ModelError("joint '" + component.name + "' must have one degree of freedom");
  for (const auto& state : component.state_interfaces) {
    if (state.name != hardware_interface::HW_IF_POSITION || state.initial_value.empty() || handles.mimics) continue;
    start_q_[component.name] = number_from(state.initial_value, "joint '" + component.name + "': initial_value");
  }
  joints_.push_back(handles);
}

// The coordinate of a joint, or of the one that it mimics; -1 if the robot has none.
void SimulatedArm::find_joint(JointHandles& handles, const dyn::Model& model) {
  std::string moved_by = handles.name;
  handles.coordinate = -1;
  handles.mimics = false;
  handles.multiplier = 1.0;
  handles.offset = 0.0;
  for (const dyn::JointDescription& joint : model.description().joints) {
    if (joint.name != handles.name || !joint.mimic) continue;
    moved_by = joint.mimic->joint;
    handles.mimics = true;
    handles.multiplier = joint.mimic->multiplier;
    handles.offset = joint.mimic->offset;
  }
  for (const dyn::Joint& joint : model.joints()) {
    if (joint.description.name == moved_by && joint.degrees == 1) handles.coordinate = joint.first_coordinate;
  }
}

SimulatedArm::CallbackReturn SimulatedArm::on_configure(const State&) {
  find_handles();
  if (!payloads_) offer_services();  // calls into ROS: not under our mutex
  const std::scoped_lock lock(plant_mutex_);
  const size_t n = plant_->model().coordinates();  // with payloads that are still attached
  q_.assign(n, 0.0);
  v_.assign(n, 0.0);
  for (size_t i = 0; i < n; ++i) {
    const auto start = start_q_.find(plant_->model().coordinate_names()[i]);
    if (start != start_q_.end()) q_[i] = start->second;
  }
  plant_->reset(q_, v_);
  brake_all();
  return CallbackReturn::SUCCESS;
}

// Services that change the arm while the loop runs.
void SimulatedArm::offer_services() {
  const auto node = get_node();
  if (!node) return;
  payloads_ = std::make_unique<PayloadServices>(
      *node, PayloadCarrier{[this](const dyn::Payload& payload, double) {
                              auto applied = carry(attach(carried_, payload), nullptr);
                              attached_.push_back(payload);
                              return applied;
                            },
                            [this](const std::string& name, double) {
                              auto applied = carry(detach(carried_, name), nullptr);
                              std::erase_if(attached_, [&](const dyn::Payload& p) { return p.name() == name; });
                              return applied;
                            }});
  other_joints_ = std::make_unique<JointService>(
      *node, payloads_->one_at_a_time(),
      [this](const std::string& urdf, const dyn::CoordinateMap& map, double) { return replace_joints(urdf, map); });
  using dyn_msgs::srv::Push;
  push_service_ = node->create_service<Push>(
      "~/push", [this](const Push::Request::SharedPtr& request, const Push::Response::SharedPtr& response) {
        push(*request, *response);
      });
  if (settings_.plant.walls.empty()) return;
  constexpr std::chrono::milliseconds every(10);
  walls_ = node->create_publisher<geometry_msgs::msg::WrenchStamped>("~/wall_force", rclcpp::SystemDefaultsQoS());
  walls_timer_ = node->create_wall_timer(every, [this] { tell_walls(); });
}

void SimulatedArm::tell_walls() {
  geometry_msgs::msg::WrenchStamped message;
  message.header.stamp = get_node()->now();
  {
    const std::scoped_lock lock(plant_mutex_);
    message.header.frame_id = plant_->model().links().front().name;
    put(plant_->wall_force(), message.wrench.force);
  }
  walls_->publish(message);
}

void SimulatedArm::push(const dyn_msgs::srv::Push::Request& request, dyn_msgs::srv::Push::Response& response) {
  const std::scoped_lock lock(plant_mutex_);
  const Push next{request.link,
                  {request.force.x, request.force.y, request.force.z},
                  {request.point.x, request.point.y, request.point.z},
                  moved_s_ + rclcpp::Duration(request.duration).seconds()};
  response.success = false;
  try {
    dyn::check_name_length("link", next.link);
    check_range("force has", next.force_N, dyn::ranges::effort);
    check_range("point has", next.point_m, dyn::ranges::length_m);
    if (!(next.ends_s > moved_s_)) throw std::invalid_argument("duration must be above 0");
    if (plant_->model().find_link(next.link) == nullptr)
      throw std::invalid_argument("link: the robot has no link '" + next.link + "'");
  } catch (const std::exception& error) {
    response.message = error.what();
    return;
  }
  plant_->push(next.link, next.force_N, next.point_m);
  push_ = next;
  response.success = true;
  response.message = "'" + next.link + "' is pushed";
}

void SimulatedArm::end_push() {
  if (!push_ || moved_s_ < push_->ends_s) return;
  plant_->push(push_->link, dyn::Vec3d::Zero(), push_->point_m);
  push_.reset();
}

// The next plant is built outside the loop, which only waits while it is exchanged.
dyn::live::Applied SimulatedArm::carry(const dyn::RobotDescription& carried, const dyn::CoordinateMap* map) {
  std::unique_ptr<dyn::sim::Plant> next = dyn::sim::make_plant(carried, settings_.plant, settings_.gravity_mps2);
  const dyn::Model& model = next->model();
  const std::scoped_lock lock(plant_mutex_);
  const std::vector<int> from = map == nullptr ? dyn::sim::same_coordinates(plant_->model(), model)
                                               : dyn::sim::carried_through(plant_->model(), model, *map);
  next->take_over(*plant_, from);
  if (push_ && model.find_link(push_->link) == nullptr) push_.reset();
  if (push_) next->push(push_->link, push_->force_N, push_->point_m);
  plant_.swap(next);
  carried_ = carried;
  if (map == nullptr) drives_->set_model(model);
  if (map != nullptr) fit_joints(model, from);
  q_.resize(model.coordinates());
  v_.resize(model.coordinates());
  fit_payload_joints(model);
  return {0, model.coordinate_names(), {}};
}

dyn::live::Applied SimulatedArm::replace_joints(const std::string& urdf, const dyn::CoordinateMap& map) {
  return carry(dyn::sim::with_payloads(own_robot(urdf), attached_), &map);
}

// A joint's modes are those of its claimed interfaces, also if the robot did not have it when they were claimed.
void SimulatedArm::fit_joints(const dyn::Model& model, std::span<const int> from) {
  std::vector<std::uint8_t> modes;
  for (const dyn::Joint& joint : model.joints()) {
    if (joint.description.payload == 0) modes.resize(modes.size() + static_cast<size_t>(joint.degrees), 0);
  }
  for (JointHandles& handles : joints_) {
    find_joint(handles, model);
    if (handles.coordinate >= 0 && !handles.mimics) modes[handles.coordinate] = handles.modes;
  }
  drives_->set_robot(model, from, modes);
}

void SimulatedArm::fit_payload_joints(const dyn::Model& model) {
  const auto& names = model.coordinate_names();
  for (PayloadJoint& joint : payload_joints_) {
    const auto found = std::find(names.begin(), names.end(), joint.name);
    joint.coordinate = found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }
}

// All drives, until they are commanded anew.
void SimulatedArm::brake_all() noexcept {
  drives_->brake_all();
  for (JointHandles& handles : joints_) handles.modes = 0;
}

void SimulatedArm::find_handles() {
  const auto state = [this](const std::string& name) {
    return has_state(name) ? get_state_interface_handle(name) : nullptr;
  };
  const auto command = [this](const std::string& name) {
    return has_command(name) ? get_command_interface_handle(name) : nullptr;
  };
  for (JointHandles& handles : joints_) {
    handles.position = state(handles.name + '/' + hardware_interface::HW_IF_POSITION);
    handles.velocity = state(handles.name + '/' + hardware_interface::HW_IF_VELOCITY);
    handles.effort = state(handles.name + '/' + hardware_interface::HW_IF_EFFORT);
    handles.position_command = command(handles.name + '/' + hardware_interface::HW_IF_POSITION);
    handles.velocity_command = command(handles.name + '/' + hardware_interface::HW_IF_VELOCITY);
    handles.effort_command = command(handles.name + '/' + hardware_interface::HW_IF_EFFORT);
  }
  for (PayloadJoint& joint : payload_joints_) {
    joint.position = state(joint.name + '/' + hardware_interface::HW_IF_POSITION);
    joint.velocity = state(joint.name + '/' + hardware_interface::HW_IF_VELOCITY);
  }
}

// A drive that failed brakes.
SimulatedArm::CallbackReturn SimulatedArm::on_error(const State&) {
  const std::scoped_lock lock(plant_mutex_);
  brake_all();
  return CallbackReturn::SUCCESS;
}

SimulatedArm::CallbackReturn SimulatedArm::on_deactivate(const State&) {
  const std::scoped_lock lock(plant_mutex_);
  brake_all();
  return CallbackReturn::SUCCESS;
}

SimulatedArm::JointHandles* SimulatedArm::handles_of(const std::string& interface, DriveMode& mode) {
  for (JointHandles& handles : joints_) {
    if (interface.rfind(handles.name + '/', 0) != 0) continue;
    const std::string what = interface.substr(handles.name.size() + 1);
    mode = what == hardware_interface::HW_IF_POSITION   ? DriveMode::position
           : what == hardware_interface::HW_IF_VELOCITY ? DriveMode::velocity
           : what == hardware_interface::HW_IF_EFFORT   ? DriveMode::effort
                                                        : DriveMode::brake;
    return mode == DriveMode::brake ? nullptr : &handles;
  }
  return nullptr;
}

SimulatedArm::return_type SimulatedArm::prepare_command_mode_switch(const std::vector<std::string>& start,
                                                                    const std::vector<std::string>&) {
  for (const std::string& interface : start) {
    DriveMode mode{};
    const JointHandles* handles = handles_of(interface, mode);
    if (handles == nullptr || !handles->mimics) continue;
    RCLCPP_ERROR(get_logger(), "%s: the joint mimics another and has no drive", interface.c_str());
    return return_type::ERROR;
  }
  return return_type::OK;
}

// A command given in another mode is not used: the joint is braked until a new one comes. An interface that is released
// and claimed in the same switch keeps its command.
SimulatedArm::return_type SimulatedArm::perform_command_mode_switch(const std::vector<std::string>& start,
                                                                    const std::vector<std::string>& stop) {
  const std::scoped_lock lock(plant_mutex_);
  const auto set = [this](const std::vector<std::string>& interfaces, const std::vector<std::string>& others, bool on) {
    for (const std::string& interface : interfaces) {
      DriveMode mode{};
      JointHandles* handles = handles_of(interface, mode);
      if (handles == nullptr || std::find(others.begin(), others.end(), interface) != others.end()) continue;
      const auto bit = static_cast<std::uint8_t>(mode);
      handles->modes = static_cast<std::uint8_t>(on ? handles->modes | bit : handles->modes & ~bit);
      if (handles->coordinate >= 0) drives_->set_mode(handles->coordinate, mode, on);
      const auto& handle = mode == DriveMode::position   ? handles->position_command
                           : mode == DriveMode::velocity ? handles->velocity_command
                                                         : handles->effort_command;
      if (handle) (void)handle->set_value(std::nan(""));
    }
  };
  set(stop, start, false);
  set(start, stop, true);
  return return_type::OK;
}

// The torques of the last write() acted since the last read().
SimulatedArm::return_type SimulatedArm::read(const rclcpp::Time&, const rclcpp::Duration& period) {
  if (move(period.seconds())) return return_type::OK;
  RCLCPP_ERROR(get_logger(), "fails after %g s, as set by fail_after", settings_.fail_after_s);
  return return_type::ERROR;
}

// False if it is to fail now.
bool SimulatedArm::move(double measured_s) {
  const std::scoped_lock lock(plant_mutex_);
  constexpr double longest_s = 0.1;  // of the measured period, if the loop stood still: the drives' watchdog
  const double period_s = std::min(measured_s, longest_s);
  std::span<const double> torques;
  if (period_s > 0.0) {
    torques = drives_->torques(plant_->q(), plant_->v(), period_s);
    plant_->advance(torques, period_s);
  }
  const bool fails = settings_.fail_after_s > 0.0 && moved_s_ < settings_.fail_after_s &&
                     moved_s_ + period_s >= settings_.fail_after_s;
  moved_s_ += period_s;
  end_push();
  if (!fails) show_state(torques);
  return !fails;
}

void SimulatedArm::show_state(std::span<const double> torques) {
  dyn::sim::measure(*plant_, settings_.plant.state_fault, moved_s_, q_, v_);
  for (const JointHandles& handles : joints_) {
    const size_t i = handles.coordinate;
    const bool here = handles.coordinate >= 0;
    if (handles.position) (void)handles.position->set_value(here ? handles.multiplier * q_[i] + handles.offset : 0.0);
    if (handles.velocity) (void)handles.velocity->set_value(here ? handles.multiplier * v_[i] : 0.0);
    const double effort = !here || handles.mimics || torques.empty() ? 0.0 : torques[i];
    if (handles.effort && !torques.empty()) (void)handles.effort->set_value(effort);
  }
  for (const PayloadJoint& joint : payload_joints_) {
    const size_t i = joint.coordinate;
    if (joint.position) (void)joint.position->set_value(joint.coordinate < 0 ? 0.0 : q_[i]);
    if (joint.velocity) (void)joint.velocity->set_value(joint.coordinate < 0 ? 0.0 : v_[i]);
  }
}

SimulatedArm::return_type SimulatedArm::write(const rclcpp::Time&, const rclcpp::Duration&) {
  const std::scoped_lock lock(plant_mutex_);
  const auto value = [](const hardware_interface::CommandInterface::SharedPtr& handle) {
    return handle ? handle->get_optional<double>().value_or(std::nan("")) : std::nan("");
  };
  for (const JointHandles& handles : joints_) {
    if (handles.mimics || handles.coordinate < 0) continue;
    drives_->command(handles.coordinate, value(handles.position_command), value(handles.velocity_command),
                     value(handles.effort_command));
  }
  return return_type::OK;
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::SimulatedArm, hardware_interface::SystemInterface)
