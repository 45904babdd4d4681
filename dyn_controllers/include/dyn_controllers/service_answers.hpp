// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Answers of the services that change a model.
#pragma once

#include <exception>
#include <string>

#include "dyn_core/live/live_model.hpp"

namespace dyn_controllers {

template <class Response>
void report(const dyn::live::Applied& applied, const std::string& what, Response& response) {
  response.success = true;
  response.message = what;
  for (const std::string& warning : applied.warnings) response.message += "; " + warning;
  response.joint_names = applied.coordinate_names;
  response.generation = applied.generation;
}

template <class Response>
void refuse(const std::exception& error, Response& response) {
  response.success = false;
  response.message = error.what();
}

}  // namespace dyn_controllers
