// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// One frame of a model: the bodies that move it, with the kernel's constants and work memory.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/frames.hpp"
#include "frames/frames_kernel.hpp"
#include "lanes/kernel_sets.hpp"
#include "lanes/memory.hpp"

namespace dyn::frames {

class FrameMemory {
 public:
  // `link`: null where the frame is absent.
  FrameMemory(std::string name, const Link* link, const Tree& tree, const FramesKernel& kernel, lanes::KernelSet set);

  void reset() noexcept;  // to not_made, unless it is absent
  DYN_REALTIME void update(const FramesKernel& kernel, const double* q, const double* v, unsigned terms) noexcept;

  // Results; twist and Jdot_v are six numbers, J is 6 x n.
  [[nodiscard]] Vec3d column(int which) const noexcept;  // of the pose: x, y, z axis, origin
  [[nodiscard]] Mat3d rotation() const noexcept;
  [[nodiscard]] Vec3d position() const noexcept { return column(3); }
  [[nodiscard]] double* twist() noexcept { return results_.get(); }
  [[nodiscard]] double* Jdot_v() noexcept { return results_.get() + 8; }
  [[nodiscard]] double* J() noexcept { return J_.get(); }
  // The same in other axes, computed by the caller; k: which axes (frames.cpp).
  [[nodiscard]] double* other_twist(int k) noexcept { return results_.get() + 16 * (k + 1); }
  [[nodiscard]] double* other_Jdot_v(int k) noexcept { return results_.get() + 16 * (k + 1) + 8; }
  [[nodiscard]] double* other_J(int k) noexcept { return other_J_.get() + 6L * k * coordinates; }

  std::string name;
  FrameStatus status = FrameStatus::not_made;
  int coordinates;

 private:
  void make_path(const Link& link, const Tree& tree, const FramesKernel& kernel);
  void fill_constants(const Link& link, const Tree& tree);
  double& entry(int lane, Constant which) noexcept {
    return constants_.get()[(lane / width_ * constants_count + which) * width_ + lane % width_];
  }
  void put(int lane, Constant first, const Vec3d& v) noexcept;
  DYN_REALTIME void scatter() noexcept;

  Path path_{};
  int width_;
  bool mimic_ = false;                  // some joint of the robot follows another
  std::vector<int> body_, coordinate_;  // of the path
  std::vector<double> ratio_;
  lanes::Aligned constants_, gathered_, states_;
  lanes::Aligned pose_, results_, J_, other_J_;
  lanes::Aligned path_J_;  // J by body, where its columns are not in the order of the coordinates
};

}  // namespace dyn::frames
