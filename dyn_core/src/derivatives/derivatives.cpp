// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/derivatives.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "derivatives/derivatives_kernel.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "forward/mass_factor.hpp"
#include "fused/plan.hpp"
#include "not_finite.hpp"
#include "user_order.hpp"

namespace dyn {
namespace {

size_t square(int n) { return static_cast<size_t>(n) * static_cast<size_t>(n); }

}  // namespace

struct Derivatives::Impl {
  Impl(std::shared_ptr<const Model> m, lanes::KernelSet set)
      : model(std::move(m)),
        tree(model->tree()),
        n(tree.coordinates),
        straight(tree.bodies_are_coordinates),
        fused(fused::kernels_of(set)),
        kernel(lanes::with_kernel_set(set, [](auto chosen) { return derivatives::kernel<chosen()>(); })),
        memory(tree, fused, set, lanes::width(set)),
        work(lanes::aligned(kernel.block_bytes / sizeof(double) * static_cast<size_t>(memory.plan.blocks))),
        factor(tree),
        ws(tree.size),
        body_h(static_cast<size_t>(tree.size)),
        solution(static_cast<size_t>(n)),
        qdd(solution.size()) {
    for (auto* matrix : {&M, &dtau_dq, &dtau_dv, &dqdd_dq, &dqdd_dv, &inverse_M}) matrix->resize(square(n));
    if (straight) return;
    for (auto* matrix : {&body_M, &body_dq, &body_dv}) matrix->resize(square(tree.size));
  }

  [[nodiscard]] ConstMatrixRef<double> view(const std::vector<double>& matrix) const noexcept {
    return {matrix.data(), n, n, Eigen::OuterStride<>(n)};
  }

  // The derivatives of the inverse dynamics, and M. False where a number is not finite.
  bool evaluate(const double* q, const double* v, const double* a) noexcept {
    if (straight) {
      if (!kernel.evaluate(memory.plan, work.get(), q, v, a, {M.data(), dtau_dq.data(), dtau_dv.data()})) return false;
    } else {
      spread_positions(tree, q, ws);
      spread_rates(tree, v, ws.v);
      spread_rates(tree, a, ws.a);
      if (!kernel.evaluate(memory.plan, work.get(), ws.q.data(), ws.v.data(), ws.a.data(),
                           {body_M.data(), body_dq.data(), body_dv.data()})) {
        return false;
      }
      matrix_to_user(tree, body_M, M);
      matrix_to_user(tree, body_dq, dtau_dq);
      matrix_to_user(tree, body_dv, dtau_dv);
    }
    for (int i = 0; i < n; ++i) M[static_cast<size_t>(i * (n + 1))] += tree.armature[i];
    return true;
  }

  // M into the factor, tau - h into the solution; in the factor's order of rows. False where q or v is not finite.
  bool load_equation(const double* q, const double* v, const double* tau) noexcept {
    const auto make = [&](const double* body_q, const double* body_v, double* to_M) {
      const fused::Output out{to_M, nullptr, nullptr, body_h.data()};
      return fused.choose(memory.plan, out).load_and_evaluate(memory.plan, body_q, body_v, out);
    };
    if (straight) {
      if (!make(q, v, factor.matrix())) return false;
      for (int i = 0; i < n; ++i) solution[i] = tau[i] - body_h[i];
    } else {
      spread_positions(tree, q, ws);
      spread_rates(tree, v, ws.v);
      if (!make(ws.q.data(), ws.v.data(), body_M.data())) return false;
      matrix_to_user(tree, body_M, M);
      vector_to_user(tree, body_h.data(), qdd.data());
      for (int r = 0; r < n; ++r) {
        const int i = factor.coordinate(tree, r);
        solution[r] = tau[i] - qdd[i];
        for (int k = 0; k <= r; ++k) factor.matrix()[r * n + k] = M[factor.coordinate(tree, k) * n + i];
      }
    }
    for (int r = 0; r < n; ++r) factor.matrix()[r * (n + 1)] += tree.armature[factor.coordinate(tree, r)];
    return true;
  }

  // qdd and M^-1
  Status solve() noexcept {
    if (scales_are_old) {
      if (factor.slides() && straight) std::copy_n(memory.plan.q, n, ws.q.data());
      factor.find_scales(tree, ws);
      scales_are_old = factor.slides();
    }
    if (const Status status = factor.factorize(solution.data()); !status.ok()) return status;
    for (int r = 0; r < n; ++r) qdd[factor.coordinate(tree, r)] = solution[r];
    factor.invert([this](int r, int c, double value) {
      const int i = factor.coordinate(tree, r), j = factor.coordinate(tree, c);
      inverse_M[i * n + j] = inverse_M[j * n + i] = value;
    });
    return {};
  }

  std::shared_ptr<const Model> model;
  Tree tree;  // with the inertias and the gravity in force
  int n;
  bool straight;
  bool scales_are_old = true;
  fused::Kernels fused;
  derivatives::Kernel kernel;
  fused::PlanMemory memory;
  lanes::Aligned work;
  MassFactor<double> factor;
  Workspace<double> ws;
  std::vector<double> body_h, solution, body_M, body_dq, body_dv;  // in the order of bodies, or of the factor's rows
  std::vector<double> qdd, M, dtau_dq, dtau_dv, dqdd_dq, dqdd_dv, inverse_M;
};

Derivatives::Derivatives(std::shared_ptr<const Model> model)
    : impl_(std::make_unique<Impl>(std::move(model), lanes::select_kernel_set())) {}
Derivatives::Derivatives(Model model) : Derivatives(std::make_shared<const Model>(std::move(model))) {}
Derivatives::Derivatives(Derivatives&&) noexcept = default;
Derivatives& Derivatives::operator=(Derivatives&&) noexcept = default;
Derivatives::~Derivatives() = default;

const Model& Derivatives::model() const noexcept { return *impl_->model; }
void Derivatives::set_gravity(const Vec3d& gravity_mps2) noexcept {
  impl_->tree.gravity = gravity_mps2;
  impl_->memory.fill(impl_->tree);
}
void Derivatives::set_body_inertia(int body, const BodyInertia& inertia) noexcept {
  dyn::set_body_inertia(impl_->tree, body, inertia);
  impl_->memory.fill(impl_->tree);
  impl_->scales_are_old = true;
}

Status Derivatives::update_inverse(std::span<const double> q, std::span<const double> v,
                                   std::span<const double> a) noexcept {
  if (!impl_->evaluate(q.data(), v.data(), a.data())) return find_not_finite({q, v, a});
  return {};
}

Status Derivatives::update_forward(std::span<const double> q, std::span<const double> v,
                                   std::span<const double> tau) noexcept {
  Impl& d = *impl_;
  if (const Status status = find_not_finite({tau}); !status.ok()) return status;
  if (!d.load_equation(q.data(), v.data(), tau.data())) return find_not_finite({q, v, tau});
  if (const Status status = d.solve(); !status.ok()) return status;
  if (!d.evaluate(q.data(), v.data(), d.qdd.data())) return find_not_finite({q, v, d.qdd});
  d.kernel.negated_product(d.n, d.inverse_M.data(), d.dtau_dq.data(), d.dqdd_dq.data());
  d.kernel.negated_product(d.n, d.inverse_M.data(), d.dtau_dv.data(), d.dqdd_dv.data());
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
