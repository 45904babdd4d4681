// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/urdf_hardware.hpp"

#include "xml_reader.hpp"

namespace dyn {

std::vector<HardwareJoint> read_hardware_joints(const std::string& xml, const std::string& source_name) {
  const xml::Document document = xml::read(xml, source_name);
  std::vector<HardwareJoint> joints;
  for (const xml::Element* control : document.children(document.root(), "ros2_control")) {
    for (const xml::Element* joint : document.children(*control, "joint")) {
      HardwareJoint& read = joints.emplace_back(HardwareJoint{joint->value("name"), {}});
      for (const xml::Element* command : document.children(*joint, "command_interface")) {
        read.commands.push_back(command->value("name"));
      }
    }
  }
  return joints;
}

}  // namespace dyn
