// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <vector>

#include "dyn_core/fused/engine.hpp"
#include "kernel.hpp"

namespace dyn::fused {
namespace {

bool runs(const Kernels& kernels) {
#if defined(__x86_64__)
  const bool v3 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  if (&kernels == &kernels_v3) return v3;
  if (&kernels == &kernels_v4) {
    return v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
           __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
           __builtin_cpu_supports("avx512cd") != 0;
  }
#endif
  return &kernels == &kernels_baseline;
}

std::vector<const Kernels*> built() {
#if defined(__x86_64__)
  return {&kernels_baseline, &kernels_v3, &kernels_v4};
#else
  return {&kernels_baseline};
#endif
}

}  // namespace

std::vector<std::string> usable_kernels() {
  std::vector<std::string> names;
  for (const Kernels* k : built()) {
    if (runs(*k)) names.emplace_back(k->name);
  }
  return names;
}

const Kernels& select_kernels(const std::string& name) {
  std::string known;
  for (const Kernels* k : built()) {
    known += (known.empty() ? "" : ", ") + std::string(k->name);
    if (name != k->name) continue;
    if (!runs(*k)) throw ModelError("DYN_ISA: this machine cannot run the kernels '" + name + "'");
    return *k;
  }
  throw ModelError("DYN_ISA: no kernels '" + name + "'; there are " + known);
}

const Kernels& select_kernels() {
  const char* forced = std::getenv("DYN_ISA");
  return select_kernels(forced != nullptr ? std::string(forced) : usable_kernels().back());
}

}  // namespace dyn::fused
