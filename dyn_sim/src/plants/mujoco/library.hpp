// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// MuJoCo's library, opened when a plant first needs it: everything else works without it. Headers are needed at build
// time; the library must have their version.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>

namespace dyn::sim::mujoco {

struct Library {
  decltype(&::mj_version) version = nullptr;
  decltype(&::mju_getLogConfig) get_log_config = nullptr;
  decltype(&::mju_setLogConfig) set_log_config = nullptr;

  decltype(&::mj_makeSpec) make_spec = nullptr;
  decltype(&::mj_deleteSpec) delete_spec = nullptr;
  decltype(&::mjs_findBody) find_body = nullptr;
  decltype(&::mjs_addBody) add_body = nullptr;
  decltype(&::mjs_addJoint) add_joint = nullptr;
  decltype(&::mjs_addEquality) add_equality = nullptr;
  decltype(&::mjs_addGeom) add_geom = nullptr;
  decltype(&::mjs_addPair) add_pair = nullptr;
  decltype(&::mjs_addActuator) add_actuator = nullptr;
  decltype(&::mjs_setToMotor) set_to_motor = nullptr;
  decltype(&::mj_saveXMLString) save_xml = nullptr;
  decltype(&::mjs_setName) set_name = nullptr;
  decltype(&::mjs_setString) set_string = nullptr;
  decltype(&::mjs_getId) get_id = nullptr;
  decltype(&::mjs_getError) get_error = nullptr;
  decltype(&::mj_compile) compile = nullptr;
  decltype(&::mj_deleteModel) delete_model = nullptr;

  decltype(&::mj_makeData) make_data = nullptr;
  decltype(&::mj_deleteData) delete_data = nullptr;
  decltype(&::mj_forward) forward = nullptr;
  decltype(&::mj_step) step = nullptr;
  decltype(&::mj_fullM) full_M = nullptr;
  decltype(&::mj_contactForce) contact_force = nullptr;

  mjfGeneric* control_callback = nullptr;  // address of the library's variable mjcb_control
};

// Throws ModelError if the library is not found, has another version or lacks a function.
const Library& library();

struct Free {
  void operator()(mjSpec* spec) const { library().delete_spec(spec); }
  void operator()(mjModel* model) const { library().delete_model(model); }
  void operator()(mjData* data) const { library().delete_data(data); }
};
using SpecPointer = std::unique_ptr<mjSpec, Free>;
using ModelPointer = std::unique_ptr<mjModel, Free>;
using DataPointer = std::unique_ptr<mjData, Free>;

}  // namespace dyn::sim::mujoco
