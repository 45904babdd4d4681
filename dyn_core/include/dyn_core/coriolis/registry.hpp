// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The list of algorithms for the Coriolis/centrifugal matrix C, as in jsim/registry.hpp, with
//   void compute(const Tree&, const Workspace<T>&, MatrixRef<T> C) noexcept     (body order, from ws.q and ws.v)
#pragma once

#include <tuple>

#include "dyn_core/coriolis/christoffel.hpp"
#include "dyn_core/coriolis/fused.hpp"
#include "dyn_core/coriolis/kronecker.hpp"
#include "dyn_core/coriolis/recursive.hpp"
#include "dyn_core/coriolis/screw.hpp"

namespace dyn {

template <class T>
using CoriolisAlgorithms = std::tuple<  //
    coriolis::Kronecker<T>,             //
    coriolis::Christoffel<T>,           //
    coriolis::Screw<T>,                 //
    coriolis::Recursive<T>,             //
    coriolis::Fused<T>>;

}  // namespace dyn
