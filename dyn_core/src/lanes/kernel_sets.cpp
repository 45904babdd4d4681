// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "lanes/kernel_sets.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace dyn {
namespace lanes {

// Of sincos.hpp.
extern const double kSineCosine[18];
alignas(64) const double kSineCosine[18] = {
    // sin r / r - 1 and cos r - 1 + r^2/2 in powers of r^2, as in the C library that came with 4.4BSD (fdlibm)
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
    -2.50507602534068634195e-08, 1.58969099521155010221e-10, 4.16666666666666019037e-02, -1.38888888888741095749e-03,
    2.48015872894767294178e-05, -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
    // 1/pi; 1.5 * 2^52; pi/2 in two pieces, and in three
    0.31830988618379067154, 6755399441055744.0, -1.57079632679489655800e+00, -6.12323399573676603587e-17, 1.0, 0.5};

namespace {

struct Named {
  const char* name;
  KernelSet set;
};

// Slowest first.
constexpr Named kBuilt[] = {
    {"baseline", KernelSet::baseline},
#if defined(__x86_64__)
    {"v3", KernelSet::v3},
    {"v4", KernelSet::v4},
#endif
};

bool runs(KernelSet set) {
#if defined(__x86_64__)
  const bool v3 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  if (set == KernelSet::v3) return v3;
  if (set == KernelSet::v4) {
    return v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
           __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
           __builtin_cpu_supports("avx512cd") != 0;
  }
#endif
  return set == KernelSet::baseline;
}

}  // namespace

KernelSet select_kernel_set(const std::string& name) {
  std::string known;
  for (const auto& [built, set] : kBuilt) {
    known += (known.empty() ? "" : ", ") + std::string(built);
    if (name != built) continue;
    if (!runs(set)) throw ModelError("DYN_ISA: this machine cannot run the kernel set '" + name + "'");
    return set;
  }
  throw ModelError("DYN_ISA: unknown kernel set '" + name + "'; available: " + known);
}

KernelSet select_kernel_set() {
  const char* forced = std::getenv("DYN_ISA");
  return select_kernel_set(forced != nullptr ? std::string(forced) : usable_kernel_sets().back());
}

}  // namespace lanes

std::vector<std::string> usable_kernel_sets() {
  std::vector<std::string> names;
  for (const auto& [name, set] : lanes::kBuilt) {
    if (lanes::runs(set)) names.emplace_back(name);
  }
  return names;
}

}  // namespace dyn
