// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Pinocchio beside the running loop: a thread of its own takes the loop's samples from the ring, rebuilds the model of
// their generation in Pinocchio (PinocchioModel, its own walk over the description, payloads included), and compares
// M, C v and g. In the mode `gate` a breach makes it set the fallback algorithm, as any writer may; the loop uses it
// from its next cycle. The loop never waits for this thread; samples that find the ring full are dropped and counted.
//
// While a payload is being ramped no independent model of the state between exists here: such samples are counted, not
// compared.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dyn_core/live/live_model.hpp"
#include "dyn_core/live/sample_ring.hpp"

namespace dyn::reference {

enum class ValidatorMode : std::uint8_t { monitor, gate };

struct ValidatorSettings {
  ValidatorMode mode = ValidatorMode::monitor;
  double tolerance = 1e-10;
  std::string fallback = "crba";  // jsim_algorithm of the gate
};

struct Residual {
  std::uint64_t generation = 0;
  double M = 0.0;            // largest |dM_ij| / sqrt(M_ii M_jj)
  double Cv = 0.0, g = 0.0;  // relative to the largest entry
};

struct ValidatorStatistics {
  std::uint64_t samples = 0, ramping = 0, breaches = 0, fallbacks = 0;
  double max_M = 0.0, max_Cv = 0.0, max_g = 0.0;
};

class Validator {
 public:
  // `on_residual` is called on the validator's thread after every comparison. Throws ModelError for an unknown
  // fallback.
  Validator(live::LiveModel& live, live::SampleRing& ring, const ValidatorSettings& settings,
            std::function<void(const Residual&)> on_residual = {});
  // Compares what is left in the ring, then stops.
  ~Validator();
  Validator(const Validator&) = delete;
  Validator& operator=(const Validator&) = delete;
  Validator(Validator&&) = delete;
  Validator& operator=(Validator&&) = delete;

  [[nodiscard]] ValidatorStatistics statistics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn::reference
