// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What `dyn symbolic` prints.
#pragma once

#include <functional>
#include <string>

#include "dyn_core/model/model.hpp"
#include "symbolic/robot_expressions.hpp"
#include "symbolic/style.hpp"

namespace dyn::symbolic {

constexpr int most_coordinates = 12;

struct Request {
  Terms terms;
  Format format = Format::text;
  bool symbols = false;  // parameters as symbols, not as numbers
};

// Throws ModelError where the robot is too large, or has what cannot be written so. `progress` is told what is being
// done.
[[nodiscard]] std::string document(const Model& model, const Request& request,
                                   const std::function<void(const std::string&)>& progress);

// "three-link 2" -> "three_link_2"
[[nodiscard]] std::string identifier(const std::string& name);

}  // namespace dyn::symbolic
