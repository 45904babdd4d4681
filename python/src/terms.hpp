// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The further quantities of a Dynamics besides M, C, g, h: derivatives, regressor and frames at its state, each
// computed when it is first requested. Results are arrays owned by the caller.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <span>
#include <string>

#include "dyn_core/derivatives.hpp"
#include "dyn_core/frames.hpp"
#include "dyn_core/operational_space.hpp"
#include "dyn_core/regressor.hpp"
#include "state.hpp"

namespace dyn::python {

namespace nb = nanobind;

struct InverseDerivatives {
  nb::object dtau_dq, dtau_dv, dtau_da;
};
struct ForwardDerivatives {
  nb::object qdd, dqdd_dq, dqdd_dv, dqdd_dtau;
};

struct FrameAnswer {
  nb::object p, R, twist, J, Jdot_v, Lambda;  // Lambda is None where the frame is singular
  std::string Lambda_error;                   // then why
};

class Terms {
 public:
  // Throws ModelError where there is no such link or payload.
  [[nodiscard]] FrameAnswer frame(State& state, const std::string& name);
  [[nodiscard]] InverseDerivatives inverse_derivatives(State& state, std::span<const double> a);
  // Throws ModelError where M is singular, naming the joint.
  [[nodiscard]] ForwardDerivatives forward_derivatives(State& state, std::span<const double> tau);
  [[nodiscard]] nb::object regressor(State& state, std::span<const double> a);  // Y, n x 10 bodies
  [[nodiscard]] nb::object parameters(State& state);                            // p with Y p = tau

 private:
  Derivatives& derivatives(State& state);
  Regressor& regressor_of(State& state);

  std::map<std::string, Frames, std::less<>> frames_;  // one each
  std::unique_ptr<OperationalSpace> operational_space_;
  std::unique_ptr<Derivatives> derivatives_;
  std::unique_ptr<Regressor> regressor_;
};

}  // namespace dyn::python
