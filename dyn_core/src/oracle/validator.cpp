// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// Runs on the validator's own thread, except construction, destruction and statistics().
#include "dyn_core/oracle/validator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "dyn_core/numeric/indexed.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "dyn_core/oracle/pinocchio_model.hpp"

namespace dyn::oracle {
namespace {

using Vector = Eigen::Map<const Eigen::VectorXd>;
using Matrix = Eigen::Map<const Eigen::MatrixXd>;

// A bound of the relative rounding errors of M, C v and g: positions are known to eps L only, L being the greatest
// distance from the base, and an inertia M_ii = m k^2 (k: radius of gyration) changes by the share 2 d / k with a shift
// d.
double rounding_at(const Tree& tree, const Vector& q, const Matrix& M) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  constexpr double steps = 32.0;  // roundings that add up
  Indexed<double> distance(tree.size), mass(tree.size);
  double farthest = 0.0, shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tree.size; ++i) {
    distance[i] = tree.parent_p_joint[i].norm() + (tree.parent[i] < 0 ? 0.0 : distance[tree.parent[i]]);
    if (tree.motion[i] == Motion::prismatic) {
      distance[i] += std::abs(tree.ratio[i] * q[tree.coordinate[i]] + tree.offset[i]);
    }
    farthest = std::max(farthest, distance[i]);
  }
  for (int i = tree.size - 1; i >= 0; --i) {
    mass[i] += tree.mass[i];
    if (tree.parent[i] >= 0) mass[tree.parent[i]] += mass[i];
    const double inertia = M(tree.coordinate[i], tree.coordinate[i]);
    const bool turns_something = inertia > no_inertia * M.diagonal().maxCoeff() && mass[i] > 0.0;
    if (tree.motion[i] != Motion::revolute || !turns_something) continue;
    shortest = std::min(shortest, std::sqrt(inertia / mass[i]));
  }
  return steps * eps * (1.0 + farthest / shortest);
}

}  // namespace

struct Validator::Impl {
  struct Known {
    std::shared_ptr<const Model> model;
    PinocchioModel oracle;
  };

  Impl(live::LiveModel& live_model, live::SampleRing& sample_ring, ValidatorSettings what,
       std::function<void(const Residual&)> then)
      : live(live_model), ring(sample_ring), settings(std::move(what)), on_residual(std::move(then)) {
    fallback.jsim = AlgorithmIndex::find_jsim(settings.fallback);
    fallback.coriolis = AlgorithmIndex::find_coriolis(settings.coriolis_fallback);
    thread = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }

  void work(const std::stop_token& stop) {
    while (true) {
      const live::Sample* sample = ring.front();
      if (sample == nullptr) {
        if (stop.stop_requested()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      compare(*sample);
      ring.release();
    }
  }

  // A generation's model, built when it is first needed; null where the live model no longer has it.
  Known* model_of(std::uint64_t generation) {
    const auto known = models.find(generation);
    if (known != models.end()) return &known->second;
    auto model = live.model_of(generation);
    if (!model) return nullptr;
    PinocchioModel oracle(*model);
    return &models.emplace(generation, Known{std::move(model), std::move(oracle)}).first->second;
  }

  // Sets the inertia of a ramped body: progress times that of this generation + (1 - progress) times the ramp's start.
  bool blend(Known& known, const live::Sample::RampState& ramp) {
    if (ramp.start.count < 0) return false;
    parts.assign(1, {&known.oracle, ramp.progress});
    for (const auto& share : ramp.start) {
      const Known* const other = model_of(share.generation);
      if (other == nullptr) return false;
      parts.push_back({&other->oracle, (1.0 - ramp.progress) * share.weight});
    }
    const std::string& joint = known.model->body_joint(ramp.body);
    int degree = 0;
    while (degree < ramp.body && known.model->body_joint(ramp.body - degree - 1) == joint) ++degree;
    return known.oracle.blend_inertia(joint, degree, parts);
  }

  // The oracle of a sample, with the inertias of its ramps; null where a generation that it needs is no longer known.
  PinocchioModel* oracle_of(const live::Sample& sample) {
    constexpr size_t most_models = 16;
    while (models.size() > most_models) models.erase(models.begin());
    Known* const known = model_of(sample.generation);
    if (known == nullptr) return nullptr;
    known->oracle.restore_inertias();
    for (const auto& ramp : std::span(sample.ramps).first(sample.ramp_count)) {
      if (!blend(*known, ramp)) return nullptr;
    }
    return &known->oracle;
  }

  void compare(const live::Sample& sample) {
    PinocchioModel* const model = oracle_of(sample);
    if (model == nullptr) {
      const std::scoped_lock lock(mutex);
      ++numbers.skipped;
      return;
    }
    const int n = sample.n;
    const size_t size = n;
    const auto q = std::span(sample.q).first(size), v = std::span(sample.v).first(size);
    M.resize(size * size);
    Cv.resize(size);
    g.resize(size);
    model->set_gravity(sample.gravity_mps2);
    model->mass_matrix(q, M);
    model->gravity(q, g);
    model->velocity_forces(q, v, Cv);
    const double speed = largest_entry(Vector(sample.v.data(), n));
    const double inertia = largest_entry(Matrix(M.data(), n, n));
    const auto error = [n](const auto& ours, const auto& theirs, double floor) {
      return relative_error(Vector(ours.data(), n), Vector(theirs.data(), n), floor);
    };
    Residual residual;
    residual.generation = sample.generation;
    residual.M = mass_matrix_error(Matrix(sample.M.data(), n, n), Matrix(M.data(), n, n));
    residual.Cv = error(sample.Cv, Cv, 0.1 * inertia * speed * std::max(1.0, speed));
    residual.g = error(sample.g, g, 0.1 * inertia);
    residual.rounding =
        rounding_at(models.at(sample.generation).model->tree(), Vector(q.data(), n), Matrix(M.data(), n, n));
    judge(residual, sample);
  }

  // What a breach leads to. Older samples that are still in the ring do not end a hold.
  void request_fallback(const live::Sample& sample) {
    const bool in_vain = sample.algorithms.jsim == fallback.jsim && sample.algorithms.coriolis == fallback.coriolis;
    const live::Fallback before = live.requested_fallback();
    live::Fallback after = fallback;
    after.hold = before.hold || in_vain;
    if (after == before) return;
    live.request_fallback(after);
    const std::scoped_lock lock(mutex);
    ++(after.hold ? numbers.holds : numbers.fallbacks);
  }

  void judge(const Residual& residual, const live::Sample& sample) {
    const double worst = larger_error(larger_error(residual.M, residual.Cv), residual.g);
    const bool breach = !(worst <= settings.tolerance + residual.rounding);
    if (breach && settings.mode == ValidatorMode::gate) request_fallback(sample);
    {
      const std::scoped_lock lock(mutex);
      ++numbers.samples;
      numbers.breaches += breach ? 1 : 0;
      numbers.ramping += sample.ramp_count > 0 ? 1 : 0;
      numbers.max_M = std::max(numbers.max_M, residual.M);
      numbers.max_Cv = std::max(numbers.max_Cv, residual.Cv);
      numbers.max_g = std::max(numbers.max_g, residual.g);
    }
    if (on_residual) on_residual(residual);
  }

  live::LiveModel& live;
  live::SampleRing& ring;
  const ValidatorSettings settings;
  const std::function<void(const Residual&)> on_residual;
  live::Fallback fallback;
  std::map<std::uint64_t, Known> models;  // by generation
  std::vector<PinocchioModel::Part> parts;
  std::vector<double> M, Cv, g;
  mutable std::mutex mutex;  // of `numbers`; the loop never sees it
  ValidatorStatistics numbers;
  std::jthread thread;  // last: all other members exist when it starts
};

Validator::Validator(live::LiveModel& live, live::SampleRing& ring, const ValidatorSettings& settings,
                     std::function<void(const Residual&)> on_residual)
    : impl_(std::make_unique<Impl>(live, ring, settings, std::move(on_residual))) {}

Validator::~Validator() {
  impl_->thread.request_stop();
  impl_->thread.join();
}

ValidatorStatistics Validator::statistics() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->numbers;
}

}  // namespace dyn::oracle
