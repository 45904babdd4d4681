// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/regressor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dyn_core/regressor/wrench_columns.hpp"

namespace dyn {
namespace {

// The first number that is not finite, by its coordinate.
Status first_not_finite(std::span<const double> x) noexcept {
  for (size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return Status::not_finite(static_cast<int>(i), x[i]);
  }
  return {};
}

}  // namespace

struct Regressor::Impl {
  explicit Impl(std::shared_ptr<const Model> m)
      : model(std::move(m)),
        layout(*model),
        gravity(model->tree().gravity),
        ws(model->bodies()),
        columns(model->bodies()),
        Y(static_cast<size_t>(model->coordinates()) * static_cast<size_t>(layout.parameters())),
        Y_momentum(Y.size()),
        Y_rate(Y.size()) {}

  [[nodiscard]] MatrixRef<double> write(std::vector<double>& matrix) const noexcept {
    return matrix_view(matrix.data(), model->coordinates(), layout.parameters());
  }
  [[nodiscard]] ConstMatrixRef<double> read(const std::vector<double>& matrix) const noexcept {
    return {matrix.data(), model->coordinates(), layout.parameters(), Eigen::OuterStride<>(model->coordinates())};
  }

  Status load_state(std::span<const double> q, std::span<const double> v) noexcept {
    if (const Status status = first_not_finite(q); !status.ok()) return status;
    if (const Status status = first_not_finite(v); !status.ok()) return status;
    spread_positions(model->tree(), q.data(), ws);
    spread_rates(model->tree(), v.data(), ws.v);
    update_kinematics(model->tree(), ws, regressor::TreeRegressor<double>::needs);
    return {};
  }

  std::shared_ptr<const Model> model;
  regressor::Layout layout;
  Vec3d gravity;
  Workspace<double> ws;
  regressor::TreeRegressor<double> columns;
  std::vector<double> Y, Y_momentum, Y_rate;
};

Regressor::Regressor(std::shared_ptr<const Model> model) : impl_(std::make_unique<Impl>(std::move(model))) {}
Regressor::Regressor(Model model) : Regressor(std::make_shared<const Model>(std::move(model))) {}
Regressor::Regressor(Regressor&&) noexcept = default;
Regressor& Regressor::operator=(Regressor&&) noexcept = default;
Regressor::~Regressor() = default;

const Model& Regressor::model() const noexcept { return *impl_->model; }
const regressor::Layout& Regressor::layout() const noexcept { return impl_->layout; }
void Regressor::set_gravity(const Vec3d& gravity_mps2) noexcept { impl_->gravity = gravity_mps2; }

Status Regressor::update(std::span<const double> q, std::span<const double> v, std::span<const double> a) noexcept {
  Impl& d = *impl_;
  if (const Status status = first_not_finite(a); !status.ok()) return status;
  if (const Status status = d.load_state(q, v); !status.ok()) return status;
  spread_rates(d.model->tree(), a.data(), d.ws.a);
  d.columns.torque(d.model->tree(), d.layout, d.ws, d.gravity, d.write(d.Y));
  return {};
}
ConstMatrixRef<double> Regressor::Y() const noexcept { return impl_->read(impl_->Y); }

Status Regressor::update_momentum(std::span<const double> q, std::span<const double> v) noexcept {
  Impl& d = *impl_;
  if (const Status status = d.load_state(q, v); !status.ok()) return status;
  d.columns.momentum(d.model->tree(), d.layout, d.ws, d.write(d.Y_momentum));
  d.columns.momentum_rate(d.model->tree(), d.layout, d.ws, d.gravity, d.write(d.Y_rate));
  return {};
}
ConstMatrixRef<double> Regressor::Y_momentum() const noexcept { return impl_->read(impl_->Y_momentum); }
ConstMatrixRef<double> Regressor::Y_rate() const noexcept { return impl_->read(impl_->Y_rate); }

void Regressor::parameters(std::span<double> p) const noexcept { parameters(impl_->model->tree(), p); }
void Regressor::parameters(const Tree& tree, std::span<double> p) const noexcept {
  regressor::read_parameters(tree, impl_->layout, p);
}

// A joint of several degrees of freedom resists each of them; its body is the last of its simple joints.
void Regressor::friction(std::span<const double> v, std::span<double> columns) const noexcept {
  const Tree& tree = impl_->model->tree();
  const auto n = static_cast<size_t>(tree.coordinates);
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
  std::fill(columns.begin(), columns.end(), 0.0);
  for (size_t i = 0; i < a.size(); ++i) columns[i * (a.size() + 1)] = a[i];
}

}  // namespace dyn
