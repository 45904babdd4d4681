// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The papers' examples, reproduced: one function a study, one file each. Each tells what the paper says beside what
// comes out here, and has checks that must hold.
#pragma once

#include <span>

#include "study/record.hpp"

namespace dyn::study {

struct Study {
  const char* name;
  const char* summary;
  void (*run)(Record& record);
};

[[nodiscard]] std::span<const Study> studies();

void planar3(Record& record);
void rover_arm(Record& record);
void rover(Record& record);
void explicit_complexity(Record& record);
void puma(Record& record);
void crucible(Record& record);
void gdahj_scaling(Record& record);
void kronecker(Record& record);

}  // namespace dyn::study
