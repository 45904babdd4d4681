// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_core/model/robot_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "dyn_core/model/input_file.hpp"
#include "dyn_core/model/urdf.hpp"
#include "near_names.hpp"

namespace dyn {
namespace {

namespace fs = std::filesystem;

// example-robot-data's names where they differ from the file's.
struct Alias {
  const char* name;
  const char* file;
};
constexpr Alias aliases[] = {
    {"allegro_left_hand", "allegro_hand_description/urdf/allegro_left_hand.urdf"},
    {"allegro_right_hand", "allegro_hand_description/urdf/allegro_right_hand.urdf"},
    {"anymal", "anymal_b_simple_description/robots/anymal.urdf"},
    {"anymal_c", "anymal_c_simple_description/urdf/anymal.urdf"},
    {"anymal_kinova", "anymal_b_simple_description/robots/anymal-kinova.urdf"},
    {"asr_twodof", "asr_twodof_description/urdf/TwoDofs.urdf"},
    {"b1_z1", "b1_description/urdf/b1-z1.urdf"},
    {"g1", "g1_description/urdf/g1_29dof_rev_1_0.urdf"},
    {"hector", "hector_description/robots/quadrotor_base.urdf"},
    {"hyq", "hyq_description/robots/hyq_no_sensors.urdf"},
    {"iris", "iris_description/robots/iris_simple.urdf"},
    {"solo8", "solo_description/robots/solo.urdf"},
    {"talos", "talos_data/robots/talos_reduced.urdf"},
    {"talos_arm", "talos_data/robots/talos_left_arm.urdf"},
    {"talos_box", "talos_data/robots/talos_reduced_box.urdf"},
    {"talos_full", "talos_data/robots/talos_full_v2.urdf"},
    {"talos_full_box", "talos_data/robots/talos_full_v2_box.urdf"},
    {"ur3", "ur_description/urdf/ur3_robot.urdf"},
    {"ur3_limited", "ur_description/urdf/ur3_joint_limited_robot.urdf"},
    {"ur5", "ur_description/urdf/ur5_robot.urdf"},
    {"ur5_limited", "ur_description/urdf/ur5_joint_limited_robot.urdf"},
    {"ur10", "ur_description/urdf/ur10_robot.urdf"},
    {"ur10_limited", "ur_description/urdf/ur10_joint_limited_robot.urdf"},
};

std::vector<fs::path> paths_of(const char* variable) {
  const char* value = std::getenv(variable);
  std::vector<fs::path> paths;
  std::string rest = value ? value : "";
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) paths.emplace_back(rest.substr(0, colon));
    rest.erase(0, colon + 1);
  }
  return paths;
}

// The folder of the program or library that holds this function; empty where it cannot be found out.
fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&find_robot), &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  const fs::path library = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : library.parent_path();
}

// Prefixes of the installed program and of the library that holds this function.
std::vector<fs::path> own_prefixes() {
  std::vector<fs::path> prefixes;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) prefixes.push_back(program.parent_path().parent_path());
  if (const fs::path folder = own_folder(); !folder.empty()) {
    prefixes.push_back(folder.parent_path());                // PREFIX/lib/libdyn_core.so
    prefixes.push_back(folder.parent_path().parent_path());  // PREFIX/lib/x86_64-linux-gnu/...
  }
  return prefixes;
}

void append(std::vector<fs::path>& to, const std::vector<fs::path>& prefixes, const char* below) {
  for (const fs::path& prefix : prefixes) to.push_back(prefix / below);
}

std::vector<fs::path> config_directories() {
  std::vector<fs::path> directories = paths_of("DYN_CONFIG_PATH");
  append(directories, paths_of("DYN_CONFIG_PATH"), "robots");
  append(directories, {own_folder()}, "config/robots");  // of the Python package
  for (const char* below : {"share/dyn_control/robots", "share/dyn_control/config/robots"}) {
    append(directories, own_prefixes(), below);
    append(directories, paths_of("AMENT_PREFIX_PATH"), below);
  }
  if (*DYN_CONFIG_ROBOTS_DIR) directories.emplace_back(DYN_CONFIG_ROBOTS_DIR);
  return directories;
}

std::vector<fs::path>& added_directories() {
  static std::vector<fs::path> directories;
  return directories;
}

// Python wheels put it below site-packages/cmeel.prefix.
std::vector<fs::path> python_prefixes() {
  std::vector<fs::path> prefixes;
  for (const fs::path& environment : paths_of("VIRTUAL_ENV")) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(environment / "lib", error)) {
      prefixes.push_back(entry.path() / "site-packages" / "cmeel.prefix");
    }
  }
  return prefixes;
}

std::vector<fs::path> example_directories() {
  constexpr const char* below = "share/example-robot-data/robots";
  std::vector<fs::path> directories = paths_of("DYN_ROBOTS_PATH");
  directories.insert(directories.end(), added_directories().begin(), added_directories().end());
  append(directories, paths_of("CMAKE_PREFIX_PATH"), below);
  append(directories, paths_of("AMENT_PREFIX_PATH"), below);
  append(directories, python_prefixes(), below);
  append(directories, own_prefixes(), below);
  if (*DYN_EXAMPLE_ROBOT_DATA_DIR) directories.emplace_back(DYN_EXAMPLE_ROBOT_DATA_DIR);
  return directories;
}

bool is_robot_file(const fs::path& file) { return file.extension() == ".urdf" || file.extension() == ".xacro"; }

std::string robot_name(const fs::path& file) {
  const fs::path stem = file.stem();  // of x.urdf.xacro: x.urdf
  return (stem.extension() == ".urdf" ? stem.stem() : stem).string();
}

// The first directory that has a name wins; within one, .urdf before .xacro.
void collect(const fs::path& directory, std::map<std::string, fs::path>& robots) {
  std::map<std::string, fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (!entry.is_regular_file(error) || !is_robot_file(entry.path())) continue;
    const auto [it, is_new] = found.emplace(robot_name(entry.path()), entry.path());
    if (!is_new && entry.path().extension() == ".urdf") it->second = entry.path();
  }
  robots.insert(found.begin(), found.end());
}

// ROBOTS/<package>_description/{urdf,robots}/<name>.urdf
void collect_examples(const fs::path& root, std::map<std::string, fs::path>& robots) {
  std::error_code error;
  if (!fs::is_directory(root, error)) return;
  for (const Alias& alias : aliases) {
    if (fs::exists(root / alias.file, error)) robots.emplace(alias.name, root / alias.file);
  }
  std::vector<fs::path> packages;
  for (const auto& package : fs::directory_iterator(root, error)) packages.push_back(package.path());
  std::sort(packages.begin(), packages.end());
  for (const fs::path& package : packages) {
    collect(package / "urdf", robots);
    collect(package / "robots", robots);
  }
}

}  // namespace

void add_example_robots(const fs::path& directory) { added_directories().push_back(directory); }

std::vector<KnownRobot> known_robots() {
  std::map<std::string, fs::path> shipped;
  for (const fs::path& directory : config_directories()) collect(directory, shipped);
  std::map<std::string, fs::path> examples;
  for (const fs::path& directory : example_directories()) collect_examples(directory, examples);
  std::vector<KnownRobot> robots;
  for (const auto& [name, file] : shipped) robots.push_back({name, file, true});
  for (const auto& [name, file] : examples) {
    if (!shipped.contains(name)) robots.push_back({name, file, false});
  }
  return robots;
}

fs::path find_robot(const std::string& robot) {
  refuse_nul(robot);
  fs::path file(robot);
  std::error_code error;
  if (is_robot_file(file) || robot.find('/') != std::string::npos) {
    if (fs::exists(file, error)) return file;
    throw ModelError(robot + ": there is no such file");
  }
  std::vector<std::string> names;
  for (const KnownRobot& known : known_robots()) {
    if (known.name == robot) return known.file;
    names.push_back(known.name);
  }
  if (fs::is_regular_file(file, error)) return file;
  std::string meant;
  for (const std::string& name : near_names(robot, names)) meant += (meant.empty() ? "" : ", ") + name;
  throw ModelError("there is no file and no robot '" + robot + "'" +
                   (meant.empty() ? "; `dyn robots` lists the " + std::to_string(names.size()) + " known ones"
                                  : "; is one of these meant: " + meant + "?"));
}

RobotDescription load_robot(const std::string& robot) { return load_urdf(find_robot(robot)); }

Model load_model(const std::string& robot, const ModelOptions& options) {
  return Model::build(load_robot(robot), options);
}

}  // namespace dyn
