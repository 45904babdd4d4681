// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// This project's own: everything in base axes, moments about one point P a chain (symbols as in coriolis/fused.hpp).
// double runs the lane form, src/fused/: the same sums by the kernels that also make M, C and g.
#pragma once

#include <string_view>
#include <vector>

#include "dyn_core/fused_form.hpp"
#include "dyn_core/kinematics/chain_points.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::inverse {

// Twist (v, w): v of the point of the body that is at P. A = -g0 + sum over the body's joints of J a + dJ v.
//   f = m A_v + A_w x h + w x p,  n = I A_w + h x A_v + w x L + v x p,  tau_i = J_i . (sum of (f, n) over the subtree)
// From a chain to the next, P' = P + d:  A_v' = A_v + A_w x d outwards,  n = n' + d x f inwards.
template <class T>
class Fused : public FusedForm {
 public:
  static constexpr std::string_view source = "dyn_control docs/speed.md";
  static constexpr unsigned needs = needs_inertias | needs_velocities;

  explicit Fused(int capacity) : points_(capacity), A_(capacity), sum_(capacity) {}

  DYN_REALTIME void compute(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity,
                            VectorRef<T> tau) noexcept {
    DYN_EXPECTS(ws.capacity >= tree.size && tau.size() == tree.size);
    run(tree, ws, gravity, true, tau);
  }
  // h = C v + g
  DYN_REALTIME void bias(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity, VectorRef<T> h) noexcept {
    run(tree, ws, gravity, false, h);
  }

 private:
  struct Pair {
    Vec3<T> linear, angular;
  };

  Pair unit_twist(const Tree& tree, const Workspace<T>& ws, int i) const noexcept {
    if (tree.motion[i] == Motion::prismatic) return {ws.axis[i], Vec3<T>::Zero()};
    return {(ws.origin[i] - points_.point(i)).cross(ws.axis[i]), ws.axis[i]};
  }

  void run(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity, bool accelerated,
           VectorRef<T> tau) noexcept {
    points_.update(tree, ws);
    for (int i = 0; i < tree.size; ++i) outwards(tree, ws, gravity, accelerated, i);
    for (int i = tree.size; i-- > 0;) {
      const Pair J = unit_twist(tree, ws, i);
      tau[i] = sum_[i].linear.dot(J.linear) + sum_[i].angular.dot(J.angular);
      if (tree.parent[i] < 0) continue;
      Pair& parent = sum_[tree.parent[i]];
      parent.linear += sum_[i].linear;
      parent.angular += sum_[i].angular;
      if (points_.starts_chain(tree, i)) parent.angular += points_.offset(i).cross(sum_[i].linear);
    }
  }

  void outwards(const Tree& tree, const Workspace<T>& ws, const Vec3<T>& gravity, bool accelerated, int i) noexcept {
    const Pair J = unit_twist(tree, ws, i);
    const Vec3<T>& w = ws.omega[i];
    const Vec3<T> v = ws.velocity[i] + (ws.origin[i] - points_.point(i)).cross(w);
    Pair& A = A_[i];
    A = tree.parent[i] < 0 ? Pair{-gravity, Vec3<T>::Zero()} : A_[tree.parent[i]];
    if (points_.starts_chain(tree, i)) A.linear += A.angular.cross(points_.offset(i));
    A.linear += (w.cross(J.linear) + v.cross(J.angular)) * ws.v[i];
    A.angular += w.cross(J.angular) * ws.v[i];
    if (accelerated) {
      A.linear += J.linear * ws.a[i];
      A.angular += J.angular * ws.a[i];
    }
    const auto m = static_cast<T>(tree.mass[i]);
    const Vec3<T> com = ws.com[i] - points_.point(i);
    const Vec3<T> h = com * m;
    const auto rotational = [&](const Vec3<T>& x) {  // I x about P
      return Vec3<T>(ws.inertia[i] * x + h.cross(x.cross(com)));
    };
    const Vec3<T> p = v * m + w.cross(h);
    const Vec3<T> L = rotational(w) + h.cross(v);
    sum_[i].linear = A.linear * m + A.angular.cross(h) + w.cross(p);
    sum_[i].angular = rotational(A.angular) + h.cross(A.linear) + w.cross(L) + v.cross(p);
  }

  ChainPoints<T> points_;
  std::vector<Pair> A_, sum_;
};

}  // namespace dyn::inverse
