// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/operational_space.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dynamics_access.hpp"
#include "frames/singular_values.hpp"

namespace dyn {
namespace {

using Code = OperationalSpaceStatus::Code;
using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

struct OperationalSpace::Impl {
  Impl(const Model& model, const OperationalSpaceOptions& o)
      : options(o),
        n(model.coordinates()),
        inverse_M(static_cast<size_t>(n) * static_cast<size_t>(n)),
        J(static_cast<size_t>(6 * n)),
        W(J.size()),
        Jbar(J.size()),
        N(inverse_M.size()),
        singular_values(n) {
    give_up();
  }

  void give_up() noexcept {
    Lambda.setConstant(nan);
    std::fill(Jbar.begin(), Jbar.end(), nan);
    std::fill(J.begin(), J.end(), nan);
    std::fill(W.begin(), W.end(), nan);
  }
  OperationalSpaceStatus give_up(const OperationalSpaceStatus& status) noexcept {
    give_up();
    return status;
  }

  MatrixRef<double> six_by_n(std::vector<double>& x) const noexcept { return matrix_view(x.data(), 6, n); }

  // J M^-1 J^T, and W = J M^-1 on the way.
  void find_mobility() noexcept {
    auto j = six_by_n(J), w = six_by_n(W);
    const auto inverse = matrix_view(inverse_M.data(), n, n);
    w.noalias() = j.lazyProduct(inverse);
    mobility.noalias() = w.lazyProduct(j.transpose());
  }
  void damp(double sigma) noexcept {
    const double near = sigma / options.damp_below;
    const double share = options.damping * (1.0 - near * near);
    const double linear = mobility.diagonal().head<3>().mean(), angular = mobility.diagonal().tail<3>().mean();
    for (int r = 0; r < 6; ++r) mobility(r, r) += share * (r < 3 ? linear : angular);
  }
  void find_lambda() noexcept {
    Lambda.setIdentity();
    mobility.llt().solveInPlace(Lambda);
    Lambda = (0.5 * (Lambda + Lambda.transpose())).eval();
  }

  OperationalSpaceStatus update(Dynamics& dynamics, const Frames& frames, int frame) noexcept {
    if (frames.status(frame) != FrameStatus::ok) return give_up({Code::frame_absent, nan, {}});
    n = dynamics.model().coordinates();
    const size_t size = static_cast<size_t>(n) * static_cast<size_t>(n);
    const Status status = dynamics.inverse_mass_matrix({inverse_M.data(), size});
    if (!status.ok()) return give_up({Code::singular_inertia, nan, status});
    six_by_n(J) = frames.J_base_axes(frame);
    const SingularValues::Range range = singular_values.range(J.data(), n);
    const bool damped = range.least < options.damp_below;
    if (!damped && !(range.least > options.singular_below * range.largest)) {
      return give_up({Code::singular, range.least, {}});
    }
    find_mobility();
    if (damped) damp(range.least);
    find_lambda();
    return {damped ? Code::damped : Code::ok, range.least, {}};
  }

  OperationalSpaceOptions options;
  int n;
  std::vector<double> inverse_M, J, W, Jbar, N;
  Matrix6 mobility, Lambda;
  SingularValues singular_values;
};

OperationalSpace::OperationalSpace(const Model& model, const OperationalSpaceOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
OperationalSpace::OperationalSpace(OperationalSpace&&) noexcept = default;
OperationalSpace& OperationalSpace::operator=(OperationalSpace&&) noexcept = default;
OperationalSpace::~OperationalSpace() = default;

void OperationalSpace::set_damping(double damp_below, double damping) noexcept {
  impl_->options.damp_below = damp_below;
  impl_->options.damping = damping;
}

OperationalSpaceStatus OperationalSpace::update(Dynamics& dynamics, const Frames& frames, int frame) noexcept {
  return impl_->update(dynamics, frames, frame);
}

ConstMatrixRef<double> OperationalSpace::Lambda() const noexcept {
  return {impl_->Lambda.data(), 6, 6, Eigen::OuterStride<>(6)};
}

ConstMatrixRef<double> OperationalSpace::dynamically_consistent_inverse() noexcept {
  Impl& d = *impl_;
  auto Jbar = matrix_view(d.Jbar.data(), d.n, 6);
  Jbar.noalias() = d.six_by_n(d.W).transpose().lazyProduct(d.Lambda);
  return {d.Jbar.data(), d.n, 6, Eigen::OuterStride<>(d.n)};
}

ConstMatrixRef<double> OperationalSpace::null_space_projector() noexcept {
  Impl& d = *impl_;
  const auto Jbar = dynamically_consistent_inverse();
  auto N = matrix_view(d.N.data(), d.n, d.n);
  N.noalias() = -(Jbar.lazyProduct(d.six_by_n(d.J)));
  N.diagonal().array() += 1.0;
  return {d.N.data(), d.n, d.n, Eigen::OuterStride<>(d.n)};
}

double OperationalSpace::smallest_singular_value() noexcept {
  return impl_->singular_values.range(impl_->J.data(), impl_->n).least;
}

}  // namespace dyn
