// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/laws.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_sim/dormand_prince.hpp"
#include "dyn_sim/precision.hpp"
#include "dyn_sim/run/runner.hpp"

namespace dyn::sim {
namespace {

class Squares {
 public:
  void add(double error) noexcept {
    sum_ += error * error;
    max_ = larger_error(max_, std::abs(error));
    ++count_;
  }
  [[nodiscard]] Tracking result() const noexcept {
    return {count_ > 0 ? std::sqrt(sum_ / static_cast<double>(count_)) : 0.0, max_};
  }

 private:
  double sum_ = 0.0, max_ = 0.0;
  std::int64_t count_ = 0;
};

// The law and the arm as one differential equation of (q, v).
class ContinuousLoop {
 public:
  explicit ContinuousLoop(const ArmConfig& arm)
      : arm_(arm),
        model_(std::make_shared<const Model>(Model::build(arm.description, arm.live.model))),
        n_(model_->coordinates()),
        law_model_(model_),
        plant_(model_, AlgorithmChoice{.forward = "aba"}),
        passive_(n_) {
    for (auto* x : {&r_, &rv_, &ra_, &e_, &ev_, &zero_, &inertia_, &coriolis_, &gravity_, &feedback_, &a_, &sliding_v_,
                    &pid_, &tau_}) {
      x->assign(n_, 0.0);
    }
    passive_.choose(std::vector<bool>(n_, true), n_, n_);
    integrator_.resize(2 * n_);
    state_.resize(2 * n_);
  }

  Tracking run(double duration_s, double tolerance) {
    constexpr double sampled_every_s = 1e-3;
    reference(0.0);
    std::copy_n(r_.begin(), n_, state_.begin());
    std::copy_n(rv_.begin(), n_, state_.begin() + n_);
    Squares squares;
    const auto samples = std::llround(duration_s / sampled_every_s);
    const auto rates = [this](double t, const std::vector<double>& x, std::vector<double>& xdot) { rate(t, x, xdot); };
    for (std::int64_t k = 0; k < samples; ++k) {
      const double time_s = static_cast<double>(k) * sampled_every_s;
      integrator_.adaptive(rates, time_s, sampled_every_s, tolerance, 0.0, state_);
      reference(time_s + sampled_every_s);
      for (int i = 0; i < n_; ++i) squares.add(r_[i] - state_[i]);
    }
    return squares.result();
  }

 private:
  void reference(double time_s) { arm_.trajectory->sample(time_s, r_, rv_, ra_); }
  [[nodiscard]] VectorRef<double> to(std::vector<double>& x) const { return {x.data(), n_}; }
  [[nodiscard]] ConstVectorRef<double> of(const std::vector<double>& x) const { return {x.data(), n_}; }

  void rate(double time_s, const std::vector<double>& x, std::vector<double>& xdot) {
    const std::span<const double> q(x.data(), n_);
    const std::span<const double> v(x.data() + n_, n_);
    reference(time_s);
    for (int i = 0; i < n_; ++i) {
      e_[i] = r_[i] - q[i];
      ev_[i] = rv_[i] - v[i];
      xdot[i] = v[i];
    }
    const bool at_reference = arm_.controller.law == control::Law::feedforward;
    Status status = at_reference ? law_model_.update(std::span<const double>(r_), std::span<const double>(rv_))
                                 : law_model_.update(q, v);
    const control::LawInput in{
        law_model_.M(), law_model_.C(), law_model_.g(), law_model_.h(), {v.data(), n_},       of(e_),
        of(ev_),        of(rv_),        of(ra_),        of(zero_),      arm_.controller.gains};
    const control::LawOutput out{to(inertia_), to(coriolis_),  to(gravity_), to(feedback_),
                                 to(a_),       to(sliding_v_), to(pid_)};
    if (status.ok()) status = evaluate(in, out);
    for (int i = 0; i < n_; ++i) tau_[i] = inertia_[i] + coriolis_[i] + gravity_[i] + feedback_[i];
    if (status.ok()) status = plant_.update_terms(q, v, 0);
    if (status.ok()) status = plant_.forward(tau_, std::span<double>(xdot.data() + n_, n_));
    if (!status.ok())
      throw ModelError(arm_.robot + ": the law or the arm has no solution at " + std::to_string(time_s) + " s");
  }

  Status evaluate(const control::LawInput& in, const control::LawOutput& out) {
    switch (arm_.controller.law) {
      case control::Law::computed_torque: return control::computed_torque(in, passive_, out);
      case control::Law::feedforward: control::feedforward(in, out); return {};
      case control::Law::gravity_compensation: control::gravity_compensation(in, out); return {};
      case control::Law::task_space: break;
      case control::Law::passivity:
      case control::Law::adaptive: return control::passivity(in, passive_, out);  // the learning is left out here
    }
    return {};
  }

  const ArmConfig& arm_;
  std::shared_ptr<const Model> model_;
  int n_;
  Dynamics law_model_, plant_;
  control::PassiveJoints passive_;
  DormandPrince integrator_;
  std::vector<double> state_, r_, rv_, ra_, e_, ev_, zero_, inertia_, coriolis_, gravity_, feedback_, a_, sliding_v_,
      pid_, tau_;
};

}  // namespace

Tracking track(const RunConfig& run, double from_s) {
  RunOptions options;
  options.fast = true;
  const RunRecord record = run_closed_loop(run, options);
  Squares squares;
  for (const ArmRecord& arm : record.arms) {
    for (int row = 0; row < arm.rows; ++row) {
      if (arm.time_s[row] < from_s - 1e-9) continue;
      for (int i = 0; i < static_cast<int>(arm.coordinates.size()); ++i) {
        squares.add(arm.signal(row, Signal::position_error, i));
      }
    }
  }
  return squares.result();
}

Tracking track_continuously(const ArmConfig& arm, double duration_s, double tolerance) {
  return ContinuousLoop(arm).run(duration_s, tolerance);
}

}  // namespace dyn::sim
