// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The two passes over one chain of bodies: outwards for frames, twists and accelerations, inwards for what is summed
// over subtrees. kTerms says which of M, C and (want_h) the torques tau = M a + C v + g are made; g costs next to
// nothing.
#pragma once

#include "columns.hpp"
#include "equations.hpp"

namespace {

struct State {
  Frame frame;
  Twist twist, acceleration;
  Rows rows;
};

// Between chains, all lanes alike: how the last body of a chain is and moves, and what hangs on it.
struct Bridge {
  Quaternion orientation;
  V3 ex, ey, ez;
  V3 delta;  // from the parent's P to this chain's
  Twist twist, acceleration;
  Inertia inertia;
  Momentum momentum;
  Wrench wrench;
};

struct Chain {
  const double* constants;  // of its first block
  State* states;
  int first_body, bodies, blocks;
  Bridge* parent;        // null: the base
  const double* offset;  // from the parent's last reference point to the first one here, parent's frame
};

DYN_INLINE const double* block_of(const Chain& chain, int k) {
  return chain.constants + static_cast<long>(k) * (static_cast<int>(constants_count) * W);
}
DYN_INLINE int lanes_of(const Chain& chain, int k) {
  const int left = chain.bodies - k * W;
  return left < W ? left : W;
}
DYN_INLINE V load_lanes(const Chain& chain, int k, const double* values) {
  return load_first(values + chain.first_body + k * W, lanes_of(chain, k));
}

// Forward through the blocks for the axes, back for the reference points.
template <bool kSlides>
DYN_INLINE void frames(const Chain& chain, const double* q, Bridge& bridge) {
  Quaternion before{all(1.0), V{}, V{}, V{}};
  if (chain.parent) before = chain.parent->orientation;
  for (int k = 0; k < chain.blocks; ++k) {
    const V qk = load_lanes(chain, k, q);
    Quaternion e = orientations<kSlides>(block_of(chain, k), qk);
    if (chain.parent || k > 0) e = before * e;
    before = last(e);
    Frame& f = chain.states[k].frame;
    axes(e, f);
    f.o = way_to_the_end<kSlides>(block_of(chain, k), qk, f);
  }
  V3 behind{};
  for (int k = chain.blocks; k-- > 0;) {
    Frame& f = chain.states[k].frame;
    f.o = V3{} - (f.o + behind);
    behind = V3{} - first(f.o);
  }
  const Frame& end = chain.states[chain.blocks - 1].frame;
  bridge.orientation = before;
  bridge.ex = last(end.ex);
  bridge.ey = last(end.ey);
  bridge.ez = last(end.ez);
  if (!chain.parent) return;
  const Bridge& parent = *chain.parent;
  bridge.delta =
      behind + parent.ex * all(chain.offset[0]) + parent.ey * all(chain.offset[1]) + parent.ez * all(chain.offset[2]);
}

// Unit twists; twists as their sums, and accelerations A = sum of J a + dJ v, from -g0 at the base.
template <unsigned kTerms, bool kSlides>
DYN_INLINE void motions(const Chain& chain, const double* v, const double* a, const double* g0, Bridge& bridge) {
  Twist twist{}, acceleration{{all(-g0[0]), all(-g0[1]), all(-g0[2])}, {}};
  if ((kTerms & (want_C | want_h)) != 0 && chain.parent) twist = moved(chain.parent->twist, bridge.delta);
  if ((kTerms & want_h) != 0 && chain.parent) acceleration = moved(chain.parent->acceleration, bridge.delta);
  for (int k = 0; k < chain.blocks; ++k) {
    State& b = chain.states[k];
    b.rows.J = unit_twist<kSlides>(block_of(chain, k), b.frame);
    if constexpr ((kTerms & (want_C | want_h)) != 0) {
      const V vk = load_lanes(chain, k, v);
      b.twist = sum_up(b.rows.J * vk);
      if (chain.parent || k > 0) b.twist = b.twist + twist;
      twist = last(b.twist);
      b.rows.dJ = unit_twist_rate(b.twist, b.rows.J);
      if constexpr ((kTerms & want_h) != 0) {
        Twist change = b.rows.dJ * vk;
        if (a) change = change + b.rows.J * load_lanes(chain, k, a);
        b.acceleration = sum_up(change) + acceleration;
        acceleration = last(b.acceleration);
      }
    }
  }
  bridge.twist = twist;
  bridge.acceleration = acceleration;
}

// Adds what has been summed up to the first body of a chain to what hangs on its parent's last body: moments about the
// parent's P = this P - delta.
//   h' = h + m delta,  G' = G + h delta^T + delta h^T + m delta delta^T,  L' = L + delta x p,  Gdot' likewise with p
template <unsigned kTerms, bool kSlides>
DYN_INLINE void hand_down(const Bridge& from, V m, Bridge& to) {
  const V3& delta = from.delta;
  const V3 mid = kSlides ? from.inertia.h + delta * (m * all(0.5)) : from.inertia.h;
  to.inertia.h = to.inertia.h + (kSlides ? from.inertia.h + delta * m : from.inertia.h);
  if constexpr ((kTerms & (want_M | want_C)) != 0) to.inertia.I = to.inertia.I + from.inertia.I + pair(mid, delta);
  if constexpr ((kTerms & want_C) != 0) {
    to.momentum.p = to.momentum.p + from.momentum.p;
    to.momentum.L = to.momentum.L + from.momentum.L + cross(delta, from.momentum.p);
    to.momentum.Idot = to.momentum.Idot + from.momentum.Idot + pair(from.momentum.p, delta);
  }
  if constexpr ((kTerms & want_h) != 0) to.wrench = to.wrench + moved_back(from.wrench, delta);
}

// Bodies, their sums over subtrees, and the joints' wrenches of one block; `bridge` takes the sums along.
template <unsigned kTerms, bool kSlides>
DYN_INLINE void composites(const double* block, State& b, Bridge& bridge, bool last_block) {
  const auto carried = [last_block](const auto& sum, const auto& behind) { return last_block ? sum : sum + behind; };
  const V m = kSlides ? constant(block, subtree_mass) : V{};
  if constexpr (kTerms == want_g) {
    bridge.inertia.h = carried(sum_down(first_moment<kSlides>(block, b.frame)), bridge.inertia.h);
    b.rows.F.f = cross(b.rows.J.w, bridge.inertia.h);
    if constexpr (kSlides) b.rows.F.f = b.rows.F.f + b.rows.J.v * m;
    bridge.inertia.h = first(bridge.inertia.h);
    return;
  }
  const Inertia body = body_inertia<kSlides>(block, b.frame);
  if constexpr ((kTerms & want_h) != 0) {
    const Wrench f = carried(sum_down(body_wrench<kSlides>(block, body, b.twist, b.acceleration)), bridge.wrench);
    b.rows.torque = pairing(f.f, b.rows.J.v, f.n, b.rows.J.w);
    bridge.wrench = first(f);
  }
  if constexpr ((kTerms & (want_M | want_C)) != 0) {
    const Inertia total = carried(sum_down(body), bridge.inertia);
    b.rows.F = inertial_wrench<kSlides>(m, total, b.rows.J);
    bridge.inertia = first(total);
    if constexpr ((kTerms & want_C) != 0) {
      const Momentum sum = carried(sum_down(body_momentum<kSlides>(block, body, b.twist)), bridge.momentum);
      coriolis_wrench<kSlides>(m, total, sum, b.rows.J, b.rows.dJ, b.rows.dF, b.rows.D);
      bridge.momentum = first(sum);
    }
  }
}

}  // namespace
