// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/urdf.hpp"

#include "dyn_core/model/input_file.hpp"
#include "dyn_core/model/validate.hpp"
#include "dyn_core/realtime.hpp"
#include "urdf_walk.hpp"
#include "urdfdom_check.hpp"
#include "xacro.hpp"

namespace dyn {

RobotDescription parse_urdf(const std::string& xml, const std::string& source_name) {
  realtime::forbid("parse_urdf");
  UrdfText text = walk_urdf(xml, source_name);
  validate_structure(text.robot);
  check_with_urdfdom(text.robot, text.clean_xml);
  return std::move(text.robot);
}

std::string read_urdf_text(const std::filesystem::path& file) {
  require_regular_file(file);
  return file.extension() == ".xacro" ? run_xacro(file) : read_text_file(file);
}

RobotDescription load_urdf(const std::filesystem::path& file) {
  return parse_urdf(read_urdf_text(file), file.string());
}

}  // namespace dyn
