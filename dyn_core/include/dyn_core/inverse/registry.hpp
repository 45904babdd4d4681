// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The list of algorithms for the inverse dynamics, as in jsim/registry.hpp, with
//   void compute(const Tree&, const Workspace<T>&, const Vec3<T>& gravity, VectorRef<T> tau) noexcept
// tau = M a + C v + g in body order, from ws.q, ws.v, ws.a.
#pragma once

#include <tuple>

#include "dyn_core/inverse/explicit.hpp"
#include "dyn_core/inverse/fused.hpp"
#include "dyn_core/inverse/injection.hpp"
#include "dyn_core/inverse/rnea.hpp"

namespace dyn {

template <class T>
using InverseAlgorithms = std::tuple<  //
    inverse::Rnea<T>,                  //
    inverse::Explicit<T>,              //
    inverse::Injection<T>,             //
    inverse::Fused<T>>;

}  // namespace dyn
