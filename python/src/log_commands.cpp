// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// `dyn replay` and `dyn identify` in this process: the same commands, options and messages; their output is captured.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iostream>
#include <mutex>
#include <sstream>

#include "bindings.hpp"
#include "command.hpp"
#include "dyn_core/error.hpp"

namespace dyn::python {
namespace {

using Declare = cli::Action (*)(CLI::App&);

// What is written to a stream meanwhile.
class Taken {
 public:
  explicit Taken(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  ~Taken() { stream_.rdbuf(before_); }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  Taken(Taken&&) = delete;
  Taken& operator=(Taken&&) = delete;
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* before_;
};

// Its JSON, and the lines of its warnings and notes.
std::pair<std::string, std::string> call(Declare declare, std::vector<std::string> arguments) {
  static std::mutex one_at_a_time;  // the streams are the process's
  const nb::gil_scoped_release release;
  const std::scoped_lock lock(one_at_a_time);
  CLI::App app;
  const cli::Action action = declare(app);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    throw ModelError(error.what());
  }
  const Taken out(std::cout);
  const Taken err(std::cerr);
  action();
  return {out.text(), err.text()};
}

}  // namespace

void bind_log_commands(nb::module_& m) {
  m.def("replay", [](const std::vector<std::string>& arguments) { return call(&cli::declare_replay, arguments); });
  m.def("identify", [](const std::vector<std::string>& arguments) { return call(&cli::declare_identify, arguments); });
}

}  // namespace dyn::python
