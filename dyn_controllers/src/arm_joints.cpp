// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Which joints the model of an arm has, of those whose interfaces the controller claims, and which move a frame.
#include <algorithm>
#include <limits>
#include <utility>

#include "dyn_controllers/arm.hpp"
#include "dyn_controllers/joint_entries.hpp"
#include "dyn_controllers/make_live_model.hpp"

namespace dyn_controllers {
namespace {

using dyn::ModelError;
using dyn::control::Terms;

constexpr std::vector<double> Terms::*every_term[] = {
    &Terms::inertia,  &Terms::coriolis, &Terms::gravity,  &Terms::friction,       &Terms::feedback,
    &Terms::demanded, &Terms::applied,  &Terms::external, &Terms::position_error, &Terms::velocity_error,
};

}  // namespace

std::vector<int> Arm::entries_of(const dyn::Model& model) const { return joint_entries(model, coordinate_names_); }

// All joints that move the frame must be commanded.
void Arm::check_frame(const dyn::Model& model) const {
  if (frame_.empty()) throw ModelError("frame: not given; it is the link whose pose is controlled");
  if (const auto why = obstacle_to_frame(model, frame_); !why.empty()) throw ModelError("frame: " + why);
}

// Why this controller cannot control the frame; empty if it can.
std::string Arm::obstacle_to_frame(const dyn::Model& model, const std::string& frame) const {
  const dyn::Link* const link = model.find_link(frame);
  if (link == nullptr || link->body < 0) return "no joint moves '" + frame + "'";
  const dyn::Tree& tree = model.tree();
  for (int body = link->body; body >= 0; body = tree.parent[body]) {
    const std::string& name = model.coordinate_names()[tree.coordinate[body]];
    const auto i = std::find(coordinate_names_.begin(), coordinate_names_.end(), name) - coordinate_names_.begin();
    if (std::find(controlled_.begin(), controlled_.end(), i) != controlled_.end()) continue;
    return '\'' + frame + "' is moved by joint '" + name + "', which is not in joints";
  }
  return {};
}

// The frame whose wrench is observed. If it is not named by a parameter and cannot be observed, there is none.
ArmObservation::Frame Arm::frame_to_observe(const dyn::Model& model, const std::vector<std::string>& frames,
                                            const std::string& wanted) const {
  if (wanted.empty()) return {};
  const std::string why = obstacle_to_frame(model, wanted);
  if (!why.empty() && !params_.external_wrench.frame.empty()) throw ModelError("external_wrench.frame: " + why);
  if (!why.empty()) return {};
  const auto place = std::find(frames.begin(), frames.end(), wanted) - frames.begin();
  return {static_cast<int>(place), wanted, model.links().front().name};
}

// By coordinate of the robot in the model; empty where it is not known.
std::vector<double> Arm::posture_of(const dyn::Model& model, const Posture& posture) const {
  std::vector<double> q;
  if (!posture.known) return q;
  for (const int entry : entries_of(model)) q.push_back(posture.q[entry]);
  return q;
}

void Arm::check_replacement(const dyn::Model& robot, const dyn::control::Actuation& actuation) const {
  bool drives = false;
  for (size_t i = 0; i < actuation.actuated.size(); ++i) drives |= actuation.actuated[i] && !actuation.followed[i];
  if (!drives) throw ModelError(robot.description().source + ": it has none of the joints that are commanded here");
  if (law_ == dyn::control::Law::task_space) check_frame(robot);
  if (params_.external_wrench.frame.empty()) return;
  const std::string why = obstacle_to_frame(robot, params_.external_wrench.frame);
  if (!why.empty()) throw ModelError("external_wrench.frame: " + why);
}

dyn::live::Applied Arm::replace_joints(const std::string& urdf, const dyn::CoordinateMap& map,
                                       double transition_time_s) {
  const dyn::RobotDescription robot = described(urdf, numbers_.armature);
  const dyn::Model model = dyn::Model::build(robot, model_options_);
  const std::vector<int> entries = entries_of(model);
  dyn::control::Actuation actuation = actuation_of(model);
  actuation.friction_transition_s = transition_time_s;
  dyn::live::Applied applied;
  {
    const std::scoped_lock lock(writers_);
    check_replacement(model, actuation);
    const dyn::control::Parameters control = converted(params_, entries);
    applied = controller_->replace_joints(model, map, actuation, control, transition_time_s);
    entries_ = entries;
    actuation_ = std::move(actuation);
    check_payloads_by(control, params_);
    auto& present = present_->back();
    std::fill(present.begin(), present.end(), 0);
    for (const int entry : entries_) present[entry] = 1;
    present_->publish();
    conditions_.fetch_add(1, std::memory_order_relaxed);
    urdf_ = urdf;
  }
  numbers_.armature.show_of(robot);
  return applied;
}

double Arm::moving_torque(size_t i) const noexcept {
  if (coordinate_of(i) < 0) return std::numeric_limits<double>::infinity();
  return controller_->moving_effort(coordinate_of(i));
}

// From the model's coordinates to those of this object.
void Arm::reorder(dyn::control::CycleReport& report) noexcept {
  const Terms& terms = controller_->terms();
  for (const auto term : every_term) std::fill((terms_.*term).begin(), (terms_.*term).end(), 0.0);
  std::fill(coordinate_of_.begin(), coordinate_of_.end(), -1);
  for (size_t i = 0; i < controller_->state().q.size(); ++i) {
    const size_t entry = controller_->entry_of(i);
    coordinate_of_[entry] = static_cast<int>(i);
    for (const auto term : every_term) (terms_.*term)[entry] = (terms.*term)[i];
  }
  for (int* coordinate : {&report.frozen, &report.reference_cut.coordinate}) {
    if (*coordinate >= 0) *coordinate = static_cast<int>(controller_->entry_of(*coordinate));
  }
}

}  // namespace dyn_controllers
