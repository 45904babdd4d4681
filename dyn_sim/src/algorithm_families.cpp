// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "algorithm_families.hpp"

#include <array>

#include "dyn_core/error.hpp"
#include "dyn_core/registry.hpp"

namespace dyn::cli {
namespace {

template <class Tuple>
AlgorithmFamily family(const char* parameter, const char* gives) {
  using List = AlgorithmList<Tuple>;
  return {parameter, gives, List::names, List::sources};
}

}  // namespace

std::span<const AlgorithmFamily> algorithm_families() {
  static const std::array<AlgorithmFamily, 4> all{
      family<JsimAlgorithms<double>>("jsim_algorithm", "M, the joint-space inertia matrix"),
      family<CoriolisAlgorithms<double>>("coriolis_algorithm", "C, the Coriolis and centrifugal matrix"),
      family<ForwardAlgorithms<double>>("forward_dynamics", "qdd from tau"),
      family<InverseAlgorithms<double>>("inverse_dynamics", "tau from a")};
  return all;
}

const AlgorithmFamily& family_of(std::string_view parameter) {
  for (const AlgorithmFamily& f : algorithm_families()) {
    if (f.parameter == parameter) return f;
  }
  throw ModelError("unknown kind of algorithm '" + std::string(parameter) + "'");
}

std::string_view registered_name(std::string_view parameter, std::string_view name) {
  const AlgorithmFamily& f = family_of(parameter);
  for (const std::string_view known : f.names) {
    if (known == name) return known;
  }
  throw ModelError(std::string(parameter) + ": unknown algorithm '" + std::string(name) +
                   "'; available: " + listed(f.names));
}

std::string listed(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

}  // namespace dyn::cli
