// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The inertia of one body as a value, and the one function that writes it into a Tree: while a payload is ramped in,
// the loop writes it into its own copy of the tree every cycle. Real-time safe.
#pragma once

#include "dyn_core/error.hpp"
#include "dyn_core/model/tree.hpp"

namespace dyn {

struct BodyInertia {
  double mass_kg = 0.0;
  Vec3d com_m = Vec3d::Zero();             // in the body frame
  Mat3d inertia_com_kgm2 = Mat3d::Zero();  // about the centre of mass, axes of the body frame
};

DYN_REALTIME inline BodyInertia body_inertia(const Tree& tree, int body) noexcept {
  return {tree.mass[body], tree.com[body], tree.inertia_com[body]};
}

// Updates what a Tree derives from the inertia too (principal screws, screw frames).
DYN_REALTIME inline void set_body_inertia(Tree& tree, int body, const BodyInertia& inertia) noexcept {
  tree.mass[body] = inertia.mass_kg;
  tree.com[body] = inertia.com_m;
  tree.inertia_com[body] = inertia.inertia_com_kgm2;
  tree.principal[body] = principal_inertia(inertia.mass_kg, inertia.com_m, inertia.inertia_com_kgm2);
  update_screw_inertia(tree, body);
}

// Between two inertias, s from 0 to 1: linear in mass, first and second moment about the body's origin, so that M, C v
// and g are linear in s too and every state between is a possible body.
DYN_REALTIME inline BodyInertia blend(const BodyInertia& from, const BodyInertia& to, double s) noexcept {
  const auto steiner = [](double mass, const Vec3d& c) {
    return Mat3d(mass * (c.squaredNorm() * Mat3d::Identity() - c * c.transpose()));
  };
  BodyInertia between;
  between.mass_kg = (1.0 - s) * from.mass_kg + s * to.mass_kg;
  const Vec3d first = (1.0 - s) * from.mass_kg * from.com_m + s * to.mass_kg * to.com_m;
  between.com_m = between.mass_kg > 0.0 ? Vec3d(first / between.mass_kg) : Vec3d::Zero();
  between.inertia_com_kgm2 = (1.0 - s) * (from.inertia_com_kgm2 + steiner(from.mass_kg, from.com_m)) +
                             s * (to.inertia_com_kgm2 + steiner(to.mass_kg, to.com_m)) -
                             steiner(between.mass_kg, between.com_m);
  return between;
}

}  // namespace dyn
