// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The interface between the kernels of the derivatives and their callers: plain numbers and pointers only.
#pragma once

#include "fused/kernel.hpp"

namespace dyn::derivatives {

// Arrays for results in body order, column-major with `bodies` rows. Entries that are zero by structure are not
// written; M may be null.
struct Output {
  double *M, *dtau_dq, *dtau_dv;
};

struct Kernel {
  unsigned long block_bytes;  // of `work`, for each block of the plan
  // Of the inverse dynamics at a. False, and nothing written, where q, v or a is not finite.
  bool (*evaluate)(const fused::Plan& plan, void* work, const double* q, const double* v, const double* a,
                   const Output& out);
  // to = -A B; A is n x n, B n x columns, column-major.
  void (*negated_product)(int n, int columns, const double* A, const double* B, double* to);
};

// Defined by derivatives_lanes.cpp, once for each kernel set.
template <lanes::KernelSet set>
Kernel kernel();

}  // namespace dyn::derivatives
