// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "bench/contestants.hpp"
#include "dyn_core/batch.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/registry.hpp"

namespace dyn::bench {

States::States(const Model& model, int number, unsigned seed) : joints(model.coordinates()), count(number) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> position(-2.5, 2.5);
  std::uniform_real_distribution<double> rate(-2.0, 2.0);
  for (int i = 0; i < count * joints; ++i) {
    q.push_back(position(rng));
    v.push_back(rate(rng));
    a.push_back(rate(rng));
  }
}

namespace {

class Own {
 public:
  Own(const std::shared_ptr<const Model>& model, const AlgorithmChoice& choice, const States& states)
      : dynamics_(model, choice), states_(states), result_(states.joints) {}

  enum class After { nothing, inverse, forward };

  void run(int first, int count, unsigned terms, After after) {
    const size_t n = states_.joints;
    for (int s = first; s < first + count; ++s) {
      if (!dynamics_.update_terms({states_.at(states_.q, s), n}, {states_.at(states_.v, s), n}, terms).ok()) continue;
      const std::span<const double> x(states_.at(states_.a, s), n);
      if (after == After::inverse) dynamics_.inverse(x, result_);
      if (after == After::forward && !dynamics_.forward(x, result_).ok()) result_[0] = 0.0;
    }
  }

 private:
  Dynamics dynamics_;
  const States& states_;
  std::vector<double> result_;
};

// M, C and g of many states in one call.
class Batch {
 public:
  Batch(const std::shared_ptr<const Model>& model, const States& states)
      : batch_(model),
        states_(states),
        n_(states.joints),
        M_(static_cast<size_t>(states.count) * n_ * n_),
        C_(M_.size()),
        g_(static_cast<size_t>(states.count) * n_) {}

  void run(int first, int count) {
    const size_t states = count;
    batch_.evaluate({states_.at(states_.q, first), states * n_}, {states_.at(states_.v, first), states * n_},
                    {.M = std::span(M_).first(states * n_ * n_),
                     .C = std::span(C_).first(states * n_ * n_),
                     .g = std::span(g_).first(states * n_)});
  }

 private:
  BatchDynamics batch_;
  const States& states_;
  size_t n_;
  std::vector<double> M_, C_, g_;
};

}  // namespace

std::vector<Contestant> own_contestants(const std::shared_ptr<const Model>& model, const States& states) {
  std::vector<Contestant> all;
  const auto add = [&](const char* task, std::string_view name, const AlgorithmChoice& choice, unsigned terms,
                       Own::After after) {
    const auto own = std::make_shared<Own>(model, choice, states);
    all.push_back({task, "dyn_control", std::string(name),
                   [own, terms, after](int first, int count) { own->run(first, count, terms, after); }});
  };
  add("M+C+g", "fused", {}, term_M | term_C | term_g, Own::After::nothing);
  const auto batch = std::make_shared<Batch>(model, states);
  all.push_back({"M+C+g", "dyn_control", "fused, batch", [batch](int first, int count) { batch->run(first, count); }});
  add("M+h", "fused", {}, term_M | term_h, Own::After::nothing);
  add("h", "fused", {}, term_h, Own::After::nothing);
  add("g", "fused", {}, term_g, Own::After::nothing);
  for (const auto name : AlgorithmList<JsimAlgorithms<double>>::names) {
    add("M", name, {.jsim = name}, term_M, Own::After::nothing);
  }
  for (const auto name : AlgorithmList<CoriolisAlgorithms<double>>::names) {
    add("C", name, {.coriolis = name}, term_C, Own::After::nothing);
  }
  for (const auto name : AlgorithmList<InverseAlgorithms<double>>::names) {
    add("inverse", name, {.inverse = name}, 0, Own::After::inverse);
  }
  for (const auto name : AlgorithmList<ForwardAlgorithms<double>>::names) {
    add("forward", name, {.forward = name}, 0, Own::After::forward);
  }
  return all;
}

}  // namespace dyn::bench
