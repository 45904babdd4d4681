// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// From a Tree to a Plan: segments, constants in lanes, and the regrouping of inertias. Turning joint i moves only part
// of what its body is: mass on the axis might as well belong to the body before. So from the tips to the base:
//   revolute: m, h_z and G_zz go to the body before; h_x, h_y and the other five of G stay.
//   prismatic: what is left of G about the centre of mass goes to the body before (it does not turn against it);
//              a point mass at the centre of mass stays, and becomes the body's reference point.
// These are the base parameters: M, C and g do not change, revolute bodies have no mass left, and the kernels do less.
#include "dyn_core/fused/engine.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <new>

#include "kernel.hpp"

namespace dyn::fused {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

// Mass, first and second moments about the body frame's origin, body axes.
struct Moments {
  double m = 0.0;
  Vec3d h = Vec3d::Zero();
  Mat3d G = Mat3d::Zero();

  void add(double mass, const Vec3d& first, const Mat3d& second, const Mat3d& R, const Vec3d& p) noexcept {
    const Vec3d Rh = R * first;
    m += mass;
    h += Rh + mass * p;
    G += R * second * R.transpose() + Rh * p.transpose() + p * Rh.transpose() + mass * p * p.transpose();
  }
};

Moments body_moments(const Tree& tree, size_t i) noexcept {
  const Mat3d& I = tree.inertia_com[i];
  const Vec3d& c = tree.com[i];
  return {tree.mass[i], tree.mass[i] * c, Mat3d::Identity() * (0.5 * I.trace()) - I + tree.mass[i] * c * c.transpose()};
}

struct FreeAligned {
  void operator()(std::byte* p) const noexcept { ::operator delete (p, std::align_val_t{64}); }
};
using Aligned = std::unique_ptr<std::byte, FreeAligned>;
Aligned aligned(size_t bytes) {
  auto* p = static_cast<std::byte*>(::operator new (bytes + 64, std::align_val_t{64}));
  std::fill_n(p, bytes + 64, std::byte{0});
  return Aligned(p);
}

}  // namespace

struct Engine::Impl {
  Impl(const Tree& tree, const Kernels& chosen) : kernels(&chosen), regrouped(at(tree.size)), reference(at(tree.size)) {
    cut(tree);
    plan.bodies = tree.size;
    plan.segments = static_cast<int>(segments.size());
    plan.segment = segments.data();
    for (const Motion motion : tree.motion) plan.slides = plan.slides || motion == Motion::prismatic;
    constants.reset(aligned(sizeof(double) * at(plan.blocks) * constants_count * at(chosen.width)).release());
    states = aligned(chosen.state_bytes * at(plan.blocks));
    bridges = aligned(chosen.bridge_bytes * segments.size());
    plan.constants = reinterpret_cast<const double*>(constants.get());
    plan.states = states.get();
    plan.bridges = bridges.get();
    for (int i = 0; i < plan.blocks * chosen.width; ++i) entry(i / chosen.width, i % chosen.width, parent_qw) = 1.0;
    for (int i = 0; i < plan.blocks * chosen.width; ++i) entry(i / chosen.width, i % chosen.width, revolute) = 1.0;
    fill(tree);
  }

  // Segments, depth first: a body goes on with the segment before it if it is its parent's only child.
  void cut(const Tree& tree) {
    std::vector<int> children(at(tree.size), 0);
    for (const int p : tree.parent) {
      if (p >= 0) ++children[at(p)];
    }
    segment_of.resize(at(tree.size));
    for (int i = 0; i < tree.size; ++i) {
      const int p = tree.parent[at(i)];
      if (p >= 0 && children[at(p)] == 1) {
        ++segments.back().bodies;
      } else {
        segments.push_back({i, 1, 0, 0, p < 0 ? -1 : segment_of[at(p)], {0.0, 0.0, 0.0}});
      }
      segment_of[at(i)] = static_cast<int>(segments.size()) - 1;
    }
    for (Segment& s : segments) {
      s.first_block = plan.blocks;
      s.blocks = (s.bodies + kernels->width - 1) / kernels->width;
      plan.blocks += s.blocks;
    }
  }

  double& entry(int block, int lane, Constant which) noexcept {
    auto* all = reinterpret_cast<double*>(constants.get());
    return all[(block * constants_count + which) * kernels->width + lane];
  }

  // Real-time safe.
  void fill(const Tree& tree) noexcept {
    for (int k = 0; k < 3; ++k) plan.gravity[k] = tree.gravity[k];
    regroup(tree);
    for (Segment& s : segments) {
      for (int k = 0; k < s.bodies; ++k) fill_body(tree, s, k);
      const size_t i = at(s.first_body);
      const int p = tree.parent[i];
      Vec3d offset = tree.parent_p_joint[i] + tree.parent_R_joint[i] * reference[i];
      if (p >= 0) offset -= reference[at(p)];
      for (int k = 0; k < 3; ++k) s.offset[k] = offset[k];
    }
  }

  void regroup(const Tree& tree) noexcept {
    for (size_t i = 0; i < at(tree.size); ++i) regrouped[i] = body_moments(tree, i);
    for (size_t i = at(tree.size); i-- > 0;) {
      Moments& b = regrouped[i];
      const int p = tree.parent[i];
      const Mat3d& R = tree.parent_R_joint[i];
      const Vec3d& d = tree.parent_p_joint[i];
      reference[i].setZero();
      if (tree.motion[i] == Motion::revolute) {
        if (p >= 0) {
          regrouped[at(p)].add(b.m, Vec3d(0.0, 0.0, b.h.z()), Mat3d(Vec3d(0.0, 0.0, b.G(2, 2)).asDiagonal()), R, d);
        }
      } else {
        if (b.m != 0.0) reference[i] = b.h / b.m;
        if (p >= 0) regrouped[at(p)].G += R * (b.G - b.h * reference[i].transpose()) * R.transpose();
      }
    }
  }

  void fill_body(const Tree& tree, const Segment& s, int k) noexcept {
    const int i = s.first_body + k, block = s.first_block + k / kernels->width, lane = k % kernels->width;
    const size_t u = at(i);
    const bool turns = tree.motion[u] == Motion::revolute;
    const Eigen::Quaterniond turn = Eigen::Quaterniond(tree.parent_R_joint[u]).normalized();
    entry(block, lane, parent_qw) = turn.w();
    entry(block, lane, parent_qx) = turn.x();
    entry(block, lane, parent_qy) = turn.y();
    entry(block, lane, parent_qz) = turn.z();
    Vec3d next = Vec3d::Zero();
    if (k + 1 < s.bodies)
      next = tree.parent_p_joint[u + 1] + tree.parent_R_joint[u + 1] * reference[u + 1] - reference[u];
    entry(block, lane, next_x) = next.x();
    entry(block, lane, next_y) = next.y();
    entry(block, lane, next_z) = next.z();
    const Moments& b = regrouped[u];
    entry(block, lane, moment_x) = turns ? b.h.x() : 0.0;
    entry(block, lane, moment_y) = turns ? b.h.y() : 0.0;
    entry(block, lane, half_xx) = turns ? 0.5 * b.G(0, 0) : 0.0;
    entry(block, lane, half_yy) = turns ? 0.5 * b.G(1, 1) : 0.0;
    entry(block, lane, second_xy) = turns ? 0.5 * (b.G(0, 1) + b.G(1, 0)) : 0.0;
    entry(block, lane, second_xz) = turns ? 0.5 * (b.G(0, 2) + b.G(2, 0)) : 0.0;
    entry(block, lane, second_yz) = turns ? 0.5 * (b.G(1, 2) + b.G(2, 1)) : 0.0;
    entry(block, lane, revolute) = turns ? 1.0 : 0.0;
    entry(block, lane, point_mass) = turns ? 0.0 : b.m;
    double m = 0.0;
    for (int c = i; c < tree.subtree_end[u]; ++c) {
      if (tree.motion[at(c)] == Motion::prismatic) m += regrouped[at(c)].m;
    }
    entry(block, lane, subtree_mass) = m;
  }

  const Kernels* kernels;
  std::vector<Moments> regrouped;
  std::vector<Vec3d> reference;  // reference point in the body frame, m
  std::vector<Segment> segments;
  std::vector<int> segment_of;
  Aligned constants, states, bridges;
  Plan plan{};
};

Engine::Engine(const Tree& tree, const Kernels& kernels) : impl_(std::make_unique<Impl>(tree, kernels)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::refresh(const Tree& tree) noexcept { impl_->fill(tree); }

bool Engine::terms(const double* q, const double* v, double* M, double* C, double* g, double* h) noexcept {
  return impl_->kernels->terms(impl_->plan, q, v, nullptr, {M, C, g, h});
}

bool Engine::inverse(const double* q, const double* v, const double* a, double* tau) noexcept {
  return impl_->kernels->terms(impl_->plan, q, v, a, {nullptr, nullptr, nullptr, tau});
}

}  // namespace dyn::fused
