// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A model with a state, for tests that call algorithms without Dynamics.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "dyn_core/kinematics/kinematics.hpp"
#include "dyn_core/model/model.hpp"
#include "support/random_robot.hpp"

namespace dyn::test {

template <class T = double>
struct State {
  explicit State(Model m) : model(std::move(m)), ws(model.bodies()), q(model.coordinates()), v(q), a(q) {}

  [[nodiscard]] const Tree& tree() const { return model.tree(); }
  [[nodiscard]] int n() const { return model.coordinates(); }

  void randomize(Rng& rng, double size = 2.0) {
    for (auto* x : {&q, &v, &a}) {
      for (double& value : *x) value = uniform(rng, -size, size);
    }
    update();
  }
  void update() {
    const auto typed = [](const std::vector<double>& from) { return std::vector<T>(from.begin(), from.end()); };
    spread_positions(tree(), typed(q).data(), ws);
    spread_rates(tree(), typed(v).data(), ws.v);
    spread_rates(tree(), typed(a).data(), ws.a);
    update_kinematics(tree(), ws, needs_all);
  }

  Model model;
  Workspace<T> ws;
  std::vector<double> q, v, a;  // of the coordinates
};

}  // namespace dyn::test
