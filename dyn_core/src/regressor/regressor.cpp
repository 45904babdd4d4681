// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/regressor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "dyn_core/precondition.hpp"
#include "dyn_core/regressor/wrench_columns.hpp"
#include "fused/plan.hpp"
#include "not_finite.hpp"
#include "regressor/regressor_kernel.hpp"

namespace dyn {
struct Regressor::Impl {
  Impl(std::shared_ptr<const Model> m, lanes::KernelSet set)
      : model(std::move(m)),
        tree(model->tree()),
        layout(*model),
        kernel(lanes::with_kernel_set(set, [](auto chosen) { return regressor::kernel<chosen()>(); })),
        memory(tree, fused::kernels_of(set), set, lanes::width(set)),
        link_constants(lanes::aligned(static_cast<size_t>(memory.plan.blocks * regressor::link_constants_count) *
                                      static_cast<size_t>(lanes::width(set)))),
        work(lanes::aligned(kernel.block_bytes / sizeof(double) * static_cast<size_t>(memory.plan.blocks))),
        column(tree.size, -1),
        ws(tree.size),
        columns(tree.size),
        Y(static_cast<size_t>(tree.coordinates) * static_cast<size_t>(layout.parameters())),
        Y_momentum(Y.size()),
        Y_rate(Y.size()),
        p(layout.parameters()),
        body_Y(tree.bodies_are_coordinates
                   ? 0
                   : static_cast<size_t>(tree.size) * static_cast<size_t>(layout.parameters())) {
    place_links(lanes::width(set));
    regressor::read_parameters(tree, layout, p);
  }

  // Where the links are in the kernels' frames of their bodies.
  void place_links(int width) noexcept {
    for (int b = 0; b < layout.size(); ++b) column[layout.body[b]] = regressor::parameters_per_body * b;
    for (int s = 0; s < memory.plan.segments; ++s) {
      const lanes::Segment& segment = memory.plan.segment[s];
      for (int k = 0; k < segment.bodies; ++k) {
        const int i = segment.first_body + k;
        if (column[i] < 0) continue;
        const int b = column[i] / regressor::parameters_per_body;
        double* const block =
            link_constants.get() + (segment.first_block + k / width) * (regressor::link_constants_count * width);
        const auto put = [&](int which, double value) { block[which * width + k % width] = value; };
        const Mat3d to_kernel = memory.kernel_axes(i).transpose();
        const Mat3d axes = to_kernel * layout.body_R_link[b];
        const Vec3d origin = to_kernel * -memory.reference_point(i);
        for (int e = 0; e < 9; ++e) put(regressor::axis_xx + e, axes(e % 3, e / 3));
        for (int e = 0; e < 3; ++e) put(regressor::origin_x + e, origin[e]);
      }
    }
  }

  [[nodiscard]] MatrixRef<double> write(std::vector<double>& matrix) const noexcept {
    return matrix_view(matrix.data(), tree.coordinates, layout.parameters());
  }
  [[nodiscard]] ConstMatrixRef<double> read(const std::vector<double>& matrix) const noexcept {
    return {matrix.data(), tree.coordinates, layout.parameters(), Eigen::OuterStride<>(tree.coordinates)};
  }

  // False where a number is not finite.
  bool torque(const double* q, const double* v, const double* a) noexcept {
    const regressor::LinkPlan links{link_constants.get(), column.data(), work.get()};
    if (tree.bodies_are_coordinates) return kernel.torque(memory.plan, links, q, v, a, Y.data());
    spread_positions(tree, q, ws);
    spread_rates(tree, v, ws.v);
    spread_rates(tree, a, ws.a);
    if (!kernel.torque(memory.plan, links, ws.q.data(), ws.v.data(), ws.a.data(), body_Y.data())) return false;
    std::fill(Y.begin(), Y.end(), 0.0);
    for (int k = 0; k < layout.parameters(); ++k) {
      double* const to = &Y[k * tree.coordinates];
      for (int i = 0; i < tree.size; ++i) to[tree.coordinate[i]] += tree.ratio[i] * body_Y[k * tree.size + i];
    }
    return true;
  }

  void load_state(const double* q, const double* v) noexcept {
    spread_positions(tree, q, ws);
    spread_rates(tree, v, ws.v);
    update_kinematics(tree, ws, regressor::TreeRegressor<double>::needs);
  }

  std::shared_ptr<const Model> model;
  Tree tree;  // with the gravity in force
  regressor::Layout layout;
  regressor::Kernel kernel;
  fused::PlanMemory memory;
  lanes::Aligned link_constants, work;
  std::vector<int> column;  // of Y, of each body of the tree; -1: it has no parameters
  Workspace<double> ws;
  regressor::TreeRegressor<double> columns;
  std::vector<double> Y, Y_momentum, Y_rate;
  std::vector<double> p;  // the model's
  std::vector<double> body_Y;
};

Regressor::Regressor(std::shared_ptr<const Model> model)
    : impl_(std::make_unique<Impl>(std::move(model), lanes::select_kernel_set())) {}
Regressor::Regressor(Model model) : Regressor(std::make_shared<const Model>(std::move(model))) {}
Regressor::Regressor(Regressor&&) noexcept = default;
Regressor& Regressor::operator=(Regressor&&) noexcept = default;
Regressor::~Regressor() = default;

const Model& Regressor::model() const noexcept { return *impl_->model; }
const regressor::Layout& Regressor::layout() const noexcept { return impl_->layout; }
void Regressor::set_gravity(const Vec3d& gravity_mps2) noexcept {
  DYN_EXPECTS(gravity_mps2.allFinite());
  impl_->tree.gravity = gravity_mps2;
  impl_->memory.fill(impl_->tree);
}

Status Regressor::update(std::span<const double> q, std::span<const double> v, std::span<const double> a) noexcept {
  [[maybe_unused]] const int n = impl_->tree.coordinates;
  DYN_EXPECTS(std::ssize(q) == n && std::ssize(v) == n && std::ssize(a) == n);
  if (impl_->torque(q.data(), v.data(), a.data())) return {};
  return find_not_finite({q, v, a});
}
ConstMatrixRef<double> Regressor::Y() const noexcept { return impl_->read(impl_->Y); }

Status Regressor::update_momentum(std::span<const double> q, std::span<const double> v) noexcept {
  Impl& d = *impl_;
  DYN_EXPECTS(std::ssize(q) == d.tree.coordinates && std::ssize(v) == d.tree.coordinates);
  if (const Status status = find_not_finite({q, v}); !status.ok()) return status;
  d.load_state(q.data(), v.data());
  d.columns.momentum(d.tree, d.layout, d.ws, d.write(d.Y_momentum));
  d.columns.momentum_rate(d.tree, d.layout, d.ws, d.tree.gravity, d.write(d.Y_rate));
  return {};
}
ConstMatrixRef<double> Regressor::Y_momentum() const noexcept { return impl_->read(impl_->Y_momentum); }
ConstMatrixRef<double> Regressor::Y_rate() const noexcept { return impl_->read(impl_->Y_rate); }

void Regressor::parameters(std::span<double> p) const noexcept { parameters(impl_->tree, p); }
void Regressor::parameters(const Tree& tree, std::span<double> p) const noexcept {
  DYN_EXPECTS(tree.size == impl_->tree.size && std::ssize(p) == impl_->layout.parameters());
  regressor::read_parameters(tree, impl_->layout, p);
}

// A joint of several degrees of freedom has friction in each of them; its body is that of the last of its simple
// joints.
void Regressor::friction(std::span<const double> v, std::span<double> columns) const noexcept {
  const Tree& tree = impl_->tree;
  const size_t n = tree.coordinates;
  DYN_EXPECTS(v.size() == n && columns.size() == 2 * n * impl_->layout.body.size());
  std::fill(columns.begin(), columns.end(), 0.0);
  int i = 0;
  for (size_t b = 0; b < impl_->layout.body.size(); ++b) {
    for (; i <= impl_->layout.body[b]; ++i) {
      const int c = tree.coordinate[i];
      const double rate = tree.ratio[i] * v[c];
      const double sign = rate > 0.0 ? 1.0 : (rate < 0.0 ? -1.0 : 0.0);
      columns[2 * b * n + static_cast<size_t>(c)] = tree.ratio[i] * rate;
      columns[(2 * b + 1) * n + static_cast<size_t>(c)] = tree.ratio[i] * sign;
    }
  }
}

void Regressor::armature(std::span<const double> a, std::span<double> columns) const noexcept {
  DYN_EXPECTS(std::ssize(a) == impl_->tree.coordinates && columns.size() == a.size() * a.size());
  std::fill(columns.begin(), columns.end(), 0.0);
  for (size_t i = 0; i < a.size(); ++i) columns[i * (a.size() + 1)] = a[i];
}

void Regressor::drive_torque(std::span<const double> a, std::span<double> tau) const noexcept {
  const Impl& d = *impl_;
  DYN_EXPECTS(std::ssize(a) == d.tree.coordinates && std::ssize(tau) == d.tree.coordinates);
  for (size_t i = 0; i < a.size(); ++i) {
    const int rotor = d.layout.rotor_of[i];
    tau[i] = d.tree.armature[i] * a[i];
    for (int k = 0; rotor >= 0 && k < regressor::parameters_per_body; ++k) {
      const int column = regressor::parameters_per_body * rotor + k;
      tau[i] += d.Y[i + static_cast<size_t>(column) * a.size()] * d.p[column];
    }
  }
}

}  // namespace dyn
