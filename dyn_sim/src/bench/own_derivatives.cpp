// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "bench/own_derivatives.hpp"

#include "dyn_core/derivatives.hpp"
#include "dyn_core/regressor.hpp"

namespace dyn::bench {
namespace {

// One call per state, update(q, v, x).
template <class Worker, class Update>
Contestant contestant(const char* task, const std::shared_ptr<const Model>& model, const States& states,
                      Update update) {
  const auto worker = std::make_shared<Worker>(model);
  return {task, "dyn_control", "fused", [worker, &states, update](int first, int count) {
            const size_t n = states.joints;
            for (int s = first; s < first + count; ++s) {
              const Status status = update(*worker, std::span(states.at(states.q, s), n),
                                           std::span(states.at(states.v, s), n), std::span(states.at(states.a, s), n));
              if (status.code == Status::Code::not_finite) return;
            }
          }};
}

using Numbers = std::span<const double>;

void append(std::vector<double>& to, const MatX<double>& from) {
  to.insert(to.end(), from.data(), from.data() + from.size());
}

}  // namespace

std::vector<Contestant> derivative_contestants(const std::shared_ptr<const Model>& model, const States& states) {
  return {contestant<Derivatives>(
              "inverse derivatives", model, states,
              [](Derivatives& d, Numbers q, Numbers v, Numbers a) { return d.update_inverse(q, v, a); }),
          contestant<Derivatives>(
              "forward derivatives", model, states,
              [](Derivatives& d, Numbers q, Numbers v, Numbers tau) { return d.update_forward(q, v, tau); }),
          contestant<Regressor>("regressor", model, states,
                                [](Regressor& r, Numbers q, Numbers v, Numbers a) { return r.update(q, v, a); })};
}

std::vector<double> own_derivative_numbers(const Model& model, PeerTask task, Numbers q, Numbers v, Numbers x) {
  std::vector<double> numbers;
  if (task == task_regressor) {
    Regressor regressor{Model(model)};
    VecX<double> p(regressor.layout().parameters());
    regressor.parameters({p.data(), static_cast<size_t>(p.size())});
    if (regressor.update(q, v, x).ok()) append(numbers, regressor.Y() * p);
    return numbers;
  }
  Derivatives derivatives{Model(model)};
  if (task == task_inverse_derivatives && derivatives.update_inverse(q, v, x).ok()) {
    append(numbers, derivatives.dtau_dq());
    append(numbers, derivatives.dtau_dv());
  }
  if (task == task_forward_derivatives && derivatives.update_forward(q, v, x).ok()) {
    append(numbers, derivatives.dqdd_dq());
    append(numbers, derivatives.dqdd_dv());
    append(numbers, derivatives.dqdd_dtau());
  }
  return numbers;
}

}  // namespace dyn::bench
