// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "symbolic/robot_expressions.hpp"

#include <array>
#include <cmath>
#include <tuple>

#include "dyn_core/coriolis/fused.hpp"
#include "dyn_core/coriolis/kronecker.hpp"
#include "dyn_core/coriolis/recursive.hpp"
#include "dyn_core/gravity/gravity.hpp"
#include "dyn_core/jsim/crba.hpp"
#include "dyn_core/jsim/denoc.hpp"
#include "dyn_core/jsim/explicit.hpp"
#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/jsim/gdahj.hpp"

namespace dyn::symbolic {
namespace {

using E = Expression;
using Jsims = std::tuple<jsim::Crba<E>, jsim::Denoc<E>, jsim::Gdahj<E>, jsim::Fused<E>, jsim::Explicit<E>>;
using CoriolisMatrices = std::tuple<coriolis::Recursive<E>, coriolis::Fused<E>, coriolis::Kronecker<E>>;

constexpr double rounding = 1e-15;

void snap(double& value, double largest) {
  if (std::abs(value) < rounding * largest) value = 0.0;
  if (std::abs(std::abs(value) - largest) < rounding * largest) value = std::copysign(largest, value);
}

void snap(Mat3d& R) {
  for (double& x : R.reshaped()) snap(x, 1.0);
}

void remove(double& value, double largest) {
  if (std::abs(value) < rounding * largest) value = 0.0;
}

template <class V>
void remove_small(V& values) {
  const double largest = values.cwiseAbs().maxCoeff();
  for (double& x : values.reshaped()) remove(x, largest);
}

void snap(ScrewJoint& joint) {
  for (PlaneTurn<double>* turn : {&joint.gamma, &joint.alpha}) {
    snap(turn->c, 1.0);
    snap(turn->s, 1.0);
    turn->ss = turn->s * turn->s;
    turn->cs = turn->c * turn->s;
  }
  snap(joint.c0, 1.0);
  snap(joint.s0, 1.0);
  remove_small(joint.p);
  remove(joint.d, 1.0);
}

template <class Tuple, class F>
void with_named(std::string_view name, F&& f) {
  [&]<class... A>(std::type_identity<std::tuple<A...>>) {
    (void)((A::name == name ? (f(std::type_identity<A>{}), true) : false) || ...);
  }(std::type_identity<Tuple>{});
}

// G^T X G with q_body = G q + offset, by rows.
std::vector<E> in_coordinates(const Tree& tree, const MatX<E>& bodies) {
  const int n = tree.coordinates;
  const size_t size = n;
  std::vector<E> all(size * size);
  for (int i = 0; i < tree.size; ++i) {
    for (int j = 0; j < tree.size; ++j) {
      all[static_cast<size_t>(tree.coordinate[i]) * size + static_cast<size_t>(tree.coordinate[j])] +=
          E(tree.ratio[i] * tree.ratio[j]) * bodies(i, j);
    }
  }
  return all;
}

template <class Algorithm>
std::vector<E> matrix_by(const Tree& tree, Workspace<E>& ws) {
  update_kinematics(tree, ws, Algorithm::needs);
  Algorithm algorithm(tree.size);
  MatX<E> bodies(tree.size, tree.size);
  algorithm.compute(tree, ws, matrix_view(bodies.data(), tree.size, tree.size));
  return in_coordinates(tree, bodies);
}

std::vector<E> gravity_of(const Tree& tree, Workspace<E>& ws) {
  Gravity<E> gravity(tree.size);
  update_kinematics(tree, ws, gravity.needs);
  VecX<E> bodies(tree.size);
  gravity.compute(tree, ws, tree.gravity.cast<E>(), VectorRef<E>(bodies.data(), tree.size));
  std::vector<E> all(tree.coordinates);
  for (int i = 0; i < tree.size; ++i) all[tree.coordinate[i]] += E(tree.ratio[i]) * bodies[i];
  return all;
}

template <class... A>
constexpr std::array<std::string_view, sizeof...(A)> names_of(std::type_identity<std::tuple<A...>>) {
  return {A::name...};
}

}  // namespace

Tree without_rounding(const Tree& from) {
  Tree tree = from;
  for (int i = 0; i < tree.size; ++i) {
    snap(tree.parent_R_joint[i]);
    remove_small(tree.parent_p_joint[i]);
    remove_small(tree.com[i]);
    remove_small(tree.inertia_com[i]);
  }
  tree.screw = make_screw_frames(tree);
  for (int i = 0; i < tree.size; ++i) update_screw_inertia(tree, i);
  for (ScrewJoint& joint : tree.screw.joint) snap(joint);
  for (ScrewInertia& body : tree.screw.inertia) {
    remove_small(body.h);
    remove_small(body.I);
  }
  return tree;
}

std::vector<Parameter> make_symbols(const Model& model, Tree& tree) {
  std::vector<Parameter> parameters;
  const auto replace = [&](double& value, const std::string& name, const std::string& meaning) {
    if (value == 0.0) return;
    parameters.push_back({name, value, meaning});
    value = Arena::current().stand_in(name);
  };
  constexpr const char* axes[] = {"x", "y", "z"};
  for (int i = 0; i < tree.size; ++i) {
    const std::string number = std::to_string(i + 1);
    const std::string& joint = model.body_joint(i);
    for (int k = 0; k < 3; ++k) {
      replace(tree.parent_p_joint[i][k], "l" + number + axes[k], "m, origin of " + joint + " in the body before it");
    }
    replace(tree.mass[i], "m" + number, "kg, of the body that " + joint + " moves");
    for (int k = 0; k < 3; ++k) {
      replace(tree.com[i][k], "c" + number + axes[k], "m, its centre of mass from the joint, z along the joint's axis");
    }
    for (int r = 0; r < 3; ++r) {
      for (int c = r; c < 3; ++c) {
        replace(tree.inertia_com[i](r, c), "I" + number + axes[r] + axes[c],
                "kg m^2, of the inertia tensor about its centre of mass");
        tree.inertia_com[i](c, r) = tree.inertia_com[i](r, c);
      }
    }
  }
  for (int k = 0; k < 3; ++k) {
    replace(tree.gravity[k], std::string("g0") + axes[k], "m/s^2, gravity in the base frame");
  }
  return parameters;
}

RobotExpressions expressions(const Tree& tree, const Terms& terms, std::string_view jsim, std::string_view coriolis) {
  Arena& arena = Arena::current();
  RobotExpressions all;
  all.n = tree.coordinates;
  std::vector<E> q, v;
  for (int i = 0; i < tree.coordinates; ++i) {
    const std::string number = std::to_string(i + 1);
    q.push_back(E::node(arena.symbol("q" + number)));
    v.push_back(E::node(arena.symbol("v" + number)));
    all.q.push_back(arena[q.back().id()].a);
    all.v.push_back(arena[v.back().id()].a);
  }
  Workspace<E> ws(tree.size);
  spread_positions(tree, q.data(), ws);
  spread_rates(tree, v.data(), ws.v);
  if (terms.M) {
    with_named<Jsims>(jsim, [&]<class A>(std::type_identity<A>) { all.M = matrix_by<A>(tree, ws); });
  }
  if (terms.C) {
    with_named<CoriolisMatrices>(coriolis, [&]<class A>(std::type_identity<A>) { all.C = matrix_by<A>(tree, ws); });
  }
  if (terms.g) all.g = gravity_of(tree, ws);
  return all;
}

long operations_of(const Arena& arena, const std::vector<Expression>& roots) {
  std::vector<char> seen(arena.size(), 0);
  std::vector<int> open;
  for (const Expression& root : roots) open.push_back(root.id());
  long count = 0;
  while (!open.empty()) {
    const int id = open.back();
    open.pop_back();
    if (seen[id]++ != 0) continue;
    const Node& node = arena[id];
    if (node.op == Op::constant || node.op == Op::symbol) continue;
    if (node.op == Op::sum || node.op == Op::product) {
      ++count;
      open.push_back(node.b);
    }
    open.push_back(node.a);
  }
  return count;
}

Cheapest cheapest_algorithms(const Tree& tree, const Terms& terms) {
  constexpr auto jsims = names_of(std::type_identity<Jsims>{});
  constexpr auto coriolis_names = names_of(std::type_identity<CoriolisMatrices>{});
  Cheapest best{"", "", -1};
  for (const std::string_view jsim : jsims) {
    for (const std::string_view coriolis : coriolis_names) {
      Arena arena;
      const RobotExpressions all = expressions(tree, terms, jsim, coriolis);
      std::vector<Expression> roots = all.M;
      roots.insert(roots.end(), all.C.begin(), all.C.end());
      roots.insert(roots.end(), all.g.begin(), all.g.end());
      const long operations = operations_of(arena, roots);
      if (best.operations < 0 || operations < best.operations) best = {jsim, coriolis, operations};
      if (!terms.C) break;
    }
    if (!terms.M) break;
  }
  return best;
}

}  // namespace dyn::symbolic
