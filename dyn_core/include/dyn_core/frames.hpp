// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Frames of a robot: pose, twist, Jacobian J and Jdot v of the frame of any link, fixed ones too, or of a payload.
// They are named when the object is made; the index of a frame is its place in that list of names. The constructor
// allocates all memory; update() and the functions that read results are real-time safe. One object per thread.
//
// A twist is (linear velocity; angular velocity), and so are the rows of J and of Jdot v: J v is the frame's twist,
// J a + Jdot v the time derivative of its components. A function's name ends with the axes and the reference point:
//   _base_axes    velocity of the frame's origin, in base axes (Pinocchio's LOCAL_WORLD_ALIGNED)
//   _frame_axes   velocity of the frame's origin, in the frame's own axes (Pinocchio's LOCAL)
//   _base_origin  velocity of the link's point that is now at the base's origin, in base axes (Pinocchio's WORLD)
// J has one column a coordinate, in the order of q, as M has.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/dynamics.hpp"

namespace dyn {

// What update() computes; a bit set. The pose comes with each of the others.
enum FrameTerms : unsigned { frame_pose = 1, frame_twist = 2, frame_J = 4, frame_Jdot_v = 8, frame_all = 15 };

enum class FrameStatus : std::uint8_t {
  ok,
  absent,    // the model has no such link and no such payload at present: all numbers of the frame are NaN
  not_made,  // no update() has computed it yet: all numbers of the frame are NaN
};

class Frames {
 public:
  static constexpr std::string_view lane_form = "src/frames/frames_lanes.cpp";  // with the equations

  enum class Absent : std::uint8_t { refused, accepted };

  // `names`: of links, or of payloads (a payload's own frame; a link of that name comes first). A name that the model
  // does not have is a ModelError that lists similar names, unless `absent` is accepted: then one list of names,
  // payloads that come and go included, serves every model.
  explicit Frames(std::shared_ptr<const Model> model, std::vector<std::string> names = {},
                  Absent absent = Absent::refused);
  Frames(Frames&&) noexcept;
  Frames& operator=(Frames&&) noexcept;
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;
  ~Frames();

  // Off the loop: as made anew, for a model with the same bodies, joints, links and payloads that have frames.
  void begin_anew(std::shared_ptr<const Model> model);

  [[nodiscard]] int count() const noexcept;
  [[nodiscard]] const std::string& name(int frame) const noexcept;
  [[nodiscard]] int find(std::string_view name) const noexcept;  // -1: not declared
  [[nodiscard]] DYN_REALTIME FrameStatus status(int frame) const noexcept;

  // All frames at the state of the dynamics' last update(); its model must have the same joints as this one.
  DYN_REALTIME void update(Dynamics& dynamics, unsigned terms = frame_all) noexcept;
  // One of them.
  DYN_REALTIME void update(Dynamics& dynamics, int frame, unsigned terms) noexcept;
  // Without dynamics, at a state in the user's coordinates. Not ok, and everything as it was, where it is not finite.
  DYN_REALTIME Status update(std::span<const double> q, std::span<const double> v, unsigned terms = frame_all) noexcept;
  DYN_REALTIME Status update(std::span<const double> q, std::span<const double> v, int frame, unsigned terms) noexcept;

  // Results of the last update(); a term that it was not asked for keeps its value. Views stay valid; those of
  // _frame_axes and _base_origin are computed by the call, from the results in base axes.
  [[nodiscard]] DYN_REALTIME Vec3d position(int frame) const noexcept;  // of its origin in the base frame, m
  [[nodiscard]] DYN_REALTIME Mat3d rotation(int frame) const noexcept;  // frame to base: its columns are the axes

  [[nodiscard]] DYN_REALTIME ConstVectorRef<double> twist_base_axes(int frame) const noexcept;   // 6
  [[nodiscard]] DYN_REALTIME ConstMatrixRef<double> J_base_axes(int frame) const noexcept;       // 6 x n
  [[nodiscard]] DYN_REALTIME ConstVectorRef<double> Jdot_v_base_axes(int frame) const noexcept;  // 6

  [[nodiscard]] DYN_REALTIME ConstVectorRef<double> twist_frame_axes(int frame) noexcept;
  [[nodiscard]] DYN_REALTIME ConstMatrixRef<double> J_frame_axes(int frame) noexcept;
  // Needs the twist too.
  [[nodiscard]] DYN_REALTIME ConstVectorRef<double> Jdot_v_frame_axes(int frame) noexcept;

  [[nodiscard]] DYN_REALTIME ConstVectorRef<double> twist_base_origin(int frame) noexcept;
  [[nodiscard]] DYN_REALTIME ConstMatrixRef<double> J_base_origin(int frame) noexcept;
  // Needs the twist too.
  [[nodiscard]] DYN_REALTIME ConstVectorRef<double> Jdot_v_base_origin(int frame) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn
