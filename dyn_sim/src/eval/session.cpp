// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "eval/session.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "algorithm_families.hpp"
#include "body_friction.hpp"
#include "dh_yaml.hpp"
#include "dyn_core/model/joint_changes.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/numeric/ranges.hpp"
#include "eval/derivatives_answer.hpp"
#include "eval/fields.hpp"
#include "eval/json_line.hpp"
#include "eval/payload_line.hpp"
#include "eval/regressor_answer.hpp"
#include "options.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::array<const char*, 8> commands{"robot", "attach", "detach", "jsim", "coriolis", "fd", "id", "gravity"};

const char* command_in(const json& line) {
  for (const char* command : commands) {
    if (line.contains(command)) return command;
  }
  return nullptr;
}

}  // namespace

EvalSession::EvalSession(RobotDescription robot, const EvalOptions& options) { rebuild(std::move(robot), options); }

ordered_json EvalSession::answer(const json& line) {
  if (!line.is_object()) throw ModelError("a line must hold one object, not " + describe(line));
  const char* command = command_in(line);
  if (command == nullptr) return evaluate(read_state(line));
  ordered_json reply;
  try {
    if (command == std::string_view("robot")) {
      replace_robot(line, reply);
    } else {
      if (line.size() != 1) throw ModelError(std::string("'") + command + "' must be the only key of its line");
      obey(command, line[command]);
    }
    reply["ok"] = true;
    reply["joints"] = ordered_json::array();
    for (const Joint& joint : model().joints()) reply["joints"].push_back(joint.description.name);
  } catch (const ModelError& error) {
    reply["ok"] = false;
    reply["error"] = one_line(error.what());
  }
  return reply;
}

EvalState EvalSession::read_state(const json& line) const {
  allow_keys(line, "a state", {"q", "v", "a", "tau"});
  const std::vector<std::string>& names = model().coordinate_names();
  return {read_entries(line, "q", names, ranges::position), read_entries(line, "v", names, ranges::velocity),
          read_entries(line, "a", names, ranges::acceleration), read_entries(line, "tau", names, ranges::effort)};
}

// M, C, g, h = C v + g, tau = M a + h (+ friction), qdd from M qdd = tau - h (- friction)
ordered_json EvalSession::evaluate(const EvalState& state) {
  const Rows rows(model().coordinate_names(), state);
  const Status status = dynamics_->update(state.q, state.v);
  if (status.code == Status::Code::not_finite) {
    throw ModelError("joint '" + model().coordinate_names().at(std::max(status.body, 0)) +
                     "': " + number(status.value) + " is not finite");
  }
  ordered_json result;
  result["M"] = rows.matrix("M", dynamics_->M());
  result["C"] = rows.matrix("C", dynamics_->C());
  result["g"] = rows.vector("g", dynamics_->g());
  result["h"] = rows.vector("h", dynamics_->h());
  const std::vector<double> resistance = options_.friction ? friction_at(state.v) : std::vector(state.v.size(), 0.0);
  std::vector<double> tau(state.v.size());
  dynamics_->inverse(std::span<const double>(state.a), std::span<double>(tau));
  for (size_t i = 0; i < tau.size(); ++i) tau[i] += resistance[i];
  result["tau"] = rows.vector("tau", VectorRef<double>(tau.data(), static_cast<Eigen::Index>(tau.size())));
  forward(state, resistance, result);
  if (regressor_) add_regressor(*regressor_, options_, state, result);
  if (derivatives_) add_derivatives(*derivatives_, options_, state, resistance, result);
  if (options_.minv) add_inverse_mass_matrix(*dynamics_, state, result);
  if (frame_) frame_->add(*dynamics_, state, result);
  return result;
}

void EvalSession::forward(const EvalState& state, const std::vector<double>& resistance, ordered_json& result) {
  std::vector<double> tau = state.tau;
  for (size_t i = 0; i < tau.size(); ++i) tau[i] -= resistance[i];
  std::vector<double> qdd(tau.size());
  const Status status = dynamics_->forward(std::span<const double>(tau), std::span<double>(qdd));
  if (status.ok()) {
    const Rows rows(model().coordinate_names(), state);
    result["qdd"] = rows.vector("qdd", VectorRef<double>(qdd.data(), static_cast<Eigen::Index>(qdd.size())));
    return;
  }
  const std::string where = status.body < 0 ? "" : "joint '" + model().body_joint(status.body) + "': ";
  result["qdd"] = nullptr;
  result["qdd_error"] = where + "M is singular, pivot " + number(status.value);
}

// damping v + friction sign(v) and the other terms of <dynamics>; the sign is 0 at v = 0. A mimic joint resists the
// coordinate it follows: a torque at its own rate ratio v has the power of ratio times that torque at v.
std::vector<double> EvalSession::friction_at(const std::vector<double>& v) const {
  std::vector<double> torque(v.size(), 0.0);
  for (const sim::BodyFriction& f : sim::body_frictions(model())) {
    const double rate = f.ratio * v[f.coordinate];
    const double sign = rate > 0.0 ? 1.0 : (rate < 0.0 ? -1.0 : 0.0);
    torque[f.coordinate] += f.ratio * friction_with_sign(f.joint, rate, sign);
  }
  return torque;
}

void EvalSession::obey(const std::string& command, const json& argument) {
  if (command == "attach") return attach(argument);
  if (command == "detach") return detach(argument);
  if (command == "gravity") return set_gravity(argument);
  choose(command, argument);
}

void EvalSession::choose(const std::string& command, const json& argument) {
  const std::string name = as_text(argument, command.c_str(), "an algorithm's name");
  EvalOptions changed = options_;
  if (command == "jsim") changed.algorithms.jsim = registered_name("jsim_algorithm", name);
  if (command == "coriolis") changed.algorithms.coriolis = registered_name("coriolis_algorithm", name);
  if (command == "fd") changed.algorithms.forward = registered_name("forward_dynamics", name);
  if (command == "id") changed.algorithms.inverse = registered_name("inverse_dynamics", name);
  rebuild(robot_, changed);
}

void EvalSession::set_gravity(const json& argument) {
  EvalOptions changed = options_;
  changed.model.gravity_mps2 = read_vector(json{{"gravity", argument}}, "gravity");
  rebuild(robot_, changed);
}

void EvalSession::attach(const json& argument) {
  const Payload payload = read_payload(argument);
  rebuild(dyn::attach(robot_, payload), options_);
  payloads_.push_back(payload);
}

void EvalSession::detach(const json& argument) {
  const std::string name = as_text(argument, "detach", "a payload's name");
  rebuild(dyn::detach(robot_, name), options_);
  std::erase_if(payloads_, [&](const Payload& payload) { return payload.name() == name; });
}

void EvalSession::replace_robot(const json& line, ordered_json& reply) {
  allow_keys(line, "a change of the robot", {"robot", "map"});
  CoordinateMap map;
  if (const auto given = line.find("map"); given != line.end()) {
    if (!given->is_object()) throw ModelError("'map' must be an object of joint names, not " + describe(*given));
    for (const auto& [from, to] : given->items()) {
      map[from] = to.is_null() ? std::nullopt : std::optional(as_text(to, "map", "a joint's name or null"));
    }
  }
  RobotDescription robot = sim::load_any_robot(as_text(line["robot"], "robot", "a robot's file or name"));
  for (const Payload& payload : payloads_) robot = dyn::attach(robot, payload);
  const Model after = Model::build(robot, options_.model);
  if (!line.contains("map")) demand_same_joints(model(), after);
  const std::vector<int> carried = carried_coordinates(model(), after, map);
  ordered_json from = ordered_json::array();
  for (const int c : carried) {
    from.push_back(c < 0 ? ordered_json() : ordered_json(model().coordinate_names().at(c)));
  }
  rebuild(std::move(robot), options_);
  reply["from"] = from;  // the joint that each joint of the robot continues; null: it is new
}

// Everything that can fail comes first; then the old model is replaced.
void EvalSession::rebuild(RobotDescription robot, const EvalOptions& options) {
  const auto model = std::make_shared<const Model>(Model::build(robot, options.model));
  auto dynamics = std::make_unique<Dynamics>(model, options.algorithms);
  auto regressor = options.regressor ? std::make_unique<Regressor>(model) : nullptr;
  auto derivatives = options.derivatives ? std::make_unique<Derivatives>(model) : nullptr;
  const bool had_frame = frame_ && frame_->existed();
  auto frame = options.frame.empty() ? nullptr : std::make_unique<FrameAnswer>(model, options.frame, had_frame);
  print_warnings(*model);
  robot_ = std::move(robot);
  options_ = options;
  dynamics_ = std::move(dynamics);
  regressor_ = std::move(regressor);
  derivatives_ = std::move(derivatives);
  frame_ = std::move(frame);
}

}  // namespace dyn::cli
