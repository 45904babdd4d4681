// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The table of commands, and the exit codes: 0; 1 with one line on standard error; 2 for a wrong call; 3 with one line
// for each cause if a run, a check (info --check-control) or a study was made and failed.
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "terminal_line.hpp"

namespace dyn::cli {
namespace {

constexpr Command commands[] = {
    {"info", "Joints, limits, masses, warnings and algorithms of a robot", declare_info},
    {"eval", "Dynamics of states read as JSON lines; payloads and algorithms change in between", declare_eval},
    {"run", "Run a controller and a simulated arm in a closed loop, and write a report", declare_run},
    {"excite", "Find a motion within all limits for identifying the robot's parameters", declare_excite},
    {"identify", "Identify the robot's parameters from logs of its motion; writes a URDF and a report",
     declare_identify},
    {"replay", "Torques that the model predicts for a recorded motion, beside the measured ones", declare_replay},
    {"validate", "Compare every algorithm with Pinocchio on random states", declare_validate},
    {"bench", "ns per call of every algorithm, and of Pinocchio if it was built as a peer", declare_bench},
    {"count", "Multiplications and additions of every algorithm beside the papers' formulas", declare_count},
    {"study", "Reproduce a paper's example with its tables and figures", declare_study},
    {"symbolic", "M, C and g of a small robot as formulas, LaTeX or C++", declare_symbolic},
    {"precision", "Tracking errors of the control laws on a plant equal to the model", declare_precision},
    {"mjcf", "The robot as MJCF, for other programs that simulate with MuJoCo", declare_mjcf},
    {"robots", "Robots that can be given by name instead of a file", declare_robots},
    {"algorithms", "Algorithms by name, and where each is published", declare_algorithms},
};

int complain(const std::string& who, const std::string& what, int code) {
  std::cout.flush();
  say_progress("");
  std::cerr << who << ": " << one_line(what) << '\n';
  return code;
}

// CLI11 2.1 loops forever on an empty argument that no option takes. It therefore parses a character that no user
// types, and every option turns that back into the empty text before it is used.
constexpr const char* stands_for_empty = "\x1a";

std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) arguments.emplace_back(argv[i][0] == '\0' ? stands_for_empty : argv[i]);
  return arguments;  // last first, as CLI11 expects them
}

void take_empty_arguments(CLI::App& app) {
  const auto to_empty = [](std::string& text) {
    if (text == stands_for_empty) text.clear();
    return std::string();
  };
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0) option->transform(CLI::Validator(to_empty, ""));
  }
  for (CLI::App* group : app.get_subcommands([](CLI::App*) { return true; })) take_empty_arguments(*group);
}

// Empty if it is one, an option, or missing.
std::string no_such_command(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "-";
  std::string known;
  for (const Command& command : commands) {
    if (name == command.name) return {};
    known += (known.empty() ? "" : ", ") + std::string(command.name);
  }
  return name.rfind('-', 0) == 0 ? "" : "there is no command '" + name + "'; commands: " + known;
}

int complain_of_failures(const std::string& who, const std::vector<std::string>& causes) {
  for (const std::string& cause : causes) (void)complain(who, cause, 3);
  return 3;
}

}  // namespace

int run(int argc, char** argv) {
  if (const auto fault = no_such_command(argc, argv); !fault.empty()) return complain("dyn", fault, 2);
  CLI::App app("Real-time robot dynamics: M, C, g, inverse and forward dynamics by published algorithms.", "dyn");
  app.set_version_flag("--version", std::string("dyn ") + DYN_VERSION);
  app.footer(
      "To begin:\n"
      "  dyn run arm7_computed_torque    an arm under control, with a report to open in a browser\n"
      "  dyn info arm7                   joints, limits, masses; then try dyn info my_robot.urdf\n"
      "  dyn COMMAND --help              options of a command\n"
      "ROBOT is a .urdf, .xacro or .dh.yaml file, or a name that `dyn robots` lists.\n"
      "Exit code 0; 1 with one line on standard error; 2 for a wrong call; 3 if a run, a check or a study failed.");
  std::vector<std::pair<CLI::App*, Action>> declared;
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    declared.emplace_back(sub, command.declare(*sub));
    take_empty_arguments(*sub);
  }
  std::string who = "dyn";
  try {
    app.parse(arguments_of(argc, argv));
    if (app.get_subcommands().empty()) {
      return complain(who, "a command is missing; to begin: dyn run arm7_computed_torque (all commands: dyn --help)",
                      2);
    }
    for (const auto& [sub, action] : declared) {
      if (!sub->parsed()) continue;
      who = "dyn " + sub->get_name();
      action();
    }
    flush_output();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      app.exit(error);  // --help, --version
      return std::cout.flush() ? 0 : complain(who, "cannot write to standard output", 1);
    }
    for (const auto& [sub, action] : declared) {
      if (sub->count_all() > 0) who = "dyn " + sub->get_name();
    }
    return complain(who, std::string(error.what()) + " (see " + who + " --help)", 2);
  } catch (const RunFailed& failed) {
    return complain_of_failures(who, failed.causes());
  } catch (const std::bad_alloc&) {
    return complain(who, "there is not enough memory for this", 1);
  } catch (const std::exception& error) {
    return complain(who, error.what(), 1);
  }
  return 0;
}

}  // namespace dyn::cli
