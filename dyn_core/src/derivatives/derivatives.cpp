// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/derivatives.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "derivatives/derivatives_kernel.hpp"
#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/precondition.hpp"
#include "forward/mass_factor.hpp"
#include "forward/mass_solver.hpp"
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
        solver(tree, set),
        ws(tree.size),
        h(n),
        qdd(h.size()),
        body_h(tree.size) {
    for (auto* matrix : {&M, &dtau_dq, &dtau_dv, &dqdd_dq, &dqdd_dv, &inverse_M}) matrix->resize(square(n));
    if (straight) return;
    for (auto* matrix : {&body_M, &body_dq, &body_dv}) matrix->resize(square(tree.size));
  }

  [[nodiscard]] ConstMatrixRef<double> view(const std::vector<double>& matrix) const noexcept {
    return {matrix.data(), n, n, Eigen::OuterStride<>(n)};
  }

  // dtau/dq and dtau/dv, and M if with_M. False where a number is not finite.
  bool evaluate(const double* q, const double* v, const double* a, bool with_M) noexcept {
    if (straight) {
      const derivatives::Output out{with_M ? M.data() : nullptr, dtau_dq.data(), dtau_dv.data()};
      if (!kernel.evaluate(memory.plan, work.get(), q, v, a, out)) return false;
      if (with_M) add_armature();
      return true;
    }
    spread_positions(tree, q, ws);
    spread_rates(tree, v, ws.v);
    spread_rates(tree, a, ws.a);
    const derivatives::Output out{with_M ? body_M.data() : nullptr, body_dq.data(), body_dv.data()};
    if (!kernel.evaluate(memory.plan, work.get(), ws.q.data(), ws.v.data(), ws.a.data(), out)) return false;
    matrix_to_user(tree, body_dq, dtau_dq);
    matrix_to_user(tree, body_dv, dtau_dv);
    if (with_M) finish_mass_matrix();
    return true;
  }

  // M, and h = C v + g. False where q or v is not finite.
  bool load_equation(const double* q, const double* v) noexcept {
    const auto make = [&](const double* body_q, const double* body_v, double* to_M, double* to_h) {
      const fused::Output out{to_M, nullptr, nullptr, to_h};
      return fused.choose(memory.plan, out).load_and_evaluate(memory.plan, body_q, body_v, out);
    };
    if (straight) {
      if (!make(q, v, M.data(), h.data())) return false;
      add_armature();
      return true;
    }
    spread_positions(tree, q, ws);
    spread_rates(tree, v, ws.v);
    if (!make(ws.q.data(), ws.v.data(), body_M.data(), body_h.data())) return false;
    finish_mass_matrix();
    vector_to_user(tree, body_h.data(), h.data());
    return true;
  }

  void finish_mass_matrix() noexcept {
    matrix_to_user(tree, body_M, M);
    for (int j = 0; tree.has_mimic && j < n; ++j) {  // the sums over mimic bodies round differently above the diagonal
      for (int i = 0; i < j; ++i) M[j * n + i] = M[i * n + j];
    }
    add_armature();
  }
  void add_armature() noexcept {
    for (int i = 0; i < n; ++i) M[i * (n + 1)] += tree.armature[i];
  }

  // M^-1, and qdd = M^-1 (tau - h)
  Status solve(const double* tau) noexcept {
    if (scales_are_old) {
      if (straight) std::copy_n(memory.plan.q, n, ws.q.data());
      factor.find_scales(tree, ws);
      scales_are_old = factor.slides();
    }
    if (const Status status = solver.invert(M.data(), factor.pivot_scales(), inverse_M.data()); !status.ok()) {
      return status;
    }
    for (int i = 0; i < n; ++i) h[i] -= tau[i];
    kernel.negated_product(n, 1, inverse_M.data(), h.data(), qdd.data());
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
  MassFactor<double> factor;  // for the scales of its pivots
  forward::MassSolver solver;
  Workspace<double> ws;
  std::vector<double> h, qdd, M, dtau_dq, dtau_dv, dqdd_dq, dqdd_dv, inverse_M;
  std::vector<double> body_h, body_M, body_dq, body_dv;  // in body order, where bodies are not the coordinates
};

Derivatives::Derivatives(std::shared_ptr<const Model> model)
    : impl_(std::make_unique<Impl>(std::move(model), lanes::select_kernel_set())) {}
Derivatives::Derivatives(Model model) : Derivatives(std::make_shared<const Model>(std::move(model))) {}
Derivatives::Derivatives(Derivatives&&) noexcept = default;
Derivatives& Derivatives::operator=(Derivatives&&) noexcept = default;
Derivatives::~Derivatives() = default;

const Model& Derivatives::model() const noexcept { return *impl_->model; }
void Derivatives::set_gravity(const Vec3d& gravity_mps2) noexcept {
  DYN_EXPECTS(gravity_mps2.allFinite());
  impl_->tree.gravity = gravity_mps2;
  impl_->memory.fill(impl_->tree);
}
void Derivatives::set_body_inertia(int body, const BodyInertia& inertia) noexcept {
  DYN_EXPECTS(body >= 0 && body < impl_->tree.size);
  dyn::set_body_inertia(impl_->tree, body, inertia);
  impl_->memory.fill(impl_->tree);
  impl_->scales_are_old = true;
}
void Derivatives::set_gravity_and_inertias(const Tree& tree) noexcept {
  Impl& d = *impl_;
  DYN_EXPECTS(tree.size == d.tree.size);
  d.tree.gravity = tree.gravity;
  for (int body = 0; body < tree.size; ++body) dyn::set_body_inertia(d.tree, body, body_inertia(tree, body));
  d.memory.fill(d.tree);
  d.scales_are_old = true;
}

Status Derivatives::update_inverse(std::span<const double> q, std::span<const double> v,
                                   std::span<const double> a) noexcept {
  [[maybe_unused]] const int n = impl_->n;
  DYN_EXPECTS(std::ssize(q) == n && std::ssize(v) == n && std::ssize(a) == n);
  if (!impl_->evaluate(q.data(), v.data(), a.data(), true)) return find_not_finite({q, v, a});
  return {};
}

Status Derivatives::update_forward(std::span<const double> q, std::span<const double> v,
                                   std::span<const double> tau) noexcept {
  Impl& d = *impl_;
  DYN_EXPECTS(std::ssize(q) == d.n && std::ssize(v) == d.n && std::ssize(tau) == d.n);
  if (const Status status = find_not_finite({tau}); !status.ok()) return status;
  if (!d.load_equation(q.data(), v.data())) return find_not_finite({q, v});
  if (const Status status = d.solve(tau.data()); !status.ok()) return status;
  if (!d.evaluate(q.data(), v.data(), d.qdd.data(), false)) return find_not_finite({d.qdd});
  d.kernel.negated_product(d.n, d.n, d.inverse_M.data(), d.dtau_dq.data(), d.dqdd_dq.data());
  d.kernel.negated_product(d.n, d.n, d.inverse_M.data(), d.dtau_dv.data(), d.dqdd_dv.data());
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
