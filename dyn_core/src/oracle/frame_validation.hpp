// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The part of `dyn validate` that is about frames, operational space and M^-1.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "dyn_core/frames.hpp"
#include "dyn_core/operational_space.hpp"
#include "dyn_core/oracle/validation.hpp"

namespace dyn::oracle {

class FrameValidation {
 public:
  explicit FrameValidation(const std::shared_ptr<const Model>& model);

  // Kind, name, tolerance, error, as AlgorithmResult has them.
  using Record = std::function<void(std::string_view, std::string_view, double, double)>;
  // Of the frames of all links, at a state; condition: of M, infinite where it is singular.
  void compare(PinocchioModel& oracle, const State& state, double condition, const Record& record);

 private:
  void compare_frame(int frame, PinocchioModel& oracle, const State& state, const Record& record);
  void compare_lambda(int frame, const MatX<double>& J, const MatX<double>& inverse_M, double condition,
                      const Record& record);

  Dynamics dynamics_;
  Frames frames_;
  OperationalSpace space_;
};

}  // namespace dyn::oracle
