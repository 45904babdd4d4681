// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/validate.hpp"

namespace dyn {

std::vector<std::string> validate_description(const RobotDescription&) { return {}; }
std::vector<std::string> validate_bodies(const Model&) { return {}; }

}  // namespace dyn
