// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "targets.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "dyn_core/dynamics.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/live/live_model.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_sim/logs/motion_log.hpp"
#include "dyn_sim/run/config.hpp"
#include "dyn_sim/trajectory.hpp"
#include "eval/json_line.hpp"
#include "eval/session.hpp"
#include "logs/cdr.hpp"

namespace dyn::fuzz {
namespace {

// Does it, or is refused with a sentence.
template <class Act>
void taken_or_refused(Act&& act) {
  try {
    act();
  } catch (const ModelError& error) {
    require(std::strlen(error.what()) >= 8, "a refusal without a reason");
  }
}

// For readers that want a file of this name.
std::filesystem::path written(std::string_view bytes, const char* name) {
  static const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("dyn_fuzz_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / name;
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file;
}

void require_finite(Dynamics& dynamics) {
  const size_t n = dynamics.model().coordinates();
  std::vector<double> q(n), v(n);
  for (size_t i = 0; i < n; ++i) {
    q[i] = 0.1 + 0.3 * static_cast<double>(i % 7);
    v[i] = 0.5 - 0.2 * static_cast<double>(i % 5);
  }
  require(dynamics.update(q, v).ok(), "a model that was taken has no dynamics");
  require(dynamics.M().allFinite() && dynamics.h().allFinite(), "M or h of a model that was taken is not finite");
}

}  // namespace

void urdf(std::string_view bytes) {
  taken_or_refused([&] {
    Dynamics dynamics(Model::build(parse_urdf(std::string(bytes), "fuzz.urdf")));
    if (dynamics.model().coordinates() <= 64) require_finite(dynamics);
  });
}

void yaml(std::string_view bytes) {
  taken_or_refused([&] {
    const sim::RunConfig run = sim::load_run_config(written(bytes, "fuzz.yaml"));
    for (const sim::ArmConfig& arm : run.arms) {
      const size_t n = Model::build(arm.description, arm.live.model).coordinates();
      std::vector<double> q(n), v(n), a(n);
      for (const double time_s : {0.0, 0.37, 1e3}) {
        arm.trajectory->sample(time_s, q, v, a);
        for (size_t i = 0; i < n; ++i) require(std::isfinite(q[i] + v[i] + a[i]), "a trajectory is not finite");
      }
    }
  });
}

void json(std::string_view bytes) {
  static const RobotDescription arm = load_robot("planar3");
  cli::EvalSession session(arm, {});
  std::istringstream lines{std::string(bytes)};
  for (std::string line; std::getline(lines, line);) {
    taken_or_refused([&] {
      const auto answer = session.answer(cli::parse_json_line(line));
      const bool refused = answer.contains("ok") && !answer["ok"].get<bool>();
      require(!refused || answer["error"].get<std::string>().size() >= 8, "a refusal without a reason");
    });
  }
}

void csv(std::string_view bytes) {
  taken_or_refused([&] {
    const auto trajectory = sim::load_trajectory(written(bytes, "fuzz.csv"), {{"a", -2.0, 2.0}, {"b"}});
    std::vector<double> q(2), v(2), a(2);
    for (int k = 0; k <= 100; ++k) {
      trajectory->sample(0.01 * k * trajectory->duration_s(), q, v, a);
      require(std::isfinite(q[0] + q[1] + v[0] + v[1] + a[0] + a[1]), "a trajectory is not finite");
    }
  });
}

// By its first bytes, as they begin such a file.
void log(std::string_view bytes) {
  static const Model model = Model::build(parse_urdf(
      "<robot name='two'><link name='base'/><link name='upper'><inertial><mass value='3'/><inertia ixx='0.05' ixy='0' "
      "ixz='0' iyy='0.05' iyz='0' izz='0.01'/></inertial></link><joint name='joint1' type='continuous'><parent "
      "link='base'/><child link='upper'/><axis xyz='0 1 0'/></joint></robot>",
      "two.urdf"));
  taken_or_refused([&] {
    const bool mcap = bytes.substr(0, 5) == "\x89MCAP", db3 = bytes.substr(0, 6) == "SQLite";
#ifdef DYN_HAS_BAGS
    if (bytes.substr(0, 2) == std::string_view("\0\1", 2) || bytes.substr(0, 2) == std::string_view("\0\0", 2)) {
      (void)sim::logs::decode_joint_state(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
      return;
    }
#endif
    const auto file = written(bytes, mcap ? "fuzz.mcap" : db3 ? "fuzz.db3" : "log.csv");
    const sim::MotionLog motion = sim::load_log(file, model, {});
    require(motion.q.allFinite() && motion.v.allFinite() && motion.effort.allFinite(), "a log is not finite");
    for (size_t k = 1; k < motion.time_s.size(); ++k) {
      require(motion.time_s[k] > motion.time_s[k - 1], "the time of a log does not increase");
    }
  });
}

void payload(std::string_view bytes) {
  static const RobotDescription arm = load_robot("planar3");
  live::LiveOptions options;
  options.max_payload_dofs = 2;
  live::LiveModel live(arm, options);
  Bytes from(bytes);
  for (int k = 0; k < 20 && !from.empty(); ++k) {
    taken_or_refused([&] {
      const bool detach = from.byte() % 3 == 0;
      const std::string name = from.name();
      const double transition_s = from.number();
      if (detach) {
        (void)live.detach(name, transition_s);
        return;
      }
      Inertial inertial{from.number(), from.vector(), Mat3d::Zero()};
      const Vec3d moments = from.vector(), products = from.vector();
      inertial.inertia_com_kgm2 =
          inertia_tensor(moments[0], products[0], products[1], moments[1], products[2], moments[2]);
      const Pose pose = pose_from_xyz_rpy(from.vector(), from.vector());
      (void)live.attach(Payload::rigid(name, "link3", inertial, pose), transition_s);
    });
    require_finite(live.acquire(1e-3).dynamics);
  }
}

}  // namespace dyn::fuzz
