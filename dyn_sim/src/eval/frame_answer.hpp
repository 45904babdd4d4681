// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// `dyn eval --frame LINK`: pose, J, Jdot v and Lambda of the frame of a link or of an attached payload.
// `dyn eval --minv`: M^-1.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "dyn_core/frames.hpp"
#include "dyn_core/operational_space.hpp"
#include "eval/rows.hpp"

namespace dyn::cli {

class FrameAnswer {
 public:
  // `existed`: an earlier model of the session had the frame, so that it may be missing now.
  FrameAnswer(const std::shared_ptr<const Model>& model, const std::string& name, bool existed);

  [[nodiscard]] bool existed() const noexcept { return existed_; }
  // Adds "frame"; null with "frame_error" if its payload was detached. Throws if there never was such a frame.
  void add(Dynamics& dynamics, const EvalState& state, nlohmann::ordered_json& answer);

 private:
  std::shared_ptr<const Model> model_;
  Frames frames_;
  OperationalSpace space_;
  bool existed_;
};

// Adds "Minv"; null where "qdd" is.
void add_inverse_mass_matrix(Dynamics& dynamics, const EvalState& state, nlohmann::ordered_json& answer);

}  // namespace dyn::cli
