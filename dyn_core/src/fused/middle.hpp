// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Frames of a single chain of six or seven revolute joints, relative to body 3: M, C and h are the same in all axes and
// about all points that are fixed in space, and every body is at most three joints away from the middle: two products
// of quaternions instead of three, and no angle of joint 0. Only gravity needs the orientation of the base.
//   Behind the middle  Q_k = Q_{k-1} E_k, E_k = T_k turn(q_k);  before it  Q_k = Q_{k+1} E_{k+1}^-1.
// Lane k holds E_k or E_{k+1}^-1; plan.cpp lays T out so. These quaternions have the length 2^(1/8): products of four
// have sqrt(2), so that products of their components are entries of the rotation matrix without a factor of 2.
#pragma once

#include "fused/passes.hpp"

#if DYN_SIMD_WIDTH > 2

namespace {

template <int kBlocks>
struct Quaternions {
  V w[kBlocks], x[kBlocks], y[kBlocks], z[kBlocks];
};

// Q <- (Q of the K-th body towards the middle) Q
template <int K, int kBlocks>
DYN_INLINE void joined(Quaternions<kBlocks>& e) {
  Quaternions<kBlocks> in;
  towards_middle<K>(e.w, in.w);
  towards_middle<K>(e.x, in.x);
  towards_middle<K>(e.y, in.y);
  towards_middle<K>(e.z, in.z);
#pragma GCC unroll 2
  for (int k = 0; k < kBlocks; ++k) {
    const Quaternion q = Quaternion{in.w[k], in.x[k], in.y[k], in.z[k]} * Quaternion{e.w[k], e.x[k], e.y[k], e.z[k]};
    e.w[k] = q.w;
    e.x[k] = q.x;
    e.y[k] = q.y;
    e.z[k] = q.z;
  }
}

// Axes from a quaternion of length sqrt(2).
DYN_INLINE void axes_of_scaled(V w, V x, V y, V z, Frame& f) {
  const V one = all(1.0);
  const V xy = x * y, xz = x * z, yz = y * z, one_xx = one - x * x, one_yy = one - y * y;
  f.ex = {one_yy - z * z, xy + w * z, xz - w * y};
  f.ey = {xy - w * z, one_xx - z * z, yz + w * x};
  f.ez = {xz + w * y, yz - w * x, one_xx - y * y};
}

// Frames of all bodies, and cosine and sine of half of joint 0's angle in the free lane of the last block.
template <int kBlocks>
DYN_INLINE void frames_from_middle(const Chain& chain, const double* q, V (&c)[kBlocks], V (&s)[kBlocks]) {
  V back[kBlocks];
  in_middle_order(q, chain.bodies, back);
#pragma GCC unroll 2
  for (int k = 0; k < kBlocks; ++k) {
    half_angles(back[k], c[k], s[k]);
    back[k] = s[k];
  }
  before_middle_negated(back);
  Quaternions<kBlocks> e;
#pragma GCC unroll 2
  for (int k = 0; k < kBlocks; ++k) {
    const double* block = block_of<Bodies>(chain, k);
    const V tw = constant<Bodies>(block, parent_qw), tx = constant<Bodies>(block, parent_qx);
    const V ty = constant<Bodies>(block, parent_qy), tz = constant<Bodies>(block, parent_qz);
    e.w[k] = tw * c[k] - tz * back[k];
    e.x[k] = tx * c[k] + ty * s[k];
    e.y[k] = ty * c[k] - tx * s[k];
    e.z[k] = tz * c[k] + tw * back[k];
  }
  joined<1>(e);
  joined<2>(e);
  V x[kBlocks], y[kBlocks], z[kBlocks];  // from each body to its neighbour away from (before: towards) the base
#pragma GCC unroll 2
  for (int k = 0; k < kBlocks; ++k) {
    Frame& f = chain.states[k].frame;
    axes_of_scaled(e.w[k], e.x[k], e.y[k], e.z[k], f);
    const double* block = block_of<Bodies>(chain, k);
    const V3 offset = f.ex * constant<Bodies>(block, back_x) + f.ey * constant<Bodies>(block, back_y);
    x[k] = offset.x;
    y[k] = offset.y;
    z[k] = offset.z;
  }
  V ox[kBlocks], oy[kBlocks], oz[kBlocks];
  sums_from_middle(x, ox);
  sums_from_middle(y, oy);
  sums_from_middle(z, oz);
#pragma GCC unroll 2
  for (int k = 0; k < kBlocks; ++k) chain.states[k].frame.o = {ox[k], oy[k], oz[k]};
}

// Gravity in the axes of body 3, from gravity in the joint frame of body 0 (Plan::gravity), rotated by q_0 first.
DYN_INLINE V3 gravity_in_middle(const double* gravity, const Frame& frames, V half_cosines, V half_sines) {
  const V c = last(half_cosines), s = last(half_sines), twice = s + s;
  const V cosine = all(1.0) - twice * s, sine = twice * c;
  const V gx = all(gravity[0]), gy = all(gravity[1]);
  return first<Bodies>(frames.ex * (cosine * gx + sine * gy) + frames.ey * (cosine * gy - sine * gx) +
                       frames.ez * all(gravity[2]));
}

}  // namespace

#endif
