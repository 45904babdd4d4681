// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The plugin against the program `dyn run`: what the program's log says of states and references goes into the plugin,
// and the plugin's torque is the program's. prediction is 0, since the program samples its trajectory half a period
// ahead where a controller under ROS has to extrapolate: other inputs.
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "dyn_controllers/torque_controller.hpp"
#include "plugin_fixture.hpp"

namespace dyn_controllers::test {
namespace {

using Value = rclcpp::ParameterValue;

// Feedback with an integral, friction and limits on both sides; two algorithms and a payload change on the way.
const char* const scenario = R"(
title: the same torques
robot: arm7
rate_hz: 1000
duration_s: 2
plant: {engine: native, friction: true, plant_overrides: [{link: link4, mass_scale: 1.2}]}
controller:
  type: computed_torque
  prediction: 0
  friction_compensation: true
  gains: {default: {p: 100, d: 20, i: 50, i_clamp: 5}}
  validation: {mode: "off"}
trajectory: {type: sinusoid, centre: [0, 0.4, 0, 0.8, 0, -0.3, 0], amplitude: [0.4, 0.3, 0.4, 0.3, 0.4, 0.3, 0.4],
             frequency_hz: [0.5, 0.7, 0.6, 0.8, 0.5, 0.9, 0.7]}
events:
  - {at: 0.5, set: {jsim_algorithm: gdahj}}
  - {at: 1.0, attach: {name: box, link: tool0, mass: 2, com: [0.05, 0, 0], inertia: [0.01, 0, 0, 0.01, 0, 0.01]}}
)";

struct Log {
  explicit Log(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string line, cell;
    std::getline(in, line);
    std::istringstream header(line);
    while (std::getline(header, cell, ',')) columns[cell] = columns.size();
    while (std::getline(in, line)) {
      std::vector<double> row;
      std::istringstream cells(line);
      while (std::getline(cells, cell, ',')) {
        double value = std::nan("");  // the algorithm's name is none
        std::from_chars(cell.data(), cell.data() + cell.size(), value);
        row.push_back(value);
      }
      rows.push_back(row);
    }
  }
  [[nodiscard]] double value(size_t row, const std::string& signal, const std::string& joint) const {
    return rows[row].at(columns.at(signal + '.' + joint));
  }
  std::map<std::string, size_t> columns;
  std::vector<std::vector<double>> rows;
};

std::filesystem::path run_the_program() {
  const auto folder = std::filesystem::temp_directory_path() / ("dyn_run_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "scenario.yaml") << scenario;
  const std::string command =
      "dyn run '" + (folder / "scenario.yaml").string() + "' --fast --json --out '" + folder.string() + "' > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return folder / "log.csv";
}

std::map<std::string, Value> parameters() {
  auto all = arm7_parameters();
  for (const std::string& joint : arm7_joints()) {
    for (const auto& [gain, value] : {std::pair{".p", 100.0}, {".d", 20.0}, {".i", 50.0}, {".i_clamp", 5.0}}) {
      all["gains." + joint + gain] = Value(value);
    }
  }
  all["prediction"] = Value(0.0);
  all["reference_lead"] = Value(0.0);
  all["friction_compensation"] = Value(true);
  return all;
}

TEST(DynRun, TorqueIsThePrograms) {
  const Log log(run_the_program());
  ASSERT_GE(log.rows.size(), 2000U);
  Plugin<ComputedTorqueController> plugin(parameters());
  ASSERT_TRUE(plugin.configure());
  ASSERT_TRUE(plugin.controller->set_chained_mode(true));
  plugin.references = plugin.controller->export_reference_interfaces();
  plugin.assign_interfaces();
  const auto joints = arm7_joints();
  double largest = 0.0, swing = 0.0;
  for (size_t row = 0; row < log.rows.size(); ++row) {
    for (const std::string& joint : joints) {
      plugin.set_state(joint + "/position", log.value(row, "q", joint));
      plugin.set_state(joint + "/velocity", log.value(row, "v", joint));
    }
    if (row == 0) {
      ASSERT_EQ(plugin.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE);
    }
    for (const std::string& joint : joints) {
      (void)plugin.reference(joint + "/position").set_value(log.value(row, "q_reference", joint));
      (void)plugin.reference(joint + "/velocity").set_value(log.value(row, "v_reference", joint));
      (void)plugin.reference(joint + "/acceleration").set_value(log.value(row, "a_reference", joint));
    }
    if (row == 500) {
      ASSERT_TRUE(plugin.set("jsim_algorithm", Value("gdahj")).successful);
    }
    if (row == 1000) (void)plugin.controller->arm().live().attach(payload_from_message(box().payload), 0.0);
    ASSERT_EQ(plugin.update(), return_type::OK);
    for (const std::string& joint : joints) {
      const double program = log.value(row, "applied", joint);
      largest = std::max(largest, std::abs(plugin.command(joint + "/effort") - program));
      swing = std::max(swing, std::abs(program));
      ASSERT_NEAR(plugin.command(joint + "/effort"), program, 1e-12) << "cycle " << row << ", " << joint;
    }
  }
  EXPECT_GT(swing, 10.0);
  std::printf("plugin to program: %.3g N m at most, of torques up to %.3g N m\n", largest, swing);
}

}  // namespace
}  // namespace dyn_controllers::test
