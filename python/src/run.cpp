// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Closed loops, used by run() of dyn_control/closed_loop.py. The GIL is released during a run; Ctrl-C is handled.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <variant>

#include "algorithm_families.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "configuration.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/frames.hpp"
#include "dyn_sim/run/judge.hpp"
#include "dyn_sim/run/output_folder.hpp"
#include "dyn_sim/run/outputs.hpp"
#include "dyn_sim/run/runner.hpp"

namespace dyn::python {
namespace {

// The record points to its configuration: both live together, where they are.
struct Finished {
  sim::RunConfig config;
  sim::RunRecord record;
};

class RunData {
 public:
  explicit RunData(std::shared_ptr<const Finished> run) : run_(std::move(run)) {}

  [[nodiscard]] std::string results() const {
    return sim::results_json(run_->record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  [[nodiscard]] std::vector<std::string> failures() const { return sim::causes_of(run_->record); }
  [[nodiscard]] std::vector<std::string> arms() const {
    std::vector<std::string> names;
    for (const sim::ArmConfig& arm : run_->config.arms) names.push_back(arm.name);
    return names;
  }
  [[nodiscard]] std::vector<std::string> coordinates(size_t arm) const { return at(arm).coordinates; }

  // (rows,), s
  [[nodiscard]] nb::object time(size_t arm) const {
    const sim::ArmRecord& record = at(arm);
    return numpy_view<const double>(record.time_s.data(), {static_cast<size_t>(record.rows)}, keep(run_));
  }
  // (rows, n) of one of signal_names
  [[nodiscard]] nb::object signal(size_t arm, size_t which) const {
    const sim::ArmRecord& record = at(arm);
    if (which >= sim::signal_names.size()) throw ModelError("there is no such signal");
    const size_t n = record.coordinates.size();
    return numpy_view<const double>(record.signals.data() + which * n, {static_cast<size_t>(record.rows), n},
                                    keep(run_), {static_cast<int64_t>(n * sim::signal_names.size()), 1});
  }
  [[nodiscard]] nb::object flags(size_t arm) const {
    const sim::ArmRecord& record = at(arm);
    return numpy_view<const std::uint8_t>(record.flags.data(), {static_cast<size_t>(record.rows)}, keep(run_));
  }
  // The name of the algorithm for M, by row.
  [[nodiscard]] std::vector<std::string> jsim(size_t arm) const {
    const sim::ArmRecord& record = at(arm);
    const auto names = cli::family_of("jsim_algorithm").names;
    std::vector<std::string> rows;
    for (int row = 0; row < record.rows; ++row) {
      const size_t index = record.jsim[row];
      rows.emplace_back(index < names.size() ? names[index] : "");
    }
    return rows;
  }
  // (rows,), m: distance of a link's frame from its reference, under task_space from its target. NaN where a position
  // is not finite.
  [[nodiscard]] nb::object frame_error(size_t arm, const std::string& link) const {
    const sim::ArmRecord& record = at(arm);
    if (!record.config->frame.empty()) return distance_from_target(record, link);
    const auto changes_robot = [](const sim::Event& e) { return std::holds_alternative<sim::RobotEvent>(e.what); };
    if (std::any_of(record.config->events.begin(), record.config->events.end(), changes_robot)) {
      throw ModelError("frame_error: events change the robot of '" + record.config->name + "', and its frames with it");
    }
    const FreshArray error = fresh_array({static_cast<size_t>(record.rows)});
    write_frame_error(record, link, error.values);
    return error.array;
  }
  void write(const std::string& folder) const {
    const nb::gil_scoped_release release;
    sim::OutputFolder out(folder, sim::files_of(run_->config));
    sim::write_run(run_->record, out.unfinished());
    out.publish("results.json", sim::files_gone(run_->config, folder));
  }

 private:
  [[nodiscard]] const sim::ArmRecord& at(size_t arm) const { return run_->record.arms.at(arm); }

  [[nodiscard]] nb::object distance_from_target(const sim::ArmRecord& record, const std::string& link) const {
    const std::string& frame = record.config->frame;
    if (link != frame) {
      throw ModelError("frame_error: under the law task_space the frame '" + frame + "' has a target, and '" + link +
                       "' has none");
    }
    return numpy_view<const double>(record.frame_signals.data() + static_cast<size_t>(sim::FrameSignal::distance),
                                    {static_cast<size_t>(record.rows)}, keep(run_),
                                    {static_cast<int64_t>(sim::frame_signal_count)});
  }

  static void write_frame_error(const sim::ArmRecord& record, const std::string& link, std::span<double> error) {
    const nb::gil_scoped_release release;
    Frames frames(record.model, {link});
    const size_t columns = record.coordinates.size(), row_size = columns * sim::signal_names.size();
    const auto n = static_cast<size_t>(record.model->coordinates());  // the columns after them are of payloads
    const auto place = [&](size_t row, sim::Signal signal) -> Vec3d {
      const double* q = record.signals.data() + row * row_size + static_cast<size_t>(signal) * columns;
      const bool placed = frames.update({q, n}, {}, 0, frame_pose).ok();
      return placed ? frames.position(0) : Vec3d::Constant(std::numeric_limits<double>::quiet_NaN());
    };
    for (size_t row = 0; row < error.size(); ++row) {
      error[row] = (place(row, sim::Signal::q) - place(row, sim::Signal::q_reference)).norm();
    }
  }

  std::shared_ptr<const Finished> run_;
};

// Asks Python now and then whether there was a signal, such as Ctrl-C; then the arms are brought to rest.
class Signals {
 public:
  std::atomic<int> stop{0};

  void look() {
    const nb::gil_scoped_acquire acquire;
    if (!raised_ && PyErr_CheckSignals() != 0) {
      raised_.emplace();
      stop.store(1);
    }
  }
  void raise() {
    if (raised_) throw std::move(*raised_);
  }

 private:
  std::optional<nb::python_error> raised_;
};

RunData run(const std::string& configuration, const std::string& file, bool real_time, double duration_s,
            const std::string& engine) {
  auto finished = std::make_shared<Finished>();
  Signals signals;
  {
    const nb::gil_scoped_release release;
    finished->config = sim::parse_run_config(configuration, file);
    for (sim::ArmConfig& arm : finished->config.arms) {
      if (!engine.empty()) arm.plant.engine = engine;
    }
    sim::RunOptions options;
    options.fast = !real_time;
    options.duration_s = duration_s;
    options.stop = &signals.stop;
    options.watch = [&signals](const sim::LiveView&) { signals.look(); };
    finished->record = sim::run_closed_loop(finished->config, options);
  }
  signals.raise();
  return RunData(std::move(finished));
}

}  // namespace

void bind_run(nb::module_& m) {
  nb::class_<RunData>(m, "RunData", "The record of a closed loop, used by closed_loop.Run.")
      .def("results", &RunData::results)
      .def("failures", &RunData::failures)
      .def("arms", &RunData::arms)
      .def("coordinates", &RunData::coordinates, nb::arg("arm"))
      .def("time", &RunData::time, nb::arg("arm"))
      .def("signal", &RunData::signal, nb::arg("arm"), nb::arg("which"))
      .def("flags", &RunData::flags, nb::arg("arm"))
      .def("jsim", &RunData::jsim, nb::arg("arm"))
      .def("frame_error", &RunData::frame_error, nb::arg("arm"), nb::arg("link"))
      .def("write", &RunData::write, nb::arg("folder"));
  nb::list signals;
  for (const char* name : sim::signal_names) signals.append(name);
  m.attr("SIGNALS") = nb::tuple(signals);
  m.def("run_configuration", &run, nb::arg("configuration"), nb::arg("file"), nb::arg("real_time"), nb::arg("duration"),
        nb::arg("engine"),
        "Runs a closed loop from the text of a configuration (YAML); duration 0: the configuration's.");
  m.def("read_configuration", &read_configuration_file, nb::arg("scenario"),
        "A configuration as dicts and lists, and the path of its file.");
}

}  // namespace dyn::python
