// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/derivatives.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "dyn_core/derivatives/inverse_derivatives.hpp"
#include "dyn_core/dynamics.hpp"
#include "user_order.hpp"

namespace dyn {

struct Derivatives::Impl {
  explicit Impl(const std::shared_ptr<const Model>& model)
      : dynamics(model),
        n(model->coordinates()),
        ws(model->bodies()),
        closed_form(model->bodies()),
        body_dq(static_cast<size_t>(model->bodies()) * static_cast<size_t>(model->bodies())),
        body_dv(body_dq.size()),
        M(static_cast<size_t>(n) * static_cast<size_t>(n)),
        dtau_dq(M.size()),
        dtau_dv(M.size()),
        dqdd_dq(M.size()),
        dqdd_dv(M.size()),
        inverse_M(M.size()),
        qdd(static_cast<size_t>(n)) {}

  [[nodiscard]] ConstMatrixRef<double> view(const std::vector<double>& matrix) const noexcept {
    return {matrix.data(), n, n, Eigen::OuterStride<>(n)};
  }
  [[nodiscard]] MatrixRef<double> write(std::vector<double>& matrix) const noexcept {
    return matrix_view(matrix.data(), n, n);
  }

  void evaluate(std::span<const double> q, std::span<const double> v, std::span<const double> a) noexcept {
    const Tree& tree = dynamics.tree();
    spread_positions(tree, q.data(), ws);
    spread_rates(tree, v.data(), ws.v);
    spread_rates(tree, a.data(), ws.a);
    update_kinematics(tree, ws, derivatives::InverseDerivatives<double>::needs);
    closed_form.compute(tree, ws, tree.gravity, matrix_view(body_dq.data(), tree.size, tree.size),
                        matrix_view(body_dv.data(), tree.size, tree.size));
    matrix_to_user(tree, body_dq, dtau_dq);
    matrix_to_user(tree, body_dv, dtau_dv);
    write(M) = dynamics.M();
  }

  Dynamics dynamics;
  int n;
  Workspace<double> ws;
  derivatives::InverseDerivatives<double> closed_form;
  std::vector<double> body_dq, body_dv;
  std::vector<double> M, dtau_dq, dtau_dv, dqdd_dq, dqdd_dv, inverse_M, qdd;
};

Derivatives::Derivatives(std::shared_ptr<const Model> model) : impl_(std::make_unique<Impl>(model)) {}
Derivatives::Derivatives(Model model) : Derivatives(std::make_shared<const Model>(std::move(model))) {}
Derivatives::Derivatives(Derivatives&&) noexcept = default;
Derivatives& Derivatives::operator=(Derivatives&&) noexcept = default;
Derivatives::~Derivatives() = default;

const Model& Derivatives::model() const noexcept { return impl_->dynamics.model(); }
void Derivatives::set_gravity(const Vec3d& gravity_mps2) noexcept { impl_->dynamics.set_gravity(gravity_mps2); }
void Derivatives::set_body_inertia(int body, const BodyInertia& inertia) noexcept {
  impl_->dynamics.set_body_inertia(body, inertia);
}

Status Derivatives::update_inverse(std::span<const double> q, std::span<const double> v,
                                   std::span<const double> a) noexcept {
  Impl& d = *impl_;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return Status::not_finite(static_cast<int>(i), a[i]);
  }
  if (const Status status = d.dynamics.update_terms(q, v, term_M); !status.ok()) return status;
  d.evaluate(q, v, a);
  return {};
}

Status Derivatives::update_forward(std::span<const double> q, std::span<const double> v,
                                   std::span<const double> tau) noexcept {
  Impl& d = *impl_;
  for (size_t i = 0; i < tau.size(); ++i) {
    if (!std::isfinite(tau[i])) return Status::not_finite(static_cast<int>(i), tau[i]);
  }
  if (const Status status = d.dynamics.update_terms(q, v, term_M); !status.ok()) return status;
  d.write(d.M) = d.dynamics.M();
  if (const Status status = d.dynamics.forward(tau, d.qdd); !status.ok()) return status;
  if (const Status status = d.dynamics.inverse_mass_matrix(d.inverse_M); !status.ok()) return status;
  d.evaluate(q, v, d.qdd);
  const auto product = [&d](const std::vector<double>& matrix, std::vector<double>& to) {
    d.write(to) = -d.view(d.inverse_M).lazyProduct(d.view(matrix));
  };
  product(d.dtau_dq, d.dqdd_dq);
  product(d.dtau_dv, d.dqdd_dv);
  return {};
}

ConstMatrixRef<double> Derivatives::dtau_dq() const noexcept { return impl_->view(impl_->dtau_dq); }
ConstMatrixRef<double> Derivatives::dtau_dv() const noexcept { return impl_->view(impl_->dtau_dv); }
ConstMatrixRef<double> Derivatives::dtau_da() const noexcept { return impl_->view(impl_->M); }
ConstVectorRef<double> Derivatives::qdd() const noexcept { return {impl_->qdd.data(), impl_->n}; }
ConstMatrixRef<double> Derivatives::dqdd_dq() const noexcept { return impl_->view(impl_->dqdd_dq); }
ConstMatrixRef<double> Derivatives::dqdd_dv() const noexcept { return impl_->view(impl_->dqdd_dv); }
ConstMatrixRef<double> Derivatives::dqdd_dtau() const noexcept { return impl_->view(impl_->inverse_M); }

}  // namespace dyn
