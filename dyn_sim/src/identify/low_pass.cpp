// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "identify/low_pass.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace dyn::sim::identify {
namespace {

using Eigen::Index;

// The value at the first sample of the line that fits the first `count` samples.
double fitted_begin(const Eigen::VectorXd& x, Index begin, Index step, Index count) {
  const double n = static_cast<double>(count), mean = 0.5 * (n - 1.0);
  double sum = 0.0, moment = 0.0;
  for (Index k = 0; k < count; ++k) {
    sum += x[begin + k * step];
    moment += (static_cast<double>(k) - mean) * x[begin + k * step];
  }
  const double slope = moment * 12.0 / (n * (n * n - 1.0));
  return sum / n - slope * mean;
}

// The largest number up to n without a prime factor above 5: a transform of n samples takes time n times the sum of n's
// prime factors.
Index quick_length(Index n) {
  for (;; --n) {
    Index rest = std::max<Index>(n, 1);
    for (const Index factor : {2, 3, 5}) {
      while (rest % factor == 0) rest /= factor;
    }
    if (rest == 1) return n;
  }
}

}  // namespace

LowPass::LowPass(double cutoff_hz, double rate_hz) {
  const double w = std::tan(std::numbers::pi * cutoff_hz / rate_hz);
  const double scale = 1.0 / (1.0 + std::numbers::sqrt2 * w + w * w);
  b_ = w * w * scale;
  a1_ = 2.0 * (w * w - 1.0) * scale;
  a2_ = (1.0 - std::numbers::sqrt2 * w + w * w) * scale;
  const double samples = rate_hz / cutoff_hz;  // of a period at the cutoff
  padding_ = static_cast<Index>(std::ceil(3.0 * samples));
  line_ = std::max<Index>(2, static_cast<Index>(std::lround(samples)));
  uncertain_ends_ = static_cast<Index>(std::ceil(0.5 * samples));
  constexpr int steps = 4096;  // |H|^2 = 1 / (1 + (tan(pi f / rate) / w)^4), twice
  double sum = 0.0;
  for (int k = 0; k < steps; ++k) {
    const double r = std::tan(0.5 * std::numbers::pi * (k + 0.5) / steps) / w;
    const double gain = 1.0 / (1.0 + r * r * r * r);
    sum += gain * gain;
  }
  noise_power_gain_ = sum / steps;
}

void LowPass::apply(Eigen::Ref<Eigen::VectorXd> x, Ends ends) const {
  const Index n = x.size(), pad = std::min(padding_, n - 1);
  if (n < 3) return;
  Eigen::VectorXd y(n + 2 * pad);
  y.segment(pad, n) = x;
  const Index line = std::min(line_, n);
  const double sign = ends == Ends::mirrored ? 1.0 : -1.0;
  const double first = ends == Ends::mirrored ? 0.0 : 2.0 * fitted_begin(x, 0, 1, line);
  const double last = ends == Ends::mirrored ? 0.0 : 2.0 * fitted_begin(x, n - 1, -1, line);
  for (Index k = 1; k <= pad; ++k) {
    y[pad - k] = first + sign * x[k];
    y[pad + n - 1 + k] = last + sign * x[n - 1 - k];
  }
  // Transposed direct form, begun as if the first value had always been there.
  const auto pass = [this, &y](Index begin, Index step) {
    const double x0 = y[begin];
    double z2 = (b_ - a2_) * x0, z1 = (2.0 * b_ - a1_) * x0 + z2;
    for (Index k = 0, i = begin; k < y.size(); ++k, i += step) {
      const double in = y[i], out = b_ * in + z1;
      z1 = 2.0 * b_ * in - a1_ * out + z2;
      z2 = b_ * in - a2_ * out;
      y[i] = out;
    }
  };
  pass(0, 1);
  pass(y.size() - 1, -1);
  x = y.segment(pad, n);
}

void LowPass::apply_to_columns(Eigen::Ref<Eigen::MatrixXd> X, Ends ends) const {
  for (Index c = 0; c < X.cols(); ++c) apply(X.col(c), ends);
}

Eigen::VectorXd differentiated(const Eigen::VectorXd& x, double step_s) {
  constexpr double weights[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  const Index n = x.size();
  const auto value = [&x, n](Index k) {  // turned about the first and last sample
    if (k < 0) return 2.0 * x[0] - x[std::min(-k, n - 1)];
    if (k >= n) return 2.0 * x[n - 1] - x[std::max<Index>(2 * n - 2 - k, 0)];
    return x[k];
  };
  Eigen::VectorXd slope(n);
  for (Index k = 0; k < n; ++k) {
    double sum = 0.0;
    for (Index j = 1; j <= 4; ++j) sum += weights[j - 1] * (value(k + j) - value(k - j));
    slope[k] = sum / step_s;
  }
  return slope;
}

double choose_cutoff_hz(const Eigen::MatrixXd& measured, int order, double rate_hz) {
  const Index n = quick_length(measured.rows()), bins = n / 2;
  const double highest = 0.4 * rate_hz, resolution = rate_hz / static_cast<double>(std::max<Index>(n, 1));
  if (bins < 16) return highest;
  Eigen::FFT<double> transform;
  Eigen::VectorXd power = Eigen::VectorXd::Zero(bins);  // of the acceleration, all joints
  for (Index joint = 0; joint < measured.cols(); ++joint) {
    std::vector<double> windowed(n);
    const double begin = measured(0, joint), slope = (measured(n - 1, joint) - begin) / static_cast<double>(n - 1);
    for (Index k = 0; k < n; ++k) {
      const double hann =
          0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(n));
      windowed[k] = hann * (measured(k, joint) - begin - slope * static_cast<double>(k));
    }
    std::vector<std::complex<double>> spectrum;
    transform.fwd(spectrum, windowed);
    Eigen::VectorXd square(bins);
    for (Index k = 0; k < bins; ++k) square[k] = std::norm(spectrum[k]);
    const double noise = square.tail(bins / 4).mean();
    for (Index k = 1; k < bins; ++k) {  // where it stands ten times out of the noise, over some bins
      const Index from = std::max<Index>(1, k - 4), count = std::min<Index>(bins - from, 9);
      if (square.segment(from, count).mean() < 10.0 * noise) continue;
      power[k] += std::pow(2.0 * std::numbers::pi * static_cast<double>(k) * resolution, 2 * order) * square[k];
    }
  }
  const double total = power.sum();
  if (!(total > 0.0)) return highest;
  double sum = 0.0;
  Index k = 0;
  while (k + 1 < bins && sum < 0.99 * total) sum += power[++k];
  return std::clamp(20.0 * static_cast<double>(k) * resolution, std::min(1.0, highest), highest);
}

}  // namespace dyn::sim::identify
