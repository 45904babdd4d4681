// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The service by which a robot's driver is told what its flange carries, of any installed type whose fields have the
// names of ur_msgs/srv/SetPayload or franka_msgs/srv/SetLoad. They are found at run time, so that neither package is
// needed to build this one. Not real-time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dyn_core/model/body_inertia.hpp"
#include "rcpputils/shared_library.hpp"
#include "rosidl_typesupport_introspection_cpp/message_introspection.hpp"

namespace dyn_controllers {

class LoadService {
 public:
  // Throws dyn::ModelError if the type is not installed, or a field is missing or has another shape.
  explicit LoadService(const std::string& type);

  // A request: the load in the axes of the flange, its centre of mass from the flange's origin.
  [[nodiscard]] std::shared_ptr<void> request(const dyn::BodyInertia& load, double transition_time_s) const;
  // Empty if the driver has taken the load, else what it says.
  [[nodiscard]] std::string refusal(const void* response) const;

 private:
  struct Place {  // of a float or a double in a message
    std::size_t offset = 0;
    bool single_precision = false;
  };
  using Places = std::vector<Place>;
  using Members = rosidl_typesupport_introspection_cpp::MessageMembers;

  static void collect(const Members& message, std::uint32_t member, std::size_t base, Places& to);
  [[nodiscard]] Places find(const std::vector<std::string>& names, std::size_t count) const;
  static void write(void* message, const Places& places, const std::vector<double>& values);

  std::string type_;
  std::shared_ptr<rcpputils::SharedLibrary> library_;
  const Members* request_ = nullptr;
  const Members* response_ = nullptr;
  Places mass_, com_, inertia_, moments_;  // inertia_: nine numbers; moments_: xx, yy, zz, xy, xz, yz; may be empty
  std::size_t success_ = 0;                // offsets in the messages
  std::optional<std::size_t> transition_time_, text_;
};

}  // namespace dyn_controllers
