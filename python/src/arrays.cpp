// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dyn_core/error.hpp"

namespace dyn::python {
namespace {

using Contiguous = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

std::string joined(const char* name, const std::string& rest) { return std::string(name) + rest; }

// What numpy makes of it, if that is an array of real numbers.
nb::object as_real_array(nb::handle argument, const char* name) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object array;
  try {
    array = numpy.attr("asarray")(argument);
  } catch (nb::python_error& error) {
    throw ModelError(joined(name, " is not an array of numbers: ") + nb::str(error.value()).c_str());
  }
  const nb::object dtype = array.attr("dtype");
  const auto kind = nb::cast<std::string>(dtype.attr("kind"));
  if (kind != "f" && kind != "i" && kind != "u") {
    throw ModelError(joined(name, " is an array of ") + nb::str(nb::handle(dtype)).c_str() + ", not of real numbers");
  }
  if (nb::isinstance(array, numpy.attr("ma").attr("MaskedArray"))) throw ModelError(joined(name, " is a masked array"));
  return array;
}

Numbers numbers_of(const Contiguous& array, nb::object owner) {
  Numbers numbers;
  for (size_t i = 0; i < array.ndim(); ++i) numbers.shape.push_back(array.shape(i));
  numbers.values = {array.data(), array.size()};
  numbers.owner = std::move(owner);
  return numbers;
}

// "q has 5 numbers, the robot 7 coordinates: none for joint 'joint6'"
[[noreturn]] void refuse_count(const Model& model, const char* name, size_t count) {
  const std::vector<std::string>& names = model.coordinate_names();
  std::string text = joined(name, " has ") + std::to_string(count) + " numbers, the robot " +
                     std::to_string(names.size()) + " coordinates";
  if (count < names.size()) text += ": none for joint '" + names[count] + "'";
  if (count > names.size()) {
    text += names.empty() ? ": there is no joint" : ": the last joint is '" + names.back() + "'";
  }
  throw ModelError(text);
}

}  // namespace

std::string text_of(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string text_of(const std::vector<size_t>& shape) {
  std::string text;
  for (const size_t extent : shape) text += (text.empty() ? "(" : ", ") + std::to_string(extent);
  return shape.empty() ? "()" : text + (shape.size() == 1 ? ",)" : ")");
}

void refuse_entry(const Model& model, size_t coordinate, const char* name, double value) {
  throw ModelError("joint '" + model.coordinate_names().at(coordinate) + "': " + name + " is " + text_of(value) +
                   ", not a finite number");
}

Numbers read_numbers(nb::handle argument, const char* name) {
  Contiguous array;
  const bool is_there = nb::try_cast(argument, array, false) && array.is_valid();  // None is an array without memory
  if (is_there) return numbers_of(array, nb::borrow(argument));
  const nb::object real = as_real_array(argument, name);
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object converted =
      numpy.attr("array")(real, nb::arg("dtype") = numpy.attr("float64"), nb::arg("order") = "C");
  if (!nb::try_cast(converted, array, false)) throw ModelError(joined(name, " is not an array of numbers"));
  return numbers_of(array, converted);
}

Numbers read_numbers(nb::handle argument, const char* name, size_t count) {
  Numbers numbers = read_numbers(argument, name);
  if (numbers.shape.size() != 1 || numbers.values.size() != count) {
    throw ModelError(joined(name, " has shape ") + text_of(numbers.shape) + ", not (" + std::to_string(count) + ",)");
  }
  for (size_t i = 0; i < count; ++i) {
    if (std::isfinite(numbers.values[i])) continue;
    throw ModelError(joined(name, " entry ") + std::to_string(i) + " is " + text_of(numbers.values[i]) +
                     ", not a finite number");
  }
  return numbers;
}

Numbers read_coordinates(nb::handle argument, const char* name, const Model& model) {
  Numbers numbers = read_numbers(argument, name);
  if (numbers.shape.size() != 1) {
    throw ModelError(joined(name, " has shape ") + text_of(numbers.shape) + ", not (" +
                     std::to_string(model.coordinates()) + ",)");
  }
  if (numbers.values.size() != static_cast<size_t>(model.coordinates())) {
    refuse_count(model, name, numbers.values.size());
  }
  return numbers;
}

Numbers read_finite_coordinates(nb::handle argument, const char* name, const Model& model) {
  Numbers numbers = read_coordinates(argument, name, model);
  for (size_t i = 0; i < numbers.values.size(); ++i) {
    if (!std::isfinite(numbers.values[i])) refuse_entry(model, i, name, numbers.values[i]);
  }
  return numbers;
}

Numbers read_states(nb::handle argument, const char* name, const Model& model) {
  Numbers numbers = read_numbers(argument, name);
  if (numbers.shape.size() != 2 || numbers.shape[1] != static_cast<size_t>(model.coordinates())) {
    throw ModelError(joined(name, " has shape ") + text_of(numbers.shape) + ", not (N, " +
                     std::to_string(model.coordinates()) + "): a row a state, a column a joint");
  }
  return numbers;
}

Vec3d read_vector3(nb::handle argument, const char* name) {
  const Numbers numbers = read_numbers(argument, name, 3);
  return {numbers.values[0], numbers.values[1], numbers.values[2]};
}

FreshArray fresh_array(std::initializer_list<size_t> shape) {
  size_t size = 1;
  for (const size_t extent : shape) size *= extent;
  auto memory = std::make_shared<std::vector<double>>(size, 0.0);
  const std::span<double> values(*memory);
  return {numpy_view(values.data(), shape, keep(std::move(memory))), values};
}

}  // namespace dyn::python
