// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Names of algorithms by their place in the registries, as the loop reports them. Off the loop.
#pragma once

#include <string>

#include "dyn_core/registry.hpp"

namespace dyn_controllers {

template <class List>
std::string algorithm_name(int index) {
  return index >= 0 && index < List::size ? std::string(List::names[index]) : std::string();
}

inline std::string jsim_name(int index) {
  return algorithm_name<dyn::AlgorithmList<dyn::JsimAlgorithms<double>>>(index);
}
inline std::string coriolis_name(int index) {
  return algorithm_name<dyn::AlgorithmList<dyn::CoriolisAlgorithms<double>>>(index);
}

}  // namespace dyn_controllers
