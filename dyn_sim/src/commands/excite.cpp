// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn excite: a trajectory within all limits from which the parameters can be identified.
#include "dyn_sim/identify/excite.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.hpp"
#include "commands/log_options.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_sim/run/output_folder.hpp"
#include "output.hpp"

namespace dyn::cli {
namespace {

struct Call {
  RobotCall robot;
  sim::ExciteOptions options;
  std::string out = "excitation";
  double floor_m = 0.0;
  bool has_floor = false, json = false;
};

std::string trajectory_csv(const Model& model, const sim::Excitation& motion) {
  std::ostringstream text;
  text.precision(12);
  text << "time";
  for (const std::string& name : model.coordinate_names()) text << ',' << name;
  text << '\n';
  for (size_t k = 0; k < motion.time_s.size(); ++k) {
    text << motion.time_s[k];
    for (const double q : motion.q[k]) text << ',' << q;
    text << '\n';
  }
  return text.str();
}

std::string scenario(const Call& call) {
  const std::filesystem::path file = std::filesystem::absolute(find_robot(call.robot.name));
  const bool by_name = !std::filesystem::exists(call.robot.name);
  std::ostringstream text;
  text << "# The motion of `dyn excite " << call.robot.name << "`: dyn run this file, then dyn identify the log.\n"
       << "title: Excitation\n"
       << "robot: " << nlohmann::json(by_name ? call.robot.name : file.string()).dump() << "\n"
       << "rate_hz: 1000\nduration_s: " << call.options.duration_s << "\n"
       << "controller: {type: computed_torque, friction_compensation: true, gains: {default: {p: 400, d: 40}}}\n"
       << "trajectory: {type: file, path: trajectory.csv}\n";
  return text.str();
}

void show_progress(double share) {
  constexpr int width = 40;
  static int shown = -1;
  const int filled = static_cast<int>(std::lround(share * width));
  if (filled == shown) return;
  shown = filled;
  std::fprintf(stderr, "\r[%s%s] %3.0f %%", std::string(filled, '#').c_str(), std::string(width - filled, '.').c_str(),
               100.0 * share);
  std::fflush(stderr);
}

void excite(Call& call) {
  const auto model = std::make_shared<const Model>(load(call.robot));
  if (call.has_floor) call.options.floor_m = call.floor_m;
  const bool live = !call.json && isatty(STDERR_FILENO) != 0;
  if (live) call.options.progress = show_progress;
  sim::OutputFolder folder(call.out, {"trajectory.csv", "excite.yaml"});
  const sim::Excitation motion = sim::excite(model, call.options);
  if (live) std::fputs("\r\033[K", stderr);
  write_text(folder.unfinished() / "trajectory.csv", trajectory_csv(*model, motion));
  write_text(folder.unfinished() / "excite.yaml", scenario(call));
  folder.publish("excite.yaml", {});
  const std::filesystem::path out = std::filesystem::absolute(call.out).lexically_normal();
  const std::string unchecked = "collisions were not checked, except with the floor";
  if (call.json) {
    print_json(
        {{"duration_s", call.options.duration_s},
         {"log_det", motion.log_det},
         {"condition", motion.condition},
         {"used_velocity", motion.used_velocity},
         {"used_torque", motion.used_torque},
         {"lowest_m", call.has_floor ? nlohmann::ordered_json(motion.lowest_m) : nlohmann::ordered_json(nullptr)},
         {"not_checked", unchecked},
         {"trajectory", (out / "trajectory.csv").string()},
         {"scenario", (out / "excite.yaml").string()}});
    return;
  }
  std::cout << "log det of the information " << number(motion.log_det, 5) << " (best of random motions "
            << number(motion.log_det_first, 5) << "), condition " << number(motion.condition, 3) << "\nuses "
            << number(100.0 * motion.used_velocity, 3) << " % of a velocity limit and "
            << number(100.0 * motion.used_torque, 3) << " % of a torque limit\nNote: " << unchecked
            << (call.has_floor ? "" : "; a floor by --floor Z") << ".\nplay it:  dyn run "
            << (out / "excite.yaml").string() << '\n';
}

}  // namespace

Action declare_excite(CLI::App& app) {
  auto call = std::make_shared<Call>();
  const auto range = [](double least, double most) {  // CLI11's own ranges accept NaN
    return CLI::Validator(
        [least, most](const std::string& text) {
          double value = 0.0;
          if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return std::string();
          return "'" + text + "' is not from " + number(least) + " to " + number(most);
        },
        "", "range");
  };
  add_robot(app, call->robot);
  app.add_option("--duration", call->options.duration_s, "Seconds")->check(range(2.0, 600.0))->capture_default_str();
  app.add_option("--harmonics", call->options.harmonics, "Sines per joint")
      ->check(CLI::Range(1, 20))
      ->capture_default_str();
  app.add_option("--margin", call->options.margin, "Share of the limits that may be used")
      ->check(range(0.05, 1.0))
      ->capture_default_str();
  app.add_option("--acceleration", call->options.acceleration,
                 "Limit of all joints, rad/s^2 or m/s^2 [the velocity limit in 0.4 s]")
      ->check(range(1e-3, 1e4));
  auto* const floor =
      app.add_option("--floor", call->floor_m, "Lowest height of any joint or centre of mass in the base frame, m")
          ->check(range(-1e3, 1e3));
  app.add_option("--seed", call->options.seed, "Seed of the random search")->capture_default_str();
  app.add_option("--trials", call->options.trials, "Number of motions that are tried")
      ->check(CLI::Range(50, 1000000))
      ->capture_default_str();
  app.add_option("--out", call->out, "Directory for trajectory.csv and excite.yaml")->capture_default_str();
  add_json(app, call->json);
  return [call, floor] {
    call->has_floor = floor->count() > 0;
    excite(*call);
  };
}

}  // namespace dyn::cli
