// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/record.hpp"

namespace dyn::study {

// Paper 000's promise, measured: M's elements one after the other, in the lanes of a vector, and by two threads.
void elements_side_by_side(Record& record);

}  // namespace dyn::study
