// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From a body's frame of Denavit-Hartenberg type (model/screw_frames.hpp) to its parent's and back, for wrenches,
// twists and inertias, made of turns about and shifts along a coordinate axis k; i and j are the axes after k in cyclic
// order. Written on scalars: this is what is counted. (Principal screws of inertia, paper 002, are in progressive/.)
#pragma once

#include "dyn_core/kinematics/workspace.hpp"
#include "dyn_core/model/screw_frames.hpp"

namespace dyn::dh {

template <class T>
struct Wrench {
  Vec3<T> n, f;  // moment about the frame's origin, force
};
template <class T>
struct Twist {
  Vec3<T> w, a;  // angular and linear, of velocity or acceleration
};
template <class T>
struct RigidInertia {
  T m;
  Vec3<T> h;  // m c
  Mat3<T> I;  // lower triangle
};
// n = I w + H a,  f = H^T w + A a; lower triangles of A and I.
template <class T>
struct MassMatrix {
  Mat3<T> A, H, I;
};

template <class T>
MassMatrix<T> mass_matrix(const ScrewInertia& body) noexcept {
  return {(Mat3d::Identity() * body.m).template cast<T>(), skew(body.h).template cast<T>(), body.I.template cast<T>()};
}

// Mass matrix times the joint's axis.
template <class T>
Wrench<T> times_axis(const MassMatrix<T>& b, Motion motion) noexcept {
  if (motion == Motion::prismatic) return {b.H.col(2), b.A.row(2).transpose()};
  return {b.I.row(2).transpose(), b.H.row(2).transpose()};
}

template <class T>
void add(MassMatrix<T>& to, const MassMatrix<T>& x) noexcept {
  to.H += x.H;
  for (int c = 0; c < 3; ++c) {
    for (int r = c; r < 3; ++r) {
      to.A(r, c) += x.A(r, c);
      to.I(r, c) += x.I(r, c);
    }
  }
}

// A body's own inertia, which has few nonzero entries.
template <class T>
void add(MassMatrix<T>& to, const ScrewInertia& own) noexcept {
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3;
    const int j = (k + 2) % 3;
    to.A(k, k) += static_cast<T>(own.m);
    to.H(i, j) -= static_cast<T>(own.h[k]);
    to.H(j, i) += static_cast<T>(own.h[k]);
    for (int r = k; r < 3; ++r) to.I(r, k) += static_cast<T>(own.I(r, k));
  }
}

// The moving part of a joint: theta0 + q and d (+ q).
template <class T>
struct JointDisplacement {
  PlaneTurn<T> theta;
  T d;
};

template <class T>
PlaneTurn<T> cast(const PlaneTurn<double>& turn) noexcept {
  return {static_cast<T>(turn.c), static_cast<T>(turn.s), static_cast<T>(turn.ss), static_cast<T>(turn.cs)};
}

// cos and sin of theta0 + q by the addition theorem: the sum theta0 + q would round a large q.
template <class T>
JointDisplacement<T> joint_displacement(const Tree& tree, const Workspace<T>& ws, int i) noexcept {
  const ScrewJoint& joint = tree.screw.joint[i];
  const T c0 = static_cast<T>(joint.c0);
  const T s0 = static_cast<T>(joint.s0);
  const T d = static_cast<T>(joint.d);
  if (tree.motion[i] == Motion::prismatic) {
    return {{c0, s0, static_cast<T>(joint.s0 * joint.s0), static_cast<T>(joint.c0 * joint.s0)}, d + ws.q[i]};
  }
  const T c = c0 * ws.cos_q[i] - s0 * ws.sin_q[i];
  const T s = s0 * ws.cos_q[i] + c0 * ws.sin_q[i];
  return {{c, s, s * s, c * s}, d};
}

// x' = R x
template <int k, class T>
void turn(Vec3<T>& x, const T& c, const T& s) noexcept {
  constexpr int i = (k + 1) % 3;
  constexpr int j = (k + 2) % 3;
  const T xi = x[i];
  x[i] = c * xi - s * x[j];
  x[j] = s * xi + c * x[j];
}
template <int k, class T>
void turn(Wrench<T>& w, const PlaneTurn<T>& t) noexcept {
  turn<k>(w.n, t.c, t.s);
  turn<k>(w.f, t.c, t.s);
}
// S' = R S R^T, lower triangle
template <int k, class T>
void turn_symmetric(Mat3<T>& S, const PlaneTurn<T>& t) noexcept {
  constexpr int i = (k + 1) % 3;
  constexpr int j = (k + 2) % 3;
  T& ij = i > j ? S(i, j) : S(j, i);
  T& ik = i > k ? S(i, k) : S(k, i);
  T& jk = j > k ? S(j, k) : S(k, j);
  const T difference = S(i, i) - S(j, j);
  const T twice = ij + ij;
  const T change = t.ss * difference + t.cs * twice;
  S(i, i) -= change;
  S(j, j) += change;
  ij += t.cs * difference - t.ss * twice;
  const T old = ik;
  ik = t.c * old - t.s * jk;
  jk = t.s * old + t.c * jk;
}
template <int k, class T>
void turn(RigidInertia<T>& b, const PlaneTurn<T>& t) noexcept {
  turn<k>(b.h, t.c, t.s);
  turn_symmetric<k>(b.I, t);
}
// H' = R H R^T: the antisymmetric part of the turned block and its trace stay.
template <int k, class T>
void turn(MassMatrix<T>& b, const PlaneTurn<T>& t) noexcept {
  constexpr int i = (k + 1) % 3;
  constexpr int j = (k + 2) % 3;
  turn_symmetric<k>(b.A, t);
  turn_symmetric<k>(b.I, t);
  Mat3<T>& H = b.H;
  const T difference = H(i, i) - H(j, j);
  const T sum = H(i, j) + H(j, i);
  const T diagonal = t.ss * difference + t.cs * sum;
  const T aside = t.cs * difference - t.ss * sum;
  H(i, i) -= diagonal;
  H(j, j) += diagonal;
  H(i, j) += aside;
  H(j, i) += aside;
  const T ik = H(i, k);
  H(i, k) = t.c * ik - t.s * H(j, k);
  H(j, k) = t.s * ik + t.c * H(j, k);
  const T ki = H(k, i);
  H(k, i) = t.c * ki - t.s * H(k, j);
  H(k, j) = t.s * ki + t.c * H(k, j);
}

// The reference point moved by -d along axis k:  n' = n + d k x f
template <int k, class T>
void shift(Wrench<T>& w, const T& d) noexcept {
  constexpr int i = (k + 1) % 3;
  constexpr int j = (k + 2) % 3;
  w.n[i] -= d * w.f[j];
  w.n[j] += d * w.f[i];
}
// h' = h + m d k,  I' = I + (e . k) 1 - (e k^T + k e^T)/2  with e = d (h + h')
template <int k, class T>
void shift(RigidInertia<T>& b, const T& d) noexcept {
  constexpr int i = (k + 1) % 3;
  constexpr int j = (k + 2) % 3;
  const T before = b.h[k];
  b.h[k] += b.m * d;
  const T both = d * (before + b.h[k]);
  b.I(i, i) += both;
  b.I(j, j) += both;
  (i > k ? b.I(i, k) : b.I(k, i)) -= d * b.h[i];
  (j > k ? b.I(j, k) : b.I(k, j)) -= d * b.h[j];
}
// H' = H + d [k] A,  I' = I - d H [k] + d [k] H'^T
template <int k, class T>
void shift(MassMatrix<T>& b, const T& d) noexcept {
  constexpr int i = (k + 1) % 3;
  constexpr int j = (k + 2) % 3;
  const auto& A = b.A;
  Mat3<T>& H = b.H;
  const T Aij = d * (i > j ? A(i, j) : A(j, i));
  const T before_ij = H(i, j);
  const T before_ji = H(j, i);
  const T before_ii = H(i, i);
  H(i, i) -= Aij;
  H(i, j) -= d * A(j, j);
  H(i, k) -= d * (j > k ? A(j, k) : A(k, j));
  H(j, i) += d * A(i, i);
  H(j, j) += Aij;
  H(j, k) += d * (i > k ? A(i, k) : A(k, i));
  b.I(i, i) -= d * (before_ij + H(i, j));
  b.I(j, j) += d * (before_ji + H(j, i));
  (i > j ? b.I(i, j) : b.I(j, i)) += d * (before_ii - H(j, j));
  (i > k ? b.I(i, k) : b.I(k, i)) -= d * H(k, j);
  (j > k ? b.I(j, k) : b.I(k, j)) += d * H(k, i);
}

// Wrenches and inertias from the body's frame to its parent's.
template <class Quantity, class T>
void inwards(Quantity& x, const ScrewJoint& joint, const JointDisplacement<T>& q) noexcept {
  turn<2>(x, q.theta);
  shift<2>(x, q.d);
  turn<0>(x, cast<T>(joint.alpha));
  shift<0>(x, static_cast<T>(joint.p.x()));
  if (!joint.along_x) {
    shift<1>(x, static_cast<T>(joint.p.y()));
    shift<2>(x, static_cast<T>(joint.p.z()));
  }
  if (joint.turned) turn<2>(x, cast<T>(joint.gamma));
}

// a' = a + d w x k
template <int k, class T>
void advance(Twist<T>& x, const T& d) noexcept {
  constexpr int i = (k + 1) % 3;
  constexpr int j = (k + 2) % 3;
  x.a[i] += d * x.w[j];
  x.a[j] -= d * x.w[i];
}
template <int k, class T>
void turn_back(Twist<T>& x, const T& c, const T& s) noexcept {
  turn<k>(x.w, c, T(-s));
  turn<k>(x.a, c, T(-s));
}

// Twists from the parent's frame to the body's, the joint at rest.
template <class T>
void outwards(Twist<T>& x, const ScrewJoint& joint, const JointDisplacement<T>& q) noexcept {
  if (joint.turned) turn_back<2>(x, static_cast<T>(joint.gamma.c), static_cast<T>(joint.gamma.s));
  advance<0>(x, static_cast<T>(joint.p.x()));
  if (!joint.along_x) {
    advance<1>(x, static_cast<T>(joint.p.y()));
    advance<2>(x, static_cast<T>(joint.p.z()));
  }
  turn_back<0>(x, static_cast<T>(joint.alpha.c), static_cast<T>(joint.alpha.s));
  advance<2>(x, q.d);
  turn_back<2>(x, q.theta.c, q.theta.s);
}

}  // namespace dyn::dh
