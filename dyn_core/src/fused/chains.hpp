// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The chains of a plan, as the kernels walk them.
#pragma once

#include "fused/middle.hpp"

namespace {

template <class L>
DYN_INLINE Chain chain_of(const Plan& plan, int s) {
  const Segment& segment = plan.segment[s];
  return {plan.constants + static_cast<long>(segment.first_block) * (static_cast<int>(constants_count) * L::bodies),
          plan.permutations + segment.first_body,
          static_cast<State*>(plan.states) + segment.first_block,
          segment.first_body,
          segment.bodies,
          segment.blocks,
          segment.parent < 0 ? nullptr : static_cast<Bridge*>(plan.bridges) + segment.parent,
          segment.offset};
}

// Number by number: for whole structs g++ would call memset, which is slow for so few bytes.
DYN_INLINE void clear(V3& a) { a.x = a.y = a.z = V{}; }
template <unsigned kTerms>
DYN_INLINE void clear(Bridge& bridge) {
  Moments& G = bridge.inertia.G;
  clear(bridge.inertia.h);
  if constexpr ((kTerms & (term_M | term_C)) != 0) G.xx = G.yy = G.zz = G.xy = G.xz = G.yz = V{};
  if constexpr ((kTerms & term_C) != 0) {
    clear(bridge.momentum.p);
    clear(bridge.momentum.A.x);
    clear(bridge.momentum.A.y);
    clear(bridge.momentum.A.z);
  }
  if constexpr ((kTerms & term_h) != 0) {
    clear(bridge.wrench.f);
    clear(bridge.wrench.n);
  }
}

// The pass from the base outwards, for all chains: frames, twists, accelerations.
template <class L, unsigned kTerms, bool kSlides>
DYN_INLINE void outwards(const Plan& plan, const double* q, const double* v, const double* a) {
  Bridge* bridges = static_cast<Bridge*>(plan.bridges);
  for (int s = 0; s < plan.segments; ++s) turns<kSlides>(L(), chain_of<L>(plan, s), q);
  for (int s = 0; s < plan.segments; ++s) {
    const Chain chain = chain_of<L>(plan, s);
    frames<L, kSlides>(chain, q, bridges[s]);
    motions<L, kTerms, kSlides>(chain, v, a, {all(plan.gravity[0]), all(plan.gravity[1]), all(plan.gravity[2])},
                                bridges[s]);
    clear<kTerms>(bridges[s]);
  }
}

// Frames of a chain of revolute joints: from the middle where W is large enough, else from the base. Gravity in their
// axes where kGravity.
template <int kBlocks, bool kGravity>
DYN_INLINE V3 chain_frames(const Plan& plan, const Chain& chain, const double* q, [[maybe_unused]] Bridge& bridge) {
#if DYN_SIMD_WIDTH > 2
  V c[kBlocks], s[kBlocks];
  frames_from_middle(chain, q, c, s);
  if constexpr (!kGravity) return V3{V{}, V{}, V{}};
  return gravity_in_middle(plan.gravity, chain.states[0].frame, c[kBlocks - 1], s[kBlocks - 1]);
#else
  turns<false>(Bodies(), chain, q);
  frames<Bodies, false>(chain, q, bridge);
  return {all(plan.gravity[0]), all(plan.gravity[1]), all(plan.gravity[2])};
#endif
}

}  // namespace
