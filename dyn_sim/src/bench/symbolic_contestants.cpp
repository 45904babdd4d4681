// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The header that `dyn symbolic` writes for one robot, compiled by the machine's compiler (CXX, or c++) with -O3
// -march=native as Pinocchio's generated code is, and loaded.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "bench/contestants.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "symbolic/document.hpp"

namespace dyn::bench {
namespace {

using Function = void (*)(const double* q, const double* v, double* M, double* C, double* g);

struct Task {
  const char *task, *symbol, *call;
};
constexpr std::array<Task, 4> tasks{{{"M", "only_M", "mass_matrix(q, M); (void)v; (void)C; (void)g;"},
                                     {"C", "only_C", "coriolis_matrix(q, v, C); (void)M; (void)g;"},
                                     {"g", "only_g", "gravity(q, g); (void)v; (void)M; (void)C;"},
                                     {"M+C+g", "all", "terms(q, v, M, C, g);"}}};

std::string source_of(const Model& model) {
  std::string code = symbolic::document(model, {{}, symbolic::Format::cpp, false}, [](const std::string&) {});
  code.erase(0, std::string("#pragma once\n").size());
  code += "using namespace dyn_symbolic::" + symbolic::identifier(model.name()) + ";\n";
  for (const Task& t : tasks) {
    code += std::string("extern \"C\" void ") + t.symbol +
            "(const double* q, const double* v, double* M, double* C, double* g) { " + t.call + " }\n";
  }
  return code;
}

// Null if there is no compiler, or if it cannot compile the code.
void* compiled(const std::string& code) {
  std::string directory = "/tmp/dyn-symbolic-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return nullptr;
  const std::string file = directory + "/code.cpp", library = directory + "/code.so";
  std::ofstream(file) << code;
  const char* chosen = std::getenv("CXX");
  const std::string compiler = chosen != nullptr && *chosen != '\0' ? chosen : "c++";
  const std::string command =
      compiler + " -O3 -march=native -fPIC -shared -o '" + library + "' '" + file + "' 2>/dev/null";
  void* loaded = std::system(command.c_str()) == 0 ? dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (loaded == nullptr) std::cerr << "code by dyn symbolic is left out: " << compiler << " could not compile it\n";
  unlink(file.c_str());
  unlink(library.c_str());
  rmdir(directory.c_str());
  return loaded;
}

// M, C and g; written by all tasks.
struct Results {
  explicit Results(size_t n) : M(n * n), C(n * n), g(n) {}
  std::vector<double> M, C, g;
};

void check(const Model& model, const States& states, Function all) {
  Dynamics own{Model(model)};
  const Eigen::Index n = states.joints;
  Results code(n);
  for (int s = 0; s < 8; ++s) {
    const double *q = states.at(states.q, s), *v = states.at(states.v, s);
    if (!own.update({q, static_cast<size_t>(n)}, {v, static_cast<size_t>(n)}).ok()) continue;
    all(q, v, code.M.data(), code.C.data(), code.g.data());
    const MatX<double> M = matrix_view(code.M.data(), states.joints, states.joints).transpose();
    const MatX<double> C = matrix_view(code.C.data(), states.joints, states.joints).transpose();
    const double error =
        larger_error(larger_error(relative_error(M, MatX<double>(own.M())), relative_error(C, MatX<double>(own.C()))),
                     relative_error(ConstVectorRef<double>(code.g.data(), n), own.g()));
    if (!(error < 1e-9)) throw ModelError("the code of dyn symbolic differs from this project's numbers");
  }
}

}  // namespace

std::vector<Contestant> symbolic_contestants(const Model& model, const States& states) {
  std::vector<Contestant> all;
  if (model.coordinates() > symbolic::most_coordinates) return all;
  void* library = compiled(source_of(model));  // loaded until the program ends
  if (library == nullptr) return all;
  const auto results = std::make_shared<Results>(static_cast<size_t>(states.joints));
  for (const Task& t : tasks) {
    const auto function = reinterpret_cast<Function>(dlsym(library, t.symbol));
    if (std::string_view(t.task) == "M+C+g") check(model, states, function);
    all.push_back({t.task, "dyn_control", "symbolic", [function, results, &states](int first, int count) {
                     for (int s = first; s < first + count; ++s) {
                       function(states.at(states.q, s), states.at(states.v, s), results->M.data(), results->C.data(),
                                results->g.data());
                     }
                   }});
  }
  return all;
}

}  // namespace dyn::bench
