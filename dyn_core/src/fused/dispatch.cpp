// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <vector>

#include "dyn_core/fused/engine.hpp"
#include "kernel.hpp"

namespace dyn::fused {

alignas(64) const double kSineCosine[18] = {
    // sin r / r - 1 and cos r - 1 + r^2/2 in powers of r^2, as in the C library that came with 4.4BSD (fdlibm)
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
    -2.50507602534068634195e-08, 1.58969099521155010221e-10, 4.16666666666666019037e-02, -1.38888888888741095749e-03,
    2.48015872894767294178e-05, -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
    // 1/pi; 1.5 * 2^52; pi/2 in two pieces, and in three
    0.31830988618379067154, 6755399441055744.0, -1.57079632679489655800e+00, -6.12323399573676603587e-17, 1.0, 0.5};

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
