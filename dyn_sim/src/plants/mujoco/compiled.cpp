// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "compiled.hpp"

#include <cmath>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "spec_writer.hpp"

namespace dyn::sim::mujoco {
namespace {

[[noreturn]] void differs(const std::string& whose, const char* what, double theirs, double ours) {
  throw ModelError(whose + ": MuJoCo has " + what + " " + std::to_string(theirs) + ", our model " +
                   std::to_string(ours));
}

bool close(double theirs, double ours, double scale) { return std::abs(theirs - ours) <= 1e-9 * scale; }

void compare_bodies(const Model& model, const Compiled& compiled) {
  const Tree& tree = model.tree();
  const mjModel& m = *compiled.model;
  for (int i = 0; i < tree.size; ++i) {
    const int b = compiled.body[i];
    if (b < 0) continue;
    const double mass = tree.mass[i];
    if (!close(m.body_mass[b], mass, mass)) differs(who(model, i), "a mass of", m.body_mass[b], mass);
    for (int k = 0; k < 3; ++k) {
      const double c = m.body_ipos[3 * b + k];
      const double ours = tree.com[i][k];
      if (!close(c, ours, 1.0 + std::abs(ours))) differs(who(model, i), "a centre of mass at", c, ours);
    }
    const double trace = m.body_inertia[3 * b] + m.body_inertia[3 * b + 1] + m.body_inertia[3 * b + 2];
    const double ours = tree.inertia_com[i].trace();
    if (!close(trace, ours, ours)) differs(who(model, i), "a trace of its inertia of", trace, ours);
  }
}

// M at a few states: T^T M T of MuJoCo's bodies, T from coordinates to bodies (mimic joints follow), against ours.
void compare_inertia(const std::shared_ptr<const Model>& model, Compiled& compiled) {
  const Tree& tree = model->tree();
  const Library& mj = library();
  const auto n = tree.coordinates;
  const size_t nv = compiled.model->nv;
  Dynamics dynamics(model, AlgorithmChoice{.jsim = "crba"});
  std::vector<double> q(n), v(n, 0.0), theirs(nv * nv);
  for (int state = 0; state < 3; ++state) {
    for (int i = 0; i < n; ++i) q[i] = 0.7 * state * std::sin(1.0 + 2.3 * static_cast<double>(i) + state);
    for (int i = 0; i < tree.size; ++i) {
      compiled.data->qpos[compiled.dof[i]] = tree.offset[i] + tree.ratio[i] * q[tree.coordinate[i]];
    }
    mj.forward(compiled.model.get(), compiled.data.get());
    mj.full_M(compiled.model.get(), compiled.data.get(), theirs.data());
    if (!dynamics.update(q, v).ok()) continue;
    MatX<double> M = MatX<double>::Zero(tree.coordinates, tree.coordinates);
    for (int i = 0; i < tree.size; ++i) {
      for (int j = 0; j < tree.size; ++j) {
        M(tree.coordinate[i], tree.coordinate[j]) +=
            tree.ratio[i] * tree.ratio[j] * theirs[compiled.dof[i] * nv + compiled.dof[j]];
      }
    }
    const double error = relative_error(M, dynamics.M());
    if (!(error < 1e-9)) {
      throw ModelError(model->name() + ": MuJoCo's joint-space inertia differs from our model's by " +
                       std::to_string(error) + " relative");
    }
  }
}

}  // namespace

Compiled compile(const Model& model, const PlantSettings& settings) {
  Compiled compiled = SpecWriter(model, settings).compile();
  compare_bodies(model, compiled);
  compare_inertia(std::make_shared<const Model>(model), compiled);
  return compiled;
}

}  // namespace dyn::sim::mujoco
