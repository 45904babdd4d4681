// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// `dyn eval --regressor`: Y, bodies and p with Y p = tau; with friction and armature, their columns too.
#pragma once

#include <nlohmann/json.hpp>

#include "dyn_core/regressor.hpp"
#include "eval/rows.hpp"
#include "eval/session.hpp"

namespace dyn::cli {

void add_regressor(Regressor& regressor, const EvalOptions& options, const EvalState& state,
                   nlohmann::ordered_json& answer);

}  // namespace dyn::cli
