// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Names and values beside what the controllers declare.
#include "check/checks.hpp"
#include "check/declared_parameters.hpp"
#include "dyn_core/dynamics.hpp"
#include "run/yaml_reader.hpp"

namespace dyn::sim {
namespace {

const DeclaredParameters& declared_for(const CheckedController& c) {
  return c.is("DynamicsBroadcaster") ? declared_of_broadcaster() : declared_of_controllers();
}

// The registry's names, which parameters.yaml does not list.
void check_algorithm(const CheckedController& c, const std::string& parameter, int (*find)(std::string_view)) {
  const std::string name = c.own().text(parameter);
  if (name.empty()) return;
  try {
    (void)find(name);
  } catch (const ModelError& fault) {
    c.error_of("values", parameter, without_name(fault));
  }
}

}  // namespace

void check_type(const CheckedController& c) {
  std::string known;
  for (const char* type : {"ComputedTorqueController", "DynamicsBroadcaster", "FeedforwardController",
                           "GravityCompensationController", "TaskSpaceController"}) {
    if (c.is(type)) return;
    known += (known.empty() ? "" : ", ") + std::string(type);
  }
  const std::string parameter = c.entry.name + ".type";
  c.findings.push_back({Severity::error, "names", c.entry.name, "",
                        parameter + ": dyn_controllers has no '" + c.entry.type + "'; it has " + known,
                        c.config.manager.line(parameter)});
}

// ROS accepts every name, and nothing reports a parameter that is not read.
void check_names(const CheckedController& c) {
  const DeclaredParameters& declared = declared_for(c);
  for (const std::string& name : c.own().names()) {
    if (find_declared(declared, name) != nullptr || name.rfind("qos_overrides.", 0) == 0) continue;
    const std::string beside = declared_beside(declared, name);
    c.error_of(
        "names", name,
        "there is no such parameter, and ROS ignores it silently" + (beside.empty() ? "" : "; there is " + beside));
  }
}

bool check_values(const CheckedController& c) {
  const DeclaredParameters& all = declared_for(c);
  bool readable = true;
  for (const std::string& name : c.own().names()) {
    const DeclaredParameter* const declared = find_declared(all, name);
    if (declared == nullptr) continue;
    const YAML::Node& value = c.own().value(name);
    if (const auto fault = fault_of(*declared, value); !fault.empty()) c.error_of("values", name, fault);
    readable &= can_be_read(*declared, value);
  }
  if (!readable) return false;
  check_algorithm(c, "jsim_algorithm", AlgorithmIndex::find_jsim);
  check_algorithm(c, "coriolis_algorithm", AlgorithmIndex::find_coriolis);
  check_algorithm(c, "validation.fallback", AlgorithmIndex::find_jsim);
  const std::size_t posture = c.own().numbers("task.posture").size(), joints = c.own().texts("joints").size();
  if (posture != 0 && posture != joints && c.is("TaskSpaceController")) {
    c.error_of("values", "task.posture",
               "it has " + std::to_string(posture) + " entries, and there are " + std::to_string(joints) + " joints");
  }
  return true;
}

}  // namespace dyn::sim
