// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Limits of the effort.
#include <algorithm>
#include <cmath>

#include "control/cycle.hpp"

namespace dyn::control {

// None stays none: of joints that are followed.
double Controller::Impl::effort_bound(int i) const noexcept {
  const double limit = effort_limit(actuation, *parameters, i);
  return std::isinf(limit) ? limit : parameters->effort_limit_scale * limit;
}

// The rate limit, then effort limits, which come first where both cannot be; integrals of joints that are at a limit do
// not wind up further into it, and no payload is learnt from a torque that was cut.
void Controller::Impl::limit_effort(CycleReport& report) noexcept {
  for (int i = 0; i < n; ++i) {
    double tau = terms.demanded[i];
    if (i < robot_n && actuation.actuated[i]) {
      if (parameters->effort_rate_limit > 0.0 && has_effort) {
        const double step = parameters->effort_rate_limit * period_s;
        tau = std::clamp(tau, effort_last[i] - step, effort_last[i] + step);
      }
      const double bound = effort_bound(i);
      tau = std::clamp(tau, -bound, bound);
      const double lost = terms.demanded[i] - tau;
      report.saturated = report.saturated || lost != 0.0;
      const double error = terms.position_error[i];
      if (lost * error <= 0.0 && parameters->gains[i].i > 0.0) {
        const double clamp = parameters->gains[i].i_clamp / parameters->gains[i].i;
        integral[i] = std::clamp(integral[i] + error * period_s, -clamp, clamp);
      }
    }
    terms.applied[i] = tau;
  }
  if (learning && !report.saturated) payload.adapt(parameters->adaptation_gain, period_s);
}

}  // namespace dyn::control
