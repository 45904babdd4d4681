// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "xacro.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/model/xacro_program.hpp"

extern char** environ;

namespace dyn {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(30);
constexpr size_t max_output_bytes = size_t{32} << 20;
constexpr rlimit most_memory{rlim_t{2} << 30, rlim_t{2} << 30};  // bytes

struct Pipe {
  std::array<int, 2> end{-1, -1};
  Pipe() {
    if (pipe2(end.data(), O_CLOEXEC) != 0) throw ModelError(std::string("xacro: no pipe: ") + std::strerror(errno));
  }
  ~Pipe() { close_end(0), close_end(1); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(size_t i) {
    if (end.at(i) >= 0) close(end.at(i));
    end.at(i) = -1;
  }
};

// A child process; the destructor kills it and waits for it.
struct Child {
  pid_t pid = -1;
  ~Child() {
    if (pid > 0) kill(pid, SIGKILL), wait();
  }
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  int wait() {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    pid = -1;
    return status;
  }
};

struct Outcome {
  bool started = false;
  bool in_time = true;
  int status = 0;
  std::string out, err;
};

void start(Child& child, std::vector<std::string> command, Pipe& out, Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.end[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.end[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (posix_spawnp(&child.pid, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) child.pid = -1;
  posix_spawn_file_actions_destroy(&actions);
  if (child.pid > 0) (void)prlimit(child.pid, RLIMIT_AS, &most_memory, nullptr);
  out.close_end(1);
  err.close_end(1);
}

// Reads both streams until they end; false if that takes longer than `patience` or more than max_output_bytes come.
bool drain(Pipe& out, Pipe& err, Outcome& outcome) {
  const auto deadline = Clock::now() + patience;
  std::array<pollfd, 2> polled{pollfd{out.end[0], POLLIN, 0}, pollfd{err.end[0], POLLIN, 0}};
  const std::array<std::string*, 2> to{&outcome.out, &outcome.err};
  std::array<char, 65536> buffer;
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    if (poll(polled.data(), polled.size(), static_cast<int>(left)) < 0 && errno != EINTR) return false;
    for (size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      const ssize_t count = read(polled[i].fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        polled[i].fd = -1;
      } else {
        to[i]->append(buffer.data(), count);
      }
      if (to[i]->size() > max_output_bytes) return false;
    }
  }
  return true;
}

Outcome run(const std::vector<std::string>& command) {
  Outcome outcome;
  Pipe out;
  Pipe err;
  Child child;
  start(child, command, out, err);
  if (child.pid < 0) return outcome;
  outcome.started = true;
  outcome.in_time = drain(out, err, outcome);
  if (outcome.in_time) outcome.status = child.wait();
  return outcome;
}

std::string& chosen_python() {
  static std::string python;
  return python;
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

}  // namespace

void use_python_for_xacro(const std::string& python) { chosen_python() = python; }

std::string run_xacro(const std::filesystem::path& file) {
  const std::string path = std::filesystem::absolute(file).string();  // never begins with a dash
  const char* const run_module = "import xacro; xacro.main()";
  std::vector<std::vector<std::string>> commands;
  if (!chosen_python().empty()) commands.push_back({chosen_python(), "-c", run_module, path});
  commands.push_back({"xacro", path});
  commands.push_back({"python3", "-c", run_module, path});
  if (*DYN_BUILD_PYTHON) commands.push_back({DYN_BUILD_PYTHON, "-c", run_module, path});
  const char* chosen = std::getenv("DYN_XACRO");
  if (chosen && *chosen) commands = {{chosen, path}};
  for (const auto& command : commands) {
    const Outcome outcome = run(command);
    const bool exited = WIFEXITED(outcome.status);
    const bool missing = !outcome.started || (exited && WEXITSTATUS(outcome.status) == 127);
    const bool no_module = outcome.err.find("No module named 'xacro'") != std::string::npos;
    if (missing || no_module) continue;
    if (!outcome.in_time)
      throw ModelError(file.string() + ": xacro was stopped: it took over 30 s or wrote over 32 MiB");
    if (!exited || WEXITSTATUS(outcome.status) != 0) {
      throw ModelError(file.string() + ": xacro failed: " + last_line(outcome.err));
    }
    return outcome.out;
  }
  throw ModelError(file.string() + ": the program " + (chosen && *chosen ? std::string("'") + chosen + "'" : "xacro") +
                   " was not found; install it (pip install xacro) or name it in DYN_XACRO");
}

}  // namespace dyn
