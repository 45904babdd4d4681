// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// M, C and g of three arms of the papers in closed form, as printed, with the prints' errors corrected. They know
// nothing of this project's algorithms: what tests and studies compare with. Not installed.
#pragma once

#include <cmath>
#include <vector>

#include "dyn_core/numeric/types.hpp"

namespace dyn::closed_forms {

struct ClosedForm {
  MatX<double> M, C;
  VecX<double> g;

  static ClosedForm zero(int n) { return {MatX<double>::Zero(n, n), MatX<double>::Zero(n, n), VecX<double>::Zero(n)}; }
};

// Paper 000 (Wang and Ju), section 7.1: planar arm with three joints. The paper has symbols only; the figures are ours.
struct Planar3Form {
  double l1 = 0.5, l2 = 0.4, l3 = 0.3;        // m
  double l1I = 0.21, l2I = 0.17, l3I = 0.13;  // to the centres of mass, m
  double m1 = 3.1, m2 = 2.3, m3 = 1.7;        // kg
  double I1 = 0.071, I2 = 0.043, I3 = 0.019;  // about the axes through the centres of mass, kg m^2

  // The closed form with the print corrected: in M11 link 2 gives m2 (l1^2 + l2I^2 + 2 l1 l2I c2) and link 3
  // m3 (l1^2 + l2^2 + l3I^2 + 2 l1 l2 c2 + 2 l1 l3I c23 + 2 l2 l3I c3); the other elements with the same angles.
  [[nodiscard]] Mat3d mass_matrix(double q2, double q3) const {
    const double c2 = std::cos(q2);
    const double c3 = std::cos(q3);
    const double c23 = std::cos(q2 + q3);
    Mat3d M;
    M(2, 2) = I3 + m3 * l3I * l3I;
    M(1, 2) = M(2, 2) + m3 * l2 * l3I * c3;
    M(0, 2) = M(1, 2) + m3 * l1 * l3I * c23;
    M(1, 1) = I2 + I3 + m2 * l2I * l2I + m3 * (l2 * l2 + l3I * l3I + 2.0 * l2 * l3I * c3);
    M(0, 1) = M(1, 1) + m2 * l1 * l2I * c2 + m3 * (l1 * l2 * c2 + l1 * l3I * c23);
    M(0, 0) = I1 + I2 + I3 + m1 * l1I * l1I + m2 * (l1 * l1 + l2I * l2I + 2.0 * l1 * l2I * c2) +
              m3 * (l1 * l1 + l2 * l2 + l3I * l3I + 2.0 * l1 * l2 * c2 + 2.0 * l1 * l3I * c23 + 2.0 * l2 * l3I * c3);
    M(1, 0) = M(0, 1);
    M(2, 0) = M(0, 2);
    M(2, 1) = M(1, 2);
    return M;
  }
};

// Paper 004 (Truc, Quyen and Quang): Table 1, eq 71, g = 9.807.
struct ThreeLinkForm {
  double gravity = 9.807;                     // m/s^2
  double l0 = 0.294, r0 = 0.140, m1 = 5.248;  // m, m, kg
  double l1 = 0.190, r1 = 0.088, m2 = 2.412;
  double r2 = 0.080, m3 = 1.577;
  Vec3d I1{83.5e-3, 30.4e-3, 83.5e-3};  // principal moments in the paper's frames, kg m^2
  Vec3d I2{15.9e-3, 40.5e-3, 40.5e-3};
  Vec3d I3{7.9e-3, 20.2e-3, 20.2e-3};

  // Eqs 64-69.
  [[nodiscard]] ClosedForm closed_form(const std::vector<double>& q, const std::vector<double>& v) const {
    const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c3 = std::cos(q[2]), s3 = std::sin(q[2]);
    const double c23 = std::cos(q[1] + q[2]), s23 = std::sin(q[1] + q[2]);
    const double a = m3 * r2 * r2 + I3.y() - I3.x();
    const double b = l1 * m3 * r2;
    const double d = l1 * l1 * m3 + m2 * r1 * r1 - I2.x() + I2.y();
    ClosedForm f = ClosedForm::zero(3);
    f.M(0, 0) = I3.y() * c23 * c23 + I3.x() * s23 * s23 + I2.x() * s2 * s2 + I1.y() +
                (m2 * r1 * r1 + I2.y()) * c2 * c2 + m3 * std::pow(r2 * c23 + l1 * c2, 2);
    f.M(1, 1) = 2 * b * c3 + (l1 * l1 + r2 * r2) * m3 + m2 * r1 * r1 + I3.z() + I2.z();
    f.M(2, 2) = m3 * r2 * r2 + I3.z();
    f.M(1, 2) = f.M(2, 1) = b * c3 + m3 * r2 * r2 + I3.z();
    f.C(0, 0) = -(a * (v[1] + v[2]) * s23 + m3 * r2 * l1 * (2 * v[1] + v[2]) * s2) * c23 - d * c2 * s2 * v[1] -
                b * s3 * (v[1] + v[2]);
    f.C(1, 0) = ((a * s23 + 2 * b * s2) * c23 + d * c2 * s2 + b * s3) * v[0];
    f.C(2, 0) = ((a * s23 + b * s2) * c23 + b * s3) * v[0];
    f.C(0, 1) = -f.C(1, 0);
    f.C(0, 2) = -f.C(2, 0);
    f.C(1, 1) = -b * s3 * v[2];
    f.C(1, 2) = -b * s3 * (v[1] + v[2]);
    f.C(2, 1) = b * s3 * v[1];
    f.g[1] = -(l1 * m3 + m2 * r1) * gravity * c2 - m3 * r2 * gravity * c23;
    f.g[2] = -m3 * r2 * gravity * c23;
    return f;
  }
};

// Paper 002 (Laus, Simoni and Martins): the pelican arm in the vertical plane x, y, and its crucible on a passive
// joint, link by link. The paper leaves the parameters open; links as long as a desk-top arm's.
struct PelicanForm {
  double gravity = 9.81;                                    // m/s^2, against y
  double a1 = 0.26, l1 = 0.0983, m1 = 6.5225, I1 = 0.1213;  // length, to the centre of mass, mass, about its axis z
  double a2 = 0.27, l2 = 0.0229, m2 = 2.0458, I2 = 0.0116;
  double l3 = 0.12, m3 = 1.5, I3 = 0.0123;

  // Eqs 47, 48, 51, 52.
  [[nodiscard]] ClosedForm link1(const std::vector<double>& q) const {
    ClosedForm f = ClosedForm::zero(1);
    f.M(0, 0) = m1 * l1 * l1 + I1;
    f.g[0] = m1 * gravity * l1 * std::cos(q[0]);
    return f;
  }
  [[nodiscard]] ClosedForm link2(const std::vector<double>& q, const std::vector<double>& v) const {
    const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c12 = std::cos(q[0] + q[1]);
    ClosedForm f = ClosedForm::zero(2);
    f.M << m2 * (a1 * a1 + l2 * l2 + 2 * a1 * l2 * c2) + I2, m2 * l2 * (l2 + a1 * c2) + I2,
        m2 * l2 * (l2 + a1 * c2) + I2, m2 * l2 * l2 + I2;
    f.C << -m2 * a1 * l2 * s2 * v[1], -m2 * a1 * l2 * s2 * (v[0] + v[1]), m2 * a1 * l2 * s2 * v[0], 0.0;
    f.g << m2 * gravity * (a1 * std::cos(q[0]) + l2 * c12), m2 * gravity * l2 * c12;
    return f;
  }
  // Eqs 58, 59, 61. Corrected: m_11 ends in I_z3 without a second factor m3; the second line of m_22 is the right one
  // and the first is m_21; m_33 = m3 l3^2 + I_z3; the first term of c_12 has the factor a1; c_22 has the rate of joint
  // 3 only.
  [[nodiscard]] ClosedForm crucible(const std::vector<double>& q, const std::vector<double>& v) const {
    const double s2 = std::sin(q[1]), c2 = std::cos(q[1]), s3 = std::sin(q[2]), c3 = std::cos(q[2]);
    const double s23 = std::sin(q[1] + q[2]), c23 = std::cos(q[1] + q[2]);
    const double c12 = std::cos(q[0] + q[1]), c123 = std::cos(q[0] + q[1] + q[2]);
    ClosedForm f = ClosedForm::zero(3);
    f.M(0, 0) = m3 * std::pow(l3 + a2 * c3 + a1 * c23, 2) + m3 * std::pow(a2 * s3 + a1 * s23, 2) + I3;
    f.M(0, 1) = f.M(1, 0) = m3 * (a2 * a2 + l3 * l3 + a1 * a2 * c2 + 2 * a2 * l3 * c3 + a1 * l3 * c23) + I3;
    f.M(0, 2) = f.M(2, 0) = l3 * m3 * (l3 + a2 * c3 + a1 * c23) + I3;
    f.M(1, 1) = m3 * (a2 * a2 + l3 * l3 + 2 * a2 * l3 * c3) + I3;
    f.M(1, 2) = f.M(2, 1) = l3 * m3 * (l3 + a2 * c3) + I3;
    f.M(2, 2) = m3 * l3 * l3 + I3;
    const double p = a2 * s2 + l3 * s23;
    const double r = a2 * s3 + a1 * s23;
    f.C(0, 0) = -m3 * (a1 * p * v[1] + l3 * r * v[2]);
    f.C(0, 1) = -m3 * (a1 * p * (v[0] + v[1]) + l3 * r * v[2]);
    f.C(0, 2) = -m3 * l3 * r * (v[0] + v[1] + v[2]);
    f.C(1, 0) = m3 * (a1 * p * v[0] - a2 * l3 * s3 * v[2]);
    f.C(1, 1) = -m3 * l3 * a2 * s3 * v[2];
    f.C(1, 2) = -m3 * l3 * a2 * s3 * (v[0] + v[1] + v[2]);
    f.C(2, 0) = m3 * l3 * (a2 * s3 * (v[0] + v[1]) + a1 * s23 * v[0]);
    f.C(2, 1) = m3 * l3 * a2 * s3 * (v[0] + v[1]);
    f.g << m3 * gravity * (a1 * std::cos(q[0]) + a2 * c12 + l3 * c123), m3 * gravity * (a2 * c12 + l3 * c123),
        m3 * gravity * l3 * c123;
    return f;
  }
};

}  // namespace dyn::closed_forms
