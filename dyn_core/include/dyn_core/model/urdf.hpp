// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Robots from URDF and xacro. Nothing is repaired or dropped silently: what cannot be read throws ModelError with one
// sentence (file, line, link or joint, value); what is doubtful but usable is listed in RobotDescription::warnings.
// Joint damping and friction come from <dynamics>; attributes of our own there: armature, the drive's inertia, and
// offset, stribeck, stribeck_velocity, damping_negative and friction_negative (model/joint_friction.hpp).
#pragma once

#include <filesystem>
#include <string>

#include "dyn_core/model/description.hpp"
#include "dyn_core/model/model.hpp"

namespace dyn {

// The source's name is for messages only.
[[nodiscard]] RobotDescription parse_urdf(const std::string& xml, const std::string& source_name);

// A .urdf file; a .xacro file is expanded first, by the program that DYN_XACRO names, or xacro on the PATH, or the
// Python module of that name, of python3 or of the Python that the build used (cmake/python.cmake).
[[nodiscard]] RobotDescription load_urdf(const std::filesystem::path& file);

// The text of a .urdf file, or of the .xacro file after its expansion.
[[nodiscard]] std::string read_urdf_text(const std::filesystem::path& file);

}  // namespace dyn
