// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Derivatives and regressor in `dyn validate`.
#pragma once

#include <functional>
#include <string_view>

#include "dyn_core/derivatives.hpp"
#include "dyn_core/oracle/pinocchio_model.hpp"
#include "dyn_core/oracle/validation.hpp"
#include "dyn_core/regressor.hpp"

namespace dyn::oracle {

// Small values for the robot at this state (errors are relative to at least these), and the condition number of M;
// infinite where M is singular.
struct Scales {
  double matrix_floor = 0.0, force_floor = 0.0, condition = 1.0;
};

class DerivativeComparison {
 public:
  using Record = std::function<void(std::string_view kind, std::string_view name, double tolerance, double error)>;

  explicit DerivativeComparison(const Model& model) : derivatives_(model), regressor_(model) {}

  void at(PinocchioModel& oracle, const State& state, const Scales& scales, const Record& record);

 private:
  void compare_inverse(PinocchioModel& oracle, const State& state, const Scales& scales, const Record& record);
  void compare_forward(PinocchioModel& oracle, const State& state, const Scales& scales, const Record& record);
  void compare_regressor(PinocchioModel& oracle, const State& state, const Scales& scales, const Record& record);

  Derivatives derivatives_;
  Regressor regressor_;
};

}  // namespace dyn::oracle
