// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The list of algorithms for M. A new one adds its header and one line here; the conformance suite, the program `dyn`
// and the parameters of the controllers use this list.
//
// An algorithm is a class template over the number type with `name`, `source` (paper and equation), `needs`
// (kinematics.hpp), a constructor that allocates all memory for `capacity` bodies, and
//   void compute(const Tree&, const Workspace<T>&, MatrixRef<T> M) noexcept
// which writes the full symmetric M in body order, tree.size rows and columns; workspace and algorithm are made for at
// least tree.size bodies (debug builds check it).
#pragma once

#include <tuple>

#include "dyn_core/jsim/crba.hpp"
#include "dyn_core/jsim/denoc.hpp"
#include "dyn_core/jsim/explicit.hpp"
#include "dyn_core/jsim/fused.hpp"
#include "dyn_core/jsim/gdahj.hpp"
#include "dyn_core/jsim/momentum.hpp"
#include "dyn_core/jsim/pseudo_inertia.hpp"
#include "dyn_core/jsim/screw.hpp"
#include "dyn_core/jsim/unit_acceleration.hpp"

namespace dyn {

template <class T>
using JsimAlgorithms = std::tuple<  //
    jsim::Explicit<T>,              //
    jsim::Denoc<T>,                 //
    jsim::Screw<T>,                 //
    jsim::Gdahj<T>,                 //
    jsim::Crba<T>,                  //
    jsim::Momentum<T>,              //
    jsim::PseudoInertia<T>,         //
    jsim::UnitAcceleration<T>,      //
    jsim::Fused<T>>;

}  // namespace dyn
