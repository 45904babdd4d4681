// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Numbers under stress: thousands of random cases against long double, beside Pinocchio's own errors.
//   stress_numbers [--cases N] [--seed K] [--family NAME [--case I]] [--all]
// Prints the largest errors of each family: of `fused` (or the only way there is), of the worst other algorithm, and of
// Pinocchio, each with the number of its case; --all: of every algorithm; --case: of one case. Ends with 1, and a line
// for each, where an error of ours is above its bound.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>

#include "stress/bounds.hpp"
#include "stress/families.hpp"
#include "stress/measure.hpp"

namespace dyn::stress {
namespace {

struct Call {
  long cases = 2000;
  std::uint64_t seed = 1;
  const char* family = nullptr;
  long only = -1;
  bool all = false;
};

struct Worst {
  double error = -1.0;
  long at = 0;
};
using Row = std::map<std::string, Worst, std::less<>>;    // by algorithm
using Results = std::map<std::string, Row, std::less<>>;  // by quantity

constexpr const char* quantities[] = {"M", "eigenvalue", "C v", "Mdot", "passivity",  "power",
                                      "g", "h",          "tau", "qdd",  "qdd, plain", "payload"};

// The seed of the i-th case of a family, whatever the number of cases (SplitMix64).
std::uint64_t seed_of(std::uint64_t seed, const Family& family, long i) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(i);
  for (const char* c = family.name; *c != '\0'; ++c) z = z * 1099511628211ULL + static_cast<unsigned char>(*c);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

Results run(const Family& family, const Call& call) {
  Results results;
  const long count = std::max(1L, std::lround(static_cast<double>(call.cases) * family.share));
  const long first = call.only < 0 ? 0 : call.only;
  const long end = call.only < 0 ? count : call.only + 1;
  for (long i = first; i < end; ++i) {
    measure(family.make(seed_of(call.seed, family, i)),
            [&](const char* quantity, std::string_view algorithm, double error) {
              Worst& worst = results[quantity][std::string(algorithm)];
              if (!(error <= worst.error)) worst = {error, i};
            });
  }
  std::printf("\n%s: %s; %ld case%s\n", family.name, family.what, end - first, end - first == 1 ? "" : "s");
  return results;
}

void print(const std::string& algorithm, const Worst& worst) {
  std::printf("  %-18s %9.2g (case %ld)", algorithm.c_str(), worst.error, worst.at);
}

void print(const Results& results, bool all) {
  for (const char* quantity : quantities) {
    const auto row = results.find(quantity);
    if (row == results.end()) continue;
    std::printf("  %-11s", quantity);
    std::pair<std::string, Worst> other;
    for (const auto& [algorithm, worst] : row->second) {
      const bool first = algorithm == "fused" || row->second.size() <= 2;
      if (algorithm == peer) continue;
      if (all || first) print(algorithm, worst);
      if (!first && worst.error > other.second.error) other = {algorithm, worst};
    }
    if (!all && !other.first.empty()) print(other.first, other.second);
    if (const auto theirs = row->second.find(peer); theirs != row->second.end()) print(theirs->first, theirs->second);
    std::printf("\n");
  }
}

// Lines for what is above its bound; how many.
int judge(const Family& family, const Results& results) {
  int above = 0;
  for (const auto& [quantity, row] : results) {
    for (const auto& [algorithm, worst] : row) {
      if (algorithm == peer) continue;
      const double bound = bound_of(family.name, quantity, algorithm);
      if (worst.error <= bound) continue;
      ++above;
      std::printf("ABOVE ITS BOUND: %s, %s by %s: %.3g, not at most %.3g, in case %ld\n", family.name, quantity.c_str(),
                  algorithm.c_str(), worst.error, bound, worst.at);
    }
  }
  return above;
}

Call parse(int argc, char** argv) {
  Call call;
  for (int i = 1; i < argc; ++i) {
    const bool has_value = i + 1 < argc;
    if (std::strcmp(argv[i], "--all") == 0) {
      call.all = true;
    } else if (std::strcmp(argv[i], "--cases") == 0 && has_value) {
      call.cases = std::atol(argv[++i]);
    } else if (std::strcmp(argv[i], "--seed") == 0 && has_value) {
      call.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--family") == 0 && has_value) {
      call.family = argv[++i];
    } else if (std::strcmp(argv[i], "--case") == 0 && has_value) {
      call.only = std::atol(argv[++i]);
    } else {
      std::fprintf(stderr, "stress_numbers [--cases N] [--seed K] [--family NAME [--case I]] [--all]\n");
      std::exit(2);
    }
  }
  return call;
}

}  // namespace
}  // namespace dyn::stress

int main(int argc, char** argv) try {
  using namespace dyn::stress;
  const Call call = parse(argc, argv);
  int above = 0, played = 0;
  for (const Family& family : families()) {
    if (call.family != nullptr && std::strcmp(call.family, family.name) != 0) continue;
    const Results results = run(family, call);
    print(results, call.all);
    above += judge(family, results);
    ++played;
    std::fflush(stdout);
  }
  if (played == 0) std::printf("there is no family '%s'\n", call.family);
  std::printf("\nseed %llu: %d errors above their bounds\n", static_cast<unsigned long long>(call.seed), above);
  return above == 0 && played > 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "stress_numbers: %s\n", error.what());
  return 1;
}
