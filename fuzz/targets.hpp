// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What comes from outside, each as a function of any bytes: it is taken, or refused by a ModelError with a sentence.
// Whatever else happens is a bug, and ends the program.
#pragma once

#include <array>
#include <string_view>

namespace dyn::fuzz {

void urdf(std::string_view bytes);     // a robot; one that is taken has finite M, h
void yaml(std::string_view bytes);     // a configuration of dyn run
void json(std::string_view bytes);     // lines of dyn eval
void csv(std::string_view bytes);      // a trajectory
void log(std::string_view bytes);      // a recorded motion: rosbag2 (.mcap, .db3), one JointState in CDR, or CSV
void payload(std::string_view bytes);  // numbers and names of payloads that come and go on a live model
// Reference messages and positions of a sensor, any numbers: efforts, speeds and positions keep to their limits.
void reference(std::string_view bytes);

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};
inline constexpr std::array<Target, 7> targets{{{"urdf", urdf},
                                                {"yaml", yaml},
                                                {"json", json},
                                                {"csv", csv},
                                                {"log", log},
                                                {"payload", payload},
                                                {"reference", reference}}};

}  // namespace dyn::fuzz
