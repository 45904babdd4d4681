// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "terms.hpp"

#include "arrays.hpp"
#include "dyn_core/error.hpp"

namespace dyn::python {
namespace {

// A copy that outlives the next update.
nb::object copy(const ConstMatrixRef<double>& matrix) {
  const FreshArray fresh = fresh_array({static_cast<size_t>(matrix.rows()), static_cast<size_t>(matrix.cols())});
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(fresh.values.data(), matrix.rows(),
                                                                                     matrix.cols()) = matrix;
  return fresh.array;
}
nb::object copy(std::span<const double> vector) {
  const FreshArray fresh = fresh_array({vector.size()});
  std::copy(vector.begin(), vector.end(), fresh.values.begin());
  return fresh.array;
}
nb::object copy(const ConstVectorRef<double>& vector) {
  return copy(std::span<const double>(vector.data(), static_cast<size_t>(vector.size())));
}

std::string lambda_error(const State& state, const OperationalSpaceStatus& status) {
  if (status.code == OperationalSpaceStatus::Code::singular_inertia) {
    const int body = status.inertia.body;
    return (body < 0 ? "" : "joint '" + state.model().body_joint(body) + "': ") + "M is singular, pivot " +
           text_of(status.inertia.value);
  }
  return "the frame is singular: the smallest singular value of J is " + text_of(status.smallest_singular_value);
}

}  // namespace

FrameAnswer Terms::frame(State& state, const std::string& name) {
  auto found = frames_.find(name);
  if (found == frames_.end()) found = frames_.emplace(name, Frames(state.shared_model(), {name})).first;
  if (!operational_space_) operational_space_ = std::make_unique<OperationalSpace>(state.model());
  Frames& frames = found->second;
  frames.update(state.dynamics(), 0, frame_all);
  const Vec3d p = frames.position(0);
  const Mat3d R = frames.rotation(0);
  FrameAnswer answer;
  answer.p = copy(std::span<const double>(p.data(), 3));
  answer.R = copy({R.data(), 3, 3, Eigen::OuterStride<>(3)});
  answer.twist = copy(frames.twist_base_axes(0));
  answer.J = copy(frames.J_base_axes(0));
  answer.Jdot_v = copy(frames.Jdot_v_base_axes(0));
  const OperationalSpaceStatus status = operational_space_->update(state.dynamics(), frames, 0);
  if (status.ok()) {
    answer.Lambda = copy(operational_space_->Lambda());
  } else {
    answer.Lambda = nb::none();
    answer.Lambda_error = lambda_error(state, status);
  }
  return answer;
}

InverseDerivatives Terms::inverse_derivatives(State& state, std::span<const double> a) {
  Derivatives& d = derivatives(state);
  if (!d.update_inverse(state.q(), state.v(), a).ok()) throw ModelError("derivatives of a state that is not finite");
  return {copy(d.dtau_dq()), copy(d.dtau_dv()), copy(d.dtau_da())};
}

ForwardDerivatives Terms::forward_derivatives(State& state, std::span<const double> tau) {
  Derivatives& d = derivatives(state);
  state.require(d.update_forward(state.q(), state.v(), tau));
  return {copy(d.qdd()), copy(d.dqdd_dq()), copy(d.dqdd_dv()), copy(d.dqdd_dtau())};
}

nb::object Terms::regressor(State& state, std::span<const double> a) {
  Regressor& r = regressor_of(state);
  r.set_gravity(state.dynamics().tree().gravity);
  if (!r.update(state.q(), state.v(), a).ok()) throw ModelError("Y of a state that is not finite");
  return copy(r.Y());
}

nb::object Terms::parameters(State& state) {
  Regressor& r = regressor_of(state);
  const FreshArray p = fresh_array({static_cast<size_t>(r.layout().parameters())});
  r.parameters(state.dynamics().tree(), p.values);
  return p.array;
}

Derivatives& Terms::derivatives(State& state) {
  if (!derivatives_) derivatives_ = std::make_unique<Derivatives>(state.shared_model());
  derivatives_->set_gravity_and_inertias(state.dynamics().tree());
  return *derivatives_;
}

Regressor& Terms::regressor_of(State& state) {
  if (!regressor_) regressor_ = std::make_unique<Regressor>(state.shared_model());
  return *regressor_;
}

}  // namespace dyn::python
