// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/frames.hpp"

#include <string_view>
#include <utility>

#include "dyn_core/model/payload.hpp"
#include "dynamics_access.hpp"
#include "frames/frame_memory.hpp"
#include "model/near_names.hpp"
#include "not_finite.hpp"

namespace dyn {
namespace {

using frames::FrameMemory;

const JointDescription* mount_of(const RobotDescription& robot, std::string_view payload) {
  for (const JointDescription& joint : robot.joints) {
    // A payload's first joint is the fixed one that carries it; its parent link is not the payload's own.
    const auto of_payload = [payload](const std::string& text) {
      return text.size() > payload.size() && text[payload.size()] == '/' && text.starts_with(payload);
    };
    if (joint.payload != 0 && of_payload(joint.name) && !of_payload(joint.parent_link)) return &joint;
  }
  return nullptr;
}

const Link* find(const Model& model, const std::string& name) {
  if (const Link* link = model.find_link(name)) return link;
  const JointDescription* mount = mount_of(model.description(), name);
  return mount == nullptr ? nullptr : model.find_link(mount->child_link);
}

[[noreturn]] void refuse(const Model& model, const std::string& name) {
  std::vector<std::string> known = attached_payloads(model.description());
  for (const Link& link : model.links()) known.push_back(link.name);
  std::string meant;
  for (const std::string& near : near_names(name, known)) meant += (meant.empty() ? "" : ", ") + near;
  throw ModelError(model.name() + ": there is no link and no payload '" + name + "' for a frame" +
                   (meant.empty() ? "" : "; is one of these meant: " + meant + "?"));
}

}  // namespace

struct Frames::Impl {
  Impl(std::shared_ptr<const Model> m, std::vector<std::string> names, Absent absent)
      : model(std::move(m)), q(model->bodies()), v(q.size()) {
    const lanes::KernelSet set = lanes::select_kernel_set();
    kernel = lanes::with_kernel_set(set, [](auto chosen) { return frames::frames_kernel<chosen()>(); });
    frames.reserve(names.size());
    for (std::string& name : names) {
      const Link* link = dyn::find(*model, name);
      if (link == nullptr && absent == Absent::refused) refuse(*model, name);
      frames.emplace_back(std::move(name), link, model->tree(), kernel, set);
    }
  }

  [[nodiscard]] FrameMemory& at(int frame) noexcept { return frames[frame]; }

  // From coordinates to bodies where these differ.
  const double* of_bodies(const double* coordinates, bool rates, std::vector<double>& to) const noexcept {
    const Tree& tree = model->tree();
    if (tree.bodies_are_coordinates || coordinates == nullptr) return coordinates;
    for (int i = 0; i < tree.size; ++i) {
      to[i] = tree.ratio[i] * coordinates[tree.coordinate[i]] + (rates ? 0.0 : tree.offset[i]);
    }
    return to.data();
  }

  // [first, end) of the frames.
  void update(const double* body_q, const double* body_v, int first, int end, unsigned terms) noexcept {
    for (int k = first; k < end; ++k) at(k).update(kernel, body_q, body_v, terms);
  }
  Status update(std::span<const double> positions, std::span<const double> rates, int first, int end,
                unsigned terms) noexcept {
    const bool moves = (terms & (frame_twist | frame_Jdot_v)) != 0U;
    if (!moves) rates = {};
    if (!kernel.finite(positions.data(), rates.data(), static_cast<int>(positions.size()))) {
      return find_not_finite({positions, rates});
    }
    update(of_bodies(positions.data(), false, q), of_bodies(moves ? rates.data() : nullptr, true, v), first, end,
           terms);
    return {};
  }

  std::shared_ptr<const Model> model;
  frames::FramesKernel kernel{};
  std::vector<FrameMemory> frames;
  std::vector<double> q, v;  // of the bodies
};

Frames::Frames(std::shared_ptr<const Model> model, std::vector<std::string> names, Absent absent)
    : impl_(std::make_unique<Impl>(std::move(model), std::move(names), absent)) {}
Frames::Frames(Frames&&) noexcept = default;
Frames& Frames::operator=(Frames&&) noexcept = default;
Frames::~Frames() = default;

void Frames::begin_anew(std::shared_ptr<const Model> model) {
  impl_->model = std::move(model);
  for (FrameMemory& frame : impl_->frames) frame.reset();
}

int Frames::count() const noexcept { return static_cast<int>(impl_->frames.size()); }
const std::string& Frames::name(int frame) const noexcept { return impl_->at(frame).name; }
FrameStatus Frames::status(int frame) const noexcept { return impl_->at(frame).status; }
int Frames::find(std::string_view name) const noexcept {
  for (int k = 0; k < count(); ++k) {
    if (impl_->at(k).name == name) return k;
  }
  return -1;
}

void Frames::update(Dynamics& dynamics, unsigned terms) noexcept {
  const fused::Engine& state = DynamicsAccess::of(dynamics).cache.engine();
  impl_->update(state.q(), state.v(), 0, count(), terms);
}
void Frames::update(Dynamics& dynamics, int frame, unsigned terms) noexcept {
  const fused::Engine& state = DynamicsAccess::of(dynamics).cache.engine();
  impl_->update(state.q(), state.v(), frame, frame + 1, terms);
}
Status Frames::update(std::span<const double> q, std::span<const double> v, unsigned terms) noexcept {
  return impl_->update(q, v, 0, count(), terms);
}
Status Frames::update(std::span<const double> q, std::span<const double> v, int frame, unsigned terms) noexcept {
  return impl_->update(q, v, frame, frame + 1, terms);
}

Vec3d Frames::position(int frame) const noexcept { return impl_->at(frame).position(); }
Mat3d Frames::rotation(int frame) const noexcept { return impl_->at(frame).rotation(); }

namespace {

using Six = Eigen::Map<Eigen::Matrix<double, 6, 1>, Eigen::Unaligned>;
ConstVectorRef<double> six(const double* from) { return {from, 6}; }
ConstMatrixRef<double> six_by(const double* from, int n) { return {from, 6, n, Eigen::OuterStride<>(6)}; }

// The axes other than the base's: their place in FrameMemory, and the transformation of a twist into them.
struct FrameAxes {
  static constexpr int place = 0;
  explicit FrameAxes(const FrameMemory& f) noexcept : frame_R_base(f.rotation().transpose()) {}
  void operator()(const double* from, double* to) const noexcept {
    const Eigen::Map<const Vec3d> v(from), w(from + 3);
    Eigen::Map<Vec3d> out_v(to), out_w(to + 3);
    out_v = frame_R_base * v;
    out_w = frame_R_base * w;
  }
  Mat3d frame_R_base;
};
struct BaseOrigin {
  static constexpr int place = 1;
  explicit BaseOrigin(const FrameMemory& f) noexcept : p(f.position()) {}
  // Twist with its reference point moved from p to the base's origin: v - w x p.
  void operator()(const double* from, double* to) const noexcept {
    const Eigen::Map<const Vec3d> v(from), w(from + 3);
    Eigen::Map<Vec3d> out_v(to), out_w(to + 3);
    out_v = v + p.cross(w);
    out_w = w;
  }
  Vec3d p;
};

template <class Axes>
ConstVectorRef<double> twist_in(FrameMemory& f) noexcept {
  const Axes turned(f);
  turned(f.twist(), f.other_twist(Axes::place));
  return six(f.other_twist(Axes::place));
}
template <class Axes>
ConstMatrixRef<double> J_in(FrameMemory& f) noexcept {
  const Axes turned(f);
  for (int c = 0; c < f.coordinates; ++c) turned(f.J() + 6L * c, f.other_J(Axes::place) + 6L * c);
  return six_by(f.other_J(Axes::place), f.coordinates);
}
// f.Jdot_v() is for a reference point that moves with the frame; for one that is fixed in space its linear part is less
// by w x v.
template <class Axes>
ConstVectorRef<double> Jdot_v_in(FrameMemory& f) noexcept {
  const Eigen::Map<const Vec3d> v(f.twist()), w(f.twist() + 3), rate(f.Jdot_v());
  double fixed[6];
  Six at_fixed_point(fixed);
  at_fixed_point.head<3>() = rate - w.cross(v);
  at_fixed_point.tail<3>() = Eigen::Map<const Vec3d>(f.Jdot_v() + 3);
  const Axes turned(f);
  turned(fixed, f.other_Jdot_v(Axes::place));
  return six(f.other_Jdot_v(Axes::place));
}

}  // namespace

ConstVectorRef<double> Frames::twist_base_axes(int frame) const noexcept { return six(impl_->at(frame).twist()); }
ConstVectorRef<double> Frames::Jdot_v_base_axes(int frame) const noexcept { return six(impl_->at(frame).Jdot_v()); }
ConstMatrixRef<double> Frames::J_base_axes(int frame) const noexcept {
  FrameMemory& f = impl_->at(frame);
  return six_by(f.J(), f.coordinates);
}

ConstVectorRef<double> Frames::twist_frame_axes(int frame) noexcept { return twist_in<FrameAxes>(impl_->at(frame)); }
ConstMatrixRef<double> Frames::J_frame_axes(int frame) noexcept { return J_in<FrameAxes>(impl_->at(frame)); }
ConstVectorRef<double> Frames::Jdot_v_frame_axes(int frame) noexcept { return Jdot_v_in<FrameAxes>(impl_->at(frame)); }

ConstVectorRef<double> Frames::twist_base_origin(int frame) noexcept { return twist_in<BaseOrigin>(impl_->at(frame)); }
ConstMatrixRef<double> Frames::J_base_origin(int frame) noexcept { return J_in<BaseOrigin>(impl_->at(frame)); }
ConstVectorRef<double> Frames::Jdot_v_base_origin(int frame) noexcept {
  return Jdot_v_in<BaseOrigin>(impl_->at(frame));
}

}  // namespace dyn
