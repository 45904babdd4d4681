// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace dyn::python {

namespace nb = nanobind;

// A YAML file or the name of a shipped scenario as dicts, lists, numbers and strings, and the file's path. Throws
// ModelError.
[[nodiscard]] nb::tuple read_configuration_file(const std::string& scenario);

}  // namespace dyn::python
