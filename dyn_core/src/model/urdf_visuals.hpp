// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The boxes, cylinders and spheres of <visual>, for pictures only: a shape that cannot be read is skipped with a
// warning, meshes are skipped silently.
#pragma once

#include <map>
#include <string>

#include "dyn_core/model/description.hpp"
#include "urdf_elements.hpp"

namespace dyn {

class VisualReader {
 public:
  explicit VisualReader(const urdf_text::Elements& elements);

  // The shapes of a <link>, which is the last of the robot's.
  void read(const xml::Element& link, RobotDescription& robot) const;

 private:
  [[nodiscard]] std::optional<Vec3d> color(const xml::Element& visual) const;
  [[nodiscard]] std::optional<Vec3d> own_color(const xml::Element& material) const;

  const urdf_text::Elements& elements_;
  std::map<std::string, Vec3d> colors_;  // by the robot's <material>s
};

}  // namespace dyn
