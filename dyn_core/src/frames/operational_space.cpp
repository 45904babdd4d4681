// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/operational_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dynamics_access.hpp"
#include "frames/singular_values.hpp"

namespace dyn {
namespace {

using Code = OperationalSpaceStatus::Code;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int six = 8;  // numbers from one row of six to the next

// Six by six.
struct Square {
  double* row(int r) noexcept { return numbers + static_cast<ptrdiff_t>(six) * r; }
  double& diagonal(int r) noexcept { return row(r)[r]; }
  double trace() noexcept {
    double sum = 0.0;
    for (int r = 0; r < 6; ++r) sum += diagonal(r);
    return sum;
  }
  alignas(64) double numbers[6 * six] = {};
};

}  // namespace

struct OperationalSpace::Impl {
  Impl(int coordinates, const OperationalSpaceOptions& o)
      : options(o),
        n(coordinates),
        J(6 * n),
        W(six * n),
        Jbar(J.size()),
        N(static_cast<size_t>(n) * static_cast<size_t>(n)),
        singular_values(n) {
    give_up();
  }

  void give_up() noexcept {
    std::fill_n(Lambda.numbers, 6 * six, nan);
    std::fill(W.begin(), W.end(), nan);
  }
  OperationalSpaceStatus give_up(const OperationalSpaceStatus& status) noexcept {
    give_up();
    return status;
  }

  // The smallest singular value, or a lower bound where that is enough: 1 / sqrt(tr (J J^T)^-1). Below about 1e-8 of
  // the largest, J J^T has lost it to rounding.
  SingularValues::Range singular_range(const forward::MassKernel& kernel) noexcept {
    constexpr double lost = 1e-6;
    Square gram;
    kernel.gram(n, J.data(), gram.numbers);
    const double largest = std::sqrt(gram.trace());
    if (kernel.invert6(gram.numbers)) {
      const double least = 1.0 / std::sqrt(gram.trace());
      if (least > std::max(options.damp_below, std::max(options.singular_below, lost) * largest)) {
        return {least, largest};
      }
    }
    return singular_values.range(J.data(), n);
  }

  // Damps Lambda^-1, which the member Lambda holds at this point.
  void damp(double sigma) noexcept {
    const double near = sigma / options.damp_below, begun = 1.0 - near * near;
    const double share = options.damping * begun * begun;
    const double linear = Lambda.diagonal(0) + Lambda.diagonal(1) + Lambda.diagonal(2);
    const double angular = Lambda.diagonal(3) + Lambda.diagonal(4) + Lambda.diagonal(5);
    for (int r = 0; r < 6; ++r) Lambda.diagonal(r) += share / 3.0 * (r < 3 ? linear : angular);
  }

  OperationalSpaceStatus update(Dynamics& dynamics, const Frames& frames, int frame) noexcept {
    if (frames.status(frame) != FrameStatus::ok) return give_up({Code::frame_absent, nan, {}});
    auto& d = DynamicsAccess::of(dynamics);
    n = d.coordinates;
    std::copy_n(frames.J_base_axes(frame).data(), 6 * n, J.data());
    d.refresh_mass_matrix();
    const Status status =
        d.lane_forms.solver.mobility(d.M.data(), d.cache.factor().pivot_scales(), J.data(), W.data(), Lambda.numbers);
    if (!status.ok()) return give_up({Code::singular_inertia, nan, status});
    const forward::MassKernel& kernel = d.lane_forms.solver.kernel();
    const SingularValues::Range range = singular_range(kernel);
    if (std::isnan(range.least)) return give_up({Code::frame_absent, nan, {}});
    const bool damped = range.least < options.damp_below;
    if (!damped && !(range.least > options.singular_below * range.largest)) {
      return give_up({Code::singular, range.least, {}});
    }
    if (damped) damp(range.least);
    if (!kernel.invert6(Lambda.numbers)) return give_up({Code::singular, range.least, {}});
    return {damped ? Code::damped : Code::ok, range.least, {}};
  }

  OperationalSpaceOptions options;
  int n;
  std::vector<double> J, W;  // W = M^-1 J^T, rows of eight
  std::vector<double> Jbar, N;
  Square Lambda;
  SingularValues singular_values;
};

OperationalSpace::OperationalSpace(int most_coordinates, const OperationalSpaceOptions& options)
    : impl_(std::make_unique<Impl>(most_coordinates, options)) {}
OperationalSpace::OperationalSpace(const Model& model, const OperationalSpaceOptions& options)
    : OperationalSpace(model.coordinates(), options) {}
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
  return {impl_->Lambda.numbers, 6, 6, Eigen::OuterStride<>(six)};
}

ConstMatrixRef<double> OperationalSpace::dynamically_consistent_inverse() noexcept {
  Impl& d = *impl_;
  const ConstMatrixRef<double> W(d.W.data(), 6, d.n, Eigen::OuterStride<>(six));
  auto Jbar = matrix_view(d.Jbar.data(), d.n, 6);
  Jbar.noalias() = W.transpose().lazyProduct(Lambda());
  return {d.Jbar.data(), d.n, 6, Eigen::OuterStride<>(d.n)};
}

ConstMatrixRef<double> OperationalSpace::null_space_projector() noexcept {
  Impl& d = *impl_;
  const auto Jbar = dynamically_consistent_inverse();
  auto N = matrix_view(d.N.data(), d.n, d.n);
  N.noalias() = -(Jbar.lazyProduct(matrix_view(d.J.data(), 6, d.n)));
  N.diagonal().array() += 1.0;
  return {d.N.data(), d.n, d.n, Eigen::OuterStride<>(d.n)};
}

double OperationalSpace::smallest_singular_value() noexcept {
  return impl_->singular_values.range(impl_->J.data(), impl_->n).least;
}

}  // namespace dyn
