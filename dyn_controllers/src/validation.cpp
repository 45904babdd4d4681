// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/validation.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/error.hpp"
#include "dyn_core/live/sample_ring.hpp"
#include "dyn_msgs/msg/validation.hpp"
#ifdef DYN_HAS_ORACLE
#include "dyn_core/oracle/validator.hpp"
#endif

namespace dyn_controllers {

#ifdef DYN_HAS_ORACLE

struct Validation::Impl {
  using Message = dyn_msgs::msg::Validation;

  Impl(rclcpp_lifecycle::LifecycleNode& node, dyn::live::LiveModel& live, const parameters::Params& params,
       double period_s, Residuals& newest_residuals)
      : newest(newest_residuals),
        ring(slots, live.max_coordinates(),
             live.newest_model()->bodies() + live.max_coordinates() - live.robot_coordinates()),
        every(std::max(1L, std::lround(1.0 / (params.validation.rate * period_s)))),
        tolerance(params.validation.tolerance),
        clock(node.get_clock()),
        publisher(rclcpp::create_publisher<Message>(node, "~/validation", rclcpp::SystemDefaultsQoS())) {
    const dyn::oracle::ValidatorSettings settings{
        params.validation.mode == "gate" ? dyn::oracle::ValidatorMode::gate : dyn::oracle::ValidatorMode::monitor,
        params.validation.tolerance, params.validation.fallback};
    validator = std::make_unique<dyn::oracle::Validator>(
        live, ring, settings, [this](const dyn::oracle::Residual& residual) { publish(residual); });
  }

  // On the validator's thread.
  void publish(const dyn::oracle::Residual& residual) {
    newest.M.store(residual.M, std::memory_order_relaxed);
    newest.Cv.store(residual.Cv, std::memory_order_relaxed);
    newest.g.store(residual.g, std::memory_order_relaxed);
    Message message;
    message.header.stamp = clock->now();
    message.generation = residual.generation;
    message.mass_matrix = residual.M;
    message.coriolis = residual.Cv;
    message.gravity = residual.g;
    message.samples = ++samples;
    if (!(std::max({residual.M, residual.Cv, residual.g}) <= tolerance)) ++breaches;
    message.breaches = breaches;
    message.lost = ring.dropped();
    publisher->publish(message);
  }

  static constexpr int slots = 64;
  Residuals& newest;
  dyn::live::SampleRing ring;
  const long every;
  const double tolerance;
  long cycle = 0;
  std::uint64_t samples = 0, breaches = 0;
  rclcpp::Clock::SharedPtr clock;
  rclcpp::Publisher<Message>::SharedPtr publisher;
  std::unique_ptr<dyn::oracle::Validator> validator;  // last member, so that its thread ends first
};

Validation::Validation(rclcpp_lifecycle::LifecycleNode& node, dyn::live::LiveModel& live,
                       const parameters::Params& params, double period_s)
    : impl_(std::make_unique<Impl>(node, live, params, period_s, newest_)) {}

void Validation::choose(dyn::control::Controller& controller) noexcept {
  const bool wanted = impl_->cycle == 0;
  impl_->cycle = (impl_->cycle + 1) % impl_->every;
  controller.set_sample_ring(wanted ? &impl_->ring : nullptr);
}

#else

struct Validation::Impl {};

Validation::Validation(rclcpp_lifecycle::LifecycleNode& node, dyn::live::LiveModel&, const parameters::Params& params,
                       double) {
  if (params.validation.mode == "gate") {
    throw dyn::ModelError("validation.mode: 'gate' needs a build with Pinocchio, and this is one without");
  }
  RCLCPP_WARN(node.get_logger(), "validation.mode: '%s' compares nothing, since this is a build without Pinocchio",
              params.validation.mode.c_str());
}

void Validation::choose(dyn::control::Controller&) noexcept {}

#endif

Validation::~Validation() = default;

}  // namespace dyn_controllers
