// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "bench/own_attach.hpp"

#include "bench/own_frames.hpp"
#include "dyn_core/live/live_model.hpp"

namespace dyn::bench {
namespace {

live::LiveOptions by_screws(const Model& model) {
  live::LiveOptions options;
  options.model = model.options();
  options.algorithms.jsim = options.algorithms.coriolis = "screw";
  return options;
}

Payload box_on(const Model& model) {
  Inertial inertial;
  inertial.mass_kg = 2.0;
  inertial.com_m = Vec3d(0.05, 0.0, 0.06);
  inertial.inertia_com_kgm2 = 0.01 * Mat3d::Identity();
  return Payload::rigid("bench_box", bench_frame(model).name, inertial);
}

}  // namespace

std::vector<Contestant> attach_contestants(const Model& model) {
  const auto live = std::make_shared<live::LiveModel>(model.description(), by_screws(model));
  return {{attach_task, "dyn_control", "screw", [live, box = box_on(model)](int, int count) {
             constexpr double period_s = 1e-3, transition_s = 0.5;
             for (int k = 0; k < count; ++k) {
               (void)live->attach(box, transition_s);
               (void)live->acquire(period_s);
               (void)live->detach(box.name(), transition_s);
               (void)live->acquire(period_s);
             }
           }}};
}

}  // namespace dyn::bench
