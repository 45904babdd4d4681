// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// An arm whose hand is controlled in task space, with a plant equal to the model: the torque of a cycle acts for a
// period of 1 ms, or as long as tests choose, with forces on links that tests choose.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/frames.hpp"
#include "dyn_core/model/robot_library.hpp"

namespace dyn::test {

using control::TaskPoint, control::TaskReference, control::Vec6d;

class TaskRig {
 public:
  static constexpr double T = 1e-3;
  explicit TaskRig(control::TaskParameters task = {}, std::vector<double> start = {0.0, 0.5, 0.0, -1.5, 0.0, 1.1, 0.0},
                   const std::string& robot = "arm7", const std::string& hand = "tool0")
      : q(std::move(start)),
        v(q.size(), 0.0),
        effort(q.size() + 2),
        live(load_robot(robot), options(hand)),
        parameters(parameters_of(std::move(task), q.size())),
        controller(live, control::Actuation::from_model(*live.newest_model(), {}), parameters, T),
        plant(live.newest_model()),
        frames(live.newest_model(), {hand, "link4"}) {
    const auto n = q.size();
    for (auto* x : {&a_, &q_, &v_, &tau_, &zero_}) x->assign(n, 0.0);
    controller.activate({q, v});
    locate();
  }
  static live::LiveOptions options(const std::string& hand) {
    live::LiveOptions o;
    o.frames = {hand};
    o.max_payload_dofs = 2;
    return o;
  }
  static control::Parameters parameters_of(control::TaskParameters task, size_t n) {
    control::Parameters p;
    p.law = control::Law::task_space;
    p.gains.assign(n, {});
    p.task = std::move(task);
    return p;
  }
  // Pose and twist of hand and elbow.
  void locate() { (void)frames.update(q, v, frame_pose | frame_twist); }

  control::CycleReport step() {
    control::ReferenceInput reference{q, v, zero_, fresh};
    reference.task = &target;
    reference.lead = lead;
    return step_seen(reference, q, v);
  }
  // The same from the measured state.
  control::CycleReport step_seen(const control::ReferenceInput& reference, const std::vector<double>& seen_q,
                                 const std::vector<double>& seen_v) {
    const control::CycleReport report = controller.step({seen_q, seen_v, nullptr, elapsed_s}, reference, effort);
    on_their_way.push_back(effort);
    while (std::ssize(on_their_way) > delay_cycles + 1) on_their_way.pop_front();
    for (int k = 0; k < substeps; ++k) move(acts_s / substeps);
    time_s += acts_s;
    elapsed_s = acts_s;
    locate();
    return report;
  }
  [[nodiscard]] Vec3d hand() const { return frames.position(0); }
  [[nodiscard]] Mat3d hand_R() const { return frames.rotation(0); }
  [[nodiscard]] double turn_to(const Mat3d& R) const { return Eigen::AngleAxisd(R * hand_R().transpose()).angle(); }
  [[nodiscard]] double reach_error() const { return (target.point.p_m - hand()).norm(); }
  void aim_at_hand() {
    target.point = {hand(), hand_R(), Vec6d::Zero(), Vec6d::Zero()};
    target.given = true;
  }

  // Forces on the hand and on link4, at their origins, base axes; by time and state.
  std::function<Vec3d(const Vec3d&p, const Vec3d&velocity)> on_hand, on_elbow;
  std::vector<double> q, v, effort;
  TaskReference target;
  bool fresh = true;
  double time_s = 0.0;
  int substeps = 2;
  double lead = 0.0;     // periods by which the target runs ahead
  double acts_s = T;     // for which the next torque acts: longer than T in a loop that is late
  double elapsed_s = T;  // since the cycle before
  int delay_cycles = 0;  // from the command to the torque
  std::deque<std::vector<double>> on_their_way;
  live::LiveModel live;
  control::Parameters parameters;
  control::Controller controller;
  Dynamics plant;
  Frames frames;

 private:
  // Runge-Kutta of fourth order, of q and v.
  void move(double dt) {
    const size_t n = q.size();
    const std::vector<double> q0 = q, v0 = v;
    std::vector<double> dq(n, 0.0), dv(n, 0.0);
    const double weights[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}, ahead[] = {0.5, 0.5, 1.0, 0.0};
    q_ = q0, v_ = v0;
    for (int k = 0; k < 4; ++k) {
      accelerate(q_, v_, a_);
      for (size_t i = 0; i < n; ++i) {
        dq[i] += weights[k] * dt * v_[i];
        dv[i] += weights[k] * dt * a_[i];
      }
      for (size_t i = 0; i < n; ++i) {
        const double step = ahead[k] * dt, speed = v_[i];
        q_[i] = q0[i] + step * speed;
        v_[i] = v0[i] + step * a_[i];
      }
    }
    for (size_t i = 0; i < n; ++i) {
      q[i] = q0[i] + dq[i];
      v[i] = v0[i] + dv[i];
    }
  }
  void accelerate(const std::vector<double>& at_q, const std::vector<double>& at_v, std::vector<double>& a) {
    std::copy_n(on_their_way.front().begin(), q.size(), tau_.begin());
    if (on_hand || on_elbow) {
      (void)frames.update(at_q, at_v, frame_pose | frame_twist | frame_J);
      for (int f = 0; f < 2; ++f) {
        const auto& push = f == 0 ? on_hand : on_elbow;
        if (!push) continue;
        const Vec3d force = push(frames.position(f), frames.twist_base_axes(f).head<3>());
        const auto J = frames.J_base_axes(f);
        for (Eigen::Index i = 0; i < J.cols(); ++i) tau_[i] += J.col(i).head<3>().dot(force);
      }
    }
    (void)plant.update(at_q, at_v);
    (void)plant.forward(tau_, a);
  }
  std::vector<double> a_, q_, v_, tau_, zero_;
};

}  // namespace dyn::test
