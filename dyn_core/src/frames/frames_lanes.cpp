// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One frame: its pose, twist, Jacobian and Jdot v, from the bodies that move it, one a lane. With z_i the axes and
//   r_i = sum over j >= i of (z_j q_j where j slides, + R_j next_j),  from joint i to the frame's origin,
//   J_i = (z_i x r_i, z_i) revolute, (z_i, 0) prismatic;  V_i = sum over j <= i of J_j v_j
//   Jdot v = sum over i of V_i x J_i v_i, + (w x velocity of the origin, 0)
// V x J of twists about a point that stands still just where the frame's origin is: (w x Jv + v x Jw, w x Jw).
#include "frames/frames_kernel.hpp"
#include "lanes/rotations.hpp"

namespace {

using namespace dyn::frames;

struct State {
  V3 z, way;
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
DYN_INLINE void store3(double* to, const V3& v) {
  store(to, v.x);
  store(to + W, v.y);
  store(to + 2 * W, v.z);
}

// Columns of J of a block: six rows of W become W columns of six.
DYN_INLINE void store_columns(const V3& linear, const V3& angular, int lanes, double* J) {
  alignas(64) double rows[8 * W];
  store3(rows, linear);
  store3(rows + 3 * W, angular);
#if DYN_SIMD_WIDTH > 2
  store(rows + 6 * W, V{});
  store(rows + 7 * W, V{});
#endif
#if DYN_SIMD_WIDTH == 8
  V r[W];
  load_transposed(rows, W, W, r);
  for (int j = 0; j + 1 < lanes; ++j) store(J + 6L * j, r[j]);  // two numbers too many, which the next one overwrites
  store_first(J + 6L * (lanes - 1), r[lanes - 1], 6);
#else
  for (int g = 0; g < 6; g += W) {
    V r[W];
    load_transposed(rows + g * W, W, W, r);
    for (int j = 0; j < lanes; ++j) store_first(J + 6L * j + g, r[j], 6 - g < W ? 6 - g : W);
  }
#endif
}

struct Twist {
  V3 v, w;
};
struct Moved {  // what is summed along the path, all lanes alike
  Twist twist, change;
};

// A block's part of J, and of the sums.
template <Want kWant, bool kSlides>
DYN_INLINE void motion(const double* block, const V3& z, const V3& r, V v, int lanes, double* J, Moved& sum) {
  Twist column{cross(z, r), z};
  if constexpr (kSlides) {
    const V turns = constant(block, revolute);
    column = {column.v * turns + z * (all(1.0) - turns), z * turns};
  }
  if (J != nullptr && lanes > 0) store_columns(column.v, column.w, lanes, J);
  if constexpr (kWant != want_all) return;
  const Twist moving{column.v * v, column.w * v};
  const Twist twist{sum_up<Bodies>(moving.v) + sum.twist.v, sum_up<Bodies>(moving.w) + sum.twist.w};
  const V3 linear = plus_cross(cross(twist.w, moving.v), twist.v, moving.w), angular = cross(twist.w, moving.w);
  sum.change.v = sum.change.v + linear;
  sum.change.w = sum.change.w + angular;
  sum.twist = {last<Bodies>(twist.v), last<Bodies>(twist.w)};
}

DYN_INLINE Vector3<double> lane0(const V3& a) { return {a.x[0], a.y[0], a.z[0]}; }
DYN_INLINE void put(double* to, const Vector3<double>& a) {
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}

DYN_INLINE void store_sums(const Moved& sum, const Output& out) {
  const Vector3<double> v = lane0(sum.twist.v), w = lane0(sum.twist.w);
  if (out.twist != nullptr) {
    put(out.twist, v);
    put(out.twist + 3, w);
  }
  if (out.Jdot_v == nullptr) return;
  put(out.Jdot_v, lane0(sum_down<Bodies>(sum.change.v)) + cross(w, v));
  put(out.Jdot_v + 3, lane0(sum_down<Bodies>(sum.change.w)));
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
    states[k].way = in_base(f, constant3(block, next_x));
    if constexpr (kSlides) states[k].way = states[k].way + f.ez * (value - angle);
  }
  store3(out.pose, f.ex);
  store3(out.pose + 3 * W, f.ey);
  store3(out.pose + 6 * W, f.ez);
  V3 beyond{};
  for (int k = blocks; k-- > 0;) {
    const V3 r = k + 1 == blocks ? sum_down<Bodies>(states[k].way) : sum_down<Bodies>(states[k].way) + beyond;
    beyond = first<Bodies>(r);
    states[k].way = r;
  }
  store3(out.pose + 9 * W, V3{all(path.start[0]), all(path.start[1]), all(path.start[2])} + beyond);
  if constexpr (kWant == want_pose) return;
  Moved sum{};
  for (int k = 0; k < blocks; ++k) {
    const int left = path.bodies - k * W, lanes = left < W ? left : W;
    const V rates = kWant == want_all ? load_lanes(v + k * W, left) : V{};
    motion<kWant, kSlides>(block_of(path, k), states[k].z, states[k].way, rates, lanes,
                           out.J == nullptr ? nullptr : out.J + 6L * k * W, sum);
  }
  if constexpr (kWant == want_all) store_sums(sum, out);
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

bool finite(const double* values, int count) {
  V sum{};
  for (int i = 0; i < count; i += W) sum += all(0.0) * load_lanes(values + i, count - i);
  return !any_nan(sum);
}

}  // namespace

template <>
dyn::frames::FramesKernel dyn::frames::frames_kernel<kKernelSet>() {
  return {sizeof(State), &finite, &frame};
}
