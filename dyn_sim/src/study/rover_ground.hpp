// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Rugged ground for the rover: mounds and hollows, one in every cell of a grid, of random height and place; another
// ground for every seed.
#pragma once

#include <cstdint>
#include <vector>

#include "dyn_core/numeric/types.hpp"

namespace dyn::study {

class Ground {
 public:
  // Ground within half_width_m of the centre; flat beyond.
  Ground(std::uint64_t seed, double centre_x_m, double centre_y_m, double half_width_m);

  struct Place {
    double height_m = 0.0;
    Vec3d normal = Vec3d::UnitZ();  // upward
  };
  [[nodiscard]] Place at(double x_m, double y_m) const noexcept;

 private:
  struct Mound {
    double x_m, y_m, height_m;  // negative: a hollow
  };
  double x0_m_, y0_m_;
  int cells_;
  std::vector<Mound> mounds_;  // by rows of cells
};

}  // namespace dyn::study
