// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// C of this project's own `fused`. double runs the lane form, src/fused/: M, C, g and h by one pass, in the same axes.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/fused_form.hpp"
#include "dyn_core/kinematics/chain_points.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::coriolis {

// This project's own, in base axes with moments about one point P a chain (symbols as in jsim/fused.hpp). A body's
// twist is (v, w) with v the velocity of its point at P. Per body, then summed over subtrees:
//   h = m c,  G = S + m c c^T,  p = m v + w x h,  L = I w + h x v,  Gdot = v h^T + h v^T + [w] G + G [w]^T
// (at the point P - d of the chain below, beside h and G:  L' = L + d x p,  Gdot' = Gdot + p d^T + d p^T)
// and per joint, J = (Jv, Jw) its unit twist at P:
//   F  = (m Jv + Jw x h, I Jw + h x Jv),           dJ = (w x Jv + v x Jw, w x Jw)
//   dF = (m dJv + dJw x h + Jw x p, I dJw + h x dJv + (Idot Jw + Jw x L)/2),  D = p x Jv + (Idot Jw - Jw x L)/2
//   C_ij = J_i . dF_j  for j in the subtree of i,   C_ij = F_i . dJ_j + D_i . Jw_j  for j a strict ancestor of i.
template <class T>
class Fused : public FusedForm {
 public:
  static constexpr std::string_view source = "dyn_control docs/algorithms.md";
  static constexpr unsigned needs = needs_inertias | needs_velocities;

  explicit Fused(int capacity) : points_(capacity), sum_(capacity), joint_(capacity) {}

  // in: positions, inertias, velocities of ws.  out: C in body order.
  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, MatrixRef<T> C) noexcept {
    DYN_EXPECTS(fits(tree, ws, C));
    points_.update(tree, ws);
    sum_subtrees(tree, ws);
    C.setZero();
    for (int j = 0; j < tree.size; ++j) {
      joint_[j] = unit_twist(tree, ws, j);
      Column f = column(sum_[j], joint_[j]);
      for (int i = j; i >= 0; i = tree.parent[i]) {
        const JointTwist& Ji = joint_[i];
        C(i, j) = Ji.Jv.dot(f.dFv) + Ji.Jw.dot(f.dFw);
        if (i != j) C(j, i) = f.Fv.dot(Ji.dJv) + f.Fw.dot(Ji.dJw) + f.D.dot(Ji.Jw);
        if (points_.starts_chain(tree, i)) {
          f.Fw += points_.offset(i).cross(f.Fv);
          f.dFw += points_.offset(i).cross(f.dFv);
        }
      }
    }
  }

 private:
  struct Composite {
    T m;
    Vec3<T> h, p, L;
    Mat3<T> G, Gdot;
  };
  struct JointTwist {
    Vec3<T> Jv, Jw, dJv, dJw;
  };
  struct Column {
    Vec3<T> Fv, Fw, dFv, dFw, D;
  };

  // I x = tr(G) x - G x
  static Vec3<T> rotational(const Mat3<T>& G, const Vec3<T>& x) noexcept { return x * G.trace() - G * x; }

  // Of the point of the body that is at P.
  Vec3<T> velocity(const Workspace<T>& ws, int i) const noexcept {
    return ws.velocity[i] + (ws.origin[i] - points_.point(i)).cross(ws.omega[i]);
  }

  JointTwist unit_twist(const Tree& tree, const Workspace<T>& ws, int i) const noexcept {
    JointTwist J;
    const bool turns = tree.motion[i] == Motion::revolute;
    J.Jv = turns ? Vec3<T>((ws.origin[i] - points_.point(i)).cross(ws.axis[i])) : ws.axis[i];
    J.Jw = turns ? ws.axis[i] : Vec3<T>(Vec3<T>::Zero());
    const Vec3<T>& w = ws.omega[i];
    const Vec3<T> v = velocity(ws, i);
    J.dJv = w.cross(J.Jv) + v.cross(J.Jw);
    J.dJw = w.cross(J.Jw);
    return J;
  }

  static Column column(const Composite& c, const JointTwist& J) noexcept {
    const Vec3<T> spin = rotational(c.Gdot, J.Jw);
    const Vec3<T> turn = J.Jw.cross(c.L);
    const T half(0.5);
    Column f;
    f.Fv = J.Jv * c.m + J.Jw.cross(c.h);
    f.Fw = rotational(c.G, J.Jw) + c.h.cross(J.Jv);
    f.dFv = J.dJv * c.m + J.dJw.cross(c.h) + J.Jw.cross(c.p);
    f.dFw = rotational(c.G, J.dJw) + c.h.cross(J.dJv) + (spin + turn) * half;
    f.D = c.p.cross(J.Jv) + (spin - turn) * half;
    return f;
  }

  void sum_subtrees(const Tree& tree, const Workspace<T>& ws) noexcept {
    for (int i = 0; i < tree.size; ++i) {
      Composite& c = sum_[i];
      const Vec3<T>& w = ws.omega[i];
      const Vec3<T> v = velocity(ws, i), com = ws.com[i] - points_.point(i);
      c.m = T(tree.mass[i]);
      c.h = com * c.m;
      c.G = Mat3<T>::Identity() * (ws.inertia[i].trace() * T(0.5)) - ws.inertia[i] + c.h * com.transpose();
      c.p = v * c.m + w.cross(c.h);
      c.L = rotational(c.G, w) + c.h.cross(v);
      const Mat3<T> half = v * c.h.transpose() + skew(w) * c.G;
      c.Gdot = half + half.transpose();
    }
    for (int i = tree.size; i-- > 0;) {
      if (tree.parent[i] >= 0)
        add_to_parent(sum_[i], points_.starts_chain(tree, i) ? &points_.offset(i) : nullptr, sum_[tree.parent[i]]);
    }
  }

  // offset: from the parent's P to the child's, null where they are the same.
  static void add_to_parent(const Composite& from, const Vec3<T>* offset, Composite& to) noexcept {
    to.m += from.m;
    to.h += from.h;
    to.p += from.p;
    to.L += from.L;
    to.G += from.G;
    to.Gdot += from.Gdot;
    if (offset == nullptr) return;
    const Vec3<T>& d = *offset;
    const Vec3<T> md = d * from.m;
    to.h += md;
    to.L += d.cross(from.p);
    to.G += from.h * d.transpose() + d * (from.h + md).transpose();
    to.Gdot += from.p * d.transpose() + d * from.p.transpose();
  }

  ChainPoints<T> points_;
  std::vector<Composite> sum_;
  std::vector<JointTwist> joint_;
};

}  // namespace dyn::coriolis
