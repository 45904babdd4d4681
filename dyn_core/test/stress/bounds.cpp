// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "stress/bounds.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace dyn::stress {
namespace {

struct Bound {
  std::string_view family;
  double usual;
  double paper_forms;             // of those that the papers write in vectors from one reference point to the next
  double plain, plain_by_matrix;  // of qdd, not divided by the condition number: by elimination along the tree, by M
};
constexpr Bound bounds[] = {
    {"ordinary", 5e-12, 5e-12, 1e-9, 1e-9}, {"chain of 200", 5e-12, 5e-12, 1e-9, 1e-9},
    {"masses", 5e-12, 5e-12, 3e-3, 0.1},    {"levers", 3e-11, 3e-10, 1e-3, 1e-3},
    {"heavy tip", 1e-12, 1e-12, 1e-3, 0.1}, {"far away", 1e-12, 1e-12, 1e-12, 1e-12},
    {"tiny", 1e-11, 1e-11, 1e-10, 1e-10},   {"coincident", 1e-12, 1e-12, 1e-11, 1e-11},
};

constexpr std::array paper_forms{
    std::string_view("explicit"),  std::string_view("denoc"),     std::string_view("gdahj"),
    std::string_view("screw"),     std::string_view("momentum"),  std::string_view("pseudo_inertia"),
    std::string_view("kronecker"), std::string_view("injection"), std::string_view("christoffel")};

template <class Names>
bool among(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

double bound_of(std::string_view family, std::string_view quantity, std::string_view algorithm) {
  if (quantity == "payload") return 0.0;
  if (quantity == "eigenvalue") return 1.0;  // -n eps
  for (const Bound& bound : bounds) {
    if (bound.family != family) continue;
    if (quantity == "qdd, plain") return algorithm == "cholesky" ? bound.plain_by_matrix : bound.plain;
    return among(paper_forms, algorithm) ? bound.paper_forms : bound.usual;
  }
  return 0.0;
}

}  // namespace dyn::stress
