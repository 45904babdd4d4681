// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A run that never happened, for tests of what runs leave behind: arm7 on sinusoids with true M, C and g, an invented
// error of known size, events of every kind. Its times and errors are exact, so that tests know what must be read back.
#pragma once

#include "dyn_sim/run/record.hpp"

namespace dyn::sim {

struct SampleRun {
  RunConfig config;
  RunRecord record;  // points into config
};

constexpr double sample_rate_hz = 1000.0, sample_error_rad = 2e-7, sample_spike_rad = 5e-6;

// `arms` of them, named arm1, arm2, ...; of one, arm7.
std::unique_ptr<SampleRun> sample_run(const std::filesystem::path& robot, int arms, double duration_s);

}  // namespace dyn::sim
