// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A tile is as many states as the kernels have lanes. Its numbers are kept [entry][lane]: states are transposed into
// it and results out of it, between the user's order and that of the bodies where they differ. Where a tile's matrices
// are too large for the second-level cache, one state after the other is faster, written directly into the user's
// matrices, since copying large matrices takes a fifth of the time of computing them.
#include "dyn_core/batch.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dyn_core/dynamics.hpp"
#include "fused/engine.hpp"
#include "fused/plan.hpp"
#include "streaming.hpp"

namespace dyn {
namespace {

void check_size(const char* what, size_t size, size_t expected, bool may_be_empty) {
  if (size == expected || (may_be_empty && size == 0)) return;
  throw ModelError("evaluate_batch: " + std::string(what) + " has " + std::to_string(size) + " numbers, not " +
                   std::to_string(expected));
}

size_t checked_states(size_t n, std::span<const double> q, std::span<const double> v, const BatchOutput& out) {
  const size_t states = n == 0 ? 0 : q.size() / n;
  check_size("q", q.size(), states * n, false);
  check_size("v", v.size(), states * n, false);
  check_size("M", out.M.size(), states * n * n, true);
  check_size("C", out.C.size(), states * n * n, true);
  check_size("g", out.g.size(), states * n, true);
  check_size("h", out.h.size(), states * n, true);
  return states;
}

std::span<double> part(std::span<double> all, size_t first, size_t count) {
  return all.empty() ? all : all.subspan(first, count);
}
size_t bytes_of(const BatchOutput& out) {
  return sizeof(double) * (out.M.size() + out.C.size() + out.g.size() + out.h.size());
}
BatchOutput part(const BatchOutput& all, size_t n, size_t first, size_t states) {
  return {part(all.M, first * n * n, states * n * n), part(all.C, first * n * n, states * n * n),
          part(all.g, first * n, states * n), part(all.h, first * n, states * n)};
}

}  // namespace

struct BatchDynamics::Impl {
  Impl(std::shared_ptr<const Model> m, lanes::KernelSet set)
      : model(std::move(m)),
        tree(model->tree()),
        kernels(fused::kernels_of(set)),
        width(lanes::width(set)),
        n(tree.coordinates),
        bodies(tree.size),
        memory(tree, kernels, set, 1),
        q(by_lanes(bodies)),
        v(by_lanes(bodies)),
        M(by_lanes(bodies * bodies)),
        C(by_lanes(bodies * bodies)),
        g(by_lanes(bodies)),
        h(by_lanes(bodies)),
        user(by_lanes(std::max(n * n, bodies))),
        not_finite(lanes::aligned(width)),
        rest(lanes::aligned(n * n * width)),
        cache(last_level_cache()) {
    // Of a tile's M and C; dyn bench --chain N --only M+C+g: level there, at 45, 48 and 56 bodies.
    const size_t most_bytes = width == 8 ? 260000 : width == 4 ? 150000 : 100000;
    const bool large = 2 * sizeof(double) * width * bodies * bodies > most_bytes;
    if (!large) return;
    if (tree.bodies_are_coordinates) {
      engine = std::make_unique<fused::Engine>(tree, set);
      branches = memory.plan.segments > 1;
      has_armature = std::any_of(tree.armature.begin(), tree.armature.end(), [](double x) { return x != 0.0; });
    } else if (set == lanes::select_kernel_set()) {
      single = std::make_unique<Dynamics>(model);
    }
  }

  // A tile's transposition reads whole squares.
  [[nodiscard]] lanes::Aligned by_lanes(size_t entries) const { return lanes::aligned((entries + width) * width); }

  // The states [first, first + count), count <= width.
  void tile(std::span<const double> all_q, std::span<const double> all_v, const BatchOutput& all, size_t first,
            size_t count) {
    load(all_q.data() + first * n, count, false, q.get());
    load(all_v.data() + first * n, count, true, v.get());
    const bool with_g = !all.g.empty() || (!all.h.empty() && !all.C.empty());
    kernels.states(memory.plan, q.get(), v.get(),
                   {all.M.empty() ? nullptr : M.get(), all.C.empty() ? nullptr : C.get(), with_g ? g.get() : nullptr,
                    all.h.empty() ? nullptr : h.get()},
                   not_finite.get());
    if (!all.M.empty()) store_matrix(M.get(), true, all.M.data() + first * n * n, count);
    if (!all.C.empty()) store_matrix(C.get(), false, all.C.data() + first * n * n, count);
    if (!all.g.empty()) store_vector(g.get(), all.g.data() + first * n, count);
    if (!all.h.empty()) store_vector(h.get(), all.h.data() + first * n, count);
  }

  // One state by itself.
  void one(std::span<const double> all_q, std::span<const double> all_v, const BatchOutput& all, size_t state) {
    const unsigned terms = (all.M.empty() ? 0U : term_M) | (all.C.empty() ? 0U : term_C) |
                           (all.g.empty() ? 0U : term_g) | (all.h.empty() ? 0U : term_h);
    if (terms == 0U) return;
    const bool finite = single->update_terms(all_q.subspan(state * n, n), all_v.subspan(state * n, n), terms).ok();
    const auto put = [&](std::span<double> to, const double* from, size_t entries) {
      if (to.empty()) return;
      double* at = to.data() + state * entries;
      if (!finite) {
        std::fill_n(at, entries, std::numeric_limits<double>::quiet_NaN());
      } else if (streaming) {
        stream(from, entries, at);
      } else {
        std::copy_n(from, entries, at);
      }
    };
    put(all.M, single->M().data(), n * n);
    put(all.C, single->C().data(), n * n);
    put(all.g, single->g().data(), n);
    put(all.h, single->h().data(), n);
  }

  // One state by itself where bodies are coordinates: in place, or past the caches from memory of its own.
  void one_by_engine(const double* all_q, const double* all_v, const BatchOutput& all, size_t state) {
    struct Part {
      double *to, *made;  // where the state's numbers go, and where they are made
      size_t entries;
    };
    const auto part_of = [&](std::span<double> to, const lanes::Aligned& own, size_t entries) {
      double* const at = to.empty() ? nullptr : to.data() + state * entries;
      return Part{at, streaming && at != nullptr ? own.get() : at, entries};
    };
    const Part parts[] = {part_of(all.M, M, n * n), part_of(all.C, C, n * n), part_of(all.g, g, n),
                          part_of(all.h, h, n)};
    for (const Part& part : parts) {
      if (branches && part.made != nullptr) std::fill_n(part.made, part.entries, 0.0);
    }
    const auto& [of_M, of_C, of_g, of_h] = parts;
    const bool bias_of_C = of_C.made != nullptr && of_h.made != nullptr;
    double* const to_g = bias_of_C && of_g.made == nullptr ? g.get() : of_g.made;
    const bool finite = engine->terms(all_q + state * n, all_v + state * n, {of_M.made, of_C.made, to_g, of_h.made});
    for (size_t i = 0; finite && has_armature && of_M.made != nullptr && i < n; ++i) {
      of_M.made[i * (n + 1)] += tree.armature[i];
    }
    for (const Part& part : parts) {
      if (part.to == nullptr) continue;
      if (!finite) {
        std::fill_n(part.to, part.entries, std::numeric_limits<double>::quiet_NaN());
      } else if (streaming) {
        stream(part.made, part.entries, part.to);
      }
    }
  }

  // Lines that are about to be written. Not earlier: in the first-level cache they would push out what the kernel works
  // with; and not those of two matrices at once.
  static void expect(const double* to, size_t count) {
    for (size_t i = 0; i < count; i += 8) __builtin_prefetch(to + i, 1);
  }

  // Positions or rates of the bodies, [body][lane].
  void load(const double* states, size_t count, bool rates, double* lanes) {
    if (count < width) {
      std::fill_n(rest.get(), width * n, 0.0);
      std::copy_n(states, count * n, rest.get());
      states = rest.get();
    }
    if (tree.bodies_are_coordinates) return kernels.to_lanes(states, tree.coordinates, lanes);
    kernels.to_lanes(states, tree.coordinates, user.get());
    for (size_t i = 0; i < bodies; ++i) {
      const double* from = user.get() + tree.coordinate[i] * width;
      const double offset = rates ? 0.0 : tree.offset[i];
      for (size_t k = 0; k < width; ++k) lanes[i * width + k] = tree.ratio[i] * from[k] + offset;
    }
  }

  // G^T B G with q_body = G q + offset
  void store_matrix(double* lanes, bool armature, double* to, size_t count) {
    if (!tree.bodies_are_coordinates) {
      std::fill_n(user.get(), n * n * width, 0.0);
      for (size_t j = 0; j < bodies; ++j) {
        for (size_t i = 0; i < bodies; ++i) {
          const double ratio = tree.ratio[i] * tree.ratio[j];
          const double* from = lanes + (j * bodies + i) * width;
          double* sum = user.get() + (tree.coordinate[j] * n + tree.coordinate[i]) * width;
          for (size_t k = 0; k < width; ++k) sum[k] += ratio * from[k];
        }
      }
      lanes = user.get();
    }
    if (armature) add_armature(lanes);
    store(lanes, n * n, to, count);
  }

  // The diagonal is written anew by every tile. Sums over mimic bodies come in another order above it than below.
  void add_armature(double* lanes) {
    for (size_t i = 0; i < n; ++i) {
      if (tree.armature[i] == 0.0) continue;
      for (size_t k = 0; k < width; ++k) lanes[i * (n + 1) * width + k] += tree.armature[i];
    }
    if (!tree.has_mimic) return;
    for (size_t j = 0; j < n; ++j) {
      for (size_t i = 0; i < j; ++i) std::copy_n(lanes + (i * n + j) * width, width, lanes + (j * n + i) * width);
    }
  }

  void store_vector(double* lanes, double* to, size_t count) {
    if (!tree.bodies_are_coordinates) {
      std::fill_n(user.get(), n * width, 0.0);
      for (size_t i = 0; i < bodies; ++i) {
        double* sum = user.get() + tree.coordinate[i] * width;
        for (size_t k = 0; k < width; ++k) sum[k] += tree.ratio[i] * lanes[i * width + k];
      }
      lanes = user.get();
    }
    store(lanes, n, to, count);
  }

  void store(const double* lanes, size_t entries, double* to, size_t count) {
    if (!streaming) expect(to, count * entries);
    if (count == width && !streaming) {
      kernels.from_lanes(lanes, static_cast<int>(entries), to);
    } else {
      kernels.from_lanes(lanes, static_cast<int>(entries), rest.get());
      streaming ? stream(rest.get(), count * entries, to) : (void)std::copy_n(rest.get(), count * entries, to);
    }
    for (size_t k = 0; k < count; ++k) {
      if (not_finite.get()[k] == 0.0) continue;
      std::fill_n(to + k * entries, entries, std::numeric_limits<double>::quiet_NaN());
    }
  }

  std::shared_ptr<const Model> model;
  const Tree& tree;
  fused::Kernels kernels;
  size_t width, n, bodies;
  fused::PlanMemory memory;
  lanes::Aligned q, v, M, C, g, h;  // of the bodies, [entry][lane]; what is zero by structure is never written
  lanes::Aligned user;              // of the coordinates, [entry][lane]
  lanes::Aligned not_finite;        // 0, or NaN where a state is not finite
  lanes::Aligned rest;              // states one after the other, where a tile is not full or goes past the caches
  size_t cache;
  bool streaming = false;  // of this call: what it makes does not fit into the last-level cache
  // Where states are evaluated one by one: bodies are coordinates, or not.
  std::unique_ptr<fused::Engine> engine{};
  std::unique_ptr<Dynamics> single{};
  bool branches = false, has_armature = false;
};

BatchDynamics::BatchDynamics(std::shared_ptr<const Model> model, const std::string& kernels)
    : impl_(std::make_unique<Impl>(std::move(model),
                                   kernels.empty() ? lanes::select_kernel_set() : lanes::select_kernel_set(kernels))) {}
BatchDynamics::BatchDynamics(BatchDynamics&&) noexcept = default;
BatchDynamics& BatchDynamics::operator=(BatchDynamics&&) noexcept = default;
BatchDynamics::~BatchDynamics() = default;

void BatchDynamics::evaluate(std::span<const double> q, std::span<const double> v, const BatchOutput& out) {
  const size_t states = checked_states(impl_->n, q, v, out);
  impl_->streaming = bytes_of(out) > impl_->cache;
  if (impl_->engine) {
    for (size_t k = 0; k < states; ++k) impl_->one_by_engine(q.data(), v.data(), out, k);
  } else if (impl_->single) {
    for (size_t k = 0; k < states; ++k) impl_->one(q, v, out, k);
  } else {
    for (size_t k = 0; k < states; k += impl_->width) impl_->tile(q, v, out, k, std::min(impl_->width, states - k));
  }
  if (impl_->streaming) finish_streaming();
}

void evaluate_batch(const std::shared_ptr<const Model>& model, std::span<const double> q, std::span<const double> v,
                    const BatchOutput& out, unsigned threads) {
  const size_t n = model->coordinates();
  const size_t states = checked_states(n, q, v, out);
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  const size_t share = (states + threads - 1) / threads;
  const auto evaluate_from = [&](size_t first) {
    const size_t count = std::min(share, states - first);
    BatchDynamics(model).evaluate(q.subspan(first * n, count * n), v.subspan(first * n, count * n),
                                  part(out, n, first, count));
  };
  std::vector<std::jthread> others;
  for (size_t first = share; first < states; first += share) others.emplace_back(evaluate_from, first);
  evaluate_from(0);
}

}  // namespace dyn
