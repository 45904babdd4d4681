// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// log.mcap: a run as ROS 2 messages, for `ros2 bag`, PlotJuggler, Foxglove and `dyn replay`. Times are simulated time.
//   /joint_states         sensor_msgs/JointState, every recorded cycle: state and the torque of the drives
//   /sensed_joint_states  the same with the torque sensors' readings
//   /controller_state     dyn_msgs/ControllerState, at most 500 a second: every term
//   /validation           dyn_msgs/Validation
//   /events               rcl_interfaces/Log
// With several arms the first four are under /ARM.
#include <cmath>
#include <limits>

#include "dyn_sim/run/outputs.hpp"
#include "log_mcap_writer.hpp"
#include "output_file.hpp"
#include "report_assets.hpp"
#include "results_names.hpp"

namespace dyn::sim {
namespace {

constexpr double states_per_s = 500.0;  // of /controller_state, at most

constexpr std::string_view joint_state_msg =
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n";
constexpr std::string_view log_msg =
    "byte DEBUG=10\nbyte INFO=20\nbyte WARN=30\nbyte ERROR=40\nbyte FATAL=50\nbuiltin_interfaces/Time stamp\n"
    "uint8 level\nstring name\nstring msg\nstring file\nstring function\nuint32 line\n";
constexpr std::string_view between =
    "================================================================================\n";
constexpr std::string_view header_msg = "builtin_interfaces/Time stamp\nstring frame_id\n";
constexpr std::string_view time_msg = "int32 sec\nuint32 nanosec\n";

std::string with_time(std::string_view definition) {
  return std::string(definition) + std::string(between) + "MSG: builtin_interfaces/Time\n" + std::string(time_msg);
}

std::string with_header(std::string_view definition) {
  return with_time(std::string(definition) + std::string(between) + "MSG: std_msgs/Header\n" + std::string(header_msg));
}

std::uint64_t to_ns(double time_s) { return time_s > 0.0 ? static_cast<std::uint64_t>(std::llround(time_s * 1e9)) : 0; }

class ArmMessages {
 public:
  ArmMessages(outputs::McapWriter& writer, const ArmRecord& arm, const std::string& prefix)
      : writer_(writer), arm_(arm), buffer_(arm.coordinates.size()) {
    const std::string joints = with_header(joint_state_msg);
    joints_ = writer.add_channel(prefix + "/joint_states", "sensor_msgs/msg/JointState", joints);
    if (arm.sensed_known) {
      sensed_ = writer.add_channel(prefix + "/sensed_joint_states", "sensor_msgs/msg/JointState", joints);
    }
    state_ = writer.add_channel(prefix + "/controller_state", "dyn_msgs/msg/ControllerState",
                                with_header(report::ControllerState_msg));
    validation_ =
        writer.add_channel(prefix + "/validation", "dyn_msgs/msg/Validation", with_header(report::Validation_msg));
  }

  void write() {
    double next_state_s = -1.0;
    for (int row = 0; row < arm_.rows; ++row) {
      const double time_s = arm_.time_s[row];
      joints(joints_, row, Signal::applied);
      if (sensed_ != 0) joints(sensed_, row, Signal::sensed);
      if (time_s < next_state_s) continue;
      controller_state(row);
      next_state_s = time_s + 1.0 / states_per_s - 1e-6;
    }
    validation();
  }

 private:
  std::span<const double> values(int row, Signal signal) {
    for (size_t c = 0; c < buffer_.size(); ++c) buffer_[c] = arm_.signal(row, signal, static_cast<int>(c));
    return buffer_;
  }

  void joints(std::uint16_t channel, int row, Signal effort) {
    const std::uint64_t time_ns = to_ns(arm_.time_s[row]);
    message_.begin();
    message_.put_header(time_ns, "");
    message_.put(arm_.coordinates);
    for (const Signal signal : {Signal::q, Signal::v, effort}) message_.put(values(row, signal));
    writer_.write(channel, time_ns, message_);
  }

  // In the order of ControllerState.msg; fields that are not recorded are empty or 0.
  void controller_state(int row) {
    const std::uint64_t time_ns = to_ns(arm_.time_s[row]);
    const int flags = row < std::ssize(arm_.flags) ? arm_.flags[row] : 0;
    constexpr std::uint8_t tracking = 0, holding_reference = 1;
    message_.begin();
    message_.put_header(time_ns, "");
    message_.put(arm_.coordinates);
    for (const Signal signal : {Signal::q, Signal::v, Signal::q_reference, Signal::v_reference, Signal::a_reference,
                                Signal::position_error, Signal::velocity_error, Signal::inertia, Signal::coriolis,
                                Signal::gravity, Signal::friction, Signal::feedback}) {
      message_.put(values(row, signal));
    }
    std::vector<double> demanded(buffer_.size(), 0.0);
    for (const Signal term : {Signal::inertia, Signal::coriolis, Signal::gravity, Signal::friction, Signal::feedback}) {
      const auto part = values(row, term);
      for (size_t c = 0; c < demanded.size(); ++c) demanded[c] += part[c];
    }
    message_.put(std::span<const double>(demanded));
    message_.put(values(row, Signal::applied));
    message_.put(values(row, Signal::external));
    for (int unknown = 0; unknown < 2; ++unknown) {  // measured_delay, proposed_prediction
      message_.put(std::numeric_limits<double>::quiet_NaN());
    }
    message_.put((flags & ArmRecord::flag_holding) != 0 ? holding_reference : tracking);
    message_.put((flags & ArmRecord::flag_saturated) != 0);
    message_.put(false);  // reference_limited
    message_.put((flags & ArmRecord::flag_collision) != 0);
    message_.put((flags & ArmRecord::flag_ramping) != 0);
    message_.put((flags & ArmRecord::flag_fallback) != 0);
    message_.put(std::uint64_t{0});  // generation
    message_.put(std::string_view(row < std::ssize(arm_.jsim) ? outputs::jsim_name(arm_.jsim[row]) : ""));
    message_.put(std::string_view());  // coriolis_algorithm
    writer_.write(state_, time_ns, message_);
  }

  void validation() {
    std::uint64_t samples = 0;
    for (const ResidualRecord& r : arm_.residuals) {
      message_.begin();
      message_.put_header(to_ns(r.time_s), "");
      message_.put(std::uint64_t{0});  // generation
      for (const double error : {r.M, r.Cv, r.g}) message_.put(error);
      message_.put(++samples);
      message_.put(std::uint64_t{0});  // breaches
      writer_.write(validation_, to_ns(r.time_s), message_);
    }
  }

  outputs::McapWriter& writer_;
  const ArmRecord& arm_;
  std::vector<double> buffer_;
  outputs::CdrMessage message_;
  std::uint16_t joints_ = 0, sensed_ = 0, state_ = 0, validation_ = 0;
};

void write_events(outputs::McapWriter& writer, const RunRecord& run) {
  constexpr std::uint8_t info = 20, error = 40;
  const auto channel = writer.add_channel("/events", "rcl_interfaces/msg/Log", with_time(log_msg));
  outputs::CdrMessage message;
  for (const ArmRecord& arm : run.arms) {
    for (const EventRecord& event : arm.events) {
      if (event.applied_s < 0.0 && event.planned_s > run.duration_s) continue;  // the run ended before
      const double time_s = event.applied_s >= 0.0 ? event.applied_s : event.planned_s;
      message.begin();
      message.put_time(to_ns(time_s));
      message.put(event.error.empty() ? info : error);
      message.put(std::string_view(arm.config ? arm.config->name : ""));
      message.put(std::string_view(event.error.empty() ? event.label : event.label + ": " + event.error));
      message.put(std::string_view());
      message.put(std::string_view());
      message.put(std::uint32_t{0});
      writer.write(channel, to_ns(time_s), message);
    }
  }
}

}  // namespace

void write_mcap(const RunRecord& run, const std::filesystem::path& path) {
  outputs::OutputFile file(path, true);
  outputs::McapWriter writer(file.stream());
  for (size_t i = 0; i < run.arms.size(); ++i) {
    const ArmRecord& arm = run.arms[i];
    const std::string name = arm.config ? arm.config->name : "arm" + std::to_string(i + 1);
    ArmMessages(writer, arm, run.arms.size() > 1 ? "/" + name : "").write();
  }
  write_events(writer, run);
  writer.finish();
  file.close();
  outputs::OutputFile metadata(path.parent_path() / "metadata.yaml", false);
  metadata.stream() << writer.metadata(path.filename().string());
  metadata.close();
}

}  // namespace dyn::sim
