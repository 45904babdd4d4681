// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "eval/frame_answer.hpp"

#include <vector>

namespace dyn::cli {
namespace {

using nlohmann::ordered_json;

ordered_json matrix(const Rows& rows, const char* what, const ConstMatrixRef<double>& X) {
  ordered_json out = ordered_json::array();
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    ordered_json row = ordered_json::array();
    for (Eigen::Index j = 0; j < X.cols(); ++j) row.push_back(rows.finite(what, X(i, j)));
    out.push_back(std::move(row));
  }
  return out;
}
ordered_json vector(const Rows& rows, const char* what, const ConstVectorRef<double>& x) {
  ordered_json out = ordered_json::array();
  for (const double value : x) out.push_back(rows.finite(what, value));
  return out;
}

std::string lambda_error(const Model& model, const OperationalSpaceStatus& status) {
  if (status.code == OperationalSpaceStatus::Code::singular) {
    return "the frame is singular: the smallest singular value of J is " + number(status.smallest_singular_value);
  }
  const int body = status.inertia.body;
  return (body < 0 ? std::string() : "joint '" + model.body_joint(body) + "': ") + "M is singular, pivot " +
         number(status.inertia.value);
}

}  // namespace

FrameAnswer::FrameAnswer(const std::shared_ptr<const Model>& model, const std::string& name, bool existed)
    : model_(model),
      frames_(model, {name}, Frames::Absent::accepted),
      space_(*model),
      existed_(existed || frames_.status(0) != FrameStatus::absent) {}

void FrameAnswer::refuse() const {
  std::string why = "there is no '" + frames_.name(0) + "'";
  try {
    (void)Frames(model_, {frames_.name(0)});  // throws, listing the names that may be meant
  } catch (const ModelError& error) {
    why = error.what();
  }
  throw NoSuchFrame("--frame: " + why);
}

void FrameAnswer::add(Dynamics& dynamics, const EvalState& state, ordered_json& answer) {
  if (!existed_) refuse();
  frames_.update(dynamics);
  if (frames_.status(0) == FrameStatus::absent) {
    answer["frame"] = nullptr;
    answer["frame_error"] = "payload '" + frames_.name(0) + "' is not attached";
    return;
  }
  const Rows rows(model_->coordinate_names(), state);
  const Vec3d p = frames_.position(0);
  const Mat3d R = frames_.rotation(0);
  ordered_json frame;
  frame["p"] = vector(rows, "the frame's p", {p.data(), 3});
  frame["R"] = matrix(rows, "the frame's R", {R.data(), 3, 3, Eigen::OuterStride<>(3)});
  frame["J"] = matrix(rows, "the frame's J", frames_.J_base_axes(0));
  frame["Jdot_v"] = vector(rows, "the frame's Jdot_v", frames_.Jdot_v_base_axes(0));
  const OperationalSpaceStatus status = space_.update(dynamics, frames_, 0);
  if (status.ok()) {
    frame["Lambda"] = matrix(rows, "the frame's Lambda", space_.Lambda());
  } else {
    frame["Lambda"] = nullptr;
    frame["Lambda_error"] = lambda_error(*model_, status);
  }
  answer["frame"] = std::move(frame);
}

void add_inverse_mass_matrix(Dynamics& dynamics, const EvalState& state, ordered_json& answer) {
  const int n = dynamics.model().coordinates();
  std::vector<double> inverse(static_cast<size_t>(n) * static_cast<size_t>(n));
  if (answer["qdd"].is_null() || !dynamics.inverse_mass_matrix(inverse).ok()) {
    answer["Minv"] = nullptr;
    return;
  }
  const Rows rows(dynamics.model().coordinate_names(), state);
  answer["Minv"] = rows.matrix("Minv", {inverse.data(), n, n, Eigen::OuterStride<>(n)});
}

}  // namespace dyn::cli
