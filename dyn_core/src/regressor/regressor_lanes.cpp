// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The lane form of dyn_core/regressor/wrench_columns.hpp: the regressor of the joint torques. By the passes of `fused`
// for frames, twists and accelerations; then the wrench columns of W bodies side by side, moments about P; then body by
// body ten columns of Y, the joints that move it side by side:  Y_jk = Jv_j . force_k + Jw_j . moment_k.
#include "fused/chains.hpp"
#include "fused/finite.hpp"
#include "regressor/regressor_kernel.hpp"

namespace {

using dyn::regressor::LinkConstant;
using dyn::regressor::LinkPlan;

// Columns of W bodies, in the order of the parameters.
struct Columns {
  Wrench mass;
  Wrench first_moment[3];
  V3 inertia[6];  // moments alone: xx, xy, yy, xz, yz, zz
};

DYN_INLINE V3 link_vector(const double* block, const Frame& f, LinkConstant first) {
  return in_base(f, {load(block + first * W), load(block + (first + 1) * W), load(block + (first + 2) * W)});
}

// With e the link's axes, o its origin, u = w x e and a the acceleration of the origin:
//   m: (a, o x a);  m c_k: f = dw x e_k + w x u_k, (f, e_k x a + o x f);
//   I_kl: e_k (e_l . dw) + u_k (e_l . w), and for k != l the same with k and l exchanged
template <bool kSlides>
DYN_INLINE void wrench_columns(const double* block, const State& b, Columns& columns) {
  const Frame& f = b.frame;
  const V3 e[3] = {link_vector(block, f, LinkConstant::axis_xx), link_vector(block, f, LinkConstant::axis_yx),
                   link_vector(block, f, LinkConstant::axis_zx)};
  V3 o = f.o + link_vector(block, f, LinkConstant::origin_x);
  if constexpr (kSlides) o = o + f.ez * f.slide;
  const V3 &w = b.twist.w, &dw = b.acceleration.w;
  const V3 a = plus_cross(plus_cross(b.acceleration.v, w, plus_cross(b.twist.v, w, o)), dw, o);
  columns.mass = {a, cross(o, a)};
  V3 u[3];
  V along_w[3], along_dw[3];
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    u[k] = cross(w, e[k]);
    along_w[k] = dot(e[k], w);
    along_dw[k] = dot(e[k], dw);
    const V3 force = plus_cross(cross(dw, e[k]), w, u[k]);
    columns.first_moment[k] = {force, plus_cross(cross(e[k], a), o, force)};
  }
  const auto half = [&](int k, int l) { return e[k] * along_dw[l] + u[k] * along_w[l]; };
  columns.inertia[0] = half(0, 0);
  columns.inertia[1] = half(0, 1) + half(1, 0);
  columns.inertia[2] = half(1, 1);
  columns.inertia[3] = half(0, 2) + half(2, 0);
  columns.inertia[4] = half(1, 2) + half(2, 1);
  columns.inertia[5] = half(2, 2);
}

// Rows of `lanes` joints of the ten columns of the body in `lane`. Y: the first of them, at the first of these joints.
DYN_INLINE void body_columns(const Columns& columns, int lane, const Twist& J, int lanes, int rows, double* Y) {
  const auto put = [&](int k, V value) { store_first(Y + static_cast<long>(k) * rows, value, lanes); };
  const auto of_wrench = [&](const Wrench& c) { return pairing(spread(c.f, lane), J.v, spread(c.n, lane), J.w); };
  put(0, of_wrench(columns.mass));
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) put(1 + k, of_wrench(columns.first_moment[k]));
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) put(4 + k, dot(spread(columns.inertia[k], lane), J.w));
}

// The ten columns of every body of a block against the joints of one block of ancestors; where that is their own block,
// up to the body itself.
DYN_INLINE void block_columns(const Plan& plan, const LinkPlan& links, const Columns& columns, int first_body,
                              int bodies, const Twist& J, int first_joint, int joints, bool own, double* Y) {
  for (int lane = 0; lane < bodies; ++lane) {
    const int column = links.column[first_body + lane];
    if (column < 0) continue;
    body_columns(columns, lane, J, own ? lane + 1 : joints, plan.bodies,
                 Y + static_cast<long>(column) * plan.bodies + first_joint);
  }
}

DYN_INLINE void take_along(const V3& delta, Columns& columns) {
  columns.mass = moved_back(columns.mass, delta);
  for (Wrench& c : columns.first_moment) c = moved_back(c, delta);
}

// A block's bodies against all joints that move them, from its own block to the base.
DYN_INLINE void ancestor_rows(const Plan& plan, const LinkPlan& links, Columns& columns, int s, int k, double* Y) {
  const Chain own = chain_of<Bodies>(plan, s);
  const int first_body = own.first_body + k * W, bodies = lanes_of(own, k);
  block_columns(plan, links, columns, first_body, bodies, own.states[k].rows.J, first_body, bodies, true, Y);
  int blocks = k;
  for (int t = s;;) {
    const Chain chain = chain_of<Bodies>(plan, t);
    for (int j = 0; j < blocks; ++j) {
      block_columns(plan, links, columns, first_body, bodies, chain.states[j].rows.J, chain.first_body + j * W,
                    lanes_of(chain, j), false, Y);
    }
    if (!chain.parent) return;
    take_along(static_cast<const Bridge*>(plan.bridges)[t].delta, columns);
    t = plan.segment[t].parent;
    blocks = plan.segment[t].blocks;
  }
}

DYN_INLINE const double* link_block(const LinkPlan& links, int block) {
  return links.constants + static_cast<long>(block) * (static_cast<int>(LinkConstant::link_constants_count) * W);
}

template <bool kSlides>
DYN_INLINE void tree(const Plan& plan, const LinkPlan& links, const double* q, const double* v, const double* a,
                     double* Y) {
  outwards<Bodies, term_h, kSlides>(plan, q, v, a);
  Columns* work = static_cast<Columns*>(links.work);
  for (int s = 0; s < plan.segments; ++s) {
    const Chain chain = chain_of<Bodies>(plan, s);
    for (int k = 0; k < chain.blocks; ++k) {
      const int block = plan.segment[s].first_block + k;
      wrench_columns<kSlides>(link_block(links, block), chain.states[k], work[block]);
      ancestor_rows(plan, links, work[block], s, k, Y);
    }
  }
}

// One chain of kBodies revolute joints, each with a body.
template <int kBodies>
DYN_INLINE void chain(const Plan& plan, const LinkPlan& links, const double* q, const double* v, const double* a,
                      double* Y) {
  constexpr int blocks = (kBodies + W - 1) / W;
  State states[blocks];
  Columns columns[blocks];
  Bridge bridge;
  const Chain c{plan.constants, nullptr, states, 0, kBodies, blocks, nullptr, nullptr};
  const V3 g0 = chain_frames<blocks, true>(plan, c, q, bridge);
  motions<Bodies, term_h, false>(c, v, a, g0, bridge);
#pragma GCC unroll 4
  for (int k = 0; k < blocks; ++k) {
    wrench_columns<false>(link_block(links, k), states[k], columns[k]);
    keep_in_memory(columns[k]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < kBodies; ++i) {
    double* const Yi = Y + static_cast<long>(i) * 10 * kBodies;
#pragma GCC unroll 4
    for (int k = 0; k <= i / W; ++k) {
      const int joints = i + 1 - k * W;
      body_columns(columns[i / W], i % W, states[k].rows.J, joints < W ? joints : W, kBodies, Yi + k * W);
    }
  }
}

bool torque(const Plan& plan, const LinkPlan& links, const double* q, const double* v, const double* a, double* Y) {
  if (!all_finite(plan.bodies, q, v, a)) return false;
  if (plan.slides) {
    tree<true>(plan, links, q, v, a, Y);
  } else if (plan.segments == 1 && plan.bodies == 7) {
    chain<7>(plan, links, q, v, a, Y);
  } else if (plan.segments == 1 && plan.bodies == 6) {
    chain<6>(plan, links, q, v, a, Y);
  } else {
    tree<false>(plan, links, q, v, a, Y);
  }
  return true;
}

}  // namespace

template <>
dyn::regressor::Kernel dyn::regressor::kernel<kKernelSet>() {
  return {sizeof(Columns), &torque};
}
