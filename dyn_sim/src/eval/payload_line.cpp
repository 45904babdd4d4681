// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "eval/payload_line.hpp"

#include "dyn_core/error.hpp"
#include "dyn_core/model/urdf.hpp"
#include "eval/fields.hpp"
#include "eval/json_line.hpp"

namespace dyn::cli {
namespace {

using nlohmann::json;

Inertial read_inertial(const json& argument) {
  Inertial inertial;
  inertial.mass_kg = read_number(argument, "mass");
  inertial.com_m = read_vector(argument, "com");
  const std::vector<double> i = read_numbers(argument, "inertia", 6);
  inertial.inertia_com_kgm2 = inertia_tensor(i[0], i[1], i[2], i[3], i[4], i[5]);
  return inertial;
}

}  // namespace

Payload read_payload(const json& argument) {
  if (!argument.is_object()) throw ModelError("'attach' is " + describe(argument) + ", not an object");
  const bool chain = argument.contains("urdf");
  if (chain) {
    allow_keys(argument, "a chain to attach", {"name", "link", "urdf", "xyz", "rpy"});
  } else {
    allow_keys(argument, "a payload to attach", {"name", "link", "mass", "com", "inertia", "xyz", "rpy", "urdf"});
  }
  const std::string name = read_text(argument, "name");
  const std::string link = read_text(argument, "link");
  const Pose link_T_payload = pose_from_xyz_rpy(read_vector(argument, "xyz"), read_vector(argument, "rpy"));
  if (chain) return Payload::articulated(name, link, load_urdf(read_text(argument, "urdf")), link_T_payload);
  return Payload::rigid(name, link, read_inertial(argument), link_T_payload);
}

}  // namespace dyn::cli
