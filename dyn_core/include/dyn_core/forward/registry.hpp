// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The list of algorithms for the forward dynamics, as in jsim/registry.hpp, with
//   Status compute(const Tree&, const Workspace<T>&, ConstVectorRef<T> tau, VectorRef<T> qdd) noexcept
// from ws.q, ws.v and tree.gravity; tau and qdd in the user's coordinates (mimic joints follow, armature is included).
// Where M is singular the status names the body, and qdd is not to be used.
#pragma once

#include <tuple>

#include "dyn_core/forward/aba.hpp"
#include "dyn_core/forward/cholesky.hpp"
#include "dyn_core/forward/denoc.hpp"
#include "dyn_core/forward/fused.hpp"

namespace dyn {

template <class T>
using ForwardAlgorithms = std::tuple<  //
    forward::Denoc<T>,                 //
    forward::Aba<T>,                   //
    forward::Cholesky<T>,              //
    forward::Fused<T>>;

}  // namespace dyn
