// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The two passes over one chain of bodies: outwards for frames, twists and accelerations, inwards for sums over
// subtrees. kTerms: which of M, C and (term_h) the torques tau = M a + C v + g are computed; g adds almost no time.
#pragma once

#include "fused/columns.hpp"
#include "fused/equations.hpp"

namespace {

struct State {
  Quaternion turn;  // within the block; where lanes are states, cosine and sine of the joint's angle in w and x
  Frame frame;
  Twist twist, acceleration;
  Rows rows;
};

// Between chains, all lanes alike: pose and twist of a chain's last body, and the sums over the chains beyond it.
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
  const double* constants;              // of its first block
  const AxisPermutation* permutations;  // of its first body
  State* states;
  int first_body, bodies, blocks;
  Bridge* parent;        // null: the base
  const double* offset;  // from the parent's last reference point to the first one here, parent's frame
};

template <class L>
DYN_INLINE const double* block_of(const Chain& chain, int k) {
  return chain.constants + static_cast<long>(k) * (static_cast<int>(constants_count) * L::bodies);
}
DYN_INLINE int lanes_of(const Chain& chain, int k) {
  const int left = chain.bodies - k * W;
  return left < W ? left : W;
}
// Bodies: a number of each body in its lane. States: of one body, W states side by side.
DYN_INLINE V load_lanes(Bodies, const Chain& chain, int k, const double* values) {
  return load_first(values + chain.first_body + k * W, lanes_of(chain, k));
}
DYN_INLINE V load_lanes(States, const Chain& chain, int k, const double* values) {
  return load(values + static_cast<long>(chain.first_body + k) * W);
}

// Orientations within each block; the blocks do not depend on each other here.
template <bool kSlides>
DYN_INLINE void turns(Bodies, const Chain& chain, const double* q) {
  for (int k = 0; k < chain.blocks; ++k) {
    chain.states[k].turn = orientations<kSlides>(block_of<Bodies>(chain, k), load_lanes(Bodies(), chain, k, q));
  }
}
template <bool kSlides>
DYN_INLINE void turns(States, const Chain& chain, const double* q) {
  for (int k = 0; k < chain.blocks; ++k) {
    const V angle = load_lanes(States(), chain, k, q);
    V c, s;
    half_angles(kSlides ? angle * constant<States>(block_of<States>(chain, k), revolute) : angle, c, s);
    const V twice = s + s;
    chain.states[k].turn.w = all(1.0) - twice * s;
    chain.states[k].turn.x = twice * c;
  }
}

// Axes of the bodies, from the base outwards.
DYN_INLINE void axes_outwards(Bodies, const Chain& chain, Bridge& bridge) {
  Quaternion before{all(1.0), V{}, V{}, V{}};
  if (chain.parent) before = chain.parent->orientation;
  for (int k = 0; k < chain.blocks; ++k) {
    const Quaternion e = chain.parent || k > 0 ? before * chain.states[k].turn : chain.states[k].turn;
    before = last<Bodies>(e);
    axes(e, chain.states[k].frame);
  }
  bridge.orientation = before;
}
DYN_INLINE void axes_outwards(States, const Chain& chain, Bridge& /*bridge*/) {
  const V one = all(1.0);
  const V3 base[3] = {{one, V{}, V{}}, {V{}, one, V{}}, {V{}, V{}, one}};
  const V3* before = chain.parent ? &chain.parent->ex : base;
  for (int k = 0; k < chain.blocks; ++k) {
    Frame& f = chain.states[k].frame;
    turned_axes(before, chain.permutations[k], block_of<States>(chain, k), chain.states[k].turn, f);
    before = &f.ex;
  }
}

// Forward through the blocks for the axes, back for the reference points.
template <class L, bool kSlides>
DYN_INLINE void frames(const Chain& chain, const double* q, Bridge& bridge) {
  axes_outwards(L(), chain, bridge);
  V3 behind;
  for (int k = chain.blocks; k-- > 0;) {
    Frame& f = chain.states[k].frame;
    const V slide = kSlides ? load_lanes(L(), chain, k, q) : V{};
    const V3 offset = offset_back<L, kSlides>(block_of<L>(chain, k), slide, f);
    f.o = k + 1 == chain.blocks ? offset : offset + behind;
    behind = first<L>(f.o);
  }
  const Frame& end = chain.states[chain.blocks - 1].frame;
  bridge.ex = last<L>(end.ex);
  bridge.ey = last<L>(end.ey);
  bridge.ez = last<L>(end.ez);
  if (!chain.parent) return;
  const Bridge& parent = *chain.parent;
  bridge.delta =
      parent.ex * all(chain.offset[0]) + parent.ey * all(chain.offset[1]) + parent.ez * all(chain.offset[2]) - behind;
}

// Unit twists; twists as their sums, and accelerations A = sum of J a + dJ v, from -g0 at the base; where M is computed
// too, A begins at 0 and g comes from F.
template <class L, unsigned kTerms, bool kSlides>
DYN_INLINE void motions(const Chain& chain, const double* v, const double* a, const V3& g0, Bridge& bridge) {
  constexpr bool moves = (kTerms & (term_C | term_h)) != 0, accelerates = (kTerms & term_h) != 0;
  constexpr bool falls = kTerms == term_h;
  Twist twist, acceleration;
  if (moves && chain.parent) twist = moved(chain.parent->twist, bridge.delta);
  if (accelerates && chain.parent) acceleration = moved(chain.parent->acceleration, bridge.delta);
  for (int k = 0; k < chain.blocks; ++k) {
    State& b = chain.states[k];
    b.rows.J = unit_twist<L, kSlides>(block_of<L>(chain, k), b.frame);
    if constexpr (moves) {
      const V vk = load_lanes(L(), chain, k, v);
      const Twist moving = b.rows.J * vk;
      b.twist = sum_up<L>(moving);
      if (chain.parent || k > 0) b.twist = b.twist + twist;
      twist = last<L>(b.twist);
      if constexpr ((kTerms & term_C) != 0) b.rows.dJ = unit_twist_rate(b.twist, b.rows.J);
      if constexpr (accelerates) {
        Twist change = unit_twist_rate(b.twist, moving);
        if (a) change = change + b.rows.J * load_lanes(L(), chain, k, a);
        b.acceleration = sum_up<L>(change);
        if (chain.parent || k > 0) {
          b.acceleration = b.acceleration + acceleration;
        } else if constexpr (falls) {
          b.acceleration.v = b.acceleration.v - g0;
        }
        acceleration = last<L>(b.acceleration);
      }
    }
  }
  if constexpr (moves) bridge.twist = twist;
  if constexpr (accelerates) bridge.acceleration = acceleration;
}

// Adds the sums over a chain to those beyond its parent chain's last body: moments about the parent's P = this P -
// delta.
//   h' = h + m delta,  G' = G + h delta^T + delta h^T + m delta delta^T,  A' = A + p delta^T
template <unsigned kTerms, bool kSlides>
DYN_INLINE void hand_down(const Bridge& from, V m, Bridge& to) {
  const V3& delta = from.delta;
  const V3 mid = kSlides ? from.inertia.h + delta * (m * all(0.5)) : from.inertia.h;
  to.inertia.h = to.inertia.h + (kSlides ? from.inertia.h + delta * m : from.inertia.h);
  if constexpr ((kTerms & (term_M | term_C)) != 0) to.inertia.G = to.inertia.G + from.inertia.G + pair(mid, delta);
  if constexpr ((kTerms & term_C) != 0) {
    to.momentum.p = to.momentum.p + from.momentum.p;
    to.momentum.A = to.momentum.A + from.momentum.A + outer(from.momentum.p, delta);
  }
  if constexpr ((kTerms & term_h) != 0) to.wrench = to.wrench + moved_back(from.wrench, delta);
}

// Bodies, their sums over subtrees, and the joints' wrenches of one block; `bridge` carries the sums from block to
// block.
template <class L, unsigned kTerms, bool kSlides>
DYN_INLINE void composites(const double* block, const State& b, Rows& rows, Bridge& bridge, bool last_block) {
  const auto carried = [last_block](const auto& sum, const auto& behind) { return last_block ? sum : sum + behind; };
  const V m = kSlides ? constant<L>(block, subtree_mass) : V{};
  if constexpr (kTerms == term_g) {
    bridge.inertia.h = carried(sum_down<L>(first_moment<L, kSlides>(block, b.frame)), bridge.inertia.h);
    rows.F.f = cross(rows.J.w, bridge.inertia.h);
    if constexpr (kSlides) rows.F.f = rows.F.f + rows.J.v * m;
    bridge.inertia.h = first<L>(bridge.inertia.h);
    return;
  }
  const Inertia body = body_inertia<L, kSlides>(block, b.frame);
  if constexpr ((kTerms & term_h) != 0) {
    const Wrench f = carried(sum_down<L>(body_wrench<L, kSlides>(block, body, b.twist, b.acceleration)), bridge.wrench);
    rows.torque = pairing(f.f, rows.J.v, f.n, rows.J.w);
    bridge.wrench = first<L>(f);
  }
  if constexpr ((kTerms & (term_M | term_C)) != 0) {
    const Inertia total = carried(sum_down<L>(body), bridge.inertia);
    rows.F = inertial_wrench<kSlides>(m, total, rows.J);
    bridge.inertia = first<L>(total);
    if constexpr ((kTerms & term_C) != 0) {
      const Momentum sum = carried(sum_down<L>(body_momentum<L, kSlides>(block, body, b.twist)), bridge.momentum);
      coriolis_wrench<kSlides>(m, total, sum, rows.J, rows.dJ, rows.dF, rows.D);
      bridge.momentum = first<L>(sum);
    }
  }
}

}  // namespace
