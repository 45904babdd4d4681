// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Recorded motions: from CSV (time_s, q.JOINT, v.JOINT, a.JOINT, effort.JOINT, in any order of columns; dyn run's own
// log.csv) and from rosbag2 (.mcap, .db3) with sensor_msgs/msg/JointState. Nothing is repaired silently: `notes` says
// what was left out or filled in; input that cannot be used throws ModelError with file, line, row or message, and
// value.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dyn_core/model/model.hpp"

namespace dyn::sim {

enum class Quantity : std::uint8_t { q, v, a, effort, count };

// As in the file: a column for every joint and quantity, empty if the file has none. Numbers that are not finite may be
// among those of joints that the model does not have: dyn run writes nan while a joint does not exist.
struct RawLog {
  std::string source;  // file, for messages
  std::vector<double> time_s;
  std::map<std::string, std::array<std::vector<double>, static_cast<std::size_t>(Quantity::count)>> joints;
  std::vector<std::string> notes;

  [[nodiscard]] std::vector<double>& column(const std::string& joint, Quantity quantity) {
    return joints[joint].at(static_cast<std::size_t>(quantity));
  }
};

struct LogChoice {
  std::string effort;                   // of dyn run's log.csv: sensed or applied; empty: effort, else applied
  std::map<std::string, double> at{};   // positions of joints that are not in the log; 0 unless given
  std::string topic = "/joint_states";  // of a bag
  std::function<void(const std::string&)> progress{};  // told how much of a log has been read
};

[[nodiscard]] RawLog read_csv_log(const std::filesystem::path& file, const LogChoice& choice);
[[nodiscard]] RawLog read_mcap_log(const std::filesystem::path& file, const LogChoice& choice);
[[nodiscard]] RawLog read_db3_log(const std::filesystem::path& file, const LogChoice& choice);

// The log in a model's coordinates: rows by coordinates.
struct MotionLog {
  std::string source;
  std::vector<double> time_s;
  Eigen::MatrixXd q, v, a, effort;    // 0 where it is not measured
  std::vector<bool> in_log;           // by coordinate: q is in the log
  std::vector<bool> has_effort;       // by coordinate
  bool has_v = false, has_a = false;  // for all coordinates that are in the log
  std::vector<std::string> notes;

  [[nodiscard]] Eigen::Index rows() const noexcept { return q.rows(); }
};

// The reader is chosen by the file's ending; of a folder, its only bag is read. Repeated rows are left out; time is
// strictly increasing in the result.
[[nodiscard]] MotionLog load_log(const std::filesystem::path& file, const Model& model, const LogChoice& choice);
[[nodiscard]] MotionLog to_motion_log(RawLog raw, const Model& model, const LogChoice& choice);

}  // namespace dyn::sim
