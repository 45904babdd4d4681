// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What the parts of the module add to it, and the Model that they share.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "dyn_core/model/model.hpp"

namespace dyn::python {

namespace nb = nanobind;

// A robot as Python sees it.
struct RobotModel {
  std::shared_ptr<const Model> model;
};

void bind_model(nb::module_& m);
void bind_dynamics(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_run(nb::module_& m);
void bind_log_commands(nb::module_& m);

// Each of the model's warnings as a Python UserWarning.
void warn(const Model& model);

}  // namespace dyn::python
