// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "count/operation_counts.hpp"

#include <array>
#include <tuple>

#include "dyn_core/registry.hpp"

namespace dyn::cli {
namespace {

template <class F>
OperationCount counted(F&& run) {
  OperationCount& tally = Counting::tally();
  tally = {};
  run();
  return tally;
}

struct Passes {
  unsigned needs;
  std::string_view name;
};
// Each pass with the operations that it adds; together they are needs_all.
constexpr std::array<Passes, 4> passes{{{needs_trigonometry, "trigonometry"},
                                        {needs_positions, "positions"},
                                        {needs_inertias, "inertias"},
                                        {needs_velocities, "velocities"}}};

// One robot at one state, and a place for what the algorithms write.
class Bench {
 public:
  explicit Bench(const Tree& tree)
      : tree_(tree), ws_(tree.size), matrix_(tree.size * tree.size), rhs_(tree.size, Counting(0.7)), out_(tree.size) {
    for (int i = 0; i < tree.size; ++i) {
      ws_.q[i] = 0.3 + 0.17 * (i % 11);
      ws_.v[i] = 0.2 + 0.13 * (i % 7);
      ws_.a[i] = 0.5 + 0.11 * (i % 5);
    }
    update_kinematics(tree_, ws_, needs_all);
  }

  OperationCount kinematics(unsigned needs) {
    return counted([&] { update_kinematics(tree_, ws_, needs); });
  }
  template <class A>
  OperationCount matrix(A& algorithm) {
    auto M = matrix_view(matrix_.data(), tree_.size, tree_.size);
    return counted([&] { algorithm.compute(tree_, ws_, M); });
  }
  template <class A>
  OperationCount forward(A& algorithm) {
    const ConstVectorRef<Counting> tau(rhs_.data(), tree_.coordinates);
    const VectorRef<Counting> qdd(out_.data(), tree_.coordinates);
    return counted([&] { (void)algorithm.compute(tree_, ws_, tau, qdd); });
  }
  // Forward dynamics that take the bias from the inverse dynamics can be counted without it; all others are counted
  // whole.
  template <class A>
  OperationCount given_bias(A& algorithm, const OperationCount& compute) {
    const ConstVectorRef<Counting> bias(rhs_.data(), tree_.size);
    const ConstVectorRef<Counting> tau(rhs_.data(), tree_.coordinates);
    const VectorRef<Counting> qdd(out_.data(), tree_.coordinates);
    if constexpr (requires { algorithm.solve(tree_, ws_, bias, tau, qdd); }) {
      return counted([&] { (void)algorithm.solve(tree_, ws_, bias, tau, qdd); });
    }
    return compute;
  }
  template <class A>
  OperationCount inverse(A& algorithm) {
    const Vec3<Counting> gravity = tree_.gravity.template cast<Counting>();
    const VectorRef<Counting> tau(out_.data(), tree_.size);
    return counted([&] { algorithm.compute(tree_, ws_, gravity, tau); });
  }
  [[nodiscard]] int bodies() const noexcept { return tree_.size; }

 private:
  const Tree& tree_;
  Workspace<Counting> ws_;
  std::vector<Counting> matrix_, rhs_, out_;
};

struct Wanted {
  std::string_view parameter, name;
};

template <class Tuple>
struct Family;
template <class... A>
struct Family<std::tuple<A...>> {
  // Calls run(bench, algorithm) for each wanted algorithm of the family.
  template <class Run>
  static void count(std::string_view parameter, const Wanted& wanted, Bench& bench, std::vector<AlgorithmCount>& counts,
                    Run&& run) {
    if (!wanted.parameter.empty() && wanted.parameter != parameter) return;
    [[maybe_unused]] const auto one = [&]<class Algorithm>(std::type_identity<Algorithm>) {
      if (!wanted.name.empty() && wanted.name != Algorithm::name) return;
      Algorithm algorithm(bench.bodies());
      const OperationCount compute = run(bench, algorithm);
      counts.push_back({parameter, Algorithm::name, Algorithm::source, compute, bench.given_bias(algorithm, compute),
                        bench.kinematics(Algorithm::needs)});
    };
    (one(std::type_identity<A>{}), ...);
  }
};

}  // namespace

std::vector<AlgorithmCount> count_algorithms(const Model& model, std::string_view parameter, std::string_view name) {
  Bench bench(model.tree());
  const Wanted wanted{parameter, name};
  std::vector<AlgorithmCount> counts;
  const auto matrix = [](Bench& b, auto& algorithm) { return b.matrix(algorithm); };
  Family<JsimAlgorithms<Counting>>::count("jsim_algorithm", wanted, bench, counts, matrix);
  Family<CoriolisAlgorithms<Counting>>::count("coriolis_algorithm", wanted, bench, counts, matrix);
  Family<ForwardAlgorithms<Counting>>::count("forward_dynamics", wanted, bench, counts,
                                             [](Bench& b, auto& algorithm) { return b.forward(algorithm); });
  Family<InverseAlgorithms<Counting>>::count("inverse_dynamics", wanted, bench, counts,
                                             [](Bench& b, auto& algorithm) { return b.inverse(algorithm); });
  return counts;
}

std::vector<PassCount> count_kinematics(const Model& model) {
  Bench bench(model.tree());
  std::vector<PassCount> counts;
  for (const Passes& pass : passes) {
    const unsigned before = pass.needs == needs_trigonometry ? needs_nothing
                            : pass.needs == needs_positions  ? needs_trigonometry
                                                             : needs_positions;
    const OperationCount with = bench.kinematics(pass.needs);
    const OperationCount without = bench.kinematics(before);
    counts.push_back({pass.name,
                      {with.multiplications - without.multiplications, with.additions - without.additions,
                       with.trigonometric - without.trigonometric}});
  }
  return counts;
}

}  // namespace dyn::cli
