// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "state.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm_families.hpp"
#include "arrays.hpp"

namespace dyn::python {
namespace {

AlgorithmChoice choice_of(const Algorithms& names) {
  AlgorithmChoice choice;
  if (!names.jsim.empty()) choice.jsim = cli::registered_name("jsim_algorithm", names.jsim);
  if (!names.coriolis.empty()) choice.coriolis = cli::registered_name("coriolis_algorithm", names.coriolis);
  if (!names.forward.empty()) choice.forward = cli::registered_name("forward_dynamics", names.forward);
  if (!names.inverse.empty()) choice.inverse = cli::registered_name("inverse_dynamics", names.inverse);
  return choice;
}

// 0 where all are finite, NaN else.
double zero_or_nan(std::span<const double> x) noexcept {
  double sum = 0.0;
  for (const double value : x) sum += 0.0 * value;
  return sum;
}

// "joint 'joint2': q is 1e+200, too large: h of joint 'joint1' is nan", naming the largest entry of the state.
[[noreturn]] void refuse_overflow(const Model& model, std::span<const double> q, std::span<const double> v,
                                  std::span<const double> h) {
  const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto worst_q = std::max_element(q.begin(), q.end(), larger);
  const auto worst_v = std::max_element(v.begin(), v.end(), larger);
  const bool by_v = std::abs(*worst_v) > std::abs(*worst_q);
  const size_t joint = by_v ? worst_v - v.begin() : worst_q - q.begin();
  size_t where = 0;
  while (where + 1 < h.size() && std::isfinite(h[where])) ++where;
  throw ModelError("joint '" + model.coordinate_names()[joint] + "': " + (by_v ? "v" : "q") + " is " +
                   text_of(by_v ? *worst_v : *worst_q) + ", too large: h of joint '" + model.coordinate_names()[where] +
                   "' is " + text_of(h[where]));
}

}  // namespace

State::State(std::shared_ptr<const Model> model, const Algorithms& algorithms, std::vector<double> q,
             std::vector<double> v)
    : model_(std::move(model)), dynamics_(model_, choice_of(algorithms)), q_(std::move(q)), v_(std::move(v)) {
  q_.resize(model_->coordinates(), 0.0);
  v_.resize(model_->coordinates(), 0.0);
  evaluate();
}

void State::evaluate() { (void)dynamics_.update(q_, v_); }

void State::update(std::span<const double> q, std::span<const double> v) {
  const Status status = dynamics_.update(q, v);
  const auto h = dynamics_.h();
  const std::span<const double> all_h(h.data(), h.size());
  if (status.ok() && zero_or_nan(all_h) == 0.0) {
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(v.begin(), v.end(), v_.begin());
    return;
  }
  const std::vector<double> bad_h(all_h.begin(), all_h.end());
  evaluate();
  for (size_t i = 0; i < q.size(); ++i) {
    if (!std::isfinite(q[i])) refuse_entry(*model_, i, "q", q[i]);
    if (!std::isfinite(v[i])) refuse_entry(*model_, i, "v", v[i]);
  }
  refuse_overflow(*model_, q, v, bad_h);
}

void State::set_gravity(const Vec3d& gravity_mps2) {
  dynamics_.set_gravity(gravity_mps2);
  evaluate();
}

void State::require(const Status& status) const {
  if (status.ok()) return;
  const std::string where = status.body < 0 ? "" : "joint '" + model_->body_joint(status.body) + "': ";
  throw ModelError(where + "M is singular, pivot " + text_of(status.value));
}

}  // namespace dyn::python
