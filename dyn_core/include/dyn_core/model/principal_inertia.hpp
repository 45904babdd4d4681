// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One body's inertia as its six principal screws, paper 002 (Laus, Simoni and Martins), eqs 2-11. Computed whenever an
// inertia is set (set_body_inertia, Model::build), not by the algorithms. Real-time safe: fixed sizes, bounded loops.
#pragma once

#include <algorithm>
#include <cmath>

#include "dyn_core/error.hpp"
#include "dyn_core/numeric/types.hpp"

namespace dyn {

// The principal screws lie along the columns of `axes` through the centre of mass, two on each, with pitches plus and
// minus the radius of gyration sqrt(I/m). With S_C the 6 x 6 matrix that has them as rows, Mbar = weight S_C^T S_C,
// weight = m/2 (eqs 8, 10). Where m = 0 radii do not exist: there `radii` holds sqrt(I), so that Mbar is eq 9 directly.
struct PrincipalInertia {
  double mass_kg = 0.0;
  Vec3d com_m = Vec3d::Zero();     // in the body frame
  Mat3d axes = Mat3d::Identity();  // principal axes in the body frame: R_C^i of eq 11
  Vec3d radii = Vec3d::Zero();     // m, of gyration; kg^(1/2) m where m = 0
};

// Jacobi's eigenvalue method: plane rotations until the products of inertia vanish. Keeps the relative accuracy of
// small moments, leaves diagonal tensors unchanged to the bit. Converges quadratically: 3 to 5 rounds.
DYN_REALTIME inline PrincipalInertia principal_inertia(double mass_kg, const Vec3d& com_m, Mat3d I) noexcept {
  constexpr int most_rounds = 16;
  PrincipalInertia p{mass_kg, com_m, Mat3d::Identity(), Vec3d::Zero()};
  for (int round = 0; round < most_rounds; ++round) {
    if (I(0, 1) == 0.0 && I(0, 2) == 0.0 && I(1, 2) == 0.0) break;
    for (int r = 0; r < 2; ++r) {
      for (int c = r + 1; c < 3; ++c) {
        if (I(r, c) == 0.0) continue;
        const double theta = (I(c, c) - I(r, r)) / (2.0 * I(r, c));  // cot of twice the angle
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double cosine = 1.0 / std::hypot(t, 1.0);
        const double sine = t * cosine;
        const int o = 3 - r - c;  // the third axis
        I(r, r) -= t * I(r, c);
        I(c, c) += t * I(r, c);
        I(r, c) = I(c, r) = 0.0;
        const double r_o = I(r, o);
        const double c_o = I(c, o);
        I(r, o) = I(o, r) = cosine * r_o - sine * c_o;
        I(c, o) = I(o, c) = sine * r_o + cosine * c_o;
        const Vec3d axis = p.axes.col(r);
        p.axes.col(r) = cosine * axis - sine * p.axes.col(c);
        p.axes.col(c) = sine * axis + cosine * p.axes.col(c);
      }
    }
  }
  // Rounding may make a moment of 0 slightly negative; Model::build has refused inertias that are really negative.
  for (int a = 0; a < 3; ++a) {
    const double moment = std::max(I(a, a), 0.0);
    p.radii[a] = std::sqrt(mass_kg > 0.0 ? moment / mass_kg : moment);
  }
  return p;
}

}  // namespace dyn
