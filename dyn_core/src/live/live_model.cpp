// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
// Everything but acquire() and apply() runs on writers' threads.
#include "dyn_core/live/live_model.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "dyn_core/model/validate.hpp"
#include "dyn_core/precondition.hpp"

namespace dyn::live {
namespace {

bool same_inertia(const BodyInertia& a, const BodyInertia& b) {
  return a.mass_kg == b.mass_kg && a.com_m == b.com_m && a.inertia_com_kgm2 == b.inertia_com_kgm2;
}

void check_transition_time(double transition_time_s) {
  if (transition_time_s >= 0.0 && transition_time_s <= 3600.0) return;
  throw ModelError("transition_time: " + std::to_string(transition_time_s) + " s is not between 0 and 3600 s");
}

}  // namespace

LiveModel::LiveModel(const RobotDescription& robot, const LiveOptions& options)
    : options_(options), settings_now_{.algorithms = {}, .gravity_mps2 = options.model.gravity_mps2} {
  Change first;
  (void)change({robot, {}}, 0.0, &first);
  generation_ = std::move(first.generation_);
  robot_coordinates_ = model_->coordinates();
  most_bodies_ = model_->bodies() + 2 * options_.max_payload_dofs;  // joints, and their rotors
  settings_now_.algorithms = generation_->dynamics.algorithms();
  settings_ = lockfree::Owned<Settings>::make(settings_now_);
  options_.algorithms = {};  // the names are the caller's and may be gone by the next change
}

LiveModel::~LiveModel() = default;

std::unique_lock<std::mutex> LiveModel::writer(const char* call) const {
  realtime::forbid(call);
  return std::unique_lock(writers_);
}

void LiveModel::check_attach(const Payload& payload, double transition_time_s) {
  const auto lock = writer("LiveModel::check_attach");
  check_transition_time(transition_time_s);
  Parts parts = parts_with(payload);
  (void)prepare(parts, true, nullptr);
}

void LiveModel::check_detach(const std::string& payload_name, double transition_time_s) {
  const auto lock = writer("LiveModel::check_detach");
  check_transition_time(transition_time_s);
  Parts parts = parts_without(payload_name);
  (void)prepare(parts, false, nullptr);
}

Applied LiveModel::attach(const Payload& payload, double transition_time_s, Change* later) {
  const auto lock = writer("LiveModel::attach");
  check_transition_time(transition_time_s);
  if (auto next = has_frame(payload.name()) ? std::nullopt : model_->with(payload)) {
    return change_inertias(std::move(*next), transition_time_s, later, &payload, {});
  }
  return change(parts_with(payload), transition_time_s, later, true);
}

Applied LiveModel::detach(const std::string& payload_name, double transition_time_s, Change* later) {
  const auto lock = writer("LiveModel::detach");
  check_transition_time(transition_time_s);
  if (auto next = has_frame(payload_name) ? std::nullopt : model_->without(payload_name)) {
    return change_inertias(std::move(*next), transition_time_s, later, nullptr, payload_name);
  }
  return change(parts_without(payload_name), transition_time_s, later);
}

Applied LiveModel::replace_robot(const RobotDescription& robot, double transition_time_s, Change* later) {
  const auto lock = writer("LiveModel::replace_robot");
  Parts parts = parts_;
  parts.robot = robot;
  ++parts.geometry;
  return change(std::move(parts), transition_time_s, later);
}

Applied LiveModel::replace_joints(const RobotDescription& robot, const CoordinateMap& map, double transition_time_s,
                                  Change* later, std::shared_ptr<const JointSettings> settings) {
  const auto lock = writer("LiveModel::replace_joints");
  Parts parts = parts_;
  parts.robot = robot;
  ++parts.geometry;
  ++parts.joints;
  parts.joint_settings = std::move(settings);
  return change(std::move(parts), transition_time_s, later, false, &map);
}

void LiveModel::set_jsim(std::string_view name, Change* later) {
  const auto lock = writer("LiveModel::set_jsim");
  Settings settings = settings_now_;
  settings.algorithms.jsim = AlgorithmIndex::find_jsim(name);
  ++settings.choices;
  change_settings(settings, later);
}

void LiveModel::set_coriolis(std::string_view name, Change* later) {
  const auto lock = writer("LiveModel::set_coriolis");
  Settings settings = settings_now_;
  settings.algorithms.coriolis = AlgorithmIndex::find_coriolis(name);
  ++settings.choices;
  change_settings(settings, later);
}

void LiveModel::set_gravity(const Vec3d& gravity_mps2, Change* later) {
  check_gravity(gravity_mps2);
  const auto lock = writer("LiveModel::set_gravity");
  Settings settings = settings_now_;
  settings.gravity_mps2 = gravity_mps2;
  change_settings(settings, later);
}

void LiveModel::set_check(ChangeCheck check) {
  const auto lock = writer("LiveModel::set_check");
  options_.check = std::move(check);
}

std::vector<Payload> LiveModel::payloads() const {
  const auto lock = writer("LiveModel::payloads");
  return parts_.payloads;
}

std::shared_ptr<const Model> LiveModel::newest_model() const {
  const auto lock = writer("LiveModel::newest_model");
  return model_;
}

std::shared_ptr<const Model> LiveModel::model_of(std::uint64_t generation) const {
  const auto lock = writer("LiveModel::model_of");
  const auto found = recent_models_.find(generation);
  return found == recent_models_.end() ? nullptr : found->second;
}

void LiveModel::collect() {
  fresh_generations_.collect();
  fresh_settings_.collect();
}

LiveModel::Parts LiveModel::parts_with(const Payload& payload) const {
  Parts parts = parts_;
  parts.payloads.push_back(payload);
  return parts;
}

LiveModel::Parts LiveModel::parts_without(const std::string& payload_name) const {
  (void)dyn::detach(model_->description(), payload_name);  // throws where it is not attached, or carries another
  Parts parts = parts_;
  std::erase_if(parts.payloads, [&](const Payload& p) { return p.name() == payload_name; });
  return parts;
}

// The model of a change, built once. Everything that can refuse the change does so here, before anything is modified.
LiveModel::Prepared LiveModel::prepare(Parts& parts, bool attaches, const CoordinateMap* map) {
  RobotDescription whole = parts.robot;
  for (const Payload& payload : parts.payloads) whole = dyn::attach(whole, payload);
  const auto model = std::make_shared<const Model>(Model::build(whole, options_.model));
  (void)Frames(model, options_.frames);  // throws where a link is missing
  std::vector<std::string> warnings;
  carry_joints(*model, map, parts);
  if (model_ != nullptr) {  // a change, and not the first model
    check_room(parts, *model);
    if (options_.check) warnings = options_.check(*model_, *model, attaches ? &parts.payloads.back() : nullptr);
  }
  return {model, std::move(warnings)};
}

Applied LiveModel::change(Parts parts, double transition_time_s, Change* later, bool attaches,
                          const CoordinateMap* map) {
  check_transition_time(transition_time_s);
  auto [model, warnings] = prepare(parts, attaches, map);
  ++parts.bodies;
  std::swap(parts_, parts);
  try {
    auto generation = make_generation(model), spare = make_generation(model);
    name_bodies(*generation);
    name_bodies(*spare);
    Applied applied = hand_over(std::move(generation), std::move(warnings), transition_time_s, later);
    spare_ = std::move(spare);
    return applied;
  } catch (...) {  // no memory
    std::swap(parts_, parts);
    throw;
  }
}

// The same for rigid payloads: nothing is built anew, since bodies and joints stay.
Applied LiveModel::change_inertias(Model next, double transition_time_s, Change* later, const Payload* attached,
                                   const std::string& detached) {
  const auto model = std::make_shared<const Model>(std::move(next));
  std::vector<std::string> warnings;
  if (options_.check) warnings = options_.check(*model_, *model, attached);
  auto generation = reuse_generation(model);
  std::vector<Payload> payloads = parts_.payloads;
  if (attached != nullptr) payloads.push_back(*attached);
  std::erase_if(payloads, [&](const Payload& p) { return attached == nullptr && p.name() == detached; });
  Applied applied = hand_over(std::move(generation), std::move(warnings), transition_time_s, later);
  parts_.payloads = std::move(payloads);
  return applied;
}

lockfree::Owned<Generation> LiveModel::make_generation(const std::shared_ptr<const Model>& model) const {
  std::vector<std::string> frames = options_.frames;
  frames.insert(frames.end(), options_.payload_frames.begin(), options_.payload_frames.end());
  auto generation = lockfree::Owned<Generation>::make(model, options_.algorithms, std::move(frames));
  generation->geometry = parts_.geometry;
  generation->joints = parts_.joints;
  generation->bodies = parts_.bodies;
  generation->joint_keys.resize(static_cast<int>(parts_.joint_keys.size()));
  std::copy(parts_.joint_keys.begin(), parts_.joint_keys.end(), generation->joint_keys.begin());
  return generation;
}

// One that the loop has retired, or that was never used: all its memory fits. A new one where there is none.
lockfree::Owned<Generation> LiveModel::reuse_generation(const std::shared_ptr<const Model>& model) {
  fresh_generations_.collect([this](lockfree::Owned<Generation> retired) {
    if (!spare_ && retired->bodies == parts_.bodies) spare_ = std::move(retired);
  });
  if (spare_) {
    spare_->begin_anew(model);
    return std::move(spare_);
  }
  auto generation = make_generation(model);
  name_bodies(*generation);
  return generation;
}

// Where there is no memory for it, nothing has changed: everything that allocates comes first.
Applied LiveModel::hand_over(lockfree::Owned<Generation> generation, std::vector<std::string> warnings,
                             double transition_time_s, Change* later) {
  generation->id = generations_;
  generation->joint_settings = parts_.joint_settings ? parts_.joint_settings->copy() : nullptr;
  const std::vector<std::string>& of_model = generation->model->warnings();
  warnings.insert(warnings.end(), of_model.begin(), of_model.end());
  Applied applied{generation->id, generation->model->coordinate_names(), std::move(warnings)};
  recent_models_[generation->id] = generation->model;
  ++generations_;
  model_ = generation->model;
  if (recent_models_.size() > models_remembered) recent_models_.erase(recent_models_.begin());
  // A body whose inertia differs from the published one gets a new version, and a ramp of transition_time_s.
  for (int body = 0; body < model_->bodies(); ++body) {
    Transition& transition = generation->transitions[body];
    PublishedInertia& last = published_[transition.key];
    const BodyInertia inertia = body_inertia(model_->tree(), body);
    if (last.transition.version == 0 || !same_inertia(last.inertia, inertia)) {
      last = {{transition.key, ++versions_, transition_time_s}, inertia};
    }
    transition = last.transition;
  }
  if (later != nullptr) {
    later->generation_ = std::move(generation);
  } else {
    fresh_generations_.publish(std::move(generation));
  }
  return applied;
}

bool LiveModel::has_frame(const std::string& payload) const {
  const auto& names = options_.payload_frames;
  return std::find(names.begin(), names.end(), payload) != names.end();
}

// Keys of the coordinates, for the first model and where joints change: a continued coordinate keeps its key, others
// get new ones.
void LiveModel::carry_joints(const Model& model, const CoordinateMap* map, Parts& parts) {
  std::vector<int> from(model.coordinates(), -1);
  if (model_ != nullptr && map == nullptr) {
    if (parts.geometry != parts_.geometry) demand_same_joints(*model_, model);
    return;
  }
  if (map != nullptr) from = carried_coordinates(*model_, model, *map);
  parts.joint_keys.clear();
  for (const int before : from) {
    parts.joint_keys.push_back(before < 0 ? joint_keys_++ : parts_.joint_keys[before]);
  }
}

void LiveModel::check_room(const Parts& parts, const Model& model) const {
  const bool joints = parts.joints != parts_.joints;
  if (model.coordinates() > max_coordinates()) {
    throw ModelError(
        (joints ? parts.robot.source + ": the new description" : "payload '" + parts.payloads.back().name() + "'") +
        " would make " + std::to_string(model.coordinates()) +
        " degrees of freedom; max_payload_dofs leaves room for " + std::to_string(max_coordinates()));
  }
  if (joints && model.bodies() > most_bodies_) {
    throw ModelError(parts.robot.source + ": the new description moves " + std::to_string(model.bodies()) +
                     " bodies; max_payload_dofs leaves room for " + std::to_string(most_bodies_));
  }
}

// Sets the keys of the bodies, which are the same in every generation.
void LiveModel::name_bodies(Generation& generation) {
  const Model& model = *generation.model;
  std::map<std::string, int> bodies_of_joint;
  for (int body = 0; body < model.bodies(); ++body) {
    const std::string& joint = model.body_joint(body);
    const std::string name = joint + '#' + std::to_string(bodies_of_joint[joint]++);
    generation.transitions[body].key = keys_.emplace(name, static_cast<int>(keys_.size())).first->second;
  }
  published_.resize(static_cast<int>(keys_.size()));
  generation.body_of_key = Indexed<int>(published_.size(), -1);
  for (int body = 0; body < model.bodies(); ++body) generation.body_of_key[generation.transitions[body].key] = body;
}

void LiveModel::change_settings(const Settings& settings, Change* later) {
  auto fresh = lockfree::Owned<Settings>::make(settings);
  settings_now_ = settings;
  if (later != nullptr) {
    later->settings_ = std::move(fresh);
  } else {
    fresh_settings_.publish(std::move(fresh));
  }
}

std::uint32_t LiveModel::packed(const Fallback& fallback) noexcept {
  const auto byte = [](int index) { return static_cast<std::uint32_t>(index + 1) & 0xffU; };
  return byte(fallback.jsim) | byte(fallback.coriolis) << 8U | (fallback.hold ? 1U : 0U) << 16U;
}

Fallback LiveModel::unpacked(std::uint32_t word) noexcept {
  return {static_cast<int>(word & 0xffU) - 1, static_cast<int>(word >> 8U & 0xffU) - 1, word >> 16U != 0U};
}

void LiveModel::apply(Change& change) noexcept {
  const realtime::Scope scope("LiveModel::apply");
  if (change.generation_) fresh_generations_.offer(std::move(change.generation_));
  if (change.settings_) fresh_settings_.offer(std::move(change.settings_));
}

void LiveModel::apply_settings(const Settings& settings) noexcept {
  AlgorithmIndex algorithms = settings.algorithms;
  if (fallback_.jsim >= 0) algorithms.jsim = fallback_.jsim;
  if (fallback_.coriolis >= 0) algorithms.coriolis = fallback_.coriolis;
  generation_->dynamics.set_algorithms(algorithms);
  generation_->dynamics.set_gravity(settings.gravity_mps2);
}

Generation& LiveModel::acquire(double period_s) noexcept {
  const realtime::Scope scope("LiveModel::acquire");
  DYN_EXPECTS(period_s >= 0.0);
  generation_->begin_cycle();
  auto settings = fresh_settings_.take();
  bool settings_changed = static_cast<bool>(settings);
  if (settings) {
    if (settings->choices != settings_->choices) requested_fallback_.store(0, std::memory_order_relaxed);
    fresh_settings_.retire(std::exchange(settings_, std::move(settings)));
  }
  // Relaxed: no other memory is published with this word.
  const Fallback fallback = requested_fallback();
  settings_changed = settings_changed || fallback != fallback_;
  fallback_ = fallback;
  if (auto generation = fresh_generations_.take()) {
    generation->take_over(*generation_);
    fresh_generations_.retire(std::exchange(generation_, std::move(generation)));
    settings_changed = true;
  }
  if (settings_changed) apply_settings(*settings_);
  generation_->advance(period_s);
  return *generation_;
}

}  // namespace dyn::live
