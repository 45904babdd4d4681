// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A command of the program `dyn`: one file under commands/, one line in the table of commands.cpp.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dyn::cli {

// A run was made and all its files were written, but it failed: exit code 3 with one line for each cause.
class RunFailed : public std::runtime_error {
 public:
  explicit RunFailed(std::vector<std::string> causes)
      : std::runtime_error("the run failed"), causes_(std::move(causes)) {}
  [[nodiscard]] const std::vector<std::string>& causes() const noexcept { return causes_; }

 private:
  std::vector<std::string> causes_;
};

// Runs after the command line was parsed. Throws ModelError (or any std::exception) with one sentence: exit code 1;
// RunFailed: exit code 3.
using Action = std::function<void()>;

struct Command {
  const char* name;
  const char* summary;
  Action (*declare)(CLI::App& app);  // adds the options; returns what the command does
};

Action declare_info(CLI::App& app);
Action declare_eval(CLI::App& app);
Action declare_run(CLI::App& app);
Action declare_excite(CLI::App& app);
Action declare_identify(CLI::App& app);
Action declare_replay(CLI::App& app);
Action declare_validate(CLI::App& app);
Action declare_bench(CLI::App& app);
Action declare_count(CLI::App& app);
Action declare_study(CLI::App& app);
Action declare_symbolic(CLI::App& app);
Action declare_precision(CLI::App& app);
Action declare_mjcf(CLI::App& app);
Action declare_robots(CLI::App& app);
Action declare_algorithms(CLI::App& app);

// The whole program: 0; 1 with one line on standard error; 2 for a wrong call; 3 if a run failed.
int run(int argc, char** argv);

}  // namespace dyn::cli
