// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// batch(): M, C, g, h of many states into numpy arrays on memory of ours, the GIL released.
#include "dyn_core/batch.hpp"

#include <nanobind/stl/string.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"

namespace dyn::python {
namespace {

constexpr int most_threads = 1024;

// Which of M, C, g, h: a flag each.
struct Terms {
  bool M = false, C = false, g = false, h = false;
  bool operator==(const Terms&) const = default;
};

Terms terms_of(const std::string& text) {
  Terms terms;
  for (const char letter : text) {
    bool* const term = letter == 'M'   ? &terms.M
                       : letter == 'C' ? &terms.C
                       : letter == 'g' ? &terms.g
                       : letter == 'h' ? &terms.h
                                       : nullptr;
    if (term == nullptr) throw ModelError("terms: '" + std::string(1, letter) + "' must be M, C, g or h");
    *term = true;
  }
  if (text.empty()) throw ModelError("terms: it is empty; it must have letters of M, C, g, h");
  return terms;
}

std::string letters_of(const Terms& terms) {
  return std::string(terms.M ? "M" : "") + (terms.C ? "C" : "") + (terms.g ? "g" : "") + (terms.h ? "h" : "");
}

// Memory for the terms of N states, and the arrays on it.
class Batch {
 public:
  Batch(size_t states, size_t n, const Terms& terms) : states_(states), n_(n), terms_(terms) {
    check_memory();
    M = make(terms.M, true, M_values_);
    C = make(terms.C, true, C_values_);
    g = make(terms.g, false, g_values_);
    h = make(terms.h, false, h_values_);
  }

  [[nodiscard]] BatchOutput output() const noexcept { return {M_values_, C_values_, g_values_, h_values_}; }
  [[nodiscard]] size_t states() const noexcept { return states_; }
  void require(size_t states, size_t n, const Terms& terms) const {
    if (states == states_ && n == n_ && terms == terms_) return;
    throw ModelError("out holds " + letters_of(terms_) + " of " + std::to_string(states_) + " states of " +
                     std::to_string(n_) + " coordinates, not " + letters_of(terms) + " of " + std::to_string(states) +
                     " states of " + std::to_string(n));
  }

  nb::object M, C, g, h;  // None where it is not wanted

 private:
  void check_memory() const {
    const double a_state =
        static_cast<double>(n_) * ((terms_.M + terms_.C) * static_cast<double>(n_) + terms_.g + terms_.h);
    const double bytes = a_state * static_cast<double>(states_) * sizeof(double);
    const double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    if (bytes <= there) return;
    const auto gigabytes = [](double x) { return std::to_string(std::llround(x / 1e9)) + " GB"; };
    throw ModelError("batch: " + letters_of(terms_) + " of " + std::to_string(states_) + " states of " +
                     std::to_string(n_) + " coordinates take " + gigabytes(bytes) + "; this machine has " +
                     gigabytes(there));
  }

  nb::object make(bool wanted, bool matrix, std::span<double>& values) const {
    if (!wanted) return nb::none();
    const size_t count = states_ * n_ * (matrix ? n_ : 1);
    std::shared_ptr<double[]> memory = std::make_shared_for_overwrite<double[]>(count);
    values = {memory.get(), count};
    const nb::capsule owner = keep(std::move(memory));
    if (!matrix) return numpy_view<const double>(values.data(), {states_, n_}, owner);
    const auto n = static_cast<int64_t>(n_);
    return numpy_view<const double>(values.data(), {states_, n_, n_}, owner, {n * n, 1, n});
  }

  size_t states_, n_;
  Terms terms_;
  std::span<double> M_values_, C_values_, g_values_, h_values_;
};

// The first entry that is not finite, or the size. Eight sums side by side: 0 x is 0 where x is finite, NaN else.
size_t find_not_finite(std::span<const double> x) noexcept {
  constexpr size_t width = 8, block = 512 * width;
  for (size_t first = 0; first < x.size(); first += block) {
    const size_t end = std::min(first + block, x.size());
    std::array<double, width> sums{};
    size_t i = first;
    for (; i + width <= end; i += width) {
      for (size_t k = 0; k < width; ++k) sums[k] += 0.0 * x[i + k];
    }
    double sum = 0.0;
    for (const double s : sums) sum += s;
    for (; i < end; ++i) sum += 0.0 * x[i];
    if (sum == 0.0) continue;
    for (i = first; i < end; ++i) {
      if (!std::isfinite(x[i])) return i;
    }
  }
  return x.size();
}

void require_finite(const Numbers& states, const char* name, size_t entry, const Model& model) {
  if (entry == states.values.size()) return;
  const size_t n = states.shape[1];
  throw ModelError("state " + std::to_string(entry / n) + ", joint '" + model.coordinate_names()[entry % n] +
                   "': " + name + " is " + text_of(states.values[entry]) + ", not a finite number");
}

nb::object batch(const RobotModel& robot, nb::handle Q, nb::handle V, const std::string& terms, int threads,
                 nb::object out) {
  const Model& model = *robot.model;
  const Numbers q = read_states(Q, "Q", model);
  const Numbers v = read_states(V, "V", model);
  if (q.shape != v.shape) {
    throw ModelError("Q has shape " + text_of(q.shape) + ", V has shape " + text_of(v.shape) +
                     "; they must be the same");
  }
  if (threads < 0 || threads > most_threads) {
    throw ModelError("threads: " + std::to_string(threads) + " is not from 0 to " + std::to_string(most_threads) +
                     " (0: as many as the machine has)");
  }
  const Terms wanted = terms_of(terms);
  if (out.is_none()) {
    out = nb::cast(Batch(q.shape[0], q.shape[1], wanted));
  } else if (!nb::isinstance<Batch>(out)) {
    throw ModelError(std::string("out is a ") + nb::type_name(out.type()).c_str() + ", not a Batch");
  }
  const Batch& result = nb::cast<const Batch&>(out);
  result.require(q.shape[0], q.shape[1], wanted);
  size_t bad_q = q.values.size(), bad_v = v.values.size();
  {
    const nb::gil_scoped_release release;
    bad_q = find_not_finite(q.values);
    bad_v = find_not_finite(v.values);
    if (bad_q == q.values.size() && bad_v == v.values.size() && result.states() > 0) {
      evaluate_batch(robot.model, q.values, v.values, result.output(), static_cast<unsigned>(threads));
    }
  }
  require_finite(q, "Q", bad_q, model);
  require_finite(v, "V", bad_v, model);
  return out;
}

// What batch() calls, and nothing around it.
void evaluate_alone(const RobotModel& robot, nb::handle Q, nb::handle V, const Batch& out) {
  const Numbers q = read_states(Q, "Q", *robot.model);
  const Numbers v = read_states(V, "V", *robot.model);
  evaluate_batch(robot.model, q.values, v.values, out.output());
}

}  // namespace

void bind_batch(nb::module_& m) {
  const auto array = nb::sig("def M(self) -> numpy.typing.NDArray[numpy.float64] | None");
  nb::class_<Batch>(m, "Batch", "The result of batch(); passed to it again as `out`, its memory is reused.")
      .def_ro("M", &Batch::M, array, "(N, n, n), or None if terms had no M.")
      .def_ro("C", &Batch::C, nb::sig("def C(self) -> numpy.typing.NDArray[numpy.float64] | None"),
              "(N, n, n), or None if terms had no C.")
      .def_ro("g", &Batch::g, nb::sig("def g(self) -> numpy.typing.NDArray[numpy.float64] | None"),
              "(N, n), or None if terms had no g.")
      .def_ro("h", &Batch::h, nb::sig("def h(self) -> numpy.typing.NDArray[numpy.float64] | None"),
              "(N, n), or None if terms had no h.");
  m.def("batch", &batch, nb::arg("model"), nb::arg("Q").none(), nb::arg("V").none(), nb::arg("terms") = "MCgh",
        nb::arg("threads") = 1, nb::arg("out") = nb::none(),
        nb::sig("def batch(model: Model, Q: numpy.typing.ArrayLike, V: numpy.typing.ArrayLike, terms: str = 'MCgh', "
                "threads: int = 1, out: Batch | None = None) -> Batch"),
        R"(M, C, g and h = C v + g of N states at once, one state per vector lane.

Q, V     (N, n): a row a state, rad or m, and rates
terms    which of M, C, g, h are wanted: "Mh" is faster than all
threads  among which the states are shared out; 0: as many as the machine has. The GIL is released meanwhile.
out      what an earlier call gave, of the same N, n and terms: its arrays are written over and it is returned

Raises ModelError, naming state and joint, if a number is not finite; `out` is then as before.)");
  m.def("evaluate_batch_alone", &evaluate_alone, nb::arg("model"), nb::arg("Q"), nb::arg("V"), nb::arg("out"),
        "evaluate_batch of dyn_core without the checks of batch(), for benchmarks.");
}

}  // namespace dyn::python
