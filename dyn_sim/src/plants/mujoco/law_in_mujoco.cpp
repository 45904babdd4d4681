// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/law_in_mujoco.hpp"

#include <algorithm>
#include <exception>

#include "compiled.hpp"

namespace dyn::sim {
namespace {

// The data of the callback, which has no user argument.
struct Called {
  const TorqueLaw* law = nullptr;
  const mujoco::Compiled* sim = nullptr;
  std::vector<double> q, v, tau;
  std::exception_ptr failure;  // must not pass through the library
};
Called* called = nullptr;

void call_law(const mjModel* /*model*/, mjData* data) {
  Called& c = *called;
  for (size_t i = 0; i < c.q.size(); ++i) {
    const int dof = c.sim->dof[c.sim->lead[i]];
    c.q[i] = data->qpos[dof];
    c.v[i] = data->qvel[dof];
  }
  try {
    (*c.law)(data->time, c.q, c.v, c.tau);
  } catch (...) {
    c.failure = std::current_exception();
  }
  for (size_t i = 0; i < c.q.size(); ++i) {
    data->qfrc_applied[c.sim->dof[c.sim->lead[i]]] = c.tau[i];
  }
}

// Installs the callback for the lifetime of this object.
class Callback {
 public:
  Callback(const mujoco::Library& library, Called& what) : slot_(*library.control_callback) {
    called = &what;
    slot_ = call_law;
  }
  ~Callback() {
    slot_ = nullptr;
    called = nullptr;
  }
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  Callback(Callback&&) = delete;
  Callback& operator=(Callback&&) = delete;

 private:
  mjfGeneric& slot_;
};

}  // namespace

std::vector<MujocoRow> simulate_in_mujoco(const Model& model, const TorqueLaw& law, double step_s, int steps,
                                          int steps_a_row) {
  const mujoco::Library& mj = mujoco::library();
  PlantSettings settings;
  settings.engine = "mujoco";
  settings.friction = settings.armature = settings.limits = false;
  const mujoco::Compiled sim = mujoco::compile(model, settings);
  std::fill_n(sim.data->qpos, sim.model->nq, 0.0);  // compile() evaluated the robot in other states
  std::fill_n(sim.data->qvel, sim.model->nv, 0.0);
  sim.model->opt.timestep = step_s;
  const size_t n = model.coordinates();
  Called state{&law, &sim, std::vector<double>(n), std::vector<double>(n), std::vector<double>(n), nullptr};
  const Callback callback(mj, state);
  std::vector<MujocoRow> rows;
  for (int k = 0; k <= steps; ++k) {
    if (k % steps_a_row == 0) {
      MujocoRow row{sim.data->time, {}};
      for (size_t i = 0; i < n; ++i) row.q.push_back(sim.data->qpos[sim.dof[sim.lead[i]]]);
      rows.push_back(std::move(row));
    }
    mj.step(sim.model.get(), sim.data.get());
    if (state.failure) std::rethrow_exception(state.failure);
  }
  return rows;
}

}  // namespace dyn::sim
