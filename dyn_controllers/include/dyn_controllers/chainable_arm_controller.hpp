// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Shared by the controllers that take references from their reference interfaces, `CONTROLLER/PREFIX/NAME`, or from
// topics if no controller is above them.
//
// A reference interface holds a reference that has not been taken yet, or NaN. Controllers above begin at the value
// that they find there (joint_trajectory_controller does), so an old reference would be a jump. References are taken
// once a cycle, and cleared whenever the controller above may change. While active, interfaces without a new reference
// have NaN if they are required and 0 otherwise, so that a controller that commands positions alone need not write the
// rest.
#pragma once

#include <string>
#include <vector>

#include "dyn_controllers/arm_controller.hpp"

namespace dyn_controllers {

class ChainableArmController : public ArmController<controller_interface::ChainableControllerInterface> {
 public:
  CallbackReturn on_configure(const State& previous) override;
  CallbackReturn on_activate(const State& previous) override;
  CallbackReturn on_deactivate(const State& previous) override;
  CallbackReturn on_cleanup(const State& previous) override;
  CallbackReturn on_error(const State& previous) override;

 protected:
  using ArmController::ArmController;

  struct ReferenceName {
    std::string prefix, name;
    bool required;  // without it there is no reference
  };
  // In the order of taken(); known once the controller is configured.
  [[nodiscard]] virtual std::vector<ReferenceName> reference_names() const = 0;
  // Topics and publishers of the controller, from on_configure to on_cleanup.
  virtual void open_topics() = 0;
  virtual void close_topics() noexcept = 0;
  // After activation: drops older messages, and writes to the interfaces the values at which a controller above begins.
  virtual void begin_references() = 0;

  std::vector<hardware_interface::CommandInterface::SharedPtr> on_export_reference_interfaces_list() override;
  std::vector<hardware_interface::StateInterface::SharedPtr> on_export_state_interfaces_list() override;
  bool on_set_chained_mode(bool chained) override;

  // NaN in the required interfaces, `rest` in the others.
  DYN_REALTIME void forget_references(double rest) noexcept;
  // Takes what the controller above has written: true if all of it is finite. Every handle is read once: it may be
  // locked when read a second time.
  [[nodiscard]] DYN_REALTIME bool take_references() noexcept;
  [[nodiscard]] DYN_REALTIME const std::vector<double>& taken() const noexcept { return taken_; }

  bool fresh_reference_ = false;  // the loop's: there is one for this cycle

 private:
  std::vector<double> taken_;   // as read
  std::vector<char> required_;  // of each of them
};

}  // namespace dyn_controllers
