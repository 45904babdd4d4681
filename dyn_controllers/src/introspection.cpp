// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/introspection.hpp"

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#if __has_include("hardware_interface/introspection.hpp")
#include "hardware_interface/introspection.hpp"
#endif

namespace dyn_controllers {

#ifdef REGISTER_ENTITY

namespace {

using dyn::control::Terms;
constexpr std::pair<const char*, std::vector<double> Terms::*> columns[] = {
    {"position_error", &Terms::position_error}, {"velocity_error", &Terms::velocity_error},
    {"effort_inertia", &Terms::inertia},        {"effort_coriolis", &Terms::coriolis},
    {"effort_gravity", &Terms::gravity},        {"effort_friction", &Terms::friction},
    {"effort_feedback", &Terms::feedback},      {"effort_demanded", &Terms::demanded},
    {"effort_applied", &Terms::applied},        {"effort_external", &Terms::external},
};

using dyn::control::TaskCycle;
constexpr std::pair<const char*, double (*)(const TaskCycle&)> of_frame[] = {
    {"error_linear", [](const TaskCycle& cycle) { return Eigen::Vector3d(cycle.error.head<3>()).norm(); }},
    {"error_angular", [](const TaskCycle& cycle) { return Eigen::Vector3d(cycle.error.tail<3>()).norm(); }},
    {"smallest_singular_value", [](const TaskCycle& cycle) { return cycle.smallest_singular_value; }},
    {"effort_share", [](const TaskCycle& cycle) { return cycle.effort_share; }},
    {"damped", [](const TaskCycle& cycle) { return cycle.damped ? 1.0 : 0.0; }},
    {"limited", [](const TaskCycle& cycle) { return cycle.limited ? 1.0 : 0.0; }},
};

}  // namespace

struct Introspection::Impl {
  void add([[maybe_unused]] const std::string& name, [[maybe_unused]] const std::function<double()>& read) {
    REGISTER_ENTITY(hardware_interface::DEFAULT_REGISTRY_KEY, name, read, &registrations, false);
  }
  void add(const std::string& name, const std::atomic<double>& value) {
    add(name, [&value] { return value.load(std::memory_order_relaxed); });
  }

  pal_statistics::RegistrationsRAII registrations;
  bool wanted = false, settled = true;
};

Introspection::Introspection(const std::string& controller, const Arm& arm) : impl_(std::make_unique<Impl>()) {
  const std::vector<std::string> names = arm.all_coordinate_names();
  for (size_t i = 0; i < names.size(); ++i) {
    for (const auto& [what, column] : columns) {
      // terms() is not always the same object.
      impl_->add(controller + '.' + names[i] + '/' + what, [&arm, of = column, i] { return (arm.terms().*of)[i]; });
    }
  }
  if (!arm.frame().empty()) {
    for (const auto& [what, read] : of_frame) {
      impl_->add(controller + ".task/" + what, [&arm, of = read] { return of(arm.task()); });
    }
  }
  if (const Validation::Residuals* newest = arm.residuals()) {
    impl_->add(controller + ".validation/mass_matrix", newest->M);
    impl_->add(controller + ".validation/coriolis", newest->Cv);
    impl_->add(controller + ".validation/gravity", newest->g);
  }
}

void Introspection::show(bool on) noexcept {
  impl_->wanted = on;
  impl_->settled = false;
  settle();
}

// ros2_control's lock-free queue takes the requests, or as many as it has room for.
void Introspection::settle() noexcept {
  if (impl_->settled) return;
  impl_->settled = impl_->wanted ? impl_->registrations.enableAll() : impl_->registrations.disableAll();
}

#else

struct Introspection::Impl {};
Introspection::Introspection(const std::string&, const Arm&) {}
void Introspection::show(bool) noexcept {}
void Introspection::settle() noexcept {}

#endif

Introspection::~Introspection() = default;

}  // namespace dyn_controllers
