// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/papers/engine.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>
#include <vector>

#include "dyn_core/forward/pivot_scale.hpp"
#include "fused/plan.hpp"
#include "kernel.hpp"

namespace dyn::papers {

MassForm mass_form(std::string_view name) noexcept {
  if (name == "explicit") return MassForm::explicit_elements;
  if (name == "gdahj") return MassForm::gdahj;
  if (name == "denoc") return MassForm::denoc;
  if (name == "momentum") return MassForm::momentum;
  if (name == "screw") return MassForm::screw;
  if (name == "pseudo_inertia") return MassForm::pseudo_inertia;
  return MassForm::none;
}

struct Engine::Impl {
  Impl(const Tree& t, const fused::Kernels& chosen)
      : kernels(*chosen.papers),
        width(chosen.width),
        cut(t, width),
        parent(t.parent),
        subtree_end(t.subtree_end),
        armature(at(t.size)),
        floor(at(t.size)) {
    plan.bodies = t.size;
    plan.segments = static_cast<int>(cut.segments.size());
    plan.stride = (t.size + width - 1) / width * width + width;
    for (const Motion motion : t.motion) plan.slides = plan.slides || motion == Motion::prismatic;
    plan.segment = cut.segments.data();
    plan.segment_of = cut.segment_of.data();
    plan.parent = parent.data();
    plan.subtree_end = subtree_end.data();
    constants = fused::aligned(at(cut.blocks) * at(Fixed::count) * at(width));
    rows = fused::aligned(at(Row::count) * at(plan.stride));
    bridges = fused::aligned(kernels.bridge_bytes / sizeof(double) * cut.segments.size());
    bodies = fused::aligned(kernels.body_bytes / sizeof(double) * at(t.size));
    links = fused::aligned(at(Link::count) * at(t.size));
    plan.links = links.get();
    plan.constants = constants.get();
    plan.rows = rows.get();
    plan.bridges = bridges.get();
    plan.bodies_work = bodies.get();
    for (int i = 0; i < cut.blocks * width; ++i) entry(i / width, i % width, Fixed::turn_w) = 1.0;
    for (size_t i = 0; i < at(t.size); ++i) {
      armature[i] = t.has_mimic ? 0.0 : t.armature[at(t.coordinate[i])];
      row(Row::slides)[i] = t.motion[i] == Motion::prismatic ? 1.0 : 0.0;
    }
    place(t);
    fill(t);
  }

  static size_t at(int n) { return static_cast<size_t>(n); }
  double* row(Row::Name name) { return rows.get() + at(name) * at(plan.stride); }
  double& entry(int block, int lane, Fixed::Name which) {
    return constants.get()[(block * Fixed::count + which) * width + lane];
  }
  void put(int block, int lane, Fixed::Name first, const Vec3d& v) {
    for (int k = 0; k < 3; ++k) entry(block, lane, static_cast<Fixed::Name>(first + k)) = v[k];
  }

  // How the joints stand.
  void place(const Tree& t) {
    for (fused::Segment& s : cut.segments) {
      for (int k = 0; k < s.bodies; ++k) {
        const int block = s.first_block + k / width, lane = k % width;
        const size_t i = at(s.first_body + k);
        const Eigen::Quaterniond turn = Eigen::Quaterniond(t.parent_R_joint[i]).normalized();
        entry(block, lane, Fixed::turn_w) = turn.w();
        put(block, lane, Fixed::turn_x, turn.vec());
        if (k + 1 < s.bodies) put(block, lane, Fixed::next_x, t.parent_p_joint[i + 1]);
        entry(block, lane, Fixed::slides) = t.motion[i] == Motion::prismatic ? 1.0 : 0.0;
      }
      for (int k = 0; k < 3; ++k) s.offset[k] = t.parent_p_joint[at(s.first_body)][k];
    }
  }

  // Inertias.
  void fill(const Tree& t) noexcept {
    double* subtree = row(Row::mass_subtree);
    for (size_t i = at(t.size); i-- > 0;) {
      row(Row::mass)[i] = subtree[i] = t.mass[i];
      for (int c = static_cast<int>(i) + 1; c < t.subtree_end[i]; c = t.subtree_end[at(c)]) subtree[i] += subtree[c];
    }
    for (const fused::Segment& s : cut.segments) {
      for (int k = 0; k < s.bodies; ++k) {
        const int block = s.first_block + k / width, lane = k % width;
        const size_t i = at(s.first_body + k);
        const Mat3d& I = t.inertia_com[i];
        entry(block, lane, Fixed::mass) = t.mass[i];
        entry(block, lane, Fixed::mass_subtree) = subtree[i];
        entry(block, lane, Fixed::mass_beyond) = k + 1 < s.bodies ? subtree[i + 1] : 0.0;
        put(block, lane, Fixed::com_x, t.com[i]);
        put(block, lane, Fixed::inertia_xx, {0.5 * (I(0, 0) - I(2, 2)), 0.5 * (I(1, 1) - I(2, 2)), I(2, 2)});
        put(block, lane, Fixed::inertia_xy, {I(0, 1), I(0, 2), I(1, 2)});
        fill_link(t, i);
      }
    }
  }

  // The same inertia as principal screws, and as pseudo-inertia [S, m c; m c^T, m], S = tr(I)/2 - I + m c c^T.
  void fill_link(const Tree& t, size_t i) noexcept {
    double* link = links.get() + i * at(Link::count);
    const PrincipalInertia& p = t.principal[i];
    Eigen::Map<Mat3d>(link + Link::axes) = p.axes;
    Eigen::Map<Vec3d>(link + Link::radii) = p.radii;
    link[Link::heavy] = p.mass_kg == 0.0 ? 0.0 : 1.0;
    link[Link::weight] = p.mass_kg == 0.0 ? 1.0 : 0.5 * p.mass_kg;
    const Mat3d& I = t.inertia_com[i];
    const Vec3d& c = t.com[i];
    const double m = t.mass[i];
    Eigen::Map<Eigen::Matrix4d> J(link + Link::pseudo);
    J.topLeftCorner<3, 3>() = Mat3d::Identity() * (0.5 * I.trace()) - I + m * c * c.transpose();
    J.topRightCorner<3, 1>() = m * c;
    J.bottomLeftCorner<1, 3>() = m * c.transpose();
    J(3, 3) = m;
  }

  const Kernels& kernels;
  int width;
  fused::Cut cut;
  std::vector<int> parent, subtree_end;
  std::vector<double> armature, floor;  // of bodies
  fused::Aligned constants, links, rows, bridges, bodies;
  Plan plan{};
};

Engine::Engine(const Tree& tree, const fused::Kernels& kernels) : impl_(std::make_unique<Impl>(tree, kernels)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::refresh(const Tree& tree) noexcept { impl_->fill(tree); }

void Engine::positions(const double* q) noexcept { impl_->kernels.positions(impl_->plan, q); }

void Engine::mass(MassForm form, double* M) noexcept {
  const Impl& d = *impl_;
  switch (form) {
    case MassForm::none: return;
    case MassForm::explicit_elements: return d.kernels.explicit_mass(d.plan, M);
    case MassForm::gdahj: return d.kernels.gdahj_mass(d.plan, M);
    case MassForm::denoc: return d.kernels.denoc_mass(d.plan, M);
    case MassForm::momentum: return d.kernels.momentum_mass(d.plan, M);
    case MassForm::screw: return d.kernels.screw_mass(d.plan, M);
    case MassForm::pseudo_inertia: return d.kernels.pseudo_inertia_mass(d.plan, M);
  }
}

double Engine::element(int u, int k) noexcept {
  const Impl& d = *impl_;
  if (u < k) std::swap(u, k);
  if (u >= d.plan.subtree_end[k]) return 0.0;
  return d.kernels.explicit_element(d.plan, u, k);
}

Status Engine::forward(const double* phi, const double* scale, double* qdd) noexcept {
  Impl& d = *impl_;
  for (size_t i = 0; i < d.floor.size(); ++i) d.floor[i] = forward::PivotScale<double>::tolerance * scale[i];
  const Pivot pivot = d.kernels.denoc_forward(d.plan, phi, d.armature.data(), d.floor.data(), qdd);
  return pivot.body < 0 ? Status{} : Status::singular(pivot.body, pivot.value);
}

}  // namespace dyn::papers
