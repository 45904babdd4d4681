// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// play_scenario FILE [DIR]: plays a `dyn run` configuration on controllers that scenario.launch.py has started. It ends
// by itself with a summary, and with results.json, log.csv and report.html in DIR as `dyn run` writes them; exit code 3
// if the run failed by the criteria of `dyn run`, each cause on standard error.
//
// play_scenario --record FILE DIR: sends nothing, and records what another program makes those controllers do, from
// their first state, which it waits for, until SIGINT; of FILE it uses robot, controller and plant. It ends alike.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "dyn_controllers/scenario_arm.hpp"
#include "dyn_sim/run/output_folder.hpp"
#include "dyn_sim/run/outputs.hpp"

namespace {

using dyn_controllers::ScenarioArm;

// Another thread spins the node for the lifetime of this object.
class Spinning {
 public:
  explicit Spinning(const rclcpp::Node::SharedPtr& node) {
    executor_.add_node(node);
    thread_ = std::jthread([this] { executor_.spin(); });
  }
  ~Spinning() { executor_.cancel(); }
  Spinning(const Spinning&) = delete;
  Spinning& operator=(const Spinning&) = delete;
  Spinning(Spinning&&) = delete;
  Spinning& operator=(Spinning&&) = delete;

 private:
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::jthread thread_;
};

struct Planned {
  const dyn::sim::Event* event;
  ScenarioArm* arm;
};

bool wait_until_ready(rclcpp::Node& node, const std::vector<std::unique_ptr<ScenarioArm>>& arms, bool recording) {
  std::string missing;
  for (int tenths = 0; (tenths < 600 || recording) && rclcpp::ok(); ++tenths) {
    missing.clear();
    for (const auto& arm : arms) {
      if (missing.empty()) missing = recording ? arm->missing_state() : arm->missing();
    }
    if (missing.empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (rclcpp::ok()) RCLCPP_ERROR(node.get_logger(), "gave up after a minute: %s is not there", missing.c_str());
  return false;
}

std::vector<Planned> plan(const std::vector<std::unique_ptr<ScenarioArm>>& arms) {
  std::vector<Planned> all;
  for (const auto& arm : arms) {
    for (const dyn::sim::Event& event : arm->config().events) all.push_back({&event, arm.get()});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Planned& a, const Planned& b) { return a.event->time_s < b.event->time_s; });
  return all;
}

void play(rclcpp::Node& node, const dyn::sim::RunConfig& run, const std::vector<std::unique_ptr<ScenarioArm>>& arms) {
  const rclcpp::Time begin = node.now() + rclcpp::Duration::from_seconds(1.0);
  for (const auto& arm : arms) {
    arm->send_trajectory(begin, run.duration_s);
    arm->record().begin_at(begin);
  }
  for (const Planned& next : plan(arms)) {
    if (next.event->time_s > run.duration_s) break;
    node.get_clock()->sleep_until(begin + rclcpp::Duration::from_seconds(next.event->time_s));
    if (!rclcpp::ok()) return;
    const std::string what = next.arm->config().name + ", " + next.event->label;
    try {
      const std::string answer = next.arm->apply(*next.event);
      next.arm->record().add(*next.event, (node.now() - begin).seconds(), "");
      RCLCPP_INFO(node.get_logger(), "%.3f s: %s: %s", (node.now() - begin).seconds(), what.c_str(), answer.c_str());
    } catch (const std::exception& error) {
      next.arm->record().add(*next.event, -1.0, error.what());
      RCLCPP_ERROR(node.get_logger(), "%s: %s", what.c_str(), error.what());
    }
  }
  node.get_clock()->sleep_until(begin + rclcpp::Duration::from_seconds(run.duration_s));
}

// Until SIGINT, which shuts ROS down. How long it took.
double record_until_interrupted(rclcpp::Node& node, const std::vector<std::unique_ptr<ScenarioArm>>& arms) {
  const rclcpp::Time begin = node.now();
  for (const auto& arm : arms) arm->record().begin_at(begin);
  while (rclcpp::ok()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return (node.now() - begin).seconds();
}

// The number of cycles and their durations are known to the controller manager only.
dyn::sim::RunRecord record_of(const dyn::sim::RunConfig& run, const dyn::sim::Ending& ending,
                              const std::vector<std::unique_ptr<ScenarioArm>>& arms) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  dyn::sim::RunRecord record;
  record.config = &run;
  record.update = record.wakeup = {unknown, unknown, unknown, unknown};
  record.real_time = true;
  record.scheduling = "controller_manager; states and residuals as they were published";
  record.duration_s = ending.end_s;
  for (const auto& arm : arms) record.arms.push_back(arm->record().result(ending));
  return record;
}

void write(const dyn::sim::RunRecord& record, dyn::sim::OutputFolder& folder) {
  dyn::sim::write_run(record, folder.unfinished());
  folder.publish("results.json", {});
}

int main_of(std::vector<std::string> arguments) {
  const bool recording = arguments.size() == 4 && arguments[1] == "--record";
  if (recording) arguments.erase(arguments.begin() + 1);
  if (arguments.size() != 2 && arguments.size() != 3) {
    (void)std::fputs("usage: play_scenario FILE [DIR]\n       play_scenario --record FILE DIR\n", stderr);
    return 2;
  }
  const dyn::sim::RunConfig run = dyn::sim::load_run_config(arguments[1]);
  std::optional<dyn::sim::OutputFolder> folder;
  if (arguments.size() == 3) folder.emplace(arguments[2], std::vector<std::string>{"results.json", "report.html"});
  const auto node = std::make_shared<rclcpp::Node>("play_scenario");
  std::vector<std::unique_ptr<ScenarioArm>> arms;
  for (const dyn::sim::ArmConfig& arm : run.arms) {
    arms.push_back(std::make_unique<ScenarioArm>(*node, arm, run.arms.size() > 1 ? '/' + arm.name : ""));
  }
  dyn::sim::Ending ending;
  ending.asked = recording;
  ending.end_s = ending.planned_s = run.duration_s;
  {
    const Spinning spinning(node);
    if (!wait_until_ready(*node, arms, recording)) return 1;
    if (recording) {
      ending.end_s = ending.planned_s = record_until_interrupted(*node, arms);
    } else {
      play(*node, run, arms);
    }
  }
  for (const auto& arm : arms) (void)std::printf("summary: %s\n", arm->record().summary().c_str());
  const dyn::sim::RunRecord record = record_of(run, ending, arms);
  const auto causes = dyn::sim::causes_of(record);
  for (const std::string& cause : causes) (void)std::fprintf(stderr, "play_scenario: %s\n", cause.c_str());
  if (folder) {
    write(record, *folder);
    (void)std::printf("report: %s\n", (std::filesystem::path(arguments[2]) / "report.html").c_str());
  }
  return causes.empty() ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  int code = 1;
  try {
    code = main_of(rclcpp::init_and_remove_ros_arguments(argc, argv));
  } catch (const std::exception& error) {
    (void)std::fprintf(stderr, "play_scenario: %s\n", error.what());
  }
  rclcpp::shutdown();
  return code;
}
