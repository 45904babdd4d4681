// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "bench/own_frames.hpp"

#include "dyn_core/operational_space.hpp"

namespace dyn::bench {
namespace {

using Numbers = std::span<const double>;

int depth_of(const Tree& tree, int body) {
  int depth = 0;
  for (; body >= 0; body = tree.parent[body]) ++depth;
  return depth;
}

struct Worker {
  explicit Worker(const std::shared_ptr<const Model>& model)
      : dynamics(model), frames(model, {bench_frame(*model).name}), space(*model) {
    const size_t n = model->coordinates();
    inverse.resize(n * n);
  }

  bool pose(Numbers q, Numbers) { return frames.update(q, {}, 0, frame_pose).ok(); }
  bool jacobian(Numbers q, Numbers) { return frames.update(q, {}, 0, frame_J).ok(); }
  bool jacobian_and_rate(Numbers q, Numbers v) { return frames.update(q, v, 0, frame_J | frame_Jdot_v).ok(); }
  bool inverse_mass(Numbers q, Numbers v) {
    return dynamics.update_terms(q, v, term_M).ok() && dynamics.inverse_mass_matrix(inverse).ok();
  }
  bool lambda(Numbers q, Numbers v) {
    if (!dynamics.update_terms(q, v, term_M).ok()) return false;
    frames.update(dynamics, 0, frame_J);
    return space.update(dynamics, frames, 0).ok();
  }

  Dynamics dynamics;
  Frames frames;
  OperationalSpace space;
  std::vector<double> inverse;
};
using Call = bool (Worker::*)(Numbers, Numbers);

struct Task {
  const char* name;
  PeerTask peer;
  Call call;
};
constexpr Task kTasks[] = {{"frame", task_frame, &Worker::pose},
                           {"J", task_J, &Worker::jacobian},
                           {"J+Jdot v", task_J_and_rate, &Worker::jacobian_and_rate},
                           {"Lambda", task_lambda, &Worker::lambda},
                           {"M^-1", task_inverse_M, &Worker::inverse_mass}};

void append(std::vector<double>& to, const MatX<double>& from) {
  to.insert(to.end(), from.data(), from.data() + from.size());
}

}  // namespace

const Link& bench_frame(const Model& model) {
  const Link* best = &model.links().front();
  for (const Link& link : model.links()) {
    if (depth_of(model.tree(), link.body) >= depth_of(model.tree(), best->body)) best = &link;
  }
  return *best;
}

std::vector<Contestant> frame_contestants(const std::shared_ptr<const Model>& model, const States& states) {
  std::vector<Contestant> all;
  for (const Task& task : kTasks) {
    if (task.peer == task_lambda && states.joints < 6) continue;  // singular everywhere
    const auto worker = std::make_shared<Worker>(model);
    all.push_back({task.name, "dyn_control", "fused", [worker, &states, call = task.call](int first, int count) {
                     const size_t n = states.joints;
                     for (int s = first; s < first + count; ++s) {
                       (void)(worker.get()->*call)({states.at(states.q, s), n}, {states.at(states.v, s), n});
                     }
                   }});
  }
  return all;
}

std::vector<double> own_frame_numbers(const Model& model, PeerTask task, Numbers q, Numbers v) {
  std::vector<double> numbers;
  for (const Task& t : kTasks) {
    if (t.peer != task) continue;
    Worker worker(std::make_shared<const Model>(model));
    if (!(worker.*t.call)(q, v)) return numbers;
    if (task == task_frame) {
      append(numbers, worker.frames.position(0));
      append(numbers, worker.frames.rotation(0));
    }
    if (task == task_J || task == task_J_and_rate) append(numbers, worker.frames.J_base_axes(0));
    if (task == task_J_and_rate) append(numbers, worker.frames.Jdot_v_base_axes(0));
    if (task == task_inverse_M) numbers = worker.inverse;
    if (task == task_lambda && worker.space.smallest_singular_value() > 0.01) append(numbers, worker.space.Lambda());
  }
  return numbers;
}

}  // namespace dyn::bench
