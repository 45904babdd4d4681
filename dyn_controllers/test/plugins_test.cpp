// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The plugins are found under their names, as a controller manager finds them.
#include <gtest/gtest.h>

#include "controller_interface/chainable_controller_interface.hpp"
#include "controller_interface/controller_interface.hpp"
#include "hardware_interface/system_interface.hpp"
#include "pluginlib/class_loader.hpp"

namespace dyn_controllers::test {
namespace {

template <class Base>
void loads(const char* package, const char* base, const std::vector<std::string>& names) {
  pluginlib::ClassLoader<Base> loader(package, base);
  for (const std::string& name : names) {
    EXPECT_TRUE(loader.isClassAvailable(name)) << name;
    EXPECT_NE(loader.createSharedInstance(name), nullptr) << name;
  }
}

TEST(Plugins, AreFoundUnderTheirNames) {
  loads<controller_interface::ChainableControllerInterface>(
      "controller_interface", "controller_interface::ChainableControllerInterface",
      {"dyn_controllers/ComputedTorqueController", "dyn_controllers/FeedforwardController",
       "dyn_controllers/TaskSpaceController"});
  loads<controller_interface::ControllerInterface>(
      "controller_interface", "controller_interface::ControllerInterface",
      {"dyn_controllers/GravityCompensationController", "dyn_controllers/DynamicsBroadcaster"});
  loads<hardware_interface::SystemInterface>("hardware_interface", "hardware_interface::SystemInterface",
                                             {"dyn_controllers/SimulatedArm"});
}

}  // namespace
}  // namespace dyn_controllers::test
