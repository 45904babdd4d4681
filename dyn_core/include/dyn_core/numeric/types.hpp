// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The vectors and matrices of this project. Fixed 3-vectors and 3x3 matrices are Eigen's (no alignment requirements, so
// they may cross library boundaries); matrices of run-time size are owned by std::vector and viewed by Eigen::Map, so
// that no Eigen allocation crosses a library boundary or happens on the real-time path.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace dyn {

template <class T>
using Vec3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Mat3 = Eigen::Matrix<T, 3, 3>;
using Vec3d = Vec3<double>;
using Mat3d = Mat3<double>;

template <class T>
using MatX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using VecX = Eigen::Matrix<T, Eigen::Dynamic, 1>;

// Non-owning views; column-major, unaligned.
template <class T>
using MatrixRef = Eigen::Map<MatX<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
template <class T>
using ConstMatrixRef = Eigen::Map<const MatX<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
template <class T>
using VectorRef = Eigen::Map<VecX<T>, Eigen::Unaligned>;
template <class T>
using ConstVectorRef = Eigen::Map<const VecX<T>, Eigen::Unaligned>;

template <class T>
MatrixRef<T> matrix_view(T* data, int rows, int cols) noexcept {
  return MatrixRef<T>(data, rows, cols, Eigen::OuterStride<>(rows));
}

// [a] such that [a] x = a x x for every x.
template <class T>
Mat3<T> skew(const Vec3<T>& a) noexcept {
  Mat3<T> m;
  m << T(0), -a.z(), a.y(), a.z(), T(0), -a.x(), -a.y(), a.x(), T(0);
  return m;
}

}  // namespace dyn
