// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// `dyn eval --derivatives`: those of tau at the given a, and of qdd at the given tau (null where qdd is).
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "dyn_core/derivatives.hpp"
#include "eval/rows.hpp"
#include "eval/session.hpp"

namespace dyn::cli {

// Added after "qdd". `resistance`: the friction at v that is part of tau.
void add_derivatives(Derivatives& derivatives, const EvalOptions& options, const EvalState& state,
                     const std::vector<double>& resistance, nlohmann::ordered_json& answer);

}  // namespace dyn::cli
