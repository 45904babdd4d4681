// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <cmath>

#include "bench/contestants.hpp"
#include "bench/peer.hpp"
#include "dyn_core/dynamics.hpp"

namespace dyn::bench {
namespace {

// The tree in plain arrays, rows first.
struct PlainTree {
  explicit PlainTree(const Tree& tree) {
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
    view = {tree.size,  tree.parent.data(), prismatic.data(),
            R.data(),   p.data(),           tree.mass.data(),
            com.data(), inertia.data(),     {tree.gravity.x(), tree.gravity.y(), tree.gravity.z()}};
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
  if (entry == nullptr) throw ModelError("peer " + file.string() + ": no dyn_bench_peer in it");
  const auto tasks = reinterpret_cast<PeerTasks>(dlsym(library, "dyn_bench_peer_tasks"));
  return {entry(), tasks == nullptr ? ~0U : tasks()};
}

void check_agreement(const Peer& peer, void* robot, const Model& model, const States& states) {
  Dynamics own{Model(model)};
  const auto n = static_cast<size_t>(states.joints);
  std::vector<double> M(n * n);
  for (int s = 0; s < 8; ++s) {
    if (!own.update({states.at(states.q, s), n}, {states.at(states.v, s), n}).ok()) continue;
    peer.run(robot, task_M, states.at(states.q, s), states.at(states.v, s), states.at(states.a, s));
    peer.read(robot, task_M, M.data());
    const auto ours = own.M();
    const ConstMatrixRef<double> theirs(M.data(), states.joints, states.joints, Eigen::OuterStride<>(states.joints));
    const double error = (ours - theirs).cwiseAbs().maxCoeff() / theirs.cwiseAbs().maxCoeff();
    if (!(error < 1e-10)) throw ModelError(std::string(peer.name) + ": M differs by " + std::to_string(error));
  }
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
  const PlainTree tree(model.tree());
  for (const auto& file : files) {
    const Loaded loaded = load(file);
    const Peer& peer = *loaded.peer;
    void* made = peer.make(tree.view);
    if (made == nullptr) continue;  // not for robots like this
    const std::shared_ptr<void> robot(made, peer.free);
    check_agreement(peer, robot.get(), model, states);
    constexpr std::pair<const char*, int> tasks[] = {
        {"M+C+g", task_cycle},     {"M+h", task_M_and_h},    {"h", task_h}, {"g", task_g}, {"M", task_M}, {"C", task_C},
        {"inverse", task_inverse}, {"forward", task_forward}};
    for (const auto& [name, task] : tasks) {
      if ((loaded.tasks & 1U << static_cast<unsigned>(task)) == 0U) continue;
      all.push_back({name, peer.name, "", [&peer, robot, &states, task = task](int first, int count) {
                       for (int s = first; s < first + count; ++s) {
                         peer.run(robot.get(), task, states.at(states.q, s), states.at(states.v, s),
                                  states.at(states.a, s));
                       }
                     }});
    }
  }
  return all;
}

}  // namespace dyn::bench
