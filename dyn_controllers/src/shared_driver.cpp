// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/shared_driver.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "lifecycle_msgs/msg/state.hpp"

namespace dyn_controllers {

std::shared_ptr<SharedDriver> SharedDriver::of(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<SharedDriver>> drivers;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<SharedDriver> driver = drivers[name].lock();
  if (!driver) drivers[name] = driver = std::make_shared<SharedDriver>();
  return driver;
}

void SharedDriver::join(const Controller& controller) {
  const std::scoped_lock lock(mutex_);
  controllers_.push_back(&controller);
}

void SharedDriver::leave(const Controller& controller) {
  const std::scoped_lock lock(mutex_);
  std::erase(controllers_, &controller);
}

bool SharedDriver::is_told_by(const Controller& controller) {
  const auto active = [](const Controller& one) {
    return one.get_current_state().id() == lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE;
  };
  const std::scoped_lock lock(mutex_);
  if (controllers_.front() != &controller && active(controller) && !active(*controllers_.front())) {
    std::erase(controllers_, &controller);
    controllers_.insert(controllers_.begin(), &controller);
  }
  return controllers_.front() == &controller;
}

std::string SharedDriver::told_by() const {
  const std::scoped_lock lock(mutex_);
  return controllers_.front()->get_fully_qualified_name();
}

std::unique_lock<std::timed_mutex> SharedDriver::turn(const std::atomic<bool>& stopped) {
  std::unique_lock lock(turns_, std::defer_lock);
  while (!stopped && !lock.try_lock_for(std::chrono::milliseconds(20))) continue;
  return lock;
}

}  // namespace dyn_controllers
