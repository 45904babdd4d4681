// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Pinocchio beside the running loop: a thread of its own reads the loop's samples from the ring, builds the model of
// their generation in Pinocchio (PinocchioModel, from the description, payloads included), and compares
// M (crba), C v and g (both RNEA), at the gravity of the sample; while a payload is being ramped, with the blend of the
// inertias before and after. The loop never waits for this thread; samples that find the ring full are
// dropped and counted.
//
// In the mode `gate` a breach makes it request a fallback of the live model, in steps: first the loop goes on with the
// fallback algorithms, from its next cycle on; if a sample that was computed with them is a breach too, the model
// itself is wrong and the reference is brought to rest. Choosing an algorithm by name ends the fallback.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dyn_core/live/live_model.hpp"
#include "dyn_core/live/sample_ring.hpp"

namespace dyn::oracle {

enum class ValidatorMode : std::uint8_t { monitor, gate };

struct ValidatorSettings {
  ValidatorMode mode = ValidatorMode::monitor;
  double tolerance = 1e-10;
  std::string fallback = "crba";                // jsim_algorithm to fall back to
  std::string coriolis_fallback = "recursive";  // and its coriolis_algorithm
};

struct Residual {
  std::uint64_t generation = 0;
  double M = 0.0;            // largest |dM_ij| / sqrt(M_ii M_jj)
  double Cv = 0.0, g = 0.0;  // relative to the largest entry
  double rounding = 0.0;     // bound of their rounding errors; a breach is beyond tolerance + rounding
};

struct ValidatorStatistics {
  std::uint64_t samples = 0, breaches = 0;
  std::uint64_t ramping = 0;               // of the samples: those taken while a payload was being ramped
  std::uint64_t skipped = 0;               // not compared: their model is no longer known to the live model
  std::uint64_t fallbacks = 0, holds = 0;  // that were requested
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

}  // namespace dyn::oracle
