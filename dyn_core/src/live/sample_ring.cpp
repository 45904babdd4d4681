// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/live/sample_ring.hpp"

#include "dyn_core/precondition.hpp"

namespace dyn::live {
namespace {

Sample empty_sample(int max_coordinates, int max_bodies) {
  DYN_EXPECTS(max_coordinates >= 0 && max_bodies >= 0);
  Sample sample;
  const std::size_t n = max_coordinates;
  for (auto* vector : {&sample.q, &sample.v, &sample.Cv, &sample.g}) vector->resize(n);
  sample.M.resize(n * n);
  sample.ramps.resize(max_bodies);
  return sample;
}

}  // namespace

SampleRing::SampleRing(int slots, int max_coordinates, int max_bodies)
    : ring_(slots, empty_sample(max_coordinates, max_bodies)) {}

}  // namespace dyn::live
