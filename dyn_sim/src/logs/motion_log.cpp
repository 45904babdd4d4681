// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_sim/logs/motion_log.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "dyn_core/error.hpp"
#include "logs/reading.hpp"

namespace dyn::sim {
namespace {

size_t at(Quantity quantity) { return static_cast<size_t>(quantity); }

std::string text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

std::string listed(const std::vector<std::string>& names, size_t most = 12) {
  std::string all;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) all += (all.empty() ? "" : ", ") + names[i];
  return names.size() > most ? all + ", ..." : all;
}

// A column with values in some rows only is treated as missing.
void check_lengths(const RawLog& raw) {
  for (const auto& [joint, columns] : raw.joints) {
    for (const auto& values : columns) {
      if (values.empty() || values.size() == raw.time_s.size()) continue;
      throw ModelError(raw.source + ": joint '" + joint + "' has " + std::to_string(values.size()) + " values in " +
                       std::to_string(raw.time_s.size()) + " rows");
    }
  }
}

void check_time(const RawLog& raw) {
  const auto& t = raw.time_s;
  for (size_t k = 1; k < t.size(); ++k) {
    if (t[k] >= t[k - 1]) continue;
    throw ModelError(raw.source + ": time goes back from " + text(t[k - 1]) + " s to " + text(t[k]) + " s in row " +
                     std::to_string(k + 1) + "; rows have to be in the order of time");
  }
  // Nanoseconds or milliseconds in place of seconds give steps that no controller has.
  std::vector<double> steps;
  for (size_t k = 1; k < t.size(); ++k) steps.push_back(t[k] - t[k - 1]);
  const auto median = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), median, steps.end());
  if (*median > 100.0)
    throw ModelError(raw.source + ": the rows are " + text(*median) + " s apart; time_s must be in seconds");
}

// Those of the model's joints. Squares of larger ones, and what the model makes of them, are not finite.
void check_numbers(const RawLog& raw, const std::vector<std::string>& joints) {
  constexpr double largest = 1e9;
  constexpr const char* words[] = {"position", "velocity", "acceleration", "effort"};
  for (const std::string& joint : joints) {
    const auto found = raw.joints.find(joint);
    for (size_t quantity = 0; found != raw.joints.end() && quantity < found->second.size(); ++quantity) {
      const std::vector<double>& values = found->second[quantity];
      const auto wrong = std::find_if(values.begin(), values.end(), [](double x) { return !(std::abs(x) <= largest); });
      if (wrong == values.end()) continue;
      throw ModelError(raw.source + ": " + words[quantity] + " of joint '" + joint + "' is " + text(*wrong) +
                       " in row " + std::to_string(wrong - values.begin() + 1) +
                       (std::isfinite(*wrong) ? "; no arm has more than " + text(largest)
                                              : std::string(", which is not a finite number")));
    }
  }
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same_row(const RawLog& raw, size_t a, size_t b) {
  for (const auto& [joint, columns] : raw.joints) {
    for (const auto& values : columns) {
      if (!values.empty() && !same_number(values[a], values[b])) return false;
    }
  }
  return true;
}

// Rows without new information: those at the time of the row before, and those with the same numbers as the row before
// while the arm moves (a recorder that was faster than the source). An arm at rest may repeat its state for long.
std::vector<size_t> rows_to_keep(RawLog& raw) {
  constexpr size_t longest_stale = 5;
  const size_t rows = raw.time_s.size();
  std::vector<size_t> keep;
  size_t twice = 0, differing = 0, stale = 0;
  for (size_t k = 0; k < rows;) {
    size_t end = k + 1;
    while (end < rows && same_row(raw, k, end)) ++end;
    const bool repeats = end - k > 1 && end - k <= longest_stale && k > 0 && end < rows;
    keep.push_back(k);
    for (size_t r = k + 1; r < end; ++r) {
      if (raw.time_s[r] == raw.time_s[r - 1]) {
        ++twice;
      } else if (repeats) {
        ++stale;
      } else {
        keep.push_back(r);
      }
    }
    k = end;
  }
  std::vector<size_t> unique;
  for (const size_t k : keep) {
    if (!unique.empty() && raw.time_s[k] == raw.time_s[unique.back()]) {
      ++differing;
      unique.back() = k;
    } else {
      unique.push_back(k);
    }
  }
  const auto note = [&](size_t count, const char* what) {
    if (count > 0) raw.notes.push_back(std::to_string(count) + " of " + std::to_string(rows) + " rows " + what);
  };
  note(twice, "are there twice and were left out");
  note(differing, "have the time of the next one and other numbers; the last of each was taken");
  note(stale, "repeat the row before while the arm moves; they were left out and interpolated");
  return unique;
}

const JointDescription& joint_of(const Model& model, size_t coordinate) {
  for (const Joint& joint : model.joints()) {
    const size_t first = joint.first_coordinate;
    if (coordinate >= first && coordinate < first + static_cast<size_t>(joint.degrees)) return joint.description;
  }
  throw ModelError("there is no coordinate " + std::to_string(coordinate));
}

// Positions in degrees are far outside limits within which they would be as radians, and more than a turn from 0.
void check_units(const MotionLog& log, const Model& model) {
  constexpr double degree = std::numbers::pi / 180.0;
  const bool turns = log.q.cwiseAbs().maxCoeff() > 2.0 * std::numbers::pi;
  for (size_t i = 0; i < log.in_log.size(); ++i) {
    const JointDescription& joint = joint_of(model, i);
    if (!log.in_log[i] || joint.type != JointType::revolute || !joint.limits) continue;
    const auto column = log.q.col(i);
    const double least = column.minCoeff(), most = column.maxCoeff();
    const double lower = joint.limits->lower - 0.1, upper = joint.limits->upper + 0.1;
    if (least >= lower - 0.5 && most <= upper + 0.5) continue;
    const bool degrees = turns && least * degree >= lower && most * degree <= upper;
    throw ModelError(log.source + ": joint '" + joint.name + "' is between " + text(least) + " and " + text(most) +
                     " rad, outside its limits of " + text(joint.limits->lower) + " to " + text(joint.limits->upper) +
                     " rad" +
                     (degrees ? ", but within them if these are degrees; positions must be in radians"
                              : ": is this the log of another robot, or are joints exchanged?"));
  }
}

// v compared with the differences of q: the slope of one over the other is 1.
void check_velocities(const MotionLog& log, const Model& model) {
  if (!log.has_v || log.rows() < 20) return;
  for (Eigen::Index i = 0; i < log.q.cols(); ++i) {
    if (!log.in_log[i]) continue;
    double vv = 0.0, vd = 0.0, dd = 0.0;
    for (Eigen::Index k = 5; k + 5 < log.rows(); ++k) {  // over ten rows, so that noise counts little
      const double span = log.time_s[k + 5] - log.time_s[k - 5];
      const double slope = (log.q(k + 5, i) - log.q(k - 5, i)) / span;
      const double v = log.v.col(i).segment(k - 5, 11).mean();
      vv += v * v;
      vd += v * slope;
      dd += slope * slope;
    }
    if (dd == 0.0 || vv == 0.0 || vd * vd < 0.81 * vv * dd) {
      const double moving = std::sqrt(dd / static_cast<double>(log.rows()));
      if (moving < 0.02 || vd * vd > 0.25 * vv * dd) continue;
      throw ModelError(log.source + ": the velocity of joint '" + model.coordinate_names()[i] +
                       "' is not the rate of its position");
    }
    const double ratio = vd / dd;
    if (ratio > 0.8 && ratio < 1.25) continue;
    throw ModelError(log.source + ": the velocity of joint '" + model.coordinate_names()[i] + "' is " + text(ratio) +
                     " times the rate of its position" +
                     (ratio > 50.0 && ratio < 65.0 ? "; it must be in rad/s, not degrees/s" : ""));
  }
}

class Mapper {
 public:
  Mapper(RawLog raw, const Model& model, const LogChoice& choice)
      : raw_(std::move(raw)), model_(model), choice_(choice) {
    log_.source = raw_.source;
  }

  MotionLog map() {
    if (raw_.time_s.size() < 3) {
      throw ModelError(raw_.source + ": there are " + std::to_string(raw_.time_s.size()) +
                       " rows; at least 3 are needed");
    }
    check_lengths(raw_);
    check_time(raw_);
    check_numbers(raw_, model_.coordinate_names());
    rows_ = rows_to_keep(raw_);
    if (rows_.size() < 3) throw ModelError(raw_.source + ": all rows have the same time");
    logs::check_size(raw_.source, rows_.size(), 4 * model_.coordinate_names().size());
    for (const size_t k : rows_) log_.time_s.push_back(raw_.time_s[k]);
    columns();
    note_strangers();
    check_units(log_, model_);
    check_velocities(log_, model_);
    log_.notes.insert(log_.notes.begin(), raw_.notes.begin(), raw_.notes.end());
    return std::move(log_);
  }

 private:
  // And frees the column, so that a long log is not in memory twice.
  bool fill(std::vector<double>& column, Eigen::MatrixXd& to, size_t coordinate) {
    const std::vector<double> from = std::move(column);
    if (from.empty()) to.col(coordinate).setZero();
    for (size_t k = 0; k < rows_.size() && !from.empty(); ++k) {
      to(k, coordinate) = from[rows_[k]];
    }
    return !from.empty();
  }

  void columns() {
    const auto& names = model_.coordinate_names();
    const auto rows = static_cast<Eigen::Index>(rows_.size()), n = static_cast<Eigen::Index>(names.size());
    for (auto* x : {&log_.q, &log_.v, &log_.a, &log_.effort}) x->resize(rows, n);
    log_.in_log.assign(names.size(), false);
    log_.has_effort.assign(names.size(), false);
    log_.has_v = log_.has_a = true;
    for (size_t i = 0; i < names.size(); ++i) {
      const auto found = raw_.joints.find(names[i]);
      if (found == raw_.joints.end() || found->second[at(Quantity::q)].empty()) {
        absent(names[i], i, found != raw_.joints.end());
        continue;
      }
      auto& columns = found->second;
      log_.in_log[i] = fill(columns[at(Quantity::q)], log_.q, i);
      if (!fill(columns[at(Quantity::v)], log_.v, i)) log_.has_v = false;
      if (!fill(columns[at(Quantity::a)], log_.a, i)) log_.has_a = false;
      log_.has_effort[i] = fill(columns[at(Quantity::effort)], log_.effort, i);
    }
  }

  void absent(const std::string& name, size_t coordinate, bool other_columns) {
    if (other_columns) {
      throw ModelError(raw_.source + ": joint '" + name + "' has a velocity or effort but no position (q." + name +
                       ")");
    }
    const auto given = choice_.at.find(name);
    const double q = given == choice_.at.end() ? 0.0 : given->second;
    log_.q.col(coordinate).setConstant(q);
    for (auto* x : {&log_.v, &log_.a, &log_.effort}) x->col(coordinate).setZero();
    log_.notes.push_back("joint '" + name + "' is not in the log and is assumed at " + text(q));
  }

  void note_strangers() {
    const auto& names = model_.coordinate_names();
    std::vector<std::string> strangers;
    for (const auto& [joint, columns] : raw_.joints) {
      if (std::find(names.begin(), names.end(), joint) == names.end()) strangers.push_back(joint);
    }
    if (std::find(log_.in_log.begin(), log_.in_log.end(), true) == log_.in_log.end()) {
      throw ModelError(raw_.source + ": no joint of robot '" + model_.name() + "' (" + listed(names) +
                       ") has a position in the log, which has " +
                       (strangers.empty() ? std::string("none") : listed(strangers)));
    }
    for (const auto& [joint, q] : choice_.at) {
      const auto found = std::find(names.begin(), names.end(), joint);
      if (found == names.end()) throw ModelError("--at " + joint + ": the robot has no such joint");
      if (log_.in_log[found - names.begin()]) {
        throw ModelError("--at " + joint + ": this joint is in the log " + raw_.source);
      }
    }
    if (std::find(log_.has_effort.begin(), log_.has_effort.end(), true) == log_.has_effort.end()) {
      throw ModelError(raw_.source + ": the log has no torque (effort.JOINT) of any joint of the robot");
    }
    if (!strangers.empty())
      log_.notes.push_back("joints that are not of this robot were ignored: " + listed(strangers));
    if (!log_.has_v)
      log_.notes.emplace_back("velocities are not in the log for every joint; positions are differentiated");
    for (size_t i = 0; i < names.size(); ++i) {
      if (log_.in_log[i] && !log_.has_effort[i]) {
        log_.notes.push_back("joint '" + names[i] + "' has no torque in the log; it is not compared");
      }
    }
  }

  RawLog raw_;
  const Model& model_;
  const LogChoice& choice_;
  std::vector<size_t> rows_;
  MotionLog log_;
};

// A folder that ros2 bag or dyn run wrote: its only bag.
std::filesystem::path bag_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> bags;
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::filesystem::path& file = entry.path();
    const std::string ending = file.extension().string();
    const bool bag = ending == ".mcap" || ending == ".db3" || ending == ".zstd";
    if (bag && entry.is_regular_file(error)) bags.push_back(file);
  }
  if (error) throw ModelError(folder.string() + ": the folder cannot be read: " + error.message());
  if (bags.size() == 1) return bags.front();
  for (const auto& bag : bags) names.push_back(bag.filename().string());
  std::sort(names.begin(), names.end());
  throw ModelError(folder.string() + ": the folder has " +
                   (bags.empty()
                        ? std::string("no bag (.mcap, .db3)")
                        : std::to_string(bags.size()) + " bags, of which one has to be named: " + listed(names)));
}

}  // namespace

MotionLog to_motion_log(RawLog raw, const Model& model, const LogChoice& choice) {
  return Mapper(std::move(raw), model, choice).map();
}

MotionLog load_log(const std::filesystem::path& file, const Model& model, const LogChoice& choice) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return load_log(bag_in(file), model, choice);
  const std::string ending = file.extension().string();
  if (ending == ".zstd" || ending == ".zst")
    throw ModelError(file.string() + ": the file is compressed as a whole; unzstd makes the bag that is read");
  RawLog raw = ending == ".mcap"  ? read_mcap_log(file, choice)
               : ending == ".db3" ? read_db3_log(file, choice)
                                  : read_csv_log(file, choice);
  return to_motion_log(std::move(raw), model, choice);
}

}  // namespace dyn::sim
