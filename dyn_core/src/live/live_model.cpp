// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// Everything but acquire() and apply() runs on writers' threads.
#include "dyn_core/live/live_model.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace dyn::live {
namespace {

bool same_inertia(const BodyInertia& a, const BodyInertia& b) {
  return a.mass_kg == b.mass_kg && a.com_m == b.com_m && a.inertia_com_kgm2 == b.inertia_com_kgm2;
}

std::vector<std::string> own_coordinates(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) {
    if (joint.description.payload != 0) continue;
    for (int k = 0; k < joint.degrees; ++k) {
      const auto first = static_cast<size_t>(joint.first_coordinate);
      names.push_back(model.coordinate_names()[first + static_cast<size_t>(k)]);
    }
  }
  return names;
}

void check_same_joints(const RobotDescription& robot, const std::vector<std::string>& before,
                       const std::vector<std::string>& after) {
  if (before == after) return;
  const auto [was, is] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  throw ModelError(robot.source + ": the new description moves other joints: '" +
                   (is == after.end() ? std::string("nothing") : *is) + "' where '" +
                   (was == before.end() ? std::string("nothing") : *was) + "' was");
}

void check_transition_time(double transition_time_s) {
  if (transition_time_s >= 0.0 && transition_time_s <= 3600.0) return;
  throw ModelError("transition_time: " + std::to_string(transition_time_s) + " s is not between 0 and 3600 s");
}

}  // namespace

LiveModel::LiveModel(const RobotDescription& robot, const LiveOptions& options)
    : options_(options), robot_(robot), settings_now_{.algorithms = {}, .gravity_mps2 = options.model.gravity_mps2} {
  auto first = make(robot, {}, 0.0);
  settings_now_.algorithms = first->dynamics.algorithms();
  options_.algorithms = {};  // the names are the caller's and may be gone by the next change
  robot_coordinates_ = first->model->coordinates();
  model_ = first->model;
  remember(*first);
  generation_ = first.release();
  settings_ = new Settings(settings_now_);
}

LiveModel::~LiveModel() {
  delete generation_;
  delete settings_;
}

Applied LiveModel::attach(const Payload& payload, double transition_time_s, Change* later) {
  const std::scoped_lock lock(writers_);
  auto payloads = payloads_;
  payloads.push_back(payload);
  auto applied = publish(make(robot_, payloads, transition_time_s), later, geometry_);
  payloads_ = std::move(payloads);
  return applied;
}

Applied LiveModel::detach(const std::string& payload_name, double transition_time_s, Change* later) {
  const std::scoped_lock lock(writers_);
  auto payloads = payloads_;
  const auto found =
      std::find_if(payloads.begin(), payloads.end(), [&](const Payload& p) { return p.name() == payload_name; });
  if (found == payloads.end()) throw ModelError("payload '" + payload_name + "' is not attached");
  payloads.erase(found);
  auto applied = publish(make(robot_, payloads, transition_time_s), later, geometry_);
  payloads_ = std::move(payloads);
  return applied;
}

Applied LiveModel::replace_robot(const RobotDescription& robot, double transition_time_s, Change* later) {
  const std::scoped_lock lock(writers_);
  check_same_joints(robot, own_coordinates(*model_), own_coordinates(Model::build(robot, options_.model)));
  auto applied = publish(make(robot, payloads_, transition_time_s), later, geometry_ + 1);
  robot_ = robot;
  ++geometry_;
  return applied;
}

void LiveModel::set_jsim(std::string_view name, Change* later) {
  const std::scoped_lock lock(writers_);
  Settings settings = settings_now_;
  settings.algorithms.jsim = AlgorithmIndex::find_jsim(name);
  ++settings.choices;
  publish_settings(settings, later);
}

void LiveModel::set_coriolis(std::string_view name, Change* later) {
  const std::scoped_lock lock(writers_);
  Settings settings = settings_now_;
  settings.algorithms.coriolis = AlgorithmIndex::find_coriolis(name);
  ++settings.choices;
  publish_settings(settings, later);
}

void LiveModel::set_gravity(const Vec3d& gravity_mps2, Change* later) {
  if (!gravity_mps2.allFinite()) throw ModelError("gravity: an entry is not a finite number");
  const std::scoped_lock lock(writers_);
  Settings settings = settings_now_;
  settings.gravity_mps2 = gravity_mps2;
  publish_settings(settings, later);
}

std::vector<Payload> LiveModel::payloads() const {
  const std::scoped_lock lock(writers_);
  return payloads_;
}

std::shared_ptr<const Model> LiveModel::newest_model() const {
  const std::scoped_lock lock(writers_);
  return model_;
}

std::shared_ptr<const Model> LiveModel::model_of(std::uint64_t generation) const {
  const std::scoped_lock lock(writers_);
  const auto found = recent_models_.find(generation);
  return found == recent_models_.end() ? nullptr : found->second;
}

void LiveModel::collect() {
  fresh_generations_.collect();
  fresh_settings_.collect();
}

std::unique_ptr<Generation> LiveModel::make(const RobotDescription& robot, const std::vector<Payload>& payloads,
                                            double transition_time_s) {
  check_transition_time(transition_time_s);
  RobotDescription whole = robot;
  for (const Payload& payload : payloads) whole = dyn::attach(whole, payload);
  auto model = std::make_shared<const Model>(Model::build(whole, options_.model));
  if (model_ && model->coordinates() > max_coordinates()) {
    throw ModelError("payload '" + payloads.back().name() + "' would make " + std::to_string(model->coordinates()) +
                     " degrees of freedom; max_payload_dofs leaves room for " + std::to_string(max_coordinates()));
  }
  auto generation = std::make_unique<Generation>(std::move(model), options_.algorithms);
  name_bodies(*generation, transition_time_s);
  return generation;
}

// Keys and versions: a body whose inertia is not what was published last gets a new version, to be reached in time.
void LiveModel::name_bodies(Generation& generation, double transition_time_s) {
  const Model& model = *generation.model;
  std::map<std::string, int> seen;
  for (int i = 0; i < model.bodies(); ++i) {
    const std::string& joint = model.body_joint(i);
    const std::string name = joint + '#' + std::to_string(seen[joint]++);
    const int key = keys_.emplace(name, static_cast<int>(keys_.size())).first->second;
    generation.transitions[static_cast<size_t>(i)] = Transition{key, 0, transition_time_s};
  }
  generation.body_of_key.assign(keys_.size(), -1);
  transitions_.resize(keys_.size());
  inertias_.resize(keys_.size());
  for (int i = 0; i < model.bodies(); ++i) {
    Transition& transition = generation.transitions[static_cast<size_t>(i)];
    const auto key = static_cast<size_t>(transition.key);
    generation.body_of_key[key] = i;
    const bool unchanged =
        transitions_[key].version != 0 && same_inertia(inertias_[key], body_inertia(model.tree(), i));
    transition = unchanged ? transitions_[key] : Transition{transition.key, ++versions_, transition_time_s};
  }
}

Applied LiveModel::publish(std::unique_ptr<Generation> generation, Change* later, std::uint64_t geometry) {
  generation->id = ++generations_;
  generation->geometry = geometry;
  model_ = generation->model;
  remember(*generation);
  Applied applied{generation->id, model_->coordinate_names(), model_->warnings()};
  if (later != nullptr) {
    later->generation_ = std::move(generation);
  } else {
    fresh_generations_.publish(std::move(generation));
  }
  return applied;
}

void LiveModel::remember(const Generation& generation) {
  constexpr size_t models_kept = 128;
  recent_models_[generation.id] = generation.model;
  if (recent_models_.size() > models_kept) recent_models_.erase(recent_models_.begin());
  for (int i = 0; i < generation.model->bodies(); ++i) {
    const Transition& transition = generation.transitions[static_cast<size_t>(i)];
    transitions_[static_cast<size_t>(transition.key)] = transition;
    inertias_[static_cast<size_t>(transition.key)] = body_inertia(generation.model->tree(), i);
  }
}

void LiveModel::publish_settings(const Settings& settings, Change* later) {
  auto fresh = std::make_unique<Settings>(settings);
  settings_now_ = settings;
  if (later != nullptr) {
    later->settings_ = std::move(fresh);
  } else {
    fresh_settings_.publish(std::move(fresh));
  }
}

std::uint32_t LiveModel::packed(const Gate& gate) noexcept {
  const auto byte = [](int index) { return static_cast<std::uint32_t>(index + 1) & 0xffU; };
  return byte(gate.jsim) | byte(gate.coriolis) << 8U | (gate.hold ? 1U : 0U) << 16U;
}

Gate LiveModel::unpacked(std::uint32_t word) noexcept {
  return {static_cast<int>(word & 0xffU) - 1, static_cast<int>(word >> 8U & 0xffU) - 1, word >> 16U != 0U};
}

void LiveModel::enact(Change& change) noexcept {
  if (change.generation_) fresh_generations_.offer(std::move(change.generation_));
  if (change.settings_) fresh_settings_.offer(std::move(change.settings_));
}

void LiveModel::apply(const Settings& settings) noexcept {
  AlgorithmIndex algorithms = settings.algorithms;
  if (gate_seen_.jsim >= 0) algorithms.jsim = gate_seen_.jsim;
  if (gate_seen_.coriolis >= 0) algorithms.coriolis = gate_seen_.coriolis;
  generation_->dynamics.set_algorithms(algorithms);
  generation_->dynamics.set_gravity(settings.gravity_mps2);
}

Generation& LiveModel::acquire(double period_s) noexcept {
  generation_->begin_cycle();
  Settings* const settings = fresh_settings_.take();
  if (settings != nullptr) {
    if (settings->choices != settings_->choices) gate_.store(0, std::memory_order_relaxed);
    fresh_settings_.retire(settings_);
    settings_ = settings;
  }
  // Relaxed: the word is all there is to see.
  const Gate gate = requested_gate();
  const bool gate_moved = gate != gate_seen_;
  gate_seen_ = gate;
  Generation* const generation = fresh_generations_.take();
  if (generation != nullptr) {
    generation->take_over(*generation_);
    fresh_generations_.retire(generation_);
    generation_ = generation;
  }
  if (settings != nullptr || generation != nullptr || gate_moved) apply(*settings_);
  generation_->advance(period_s);
  return *generation_;
}

}  // namespace dyn::live
