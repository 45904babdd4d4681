// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One frame: its pose, twist, Jacobian and Jdot v, from the bodies that move it, one a lane. With z_i the axes and
//   d_i = z_i q_i where i slides, + R_i next_i: from joint i to joint i + 1, or to the frame's origin
//   r_i = sum over j >= i of d_j: from joint i to the frame's origin
//   J_i = (z_i x r_i, z_i) revolute, (z_i, 0) prismatic;  m_i = z_i v_i revolute, 0 prismatic;  w_i = sum over j <= i
//   of m_j
// and with the angular accelerations' increments w_i x m_i
//   Jdot v = sum over i of ((w_i x m_i) x r_i + w_i x (w_i x d_i + 2 z_i v_i where i slides), w_i x m_i)
#include "frames/frames_kernel.hpp"
#include "lanes/rotations.hpp"
#include "lanes/six_rows.hpp"

namespace {

using namespace dyn::frames;

struct State {
  V3 z, d, r;
};

enum Want : unsigned { want_pose, want_J, want_all };

DYN_INLINE V load_lanes(const double* values, int count) {
  if (count >= W) return load(values);
  return count > 0 ? load_first(values, count) : V{};
}
DYN_INLINE V constant(const double* block, int which) { return load(block + static_cast<long>(which) * W); }
DYN_INLINE V3 constant3(const double* block, int first) {
  return {constant(block, first), constant(block, first + 1), constant(block, first + 2)};
}
DYN_INLINE const double* block_of(const Path& path, int k) {
  return path.constants + static_cast<long>(k) * (static_cast<int>(constants_count) * W);
}
// Columns of J of a block.
DYN_INLINE void store_columns(const V3& linear, const V3& angular, int lanes, double* J) {
  V r[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  columns_of_six(r);
  const int count = 6 * lanes;
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    if ((k + 1) * W <= count) {
      store(J + k * W, r[k]);
    } else if (k * W < count) {
      return store_first(J + k * W, r[k], count - k * W);
    }
  }
}

struct Twist {
  V3 v, w;
};
struct Sums {
  V3 w;                 // of the last body before the block, all lanes alike
  Twist twist, Jdot_v;  // to be summed over the lanes
};

// A block's part of J, and of the sums.
template <Want kWant, bool kSlides>
DYN_INLINE void motion(const double* block, const State& b, V v, int lanes, double* J, bool first_block, Sums& sum) {
  Twist column{cross(b.z, b.r), b.z};
  const V turns = kSlides ? constant(block, revolute) : V{};
  if constexpr (kSlides) column = {column.v * turns + b.z * (all(1.0) - turns), b.z * turns};
  if (J != nullptr && lanes > 0) store_columns(column.v, column.w, lanes, J);
  if constexpr (kWant != want_all) return;
  const auto added = [first_block](const V3& so_far, const V3& more) { return first_block ? more : so_far + more; };
  const V turning = kSlides ? v * turns : v;
  const V3 m = b.z * turning;
  const V3 w = added(sum.w, sum_up<Bodies>(m));
  const V3 alpha = cross(w, m);
  V3 carried = cross(w, b.d);
  if constexpr (kSlides) carried = carried + b.z * ((v - turning) * all(2.0));
  sum.Jdot_v.v = added(sum.Jdot_v.v, plus_cross(cross(alpha, b.r), w, carried));
  sum.Jdot_v.w = added(sum.Jdot_v.w, alpha);
  sum.twist.v = added(sum.twist.v, column.v * v);
  sum.twist.w = added(sum.twist.w, m);
  sum.w = last<Bodies>(w);
}

// Sums over the lanes, six numbers one after the other.
DYN_INLINE void store_totals(const Twist& a, double* to) {
  V r[6] = {a.v.x, a.v.y, a.v.z, a.w.x, a.w.y, a.w.z};
#if DYN_SIMD_WIDTH == 8
  for (int i = 0; i < 6; i += 2) {
    swap_ones(r[i], r[i + 1]);
    r[i] += r[i + 1];
  }
  swap_twos(r[0], r[2]);
  r[5] = r[4];
  swap_twos(r[4], r[5]);
  const V front = r[0] + r[2], back = r[4] + r[5];
  store_first(to,
              __builtin_shufflevector(front, back, 0, 1, 2, 3, 8, 9, 10, 11) +
                  __builtin_shufflevector(front, back, 4, 5, 6, 7, 12, 13, 14, 15),
              6);
#else
  for (int c = 0; c < 6; ++c) to[c] = sum_down(r[c])[0];
#endif
}

// kBlocks: where they are known, else 0.
template <Want kWant, bool kSlides, int kBlocks>
DYN_INLINE void pass(const Path& path, const double* q, const double* v, const Output& out) {
  const int blocks = kBlocks > 0 ? kBlocks : path.blocks;
  constexpr int none_known = kBlocks == 0;
  State known[kBlocks + none_known];
  State* states = kBlocks > 0 ? known : static_cast<State*>(path.states);
  Quaternion before{all(1.0), V{}, V{}, V{}};
  Frame f{};
  for (int k = 0; k < blocks; ++k) {
    const double* block = block_of(path, k);
    const V value = load_lanes(q + k * W, path.bodies - k * W);
    const V angle = kSlides ? value * constant(block, revolute) : value;
    Quaternion e = along_lanes(
        {constant(block, turn_w), constant(block, turn_x), constant(block, turn_y), constant(block, turn_z)}, angle);
    if (k > 0) e = before * e;
    if (k + 1 < blocks) before = last<Bodies>(e);
    axes(e, f);
    states[k].z = f.ez;
    states[k].d = in_base(f, constant3(block, next_x));
    if constexpr (kSlides) states[k].d = states[k].d + f.ez * (value - angle);
  }
  V3 beyond{};
  for (int k = blocks; k-- > 0;) {
    const V3 r = k + 1 == blocks ? sum_down<Bodies>(states[k].d) : sum_down<Bodies>(states[k].d) + beyond;
    beyond = first<Bodies>(r);
    states[k].r = r;
  }
  const V3 o = V3{all(path.start[0]), all(path.start[1]), all(path.start[2])} + beyond;
  store_last(out.pose, f.ex.x, f.ex.y, f.ex.z, f.ey.x);
  store_last(out.pose + 4, f.ey.y, f.ey.z, f.ez.x, f.ez.y);
  store_last(out.pose + 8, f.ez.z, o.x, o.y, o.z);
  if constexpr (kWant == want_pose) return;
  Sums sum{};
  for (int k = 0; k < blocks; ++k) {
    const int left = path.bodies - k * W, lanes = left < W ? left : W;
    const V rates = kWant == want_all ? load_lanes(v + k * W, left) : V{};
    motion<kWant, kSlides>(block_of(path, k), states[k], rates, lanes, out.J == nullptr ? nullptr : out.J + 6L * k * W,
                           k == 0, sum);
  }
  if constexpr (kWant != want_all) return;
  if (out.twist != nullptr) store_totals(sum.twist, out.twist);
  if (out.Jdot_v != nullptr) store_totals(sum.Jdot_v, out.Jdot_v);
}

template <bool kSlides, int kBlocks>
DYN_INLINE void by_wants(const Path& path, const double* q, const double* v, const Output& out) {
  if (out.twist != nullptr || out.Jdot_v != nullptr) return pass<want_all, kSlides, kBlocks>(path, q, v, out);
  if (out.J != nullptr) return pass<want_J, kSlides, kBlocks>(path, q, v, out);
  pass<want_pose, kSlides, kBlocks>(path, q, v, out);
}

void frame(const Path& path, const double* q, const double* v, const Output& out) {
  if (path.run) {
    q += path.first_body;
    if (v != nullptr) v += path.first_body;
  } else {
    const int room = path.blocks * W;
    for (int k = 0; k < path.bodies; ++k) path.gathered[k] = q[path.body[k]];
    for (int k = 0; k < path.bodies && v != nullptr; ++k) path.gathered[room + k] = v[path.body[k]];
    q = path.gathered;
    v = path.gathered + room;
  }
  if (path.slides) return by_wants<true, 0>(path, q, v, out);
  switch (path.blocks) {
    case 1: return by_wants<false, 1>(path, q, v, out);
    case 2: return by_wants<false, 2>(path, q, v, out);
    default: return by_wants<false, 0>(path, q, v, out);
  }
}

// 0 where the numbers are finite, else NaN.
DYN_INLINE V zero_or_nan(const double* q, const double* v, int lanes) {
  const V x = all(0.0) * load_first(q, lanes);
  return v == nullptr ? x : mul_add(all(0.0), load_first(v, lanes), x);
}
bool finite(const double* q, const double* v, int count) {
  if (count <= W) return !any_nan(zero_or_nan(q, v, count));
  V sum{};
  for (int i = 0; i < count; i += W) {
    const int left = count - i;
    sum += zero_or_nan(q + i, v == nullptr ? v : v + i, left < W ? left : W);
  }
  return !any_nan(sum);
}

}  // namespace

template <>
dyn::frames::FramesKernel dyn::frames::frames_kernel<kKernelSet>() {
  return {sizeof(State), &finite, &frame};
}
