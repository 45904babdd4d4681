// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Code written by Pinocchio and CppADCodeGen for one robot, as a peer of `dyn bench`: generated when the robot is
// known, compiled by DYN_C_COMPILER (named DYN_C_COMPILER_NAME) with -O3 -march=native, and loaded. Its sines and
// cosines are those of the C library, one by one; with DYN_VECTOR_SINES they come from its vector functions, all at
// once.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "generated_code.hpp"

namespace dyn::bench {
namespace {

using Function = void (*)(const double* q, const double* v, const double* a, double* y);

const std::vector<std::pair<PeerTask, GeneratedFunction>>& functions() {
  static const std::vector<std::pair<PeerTask, GeneratedFunction>> all{
      {task_M, {"M", {task_M}}},
      {task_C, {"C", {task_C}}},
      {task_g, {"g", {task_g}}},
      {task_h, {"h", {task_h}}},
      {task_M_and_h, {"M_and_h", {task_M, task_h}}},
      {task_cycle, {"M_C_and_g", {task_M, task_C, task_g}}},
      {task_inverse, {"inverse", {task_inverse}}},
      {task_inverse_derivatives, {"inverse_derivatives", {task_inverse_derivatives}}},
      {task_regressor, {"regressor", {task_regressor}}}};
  return all;
}

struct Robot {
  int bodies = 0;
  void* library = nullptr;
  Function of_task[16] = {};
  int last = -1;  // task
  std::vector<double> y;
  std::vector<double> parameters;  // ten per body, in the order of the regressor's columns
};

// m, m c, and the inertia about the body frame's origin as xx, xy, yy, xz, yz, zz.
std::vector<double> parameters_of(const PeerTree& tree) {
  std::vector<double> p;
  for (int i = 0; i < tree.bodies; ++i) {
    const double m = tree.mass[i];
    const double *c = tree.com + 3 * i, *I = tree.inertia + 9 * i;
    const double squared = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    const auto about_origin = [&](int r, int s) { return I[3 * r + s] + m * ((r == s ? squared : 0.0) - c[r] * c[s]); };
    p.insert(p.end(), {m, m * c[0], m * c[1], m * c[2], about_origin(0, 0), about_origin(0, 1), about_origin(1, 1),
                       about_origin(0, 2), about_origin(1, 2), about_origin(2, 2)});
  }
  return p;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The C library's vector functions by their names in the x86-64 vector ABI.
#if defined(__AVX512F__)
constexpr int kLanes = 8;
constexpr const char* kVectorFunction = "_ZGVeN8v_";
#elif defined(__AVX2__)
constexpr int kLanes = 4;
constexpr const char* kVectorFunction = "_ZGVdN4v_";
#else
constexpr int kLanes = 2;
constexpr const char* kVectorFunction = "_ZGVbN2v_";
#endif

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// sin(q[i]) and cos(q[i]) are replaced by entries of two arrays, filled at the beginning of the function.
std::string with_vector_sines(std::string code, int joints) {
  const int blocks = (joints + kLanes - 1) / kLanes;
  std::string before = "   Vector sine[" + std::to_string(blocks) + "], cosine[" + std::to_string(blocks) + "];\n";
  for (int k = 0; k < blocks; ++k) {
    before += "   { const Vector x = {";
    for (int i = k * kLanes; i < (k + 1) * kLanes; ++i) before += i < joints ? "q[" + std::to_string(i) + "], " : "0, ";
    const std::string at = "[" + std::to_string(k) + "] = " + kVectorFunction;
    before += "}; sine" + at + "sin(x); cosine" + at + "cos(x); }\n";
  }
  for (const char* which : {"sin", "cos"}) {
    const std::string array = std::string("((const double*)") + which + (which[0] == 's' ? "e)[" : "ine)[");
    for (int i = 0; i < joints; ++i) {
      replace_all(code, std::string(which) + "(q[" + std::to_string(i) + "])", array + std::to_string(i) + "]");
    }
  }
  return code.insert(code.find('\n') + 1, before);
}

std::string source_of(const PeerTree& tree) {
  std::string code = "#include <math.h>\n";
#if defined(DYN_VECTOR_SINES)
  code += "typedef double Vector __attribute__((vector_size(" + std::to_string(8 * kLanes) + ")));\n";
  for (const char* which : {"sin", "cos"}) code += std::string("Vector ") + kVectorFunction + which + "(Vector);\n";
#endif
  for (const auto& [task, function] : functions()) {
    const std::string one = generate(tree, function);
#if defined(DYN_VECTOR_SINES)
    code += with_vector_sines(one, tree.bodies);
#else
    code += one;
#endif
  }
  return code;
}

// The shared object made from the code; null, with a message, if there is none.
void* compiled(const std::string& code, const std::string& directory) {
  const std::string file = directory + "/code.c", library = directory + "/code.so";
  std::ofstream(file) << code;
  const std::string command = std::string(DYN_C_COMPILER " -x c -O3 -march=native -fPIC -shared -o '") + library +
                              "' '" + file +
                              "' -lm"
#if defined(DYN_VECTOR_SINES)
                              " -lmvec"
#endif
      ;
  void* loaded = nullptr;
  if (std::system(command.c_str()) != 0) {
    std::fprintf(stderr, "generated code is left out: %s could not compile it\n", DYN_C_COMPILER);
  } else {
    loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) std::fprintf(stderr, "generated code is left out: %s\n", dlerror());
  }
  unlink(file.c_str());
  unlink(library.c_str());
  return loaded;
}

void* make(const PeerTree& tree) {
  const auto start = std::chrono::steady_clock::now();
  const char* temporary = std::getenv("TMPDIR");
  std::string directory = std::string(temporary != nullptr ? temporary : "/tmp") + "/dyn-bench-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) {
    std::fprintf(stderr, "generated code is left out: no directory %s could be made\n", directory.c_str());
    return nullptr;
  }
  std::fprintf(stderr, "writing code for %d joints by %s ..", tree.bodies, generator_version());
  const std::string code = source_of(tree);
  std::fprintf(stderr, " %.1f s; compiling %.0f kB with %s ..", seconds_since(start), 1e-3 * double(code.size()),
               DYN_C_COMPILER_NAME);
  void* library = compiled(code, directory);
  std::fprintf(stderr, " %.1f s\n", seconds_since(start));
  rmdir(directory.c_str());
  if (library == nullptr) return nullptr;
  auto robot = std::make_unique<Robot>();
  robot->bodies = tree.bodies;
  robot->library = library;
  robot->parameters = parameters_of(tree);
  for (const auto& [task, function] : functions()) {
    robot->of_task[task] = reinterpret_cast<Function>(dlsym(library, function.name.c_str()));
    robot->y.resize(std::max(robot->y.size(), static_cast<size_t>(results_of(function, tree.bodies))));
  }
  return robot.release();
}

void release(void* made) {
  dlclose(static_cast<Robot*>(made)->library);
  dyn::bench::free_robot<Robot>(made);
}

void run(void* made, int task, const double* q, const double* v, const double* x) {
  Robot& robot = *static_cast<Robot*>(made);
  robot.last = task;
  robot.of_task[task](q, v, x, robot.y.data());
}

// The regressor times the parameters.
void read_torque(const Robot& robot, double* to) {
  std::fill_n(to, robot.bodies, 0.0);
  const double* column = robot.y.data();
  for (const double p : robot.parameters) {
    for (int i = 0; i < robot.bodies; ++i) to[i] += p * column[i];
    column += robot.bodies;
  }
}

// A part of the output of the last function.
void read(void* made, int task, double* to) {
  const Robot& robot = *static_cast<Robot*>(made);
  if (task == task_regressor) return read_torque(robot, to);
  for (const auto& [of, function] : functions()) {
    if (of != robot.last) continue;
    const double* from = robot.y.data();
    for (const PeerTask part : function.parts) {
      const int numbers = results_of({"", {part}}, robot.bodies);
      if (part == task) std::copy_n(from, numbers, to);
      from += numbers;
    }
  }
}

#if defined(DYN_VECTOR_SINES)
#define DYN_SINES ", vector sines"
#else
#define DYN_SINES ""
#endif
const Peer peer{"generated, " DYN_C_COMPILER_NAME DYN_SINES, make, release, run, read};

}  // namespace
}  // namespace dyn::bench

extern "C" __attribute__((visibility("default"))) const dyn::bench::Peer* dyn_bench_peer() { return &dyn::bench::peer; }
extern "C" __attribute__((visibility("default"))) unsigned dyn_bench_peer_tasks() {
  unsigned tasks = 0;
  for (const auto& [task, function] : dyn::bench::functions()) tasks |= 1U << task;
  return tasks;
}
