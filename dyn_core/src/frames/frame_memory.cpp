// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "frames/frame_memory.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <utility>

namespace dyn::frames {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int pose_numbers = 12, result_numbers = 48, row_room = 8;

}  // namespace

FrameMemory::FrameMemory(std::string frame_name, const Link* link, const Tree& tree, const FramesKernel& kernel,
                         lanes::KernelSet set)
    : name(std::move(frame_name)),
      coordinates(tree.coordinates),
      width_(lanes::width(set)),
      pose_(lanes::aligned(pose_numbers)),
      results_(lanes::aligned(result_numbers)),
      J_(lanes::aligned(6 * coordinates + row_room)),
      other_J_(lanes::aligned(12 * coordinates)) {
  if (link == nullptr) {
    status = FrameStatus::absent;
  } else {
    make_path(*link, tree, kernel);
  }
  reset();
}

// NaN until update(), except the columns of joints that do not move the frame, which stay 0.
void FrameMemory::reset() noexcept {
  const bool absent = status == FrameStatus::absent;
  if (!absent) status = FrameStatus::not_made;
  std::fill_n(pose_.get(), pose_numbers, nan);
  std::fill_n(results_.get(), result_numbers, nan);
  if (absent) std::fill_n(J_.get(), 6 * coordinates, nan);
  for (const int c : coordinate_) std::fill_n(J_.get() + 6L * c, 6, nan);
}

void FrameMemory::make_path(const Link& link, const Tree& tree, const FramesKernel& kernel) {
  for (int b = link.body; b >= 0; b = tree.parent[b]) body_.push_back(b);
  std::reverse(body_.begin(), body_.end());
  path_.bodies = static_cast<int>(body_.size());
  path_.blocks = path_.bodies / width_ + 1;
  path_.run = path_.columns = true;
  mimic_ = tree.has_mimic;
  for (int k = 0; k < path_.bodies; ++k) {
    const int b = body_[k];
    coordinate_.push_back(tree.coordinate[b]);
    ratio_.push_back(tree.ratio[b]);
    path_.slides = path_.slides || tree.motion[b] == Motion::prismatic;
    path_.run = path_.run && b == body_[0] + k;
    path_.columns = path_.columns && coordinate_[k] == coordinate_[0] + k && !tree.has_mimic;
  }
  path_.first_body = body_.empty() ? 0 : body_[0];
  path_.first_coordinate = coordinate_.empty() ? 0 : coordinate_[0];
  path_.body = body_.data();
  const int room = path_.blocks * width_;
  constants_ = lanes::aligned(room * constants_count);
  gathered_ = lanes::aligned(2 * room);
  states_ = lanes::aligned(kernel.state_bytes / sizeof(double) * path_.blocks);
  if (!path_.columns) path_J_ = lanes::aligned(6 * path_.bodies + row_room);
  path_.constants = constants_.get();
  path_.gathered = gathered_.get();
  path_.states = states_.get();
  fill_constants(link, tree);
}

void FrameMemory::put(int lane, Constant first, const Vec3d& v) noexcept {
  for (int k = 0; k < 3; ++k) entry(lane, static_cast<Constant>(first + k)) = v[k];
}

void FrameMemory::fill_constants(const Link& link, const Tree& tree) {
  const auto turn = [this](int lane, const Mat3d& R) {
    const Eigen::Quaterniond q = Eigen::Quaterniond(R).normalized();
    entry(lane, turn_w) = q.w();
    put(lane, turn_x, q.vec());
  };
  for (int lane = path_.bodies; lane < path_.blocks * width_; ++lane) entry(lane, turn_w) = 1.0;
  for (int k = 0; k < path_.bodies; ++k) {
    turn(k, tree.parent_R_joint[body_[k]]);
    put(k, next_x, k + 1 < path_.bodies ? tree.parent_p_joint[body_[k + 1]] : link.body_T_link.p_m);
    entry(k, revolute) = tree.motion[body_[k]] == Motion::revolute ? 1.0 : 0.0;
  }
  turn(path_.bodies, link.body_T_link.R);
  const Vec3d start = body_.empty() ? link.body_T_link.p_m : tree.parent_p_joint[body_[0]];
  for (int k = 0; k < 3; ++k) path_.start[k] = start[k];
}

void FrameMemory::update(const FramesKernel& kernel, const double* q, const double* v, unsigned terms) noexcept {
  if (status == FrameStatus::absent) return;
  status = FrameStatus::ok;
  double* J = path_.columns ? J_.get() + 6L * path_.first_coordinate : path_J_.get();
  kernel.frame(path_, q, v,
               {pose_.get(), (terms & frame_twist) != 0U ? twist() : nullptr, (terms & frame_J) != 0U ? J : nullptr,
                (terms & frame_Jdot_v) != 0U ? Jdot_v() : nullptr});
  if ((terms & frame_J) != 0U && !path_.columns) scatter();
}

// A mimic joint moves the frame by its ratio times its leader's rate.
void FrameMemory::scatter() noexcept {
  if (!mimic_) {
    for (int k = 0; k < path_.bodies; ++k) std::copy_n(path_J_.get() + 6L * k, 6, J_.get() + 6L * coordinate_[k]);
    return;
  }
  for (const int c : coordinate_) std::fill_n(J_.get() + 6L * c, 6, 0.0);
  for (int k = 0; k < path_.bodies; ++k) {
    double* to = J_.get() + 6L * coordinate_[k];
    const double* from = path_J_.get() + 6L * k;
    for (int r = 0; r < 6; ++r) to[r] += ratio_[k] * from[r];
  }
}

Vec3d FrameMemory::column(int which) const noexcept {
  const double* from = pose_.get() + 3L * which;
  return {from[0], from[1], from[2]};
}

Mat3d FrameMemory::rotation() const noexcept {
  Mat3d R;
  R << column(0), column(1), column(2);
  return R;
}

}  // namespace dyn::frames
