// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/rover_ground.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace dyn::study {
namespace {

// Flanks rise by up to 0.3; no hollow is narrower than a wheel.
constexpr double cell_m = 0.2, width_m = 0.05, lowest_m = -0.015, highest_m = 0.025;

}  // namespace

Ground::Ground(std::uint64_t seed, double centre_x_m, double centre_y_m, double half_width_m)
    : x0_m_(centre_x_m - half_width_m),
      y0_m_(centre_y_m - half_width_m),
      cells_(static_cast<int>(std::ceil(2.0 * half_width_m / cell_m))) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> place(0.0, cell_m), height(lowest_m, highest_m);
  for (int row = 0; row < cells_; ++row) {
    for (int column = 0; column < cells_; ++column) {
      const double x = x0_m_ + column * cell_m + place(rng), y = y0_m_ + row * cell_m + place(rng);
      mounds_.push_back({x, y, height(rng)});
    }
  }
}

// z = sum of H exp(-r^2 / 2 w^2) over the mounds of this cell and those around it, each lowered so that it ends there.
Ground::Place Ground::at(double x_m, double y_m) const noexcept {
  static const double rim = std::exp(-0.5 * cell_m * cell_m / (width_m * width_m));
  const int column = static_cast<int>(std::floor((x_m - x0_m_) / cell_m));
  const int row = static_cast<int>(std::floor((y_m - y0_m_) / cell_m));
  Place place;
  double slope_x = 0.0, slope_y = 0.0;
  for (int r = std::max(0, row - 1); r <= std::min(cells_ - 1, row + 1); ++r) {
    for (int c = std::max(0, column - 1); c <= std::min(cells_ - 1, column + 1); ++c) {
      const Mound& mound = mounds_[static_cast<size_t>(r) * static_cast<size_t>(cells_) + static_cast<size_t>(c)];
      const double x = (x_m - mound.x_m) / width_m, y = (y_m - mound.y_m) / width_m;
      const double bell = std::exp(-0.5 * (x * x + y * y));
      if (bell <= rim) continue;
      place.height_m += mound.height_m * (bell - rim);
      slope_x -= mound.height_m * bell * x / width_m;
      slope_y -= mound.height_m * bell * y / width_m;
    }
  }
  place.normal = Vec3d(-slope_x, -slope_y, 1.0).normalized();
  return place;
}

}  // namespace dyn::study
