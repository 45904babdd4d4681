// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Conversion of numbers between Python and C++. C-contiguous float64 arrays are used in place; other real arrays and
// lists are converted; everything else is refused with one sentence. Results are numpy arrays on this module's memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::python {

namespace nb = nanobind;

// Numbers that Python handed over, and what keeps them there.
struct Numbers {
  std::span<const double> values;
  std::vector<size_t> shape;
  nb::object owner;
};

// Any shape. `name` is the argument's, for messages. Throws ModelError.
[[nodiscard]] Numbers read_numbers(nb::handle argument, const char* name);
// (count,), finite.
[[nodiscard]] Numbers read_numbers(nb::handle argument, const char* name, size_t count);
// One number a coordinate, which update() or the caller checks for being finite.
[[nodiscard]] Numbers read_coordinates(nb::handle argument, const char* name, const Model& model);
// The same, finite.
[[nodiscard]] Numbers read_finite_coordinates(nb::handle argument, const char* name, const Model& model);
// (N, n): a row a state.
[[nodiscard]] Numbers read_states(nb::handle argument, const char* name, const Model& model);

[[nodiscard]] Vec3d read_vector3(nb::handle argument, const char* name);

// "joint 'joint3': q is nan, not a finite number"
[[noreturn]] void refuse_entry(const Model& model, size_t coordinate, const char* name, double value);
[[nodiscard]] std::string text_of(double value);  // the shortest text that reads back as the same number
[[nodiscard]] std::string text_of(const std::vector<size_t>& shape);  // (3, 7)

// A numpy array on `data`, which `owner` keeps alive. Strides in numbers; none: rows one after the other.
template <class T>
nb::object numpy_view(T* data, std::initializer_list<size_t> shape, nb::handle owner,
                      std::initializer_list<int64_t> strides = {}) {
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape, owner, strides), nb::rv_policy::reference);
}

// A Python object that keeps `what` alive.
template <class T>
nb::capsule keep(std::shared_ptr<T> what) {
  auto owner = std::make_unique<std::shared_ptr<T>>(std::move(what));
  return nb::capsule(owner.release(), [](void* p) noexcept {
    const std::unique_ptr<std::shared_ptr<T>> last(static_cast<std::shared_ptr<T>*>(p));
  });
}

// A fresh array of doubles, and its memory to write to.
struct FreshArray {
  nb::object array;
  std::span<double> values;
};
[[nodiscard]] FreshArray fresh_array(std::initializer_list<size_t> shape);

}  // namespace dyn::python
