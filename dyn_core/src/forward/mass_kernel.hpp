// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The interface between mass_lanes.cpp and its callers: plain numbers and pointers only.
#pragma once

#include "lanes/kernel_set.hpp"

namespace dyn::forward {

// Rows of M in body order. With mimic joints they are coordinates, and M has no zeros that are known beforehand.
struct MassShape {
  int n, stride;    // rows of L lie `stride` apart: n in whole vectors
  const int* next;  // of a row: the next one on the way to the base; -1: none
  const int* end;   // of a row r: the rows of its subtree are [r, end[r])
};

struct MassKernel {
  // M's lower triangle in L becomes that of the unit triangular L with M = L^T D L; inverse: 1 / D. Returns the first
  // row, from the last one on, whose pivot is not above its floor, with that pivot in *pivot; or -1.
  int (*factorize)(const MassShape&, double* L, const double* floor, double* inverse, double* pivot);
  // M^-1, symmetric n x n, after factorize(). work: panel_numbers for each row.
  void (*invert)(const MassShape&, const double* L, const double* inverse, double* work, double* inverse_M);
  int panel_numbers;
  // Both at once for a dense symmetric M of 6 or 7 rows; as factorize() for the rest.
  int (*invert_small)(int n, const double* M, const double* floor, double* inverse_M, double* pivot);

  // Operational space, J 6 x n column-major; rows of eight numbers, six of them used: W = M^-1 J^T (n rows) and J W,
  // after factorize() or from M^-1.
  void (*mobility)(const MassShape&, const double* L, const double* inverse, const double* J, double* W, double* JW);
  void (*mobility_small)(int n, const double* inverse_M, const double* J, double* W, double* JW);
  // J J^T, 6 rows of eight.
  void (*gram)(int n, const double* J, double* out);
  // S^-1 of a symmetric S, six rows of eight, in place. False where a pivot is not positive.
  bool (*invert6)(double* S);
};

// Defined by mass_lanes.cpp, once for each kernel set.
template <lanes::KernelSet set>
MassKernel mass_kernel();

}  // namespace dyn::forward
