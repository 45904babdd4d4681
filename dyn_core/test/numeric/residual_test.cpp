// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/numeric/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dyn_core/numeric/types.hpp"

namespace dyn {
namespace {

const double nan = std::nan("");
const double infinity = std::numeric_limits<double>::infinity();

Mat3d diagonal(double a, double b, double c) { return Vec3d(a, b, c).asDiagonal(); }

TEST(Residual, TheLargerErrorIsInfiniteWhereOneIsNotANumber) {
  EXPECT_EQ(larger_error(1.0, 2.0), 2.0);
  EXPECT_EQ(larger_error(2.0, 1.0), 2.0);
  EXPECT_EQ(larger_error(0.0, nan), infinity);
  EXPECT_EQ(larger_error(nan, 0.0), infinity);
  EXPECT_EQ(larger_error(nan, nan), infinity);
  EXPECT_EQ(larger_error(infinity, nan), infinity);
}

TEST(Residual, MassMatrixErrorIsRelativeToTheDiagonal) {
  const Mat3d truth = diagonal(4.0, 9.0, 1.0);
  EXPECT_EQ(mass_matrix_error(truth, truth), 0.0);
  Mat3d M = truth;
  M(0, 1) = M(1, 0) = 0.6;
  EXPECT_DOUBLE_EQ(mass_matrix_error(M, truth), 0.1);  // 0.6 / (2 * 3)
  M(2, 2) = 0.5;
  EXPECT_DOUBLE_EQ(mass_matrix_error(M, truth), 0.5);
}

// As the last fingers of romeo: a joint that moves no inertia has a zero, or what rounding makes of it.
TEST(Residual, WhereAJointMovesNothingItIsRelativeToTheLargest) {
  for (const double none : {0.0, 1e-17, -1e-17}) {
    const Mat3d truth = diagonal(4.0, none, 1.0);
    Mat3d M = truth;
    M(1, 1) = 4e-12;
    EXPECT_NEAR(mass_matrix_error(M, truth), 1e-12, 1e-16) << none;
    M(1, 0) = 4e-6;
    EXPECT_NEAR(mass_matrix_error(M, truth), 1e-6, 1e-16) << none;
  }
  const Mat3d zero = Mat3d::Zero();
  EXPECT_EQ(mass_matrix_error(zero, zero), 0.0);
  EXPECT_EQ(mass_matrix_error(diagonal(0.0, 0.5, 0.0), zero), 0.5);
}

// A light joint at the end of a heavy arm does not count as one without inertia.
TEST(Residual, SmallInertiasKeepTheirMeasure) {
  const Mat3d truth = diagonal(1e6, 1e-8, 1.0);
  Mat3d M = truth;
  M(1, 1) *= 1.0 + 1e-3;
  EXPECT_NEAR(mass_matrix_error(M, truth), 1e-3, 1e-9);
}

TEST(Residual, NotANumberIsInfiniteWhereverItStands) {
  const Mat3d truth = diagonal(4.0, 9.0, 1.0);
  for (const double bad : {nan, infinity, -infinity}) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        Mat3d M = truth;
        M(i, j) = bad;
        EXPECT_EQ(mass_matrix_error(M, truth), infinity) << i << j;
        EXPECT_EQ(mass_matrix_error(truth, M), infinity) << i << j;
        EXPECT_EQ(inertia_scaled_error(Mat3d(M - truth), truth), infinity) << i << j;
        EXPECT_EQ(relative_error(M, truth), infinity) << i << j;
        EXPECT_EQ(relative_error(truth, M), infinity) << i << j;
        EXPECT_EQ(largest_entry(M), infinity) << i << j;
      }
    }
    EXPECT_EQ(relative_error(truth, truth, bad < 0.0 ? nan : bad), infinity);
  }
  const Mat3d all = Mat3d::Constant(nan);
  EXPECT_EQ(mass_matrix_error(all, truth), infinity);
  EXPECT_EQ(mass_matrix_error(all, all), infinity);
  EXPECT_EQ(relative_error(all, all), infinity);
}

TEST(Residual, RelativeErrorHasAFloor) {
  const Vec3d truth(1e-20, 0.0, 0.0), x(1e-12, 0.0, 0.0);
  EXPECT_NEAR(relative_error(x, truth, 1.0), 1e-12, 1e-18);
  EXPECT_GT(relative_error(x, truth), 1e7);
  EXPECT_EQ(relative_error(Vec3d(0.0, 0.0, 0.0), Vec3d(0.0, 0.0, 0.0)), 0.0);
  EXPECT_EQ(relative_error(Vec3d(0.0, 0.5, 0.0), Vec3d(0.0, 0.0, 0.0)), 0.5);
  EXPECT_DOUBLE_EQ(relative_error(Vec3d(0.0, 3.0, 2.0), Vec3d(0.0, 4.0, 2.0)), 0.25);
}

TEST(Residual, OtherSizesAreInfinitelyFar) {
  EXPECT_EQ(mass_matrix_error(Eigen::Matrix2d::Identity().eval(), MatX<double>(Mat3d::Identity())), infinity);
  EXPECT_EQ(relative_error(VecX<double>(VecX<double>::Zero(2)), VecX<double>(VecX<double>::Zero(3))), infinity);
}

// In the precision of the finer one of the two.
TEST(Residual, ComparesNumbersOfDifferentTypes) {
  const MatX<long double> exact = MatX<long double>::Identity(2, 2) * (1.0L + 1e-18L);
  EXPECT_NEAR(mass_matrix_error(MatX<double>(MatX<double>::Identity(2, 2)), exact), 1e-18, 1e-19);
  EXPECT_LT(mass_matrix_error(MatX<float>(MatX<float>::Identity(2, 2)), exact), 1e-17);
  EXPECT_EQ(largest_entry(Mat3d::Identity() * Mat3d::Constant(2.0)), 2.0);  // an expression
}

}  // namespace
}  // namespace dyn
