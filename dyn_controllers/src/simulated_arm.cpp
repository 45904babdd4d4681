// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/simulated_arm.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "dyn_controllers/reported.hpp"
#include "dyn_core/model/urdf.hpp"
#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers {
namespace {

using dyn::ModelError;
using Settings = std::unordered_map<std::string, std::string>;

double number(const std::string& text, const std::string& what) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double value = 0.0;
  if (!(stream >> value) || !(stream >> std::ws).eof() || !std::isfinite(value)) {
    throw ModelError(what + ": '" + text + "' is not a number");
  }
  return value;
}

double number(const Settings& settings, const std::string& name, double fallback) {
  const auto found = settings.find(name);
  return found == settings.end() ? fallback : number(found->second, "hardware parameter " + name);
}

bool flag(const Settings& settings, const std::string& name, bool fallback) {
  const auto found = settings.find(name);
  if (found == settings.end()) return fallback;
  if (found->second == "true") return true;
  if (found->second == "false") return false;
  throw ModelError("hardware parameter " + name + ": '" + found->second + "' is neither true nor false");
}

dyn::Vec3d gravity_of(const Settings& settings) {
  const auto found = settings.find("gravity");
  if (found == settings.end()) return {0.0, 0.0, -9.81};
  std::istringstream stream(found->second);
  std::string x, y, z, more;
  stream >> x >> y >> z;
  if (z.empty() || stream >> more) throw ModelError("hardware parameter gravity: '" + found->second + "' is not X Y Z");
  return {number(x, "gravity"), number(y, "gravity"), number(z, "gravity")};
}

dyn::sim::PlantSettings plant_settings(const Settings& given) {
  dyn::sim::PlantSettings settings;
  if (const auto engine = given.find("engine"); engine != given.end()) settings.engine = engine->second;
  settings.friction = flag(given, "friction", true);
  settings.armature = flag(given, "armature", true);
  settings.limits = flag(given, "limits", true);
  settings.tolerance = number(given, "tolerance", settings.tolerance);
  return settings;
}

DriveSettings drive_settings(const Settings& given) {
  return {number(given, "drive_p", 0.0), number(given, "drive_d", 0.0)};
}

}  // namespace

SimulatedArm::CallbackReturn SimulatedArm::on_init(const hardware_interface::HardwareComponentInterfaceParams& params) {
  if (hardware_interface::SystemInterface::on_init(params) != CallbackReturn::SUCCESS) return CallbackReturn::ERROR;
  return reported(get_logger(), CallbackReturn::ERROR, [this] { make_plant(); });
}

// The whole robot, in which joints that are none of this hardware's stand still.
void SimulatedArm::make_plant() {
  dyn::RobotDescription robot = dyn::parse_urdf(info_.original_xml, "robot_description");
  for (dyn::JointDescription& joint : robot.joints) {
    const bool ours = std::any_of(info_.joints.begin(), info_.joints.end(),
                                  [&](const auto& component) { return component.name == joint.name; });
    if (ours || joint.mimic) continue;
    joint.type = dyn::JointType::fixed;
    joint.limits.reset();
  }
  const Settings& given = info_.hardware_parameters;
  plant_ = dyn::sim::make_plant(robot, plant_settings(given), gravity_of(given));
  const dyn::Model& model = plant_->model();
  fail_after_s_ = number(given, "fail_after", 0.0);
  drives_ = std::make_unique<SimulatedDrives>(model, drive_settings(given));
  start_q_.assign(static_cast<size_t>(model.coordinates()), 0.0);

  joints_.clear();
  for (const auto& component : info_.joints) place_joint(component);
  payload_joints_.clear();
  for (const auto& component : info_.sensors) payload_joints_.push_back({component.name, -1, nullptr, nullptr});
}

void SimulatedArm::place_joint(const hardware_interface::ComponentInfo& component) {
  const dyn::Model& model = plant_->model();
  JointRoom room;
  room.name = component.name;
  std::string moved_by = component.name;
  for (const dyn::JointDescription& joint : model.description().joints) {
    if (joint.name != component.name || !joint.mimic) continue;
    moved_by = joint.mimic->joint;
    room.mimics = true;
    room.multiplier = joint.mimic->multiplier;
    room.offset = joint.mimic->offset;
  }
  for (const dyn::Joint& joint : model.joints()) {
    if (joint.description.name == moved_by && joint.degrees == 1) room.coordinate = joint.first_coordinate;
  }
  if (room.coordinate < 0) throw ModelError("joint '" + component.name + "' has not one degree of freedom");
  for (const auto& state : component.state_interfaces) {
    if (state.name != hardware_interface::HW_IF_POSITION || state.initial_value.empty() || room.mimics) continue;
    start_q_[static_cast<size_t>(room.coordinate)] =
        number(state.initial_value, "joint '" + component.name + "': initial_value");
  }
  joints_.push_back(room);
}

SimulatedArm::CallbackReturn SimulatedArm::on_configure(const State&) {
  find_handles();
  const std::scoped_lock lock(plant_mutex_);
  const auto n = static_cast<size_t>(plant_->model().coordinates());  // with payloads that are still on
  start_q_.resize(n, 0.0);
  const std::vector<double> rest(n, 0.0);
  plant_->reset(start_q_, rest);
  q_.assign(n, 0.0);
  v_.assign(n, 0.0);
  drives_->brake_all();
  if (const auto node = get_node(); node && !payloads_) {
    const auto carried = [this](const std::function<void(dyn::sim::Plant&)>& change) {
      carry(change);
      return dyn::live::Applied{0, plant_->model().coordinate_names(), {}};
    };
    payloads_ = std::make_unique<PayloadServices>(
        *node, PayloadCarrier{[carried](const dyn::Payload& payload, double) {
                                return carried([&](dyn::sim::Plant& plant) { plant.attach(payload); });
                              },
                              [carried](const std::string& name, double) {
                                return carried([&](dyn::sim::Plant& plant) { plant.detach(name); });
                              }});
  }
  return CallbackReturn::SUCCESS;
}

void SimulatedArm::carry(const std::function<void(dyn::sim::Plant&)>& change) {
  const std::scoped_lock lock(plant_mutex_);
  change(*plant_);
  const dyn::Model& model = plant_->model();
  drives_->set_model(model);
  q_.resize(static_cast<size_t>(model.coordinates()));
  v_.resize(static_cast<size_t>(model.coordinates()));
  const auto& names = model.coordinate_names();
  for (PayloadJoint& joint : payload_joints_) {
    const auto found = std::find(names.begin(), names.end(), joint.name);
    joint.coordinate = found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }
}

void SimulatedArm::find_handles() {
  const auto state = [this](const std::string& name) {
    return has_state(name) ? get_state_interface_handle(name) : nullptr;
  };
  const auto command = [this](const std::string& name) {
    return has_command(name) ? get_command_interface_handle(name) : nullptr;
  };
  for (JointRoom& room : joints_) {
    room.position = state(room.name + '/' + hardware_interface::HW_IF_POSITION);
    room.velocity = state(room.name + '/' + hardware_interface::HW_IF_VELOCITY);
    room.effort = state(room.name + '/' + hardware_interface::HW_IF_EFFORT);
    room.position_command = command(room.name + '/' + hardware_interface::HW_IF_POSITION);
    room.velocity_command = command(room.name + '/' + hardware_interface::HW_IF_VELOCITY);
    room.effort_command = command(room.name + '/' + hardware_interface::HW_IF_EFFORT);
  }
  for (PayloadJoint& joint : payload_joints_) {
    joint.position = state(joint.name + '/' + hardware_interface::HW_IF_POSITION);
    joint.velocity = state(joint.name + '/' + hardware_interface::HW_IF_VELOCITY);
  }
}

// A drive that failed brakes.
SimulatedArm::CallbackReturn SimulatedArm::on_error(const State&) {
  const std::scoped_lock lock(plant_mutex_);
  drives_->brake_all();
  return CallbackReturn::SUCCESS;
}

SimulatedArm::CallbackReturn SimulatedArm::on_deactivate(const State&) {
  const std::scoped_lock lock(plant_mutex_);
  drives_->brake_all();
  return CallbackReturn::SUCCESS;
}

SimulatedArm::JointRoom* SimulatedArm::room_of(const std::string& interface, DriveMode& mode) {
  for (JointRoom& room : joints_) {
    if (interface.rfind(room.name + '/', 0) != 0) continue;
    const std::string what = interface.substr(room.name.size() + 1);
    mode = what == hardware_interface::HW_IF_POSITION   ? DriveMode::position
           : what == hardware_interface::HW_IF_VELOCITY ? DriveMode::velocity
           : what == hardware_interface::HW_IF_EFFORT   ? DriveMode::effort
                                                        : DriveMode::brake;
    return mode == DriveMode::brake ? nullptr : &room;
  }
  return nullptr;
}

SimulatedArm::return_type SimulatedArm::prepare_command_mode_switch(const std::vector<std::string>& start,
                                                                    const std::vector<std::string>&) {
  for (const std::string& interface : start) {
    DriveMode mode{};
    const JointRoom* room = room_of(interface, mode);
    if (room == nullptr || !room->mimics) continue;
    RCLCPP_ERROR(get_logger(), "%s: the joint mimics another and has no drive", interface.c_str());
    return return_type::ERROR;
  }
  return return_type::OK;
}

// What was commanded in another mode is no command: until a new one comes the joint is braked.
SimulatedArm::return_type SimulatedArm::perform_command_mode_switch(const std::vector<std::string>& start,
                                                                    const std::vector<std::string>& stop) {
  const std::scoped_lock lock(plant_mutex_);
  const auto set = [this](const std::vector<std::string>& interfaces, bool on) {
    for (const std::string& interface : interfaces) {
      DriveMode mode{};
      JointRoom* room = room_of(interface, mode);
      if (room == nullptr) continue;
      drives_->set_mode(room->coordinate, mode, on);
      const auto& handle = mode == DriveMode::position   ? room->position_command
                           : mode == DriveMode::velocity ? room->velocity_command
                                                         : room->effort_command;
      if (handle) (void)handle->set_value(std::nan(""));
    }
  };
  set(stop, false);
  set(start, true);
  return return_type::OK;
}

// The torques of the last write() acted since the last read().
SimulatedArm::return_type SimulatedArm::read(const rclcpp::Time&, const rclcpp::Duration& period) {
  const std::scoped_lock lock(plant_mutex_);
  constexpr double longest_s = 0.1;  // a loop that stood still: the drives' watchdog
  const double period_s = std::min(period.seconds(), longest_s);
  std::span<const double> torques;
  if (period_s > 0.0) {
    torques = drives_->torques(plant_->q(), plant_->v(), period_s);
    plant_->advance(torques, period_s);
  }
  const bool fails = fail_after_s_ > 0.0 && moved_s_ < fail_after_s_ && moved_s_ + period_s >= fail_after_s_;
  moved_s_ += period_s;
  if (fails) {
    RCLCPP_ERROR(get_logger(), "fails after %g s, as it was asked to", fail_after_s_);
    return return_type::ERROR;
  }
  plant_->measure(q_, v_);
  for (const JointRoom& room : joints_) {
    const auto i = static_cast<size_t>(room.coordinate);
    if (room.position) (void)room.position->set_value(room.multiplier * q_[i] + room.offset);
    if (room.velocity) (void)room.velocity->set_value(room.multiplier * v_[i]);
    if (room.effort && !torques.empty()) (void)room.effort->set_value(room.mimics ? 0.0 : torques[i]);
  }
  for (const PayloadJoint& joint : payload_joints_) {
    const auto i = static_cast<size_t>(joint.coordinate);
    if (joint.position) (void)joint.position->set_value(joint.coordinate < 0 ? 0.0 : q_[i]);
    if (joint.velocity) (void)joint.velocity->set_value(joint.coordinate < 0 ? 0.0 : v_[i]);
  }
  return return_type::OK;
}

SimulatedArm::return_type SimulatedArm::write(const rclcpp::Time&, const rclcpp::Duration&) {
  const std::scoped_lock lock(plant_mutex_);
  const auto value = [](const hardware_interface::CommandInterface::SharedPtr& handle) {
    return handle ? handle->get_optional<double>().value_or(std::nan("")) : std::nan("");
  };
  for (const JointRoom& room : joints_) {
    if (room.mimics) continue;
    drives_->command(room.coordinate, value(room.position_command), value(room.velocity_command),
                     value(room.effort_command));
  }
  return return_type::OK;
}

}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(dyn_controllers::SimulatedArm, hardware_interface::SystemInterface)
