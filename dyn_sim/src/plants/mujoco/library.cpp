// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/model/input_file.hpp"

namespace dyn::sim::mujoco {
namespace {

// The version of the headers that this program was built with.
std::string version() {
  return std::to_string(mjVERSION_HEADER / 1000000) + "." + std::to_string(mjVERSION_HEADER / 1000 % 1000) + "." +
         std::to_string(mjVERSION_HEADER % 1000);
}

// The place of the library at build time, unless the user names another; then the system's search path.
std::vector<std::string> candidates() {
  if (const char* const chosen = std::getenv("DYN_MUJOCO_LIBRARY"); chosen != nullptr && *chosen != '\0') {
    std::error_code error;
    if (std::filesystem::exists(chosen, error)) require_regular_file(chosen);  // dlopen() would wait for a FIFO
    return {chosen};
  }
  std::vector<std::string> files{"libmujoco.so." + version()};
  if (const std::string built_with = DYN_MUJOCO_LIBRARY; !built_with.empty()) files.insert(files.begin(), built_with);
  return files;
}

void* open() {
  std::string reasons;
  for (const std::string& file : candidates()) {
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return handle;
    reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw ModelError("engine mujoco: its library cannot be opened (" + reasons + "); PyPI has it, mujoco==" + version() +
                   ", and DYN_MUJOCO_LIBRARY may name the file");
}

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) throw ModelError(std::string("engine mujoco: its library has no function ") + name);
}

Library load() {
  void* const handle = open();  // never closed: plants of the whole program use it
  Library all;
  find(handle, "mj_version", all.version);
  if (all.version() != mjVERSION_HEADER) {
    throw ModelError("engine mujoco: its library has version number " + std::to_string(all.version()) +
                     "; this program was built for " + std::to_string(mjVERSION_HEADER));
  }
  find(handle, "mju_getLogConfig", all.get_log_config);
  find(handle, "mju_setLogConfig", all.set_log_config);
  find(handle, "mj_makeSpec", all.make_spec);
  find(handle, "mj_deleteSpec", all.delete_spec);
  find(handle, "mjs_findBody", all.find_body);
  find(handle, "mjs_addBody", all.add_body);
  find(handle, "mjs_addJoint", all.add_joint);
  find(handle, "mjs_addEquality", all.add_equality);
  find(handle, "mjs_addGeom", all.add_geom);
  find(handle, "mjs_addPair", all.add_pair);
  find(handle, "mjs_addActuator", all.add_actuator);
  find(handle, "mjs_setToMotor", all.set_to_motor);
  find(handle, "mj_saveXMLString", all.save_xml);
  find(handle, "mjs_setName", all.set_name);
  find(handle, "mjs_setString", all.set_string);
  find(handle, "mjs_getId", all.get_id);
  find(handle, "mjs_getError", all.get_error);
  find(handle, "mj_compile", all.compile);
  find(handle, "mj_deleteModel", all.delete_model);
  find(handle, "mj_makeData", all.make_data);
  find(handle, "mj_deleteData", all.delete_data);
  find(handle, "mj_forward", all.forward);
  find(handle, "mj_step", all.step);
  find(handle, "mj_fullM", all.full_M);
  find(handle, "mj_contactForce", all.contact_force);
  find(handle, "mjcb_control", all.control_callback);
  mjLogConfig log = all.get_log_config();
  log.logto_file = 0;  // otherwise it would write MUJOCO_LOG.TXT to the working directory
  all.set_log_config(log);
  return all;
}

}  // namespace

const Library& library() {
  static const Library all = load();
  return all;
}

}  // namespace dyn::sim::mujoco
