// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the controllers share that take references from interfaces of their own, `CONTROLLER/PREFIX/NAME`, or from
// topics where no controller is above them.
//
// What stands in a reference interface is a reference that has come and was not taken yet, or nothing: NaN. Controllers
// above begin at what they find there (joint_trajectory_controller does), so an old reference would be a jump. Taken
// once a cycle; forgotten whenever who is above may change. While active, nothing is NaN in what is required and 0 in
// the rest, so that who commands positions alone need not write more.
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
  // After activation: what came before is old, and the interfaces get what whoever is above begins at.
  virtual void begin_references() = 0;

  std::vector<hardware_interface::CommandInterface::SharedPtr> on_export_reference_interfaces_list() override;
  std::vector<hardware_interface::StateInterface::SharedPtr> on_export_state_interfaces_list() override;
  bool on_set_chained_mode(bool chained) override;

  // NaN in what is required, `rest` in the others.
  DYN_REALTIME void forget_references(double rest) noexcept;
  // Takes what the controller above has written: true where all of it is finite. Every handle is read once: at a second
  // look it may be locked.
  [[nodiscard]] DYN_REALTIME bool take_references() noexcept;
  [[nodiscard]] DYN_REALTIME const std::vector<double>& taken() const noexcept { return taken_; }

  bool fresh_reference_ = false;  // the loop's: one has come for this cycle

 private:
  std::vector<double> taken_;   // as they were read
  std::vector<char> required_;  // of each of them
};

}  // namespace dyn_controllers
