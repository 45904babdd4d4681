// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/load_service.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "builtin_interfaces/msg/duration.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/typesupport_helpers.hpp"
#include "rosidl_typesupport_introspection_cpp/field_types.hpp"
#include "rosidl_typesupport_introspection_cpp/service_introspection.hpp"

namespace dyn_controllers {
namespace {

namespace introspection = rosidl_typesupport_introspection_cpp;
constexpr const char* identifier = "rosidl_typesupport_introspection_cpp";

const introspection::MessageMember* member(const introspection::MessageMembers& message,
                                           const std::vector<std::string>& names) {
  for (std::uint32_t i = 0; i < message.member_count_; ++i) {
    const introspection::MessageMember& m = message.members_[i];
    if (std::find(names.begin(), names.end(), m.name_) != names.end()) return &m;
  }
  return nullptr;
}

const introspection::ServiceMembers& members_of(const std::string& type,
                                                std::shared_ptr<rcpputils::SharedLibrary>& library) {
  try {
    library = rclcpp::get_typesupport_library(type, identifier);
    return *static_cast<const introspection::ServiceMembers*>(
        rclcpp::get_service_typesupport_handle(type, identifier, *library)->data);
  } catch (const std::exception& error) {
    throw dyn::ModelError("driver_load.type: the service type '" + type + "' is not installed: " + error.what());
  }
}

}  // namespace

LoadService::LoadService(const std::string& type) : type_(type) {
  const introspection::ServiceMembers& service = members_of(type, library_);
  request_ = service.request_members_;
  response_ = service.response_members_;
  mass_ = find({"mass"}, 1);
  com_ = find({"center_of_gravity", "center_of_mass"}, 3);
  if (member(*request_, {"load_inertia"}) != nullptr) inertia_ = find({"load_inertia"}, 9);
  if (member(*request_, {"ixx"}) != nullptr) {
    for (const char* name : {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}) moments_.push_back(find({name}, 1).front());
  }
  const auto* const time = member(*request_, {"transition_time"});
  if (time != nullptr && time->type_id_ == introspection::ROS_TYPE_MESSAGE && !time->is_array_) {
    const auto& duration = *static_cast<const Members*>(time->members_->data);
    if (std::string_view(duration.message_name_) == "Duration") transition_time_ = time->offset_;
  }
  const auto* const success = member(*response_, {"success"});
  if (success == nullptr || success->type_id_ != introspection::ROS_TYPE_BOOLEAN || success->is_array_) {
    throw dyn::ModelError("driver_load.type: the answer of '" + type + "' has no field success of type bool");
  }
  success_ = success->offset_;
  const auto* const text = member(*response_, {"error", "message"});
  if (text != nullptr && text->type_id_ == introspection::ROS_TYPE_STRING && !text->is_array_) text_ = text->offset_;
}

// The numbers of a field: one, a fixed array of them, or a message of numbers as geometry_msgs/Vector3 is.
void LoadService::collect(const Members& message, std::uint32_t index, std::size_t base, Places& to) {
  const introspection::MessageMember& m = message.members_[index];
  const bool single = m.type_id_ == introspection::ROS_TYPE_FLOAT,
             number = m.type_id_ == introspection::ROS_TYPE_DOUBLE;
  if (m.is_array_ && (m.array_size_ == 0 || m.is_upper_bound_)) return;
  if (single || number) {
    const std::size_t count = m.is_array_ ? m.array_size_ : 1, size = single ? sizeof(float) : sizeof(double);
    for (std::size_t i = 0; i < count; ++i) to.push_back({base + m.offset_ + i * size, single});
  } else if (m.type_id_ == introspection::ROS_TYPE_MESSAGE && !m.is_array_) {
    const auto& inner = *static_cast<const Members*>(m.members_->data);
    for (std::uint32_t i = 0; i < inner.member_count_; ++i) collect(inner, i, base + m.offset_, to);
  }
}

LoadService::Places LoadService::find(const std::vector<std::string>& names, std::size_t count) const {
  Places places;
  if (const auto* const m = member(*request_, names); m != nullptr) {
    collect(*request_, static_cast<std::uint32_t>(m - request_->members_), 0, places);
  }
  if (places.size() == count) return places;
  throw dyn::ModelError("driver_load.type: a request of '" + type_ + "' has no field " + names.front() + " of " +
                        (count == 1 ? "one floating-point number" : std::to_string(count) + " floating-point numbers"));
}

void LoadService::write(void* message, const Places& places, const std::vector<double>& values) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    char* const to = static_cast<char*>(message) + places[i].offset;
    const auto single = static_cast<float>(values[i]);
    if (places[i].single_precision) {
      std::memcpy(to, &single, sizeof single);
    } else {
      std::memcpy(to, &values[i], sizeof values[i]);
    }
  }
}

std::shared_ptr<void> LoadService::request(const dyn::BodyInertia& load, double transition_time_s) const {
  const Members* const members = request_;
  std::shared_ptr<void> message(::operator new(members->size_of_), [members](void* memory) {
    members->fini_function(memory);
    ::operator delete(memory);
  });
  members->init_function(message.get(), rosidl_runtime_cpp::MessageInitialization::ZERO);
  const dyn::Mat3d& I = load.inertia_com_kgm2;
  write(message.get(), mass_, {load.mass_kg});
  write(message.get(), com_, {load.com_m.x(), load.com_m.y(), load.com_m.z()});
  write(message.get(), inertia_, {I.data(), I.data() + I.size()});
  write(message.get(), moments_, {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
  if (transition_time_) {
    char* const to = static_cast<char*>(message.get()) + *transition_time_;
    *reinterpret_cast<builtin_interfaces::msg::Duration*>(to) = rclcpp::Duration::from_seconds(transition_time_s);
  }
  return message;
}

std::string LoadService::refusal(const void* response) const {
  const char* const memory = static_cast<const char*>(response);
  if (*reinterpret_cast<const bool*>(memory + success_)) return {};
  const std::string text = text_ ? *reinterpret_cast<const std::string*>(memory + *text_) : std::string();
  return text.empty() ? "it gives no reason" : text;
}

}  // namespace dyn_controllers
