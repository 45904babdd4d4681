// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The links that are fixed to one another as one body: parallel-axis sums about the common centre of mass. Always over
// links in their order, so that adding a link and removing it again restores every bit.
#pragma once

#include "dyn_core/model/model.hpp"

namespace dyn {

inline Vec3d com_in_body(const Link& link) { return link.body_T_link.R * link.inertial.com_m + link.body_T_link.p_m; }

// First for every link ...
inline void add_mass(Tree& tree, const Link& link) {
  const size_t b = link.body;
  tree.mass[b] += link.inertial.mass_kg;
  tree.com[b] += link.inertial.mass_kg * com_in_body(link);
}

// ... then for the body ...
inline void find_com(Tree& tree, int body) {
  const size_t b = body;
  if (tree.mass[b] > 0.0) tree.com[b] /= tree.mass[b];
}

// ... then for every link.
inline void add_inertia(Tree& tree, const Link& link) {
  const size_t b = link.body;
  const Mat3d& R = link.body_T_link.R;
  const Vec3d r = com_in_body(link) - tree.com[b];
  const Mat3d I = R * link.inertial.inertia_com_kgm2 * R.transpose();
  const Mat3d steiner = link.inertial.mass_kg * (r.squaredNorm() * Mat3d::Identity() - r * r.transpose());
  tree.inertia_com[b] += 0.5 * (I + I.transpose()) + steiner;
}

}  // namespace dyn
