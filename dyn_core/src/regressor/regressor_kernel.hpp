// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The interface between the kernels of the regressor and their callers: plain numbers and pointers only.
#pragma once

#include "fused/kernel.hpp"

namespace dyn::regressor {

// Constants of a block: W doubles each, in this order. Pose of a body's link in the kernels' frame of the body, whose
// origin is the body's reference point.
enum LinkConstant : int {
  axis_xx,  // the link's x axis
  axis_xy,
  axis_xz,
  axis_yx,
  axis_yy,
  axis_yz,
  axis_zx,
  axis_zy,
  axis_zz,
  origin_x,  // m
  origin_y,
  origin_z,
  link_constants_count
};

struct LinkPlan {
  const double* constants;  // [block][LinkConstant][W]
  const int* column;        // the first of each body's ten; -1: the body has no parameters
  void* work;               // block_bytes for each block
};

struct Kernel {
  unsigned long block_bytes;
  // Y with a row for each body, column-major; entries that are zero by structure are not written. False, and nothing
  // written, where q, v or a is not finite.
  bool (*torque)(const fused::Plan& plan, const LinkPlan& links, const double* q, const double* v, const double* a,
                 double* Y);
};

// Defined by regressor_lanes.cpp, once for each kernel set.
template <lanes::KernelSet set>
Kernel kernel();

}  // namespace dyn::regressor
