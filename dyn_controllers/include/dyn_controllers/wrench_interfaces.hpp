// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The wrench at the observed frame as state interfaces of a chainable controller, every cycle, for controllers like
// admittance_controller: CONTROLLER/external_wrench/ force.x .. torque.z, contact (0 or 1), smallest_singular_value and
// damped (0 or 1). NaN while nothing is known. A ForceTorqueSensor of that name reads the first six.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dyn_controllers/handles.hpp"
#include "dyn_core/control/external_wrench.hpp"
#include "hardware_interface/handle.hpp"

namespace dyn_controllers {

class WrenchInterfaces {
 public:
  using List = std::vector<hardware_interface::StateInterface::SharedPtr>;

  const List& make(const std::string& controller) {
    list_.clear();
    for (const char* name : {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z", "contact",
                             "smallest_singular_value", "damped"}) {
      hardware_interface::InterfaceInfo info;
      info.name = name;
      info.data_type = "double";  // and without an initial value: NaN
      list_.push_back(std::make_shared<hardware_interface::StateInterface>(
          hardware_interface::InterfaceDescription(controller + "/external_wrench", info)));
    }
    return list_;
  }
  DYN_REALTIME void show(const dyn::control::WrenchEstimate& estimate) noexcept {
    if (list_.empty()) return;
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const bool known = estimate.known;
    for (int i = 0; i < 6; ++i) put(*list_[i], known ? estimate.wrench[i] : none);
    put(*list_[6], !known ? none : estimate.contact ? 1.0 : 0.0);
    put(*list_[7], known ? estimate.smallest_singular_value : none);
    put(*list_[8], !known ? none : estimate.damped ? 1.0 : 0.0);
  }

 private:
  List list_;
};

}  // namespace dyn_controllers
