// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dyn_core/model/description.hpp"
#include "dyn_core/model/tree.hpp"

namespace dyn {

class Model;

inline constexpr std::size_t max_links = 10'000;
inline constexpr int max_bodies = 2'000;  // one-degree bodies; algorithms hold matrices of this size

// Names, and that links and joints make one tree.
void validate_structure(const RobotDescription& description);

// Finite numbers in their range, axes, mimic joints that follow an existing joint; needs a valid structure.
void validate_numbers(const RobotDescription& description);

// Finite and within its range. Throws ModelError.
void check_gravity(const Vec3d& gravity_mps2);

// Is it a tree of finite numbers with unique names, one root, joints with axes, mimic joints that follow an existing
// joint? Throws ModelError with one sentence that names the link or joint and the value. Returns what is doubtful but
// usable.
std::vector<std::string> validate_description(const RobotDescription& description);

// Inertias are judged per moving body, after fixed links are merged: negative mass, indefinite or impossible inertia
// (against the triangle inequality) throws; massless or semidefinite moving bodies are returned as warnings, and
// impossible ones too where the model's options allow them.
std::vector<std::string> validate_bodies(const Model& model);

// Faults in the mass and inertia (about the centre of mass) of one rigid body. `fault`: physically impossible; `doubt`:
// usable, but M may be singular or the figures rounded. Both empty: neither. `only_triangle`: the only fault is that
// the triangle inequality is broken; M is positive definite all the same, and every equation holds.
struct InertiaJudgement {
  std::string fault, doubt;
  bool only_triangle = false;
};
[[nodiscard]] InertiaJudgement judge_inertia(double mass_kg, const Mat3d& inertia_com_kgm2);

}  // namespace dyn
