// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <cmath>

#include "bench/contestants.hpp"
#include "bench/own_derivatives.hpp"
#include "bench/own_frames.hpp"
#include "bench/peer.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "output.hpp"

namespace dyn::bench {
namespace {

// The tree in plain arrays, rows first.
struct PlainTree {
  explicit PlainTree(const Model& model) {
    const Tree& tree = model.tree();
    const auto rows = [](std::vector<double>& to, const Mat3d& m) {
      for (int r = 0; r < 3; ++r) to.insert(to.end(), {m(r, 0), m(r, 1), m(r, 2)});
    };
    for (size_t i = 0; i < static_cast<size_t>(tree.size); ++i) {
      prismatic.push_back(tree.motion[i] == Motion::prismatic ? 1 : 0);
      rows(R, tree.parent_R_joint[i]);
      rows(inertia, tree.inertia_com[i]);
      for (int k = 0; k < 3; ++k) p.push_back(tree.parent_p_joint[i][k]);
      for (int k = 0; k < 3; ++k) com.push_back(tree.com[i][k]);
    }
    view = {tree.size,
            tree.parent.data(),
            prismatic.data(),
            R.data(),
            p.data(),
            tree.mass.data(),
            com.data(),
            inertia.data(),
            {tree.gravity.x(), tree.gravity.y(), tree.gravity.z()},
            -1,
            {},
            {}};
    const Link& frame = bench_frame(model);
    view.frame_body = frame.body;
    for (int k = 0; k < 9; ++k) view.frame_R[k] = frame.body_T_link.R(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) view.frame_p[k] = frame.body_T_link.p_m[k];
  }
  std::vector<unsigned char> prismatic;
  std::vector<double> R, p, com, inertia;
  PeerTree view{};
};

struct Loaded {
  const Peer* peer;
  unsigned tasks;
};

Loaded load(const std::filesystem::path& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw ModelError("peer " + file.string() + ": " + dlerror());
  const auto entry = reinterpret_cast<PeerEntry>(dlsym(library, "dyn_bench_peer"));
  if (entry == nullptr) throw ModelError("peer " + file.string() + ": has no function dyn_bench_peer");
  const auto tasks = reinterpret_cast<PeerTasks>(dlsym(library, "dyn_bench_peer_tasks"));
  return {entry(), tasks == nullptr ? ~0U : tasks()};
}

constexpr std::pair<const char*, PeerTask> kTasks[] = {{"M+C+g", task_cycle},
                                                       {"M+h", task_M_and_h},
                                                       {"h", task_h},
                                                       {"g", task_g},
                                                       {"M", task_M},
                                                       {"C", task_C},
                                                       {"inverse", task_inverse},
                                                       {"forward", task_forward},
                                                       {"inverse derivatives", task_inverse_derivatives},
                                                       {"forward derivatives", task_forward_derivatives},
                                                       {"regressor", task_regressor},
                                                       {"frame", task_frame},
                                                       {"J", task_J},
                                                       {"J+Jdot v", task_J_and_rate},
                                                       {"Lambda", task_lambda},
                                                       {"M^-1", task_inverse_M}};

bool offers(const Loaded& peer, PeerTask task) { return (peer.tasks & 1U << static_cast<unsigned>(task)) != 0U; }

// The parts of a task's result. A library without C computes C v + g instead.
std::vector<PeerTask> parts_of(const Loaded& peer, PeerTask task) {
  if (task == task_M_and_h) return {task_M, task_h};
  if (task != task_cycle) return {task};
  return offers(peer, task_C) ? std::vector{task_M, task_C, task_g} : std::vector{task_M, task_h};
}

std::vector<double> own_numbers(Dynamics& own, PeerTask part, std::span<const double> x) {
  const auto copied = [](const auto& from) {
    std::vector<double> numbers;
    for (Eigen::Index j = 0; j < from.cols(); ++j) {
      for (Eigen::Index i = 0; i < from.rows(); ++i) numbers.push_back(from(i, j));
    }
    return numbers;
  };
  std::vector<double> vector(x.size());
  switch (part) {
    case task_M: return copied(own.M());
    case task_C: return copied(own.C());
    case task_g: return copied(own.g());
    case task_h: return copied(own.h());
    case task_inverse: own.inverse(x, vector); return vector;
    default: return own.forward(x, vector).ok() ? vector : std::vector<double>{};
  }
}

// Results that depend on all of M^-1 lose digits by its condition number, 1e8 and more on long chains.
bool solves_with_M(PeerTask task) {
  return task == task_forward_derivatives || task == task_lambda || task == task_inverse_M;
}

// The largest difference from this project's numbers over some states, each part relative to its largest entry.
double difference(const Loaded& loaded, void* robot, PeerTask task, const Model& model, const States& states) {
  const double allowed = solves_with_M(task) ? 1e-6 : 1e-9;
  Dynamics own{Model(model)};
  const size_t n = states.joints;
  double largest = 0.0;
  for (int s = 0; s < 8; ++s) {
    const double *q = states.at(states.q, s), *v = states.at(states.v, s), *x = states.at(states.a, s);
    if (!own.update({q, n}, {v, n}).ok()) continue;
    loaded.peer->run(robot, task, q, v, x);
    for (const PeerTask part : parts_of(loaded, task)) {
      std::vector<double> ours = own_derivative_numbers(model, part, {q, n}, {v, n}, {x, n});
      if (ours.empty()) ours = own_frame_numbers(model, part, {q, n}, {v, n});
      if (ours.empty() && part == task_lambda) continue;  // near singular
      if (ours.empty()) ours = own_numbers(own, part, {x, n});
      std::vector<double> theirs(3 * n * n + 6 * n + 36, std::nan(""));
      loaded.peer->read(robot, part, theirs.data());
      const Eigen::Index count = ours.size();
      const double error =
          relative_error(ConstVectorRef<double>(theirs.data(), count), ConstVectorRef<double>(ours.data(), count));
      if (!(error <= allowed)) {
        throw ModelError(std::string(loaded.peer->name) + ": task " + std::to_string(task) + " differs by " +
                         cli::number(error) + " of its largest number");
      }
      largest = larger_error(largest, error);
    }
  }
  return largest;
}

}  // namespace

std::filesystem::path peer_directory() {
  if (const char* named = std::getenv("DYN_PEERS")) return named;
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "peers";
}

std::vector<Contestant> peer_contestants(const std::filesystem::path& directory, const Model& model,
                                         const States& states, bool others) {
  std::vector<Contestant> all;
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const bool pinocchio = entry.path().filename().string().starts_with("pinocchio");
    if (entry.path().extension() == ".so" && (pinocchio || others)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (!model.tree().bodies_are_coordinates) return all;
  const PlainTree tree(model);
  for (const auto& file : files) {
    const Loaded loaded = load(file);
    const Peer& peer = *loaded.peer;
    void* made = peer.make(tree.view);
    if (made == nullptr) continue;  // robots like this are not supported
    const std::shared_ptr<void> robot(made, peer.free);
    const bool generated = file.filename().string().starts_with("generated");
    for (const auto& [name, task] : kTasks) {
      if (!offers(loaded, task) || (task == task_lambda && states.joints < 6)) continue;
      const double differs = difference(loaded, robot.get(), task, model, states);
      all.push_back({name, peer.name, "",
                     [&peer, robot, &states, task = task](int first, int count) {
                       for (int s = first; s < first + count; ++s) {
                         peer.run(robot.get(), task, states.at(states.q, s), states.at(states.v, s),
                                  states.at(states.a, s));
                       }
                     },
                     differs, generated});
    }
  }
  return all;
}

}  // namespace dyn::bench
