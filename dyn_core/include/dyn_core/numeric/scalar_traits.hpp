// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// What Eigen needs to know about a number type used in place of double: derive Eigen::NumTraits<S> from this.
#pragma once

#include <Eigen/Core>

namespace dyn {

template <class S>
struct ScalarTraits : Eigen::NumTraits<double> {
  using Real = S;
  using NonInteger = S;
  using Nested = S;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};

}  // namespace dyn
