// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Dormand and Prince's embedded Runge-Kutta 5(4) for xdot = f(t, x): single steps, or an interval of time with adaptive
// steps. f(double t, const std::vector<double>& x, std::vector<double>& xdot). Memory is allocated by resize().
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace dyn::sim {

class DormandPrince {
 public:
  void resize(std::size_t states) {
    for (auto& k : k_) k.assign(states, 0.0);
    next_.assign(states, 0.0);
    stage_.assign(states, 0.0);
    step_s_ = 0.0;
  }
  void forget_step() noexcept { step_s_ = 0.0; }
  // Once this is set, by another thread, the integration of an interval ends after the current step.
  void give_up_on(const std::atomic<bool>* flag) noexcept { give_up_ = flag; }

  // x over duration_s by `steps` equal ones.
  template <class F>
  void fixed(F&& f, double t_s, double duration_s, int steps, std::vector<double>& x) {
    const double h = duration_s / steps;
    for (int k = 0; k < steps && !given_up(); ++k) {
      (void)step(f, t_s + k * h, h, 0.0, x);
      x.swap(next_);
    }
  }

  // x over duration_s; the error of a step stays below `tolerance` (1 + |x|), a step below largest_s (0: duration_s)
  // and above 1 ns. If that is impossible all of x becomes NaN: no part of the interval is skipped silently.
  template <class F>
  void adaptive(F&& f, double t_s, double duration_s, double tolerance, double largest_s, std::vector<double>& x) {
    constexpr double smallest_s = 1e-9;
    if (!(largest_s > 0.0)) largest_s = duration_s;
    const double most_steps = 1e5 + 2.0 * duration_s / largest_s;
    double done = 0.0;
    double h = std::min(step_s_ > 0.0 ? step_s_ : duration_s, largest_s);
    for (double k = 0.0; done < duration_s && !given_up(); k += 1.0) {
      const bool last = h >= duration_s - done;
      const double size = last ? duration_s - done : h;
      const double error = step(f, t_s + done, size, tolerance, x);
      const bool smallest = size <= smallest_s;
      if ((std::isnan(error) && smallest) || k > most_steps) {
        std::fill(x.begin(), x.end(), std::numeric_limits<double>::quiet_NaN());
        return forget_step();
      }
      if (error <= 1.0 || smallest) {
        x.swap(next_);
        done = last ? duration_s : done + size;
      }
      const double wished = error > 0.0 ? 0.9 * std::pow(error, -0.2) : 5.0;
      const double factor = std::isnan(error) ? 0.2 : std::clamp(wished, 0.2, 5.0);
      if (!last || !(error <= 1.0)) h = std::clamp(size * factor, std::min(smallest_s, largest_s), largest_s);
    }
    step_s_ = h;
  }

 private:
  // One step from x to next_; the error estimate in units of the tolerated error (0: not computed).
  template <class F>
  double step(F&& f, double t_s, double h, double tolerance, const std::vector<double>& x) {
    static constexpr std::array<std::array<double, 6>, 6> a{
        {{1.0 / 5},
         {3.0 / 40, 9.0 / 40},
         {44.0 / 45, -56.0 / 15, 32.0 / 9},
         {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
         {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
         {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}};
    static constexpr std::array<double, 6> c{1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
    static constexpr std::array<double, 7> e{71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                             -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    f(t_s, x, k_[0]);
    for (std::size_t s = 0; s < 6; ++s) {
      auto& to = s == 5 ? next_ : stage_;
      for (std::size_t i = 0; i < x.size(); ++i) {
        double sum = 0.0;
        for (std::size_t r = 0; r <= s; ++r) sum += a[s][r] * k_[r][i];
        to[i] = x[i] + h * sum;
      }
      f(t_s + c[s] * h, to, k_[s + 1]);
    }
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size() && tolerance > 0.0; ++i) {
      double error = 0.0;
      for (std::size_t s = 0; s < 7; ++s) error += e[s] * k_[s][i];
      const double share = std::abs(h * error) / (tolerance * (1.0 + std::abs(x[i])));
      if (!(share <= worst)) worst = share;  // NaN stays: x + NaN is larger than any error
      if (std::isnan(share)) break;
    }
    return worst;
  }

  [[nodiscard]] bool given_up() const noexcept {
    return give_up_ != nullptr && give_up_->load(std::memory_order_relaxed);
  }

  const std::atomic<bool>* give_up_ = nullptr;
  std::vector<double> next_, stage_;
  std::array<std::vector<double>, 7> k_;
  double step_s_ = 0.0;  // of the last interval's end
};

}  // namespace dyn::sim
