// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The state of `dyn eval` between two lines: a robot with its payloads, gravity and chosen algorithms. A state is
// answered with its dynamics; a command changes the model at once, or is refused and changes nothing.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dyn_core/derivatives.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/model/payload.hpp"
#include "dyn_core/regressor.hpp"
#include "eval/frame_answer.hpp"
#include "eval/rows.hpp"

namespace dyn::cli {

struct EvalOptions {
  ModelOptions model;
  AlgorithmChoice algorithms;
  bool friction = false;     // include viscous damping v + Coulomb friction sign(v) in tau
  bool regressor = false;    // add Y to the answer
  bool derivatives = false;  // add the derivatives of tau and qdd
  bool minv = false;         // add M^-1
  std::string frame;         // add this link's or payload's frame, if not empty
};

class EvalSession {
 public:
  // Throws ModelError if the description is not a valid robot.
  EvalSession(RobotDescription robot, const EvalOptions& options);

  // The answer to one line. Throws ModelError if it is neither a command nor a valid state.
  [[nodiscard]] nlohmann::ordered_json answer(const nlohmann::json& line);

 private:
  [[nodiscard]] const Model& model() const noexcept { return dynamics_->model(); }
  [[nodiscard]] EvalState read_state(const nlohmann::json& line) const;
  [[nodiscard]] nlohmann::ordered_json evaluate(const EvalState& state);
  void forward(const EvalState& state, const std::vector<double>& resistance, nlohmann::ordered_json& result);
  [[nodiscard]] std::vector<double> friction_at(const std::vector<double>& v) const;

  void obey(const std::string& command, const nlohmann::json& argument);
  void attach(const nlohmann::json& argument);
  void detach(const nlohmann::json& argument);
  // {"robot":"FILE","map":{..}}: another description; payloads stay attached.
  void replace_robot(const nlohmann::json& line, nlohmann::ordered_json& reply);
  void choose(const std::string& command, const nlohmann::json& argument);
  void set_gravity(const nlohmann::json& argument);
  void rebuild(RobotDescription robot, const EvalOptions& options);

  RobotDescription robot_;  // payloads included
  std::vector<Payload> payloads_;
  EvalOptions options_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Regressor> regressor_;      // if requested
  std::unique_ptr<Derivatives> derivatives_;  // likewise
  std::unique_ptr<FrameAnswer> frame_;        // likewise
};

}  // namespace dyn::cli
