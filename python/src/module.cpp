// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The extension module dyn_control._core.
#include <nanobind/nanobind.h>

#include "bindings.hpp"
#include "dyn_core/error.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled part of dyn_control: models, dynamics, batches and closed loops.";
  nanobind::exception<dyn::ModelError>(m, "ModelError", PyExc_ValueError).doc() =
      "Invalid input. The message is one sentence with file, link or joint, and value.";
  dyn::python::bind_model(m);
  dyn::python::bind_dynamics(m);
  dyn::python::bind_batch(m);
  dyn::python::bind_run(m);
  dyn::python::bind_log_commands(m);
}
