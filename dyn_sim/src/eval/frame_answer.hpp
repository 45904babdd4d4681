// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// `dyn eval --frame LINK`: pose, J, Jdot v and Lambda of the frame of a link or of an attached payload.
// `dyn eval --minv`: M^-1.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "dyn_core/error.hpp"
#include "dyn_core/frames.hpp"
#include "dyn_core/operational_space.hpp"
#include "eval/rows.hpp"

namespace dyn::cli {

// The link of --frame, which is not the fault of any line.
struct NoSuchFrame : ModelError {
  using ModelError::ModelError;
};

class FrameAnswer {
 public:
  // `existed`: an earlier model of the session had the frame, so that it may be missing now.
  FrameAnswer(const std::shared_ptr<const Model>& model, const std::string& name, bool existed);

  [[nodiscard]] bool existed() const noexcept { return existed_; }
  // Adds "frame"; null with "frame_error" if its payload was detached. Throws NoSuchFrame if there never was one.
  void add(Dynamics& dynamics, const EvalState& state, nlohmann::ordered_json& answer);

 private:
  [[noreturn]] void refuse() const;

  std::shared_ptr<const Model> model_;
  Frames frames_;
  OperationalSpace space_;
  bool existed_;
};

// Adds "Minv"; null where "qdd" is.
void add_inverse_mass_matrix(Dynamics& dynamics, const EvalState& state, nlohmann::ordered_json& answer);

}  // namespace dyn::cli
