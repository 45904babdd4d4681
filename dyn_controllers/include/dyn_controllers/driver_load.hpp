// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Payloads told to the robot's driver, for robots that compensate gravity themselves: what is attached to the
// controller's model is also what the robot knows of, or neither. The driver is told first; the model changes when it
// has agreed. What was not agreed upon (a refusal, an answer that is late, a driver that has gone) is not attached, and
// the driver is told once a second what the model carries until it agrees. Of several controllers of one driver one
// tells it, and the others change their models alone (shared_driver.hpp). Not real-time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dyn_controllers/callback_gate.hpp"
#include "dyn_controllers/dyn_controllers_parameters.hpp"
#include "dyn_controllers/load_service.hpp"
#include "dyn_controllers/shared_driver.hpp"
#include "dyn_core/live/live_model.hpp"
#include "geometry_msgs/msg/inertia_stamped.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

namespace dyn_controllers {

// What `link` carries: its own load (`tool`, in its frame) and all payloads, which have to be rigid and on links that
// are fixed to it. In the frame of `link`. Throws dyn::ModelError.
[[nodiscard]] dyn::BodyInertia load_of(const dyn::Model& model, const std::string& link, const dyn::BodyInertia& tool,
                                       const std::vector<dyn::Payload>& payloads);

class DriverLoad {
 public:
  using Settings = parameters::Params::DriverLoad;

  // Throws dyn::ModelError if the settings are not usable. `node` and `live` must outlive this object.
  DriverLoad(rclcpp_lifecycle::LifecycleNode& node, const Settings& settings, dyn::live::LiveModel& live);
  // Ends what waits for the driver, and returns when that has come back.
  ~DriverLoad();
  DriverLoad(const DriverLoad&) = delete;
  DriverLoad& operator=(const DriverLoad&) = delete;
  DriverLoad(DriverLoad&&) = delete;
  DriverLoad& operator=(DriverLoad&&) = delete;

  // The driver is not waited for any more: for whoever waits until callbacks that use this object have returned. Any
  // thread.
  void stop() noexcept { stopped_ = true; }
  // As LiveModel's. Throw dyn::ModelError with the reason, the driver's too; then the model is as before.
  dyn::live::Applied attach(const dyn::Payload& payload, double transition_time_s);
  dyn::live::Applied detach(const std::string& name, double transition_time_s);

 private:
  dyn::live::Applied change(const std::vector<dyn::Payload>& wanted, double transition_time_s,
                            const std::function<dyn::live::Applied()>& apply);
  void tell(const std::vector<dyn::Payload>& payloads, double transition_time_s);
  void call(const dyn::BodyInertia& load, double transition_time_s);
  void publish(const dyn::BodyInertia& load);
  void try_again();
  void agree();
  [[nodiscard]] std::unique_lock<std::timed_mutex> turn();
  [[nodiscard]] dyn::BodyInertia load_with(const std::vector<dyn::Payload>& payloads) const;
  [[nodiscard]] bool driver_carries(const dyn::BodyInertia& load) const;
  [[nodiscard]] SharedDriver::Servers servers() const;
  [[nodiscard]] bool has_another_server() const;
  [[nodiscard]] bool comes(const std::function<bool(std::chrono::milliseconds)>& look) const;

  std::mutex one_at_a_time_;  // changes, and the timer's repetitions
  std::atomic<bool> stopped_{false};
  rclcpp_lifecycle::LifecycleNode& node_;
  Settings settings_;
  dyn::BodyInertia tool_;
  dyn::live::LiveModel& live_;
  rclcpp::Logger logger_;
  // The driver's answer is waited for inside a callback of a service: no executor but this one takes it.
  rclcpp::executors::SingleThreadedExecutor executor_;
  rclcpp::CallbackGroup::SharedPtr answers_, repetitions_;
  std::unique_ptr<LoadService> service_;
  rclcpp::GenericClient::SharedPtr client_;
  rclcpp::Publisher<geometry_msgs::msg::InertiaStamped>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::shared_ptr<SharedDriver> driver_;
  bool reported_ = false;
  CallbackGate gate_;
};

}  // namespace dyn_controllers
