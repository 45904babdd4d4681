// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/cycle_reporter.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "dyn_controllers/algorithm_names.hpp"

namespace dyn_controllers {
namespace {

using diagnostic_msgs::msg::DiagnosticStatus;
using What = CycleEvent::What;
using Cause = CycleEvent::Cause;

DYN_REALTIME void add(std::atomic<std::uint64_t>& counter, bool happened) noexcept {
  if (happened) counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// The name without the leading slash: two arms in two namespaces are two entries of /diagnostics.
std::string full_name(const rclcpp_lifecycle::LifecycleNode& node) {
  const std::string name = node.get_fully_qualified_name();
  return name.substr(name.find_first_not_of('/'));
}

// What happened since the last publication of /diagnostics: the most severe first.
std::pair<std::uint8_t, std::string> judge(const CycleCounts& before, const CycleCounts& now, bool active,
                                           const std::string& failure, const std::string& cause) {
  if (!failure.empty()) return {DiagnosticStatus::ERROR, failure};
  if (now.safe_torque != before.safe_torque) {
    return {DiagnosticStatus::ERROR, "safe torque, gravity and damping only: " + cause};
  }
  if (now.held_torque != before.held_torque) return {DiagnosticStatus::ERROR, "the last good torque is held: " + cause};
  if (now.fallback != before.fallback) return {DiagnosticStatus::ERROR, "the validator asked for a fallback"};
  if (!active) return {DiagnosticStatus::OK, "not active"};
  if (now.all == before.all) return {DiagnosticStatus::WARN, "active, but there was no cycle"};
  if (now.no_motion != before.no_motion) return {DiagnosticStatus::WARN, "the state does not follow the torque"};
  if (now.bad_reference != before.bad_reference) return {DiagnosticStatus::WARN, "references are not finite"};
  if (now.collision != before.collision) return {DiagnosticStatus::WARN, "external effort above collision_threshold"};
  if (now.held_reference != before.held_reference) return {DiagnosticStatus::WARN, "no reference: the arm is held"};
  if (now.late > before.late + 1) return {DiagnosticStatus::WARN, "the loop is late again and again"};
  if (now.limited != before.limited) return {DiagnosticStatus::WARN, "the reference asks for more than the arm can do"};
  if (now.damped != before.damped) return {DiagnosticStatus::WARN, "near a singular posture"};
  if (now.velocity_held != before.velocity_held) return {DiagnosticStatus::WARN, "at a velocity limit"};
  if (now.saturated != before.saturated) return {DiagnosticStatus::WARN, "at an effort limit"};
  return {DiagnosticStatus::OK, "tracking"};
}

std::string rounded(double number, const char* format = "%.3f") {
  std::array<char, 32> digits{};
  (void)std::snprintf(digits.data(), digits.size(), format, number);
  return digits.data();
}

// `put`: key, text.
template <class Put>
void put_delay(const Put& put, double periods) {
  const auto text = [&](double number) {
    return std::isfinite(periods) ? rounded(number, "%.2f") : std::string("not known");
  };
  put("measured delay of efforts, in periods", text(periods));
  put("proposed prediction", text(periods + 0.5));
}

}  // namespace

CycleReporter::CycleReporter(rclcpp_lifecycle::LifecycleNode& node, const Arm& arm, double period_s)
    : period_s_(period_s),
      names_(arm.all_coordinate_names()),
      motion_(arm.states()),
      logger_(node.get_logger()),
      clock_(node.get_clock()) {
  using namespace std::chrono_literals;
  // Not by the node's clock: a paused simulation is to be reported too.
  log_timer_ = node.create_wall_timer(200ms, gate_.guard([this] { log_events(); }));
  diagnosis_.status.resize(1);
  diagnosis_.status[0].name = full_name(node) + ": torque";
  diagnosis_.status[0].hardware_id = "none";
  diagnostics_ = rclcpp::create_publisher<diagnostic_msgs::msg::DiagnosticArray>(node, "/diagnostics", 1);
  diagnosis_timer_ = node.create_wall_timer(1s, gate_.guard([this] { diagnose(); }));
}

void CycleReporter::begin() noexcept {
  mode_ = Mode::tracking;
  fallback_ = false;
  unlimited_s_ = good_reference_s_ = undamped_s_ = 1.0;
  motion_.reset();
  CycleEvent event;
  event.what = What::activated;
  push(event);
  active_.store(true, std::memory_order_relaxed);
}

void CycleReporter::refuse_activation(const Arm& arm) noexcept {
  CycleEvent event;
  event.what = What::not_activated;
  find_cause(arm, {}, event);
  push(event);
}

void CycleReporter::find_cause(const Arm& arm, const dyn::control::CycleReport& report, CycleEvent& event) noexcept {
  for (size_t i = 0; i < arm.all_states(); ++i) {
    if (!arm.has(i)) continue;
    const bool q_lost = !std::isfinite(arm.q()[i]);
    if (!q_lost && std::isfinite(arm.v()[i])) continue;
    event.cause = q_lost ? Cause::position : Cause::velocity;
    event.coordinate = static_cast<int>(i);
    event.value = q_lost ? arm.q()[i] : arm.v()[i];
    return;
  }
  if (report.frozen >= 0) {
    event.cause = Cause::frozen;
    event.coordinate = report.frozen;
  } else if (!arm.state_is_finite()) {
    event.cause = Cause::gravity;
  } else if (!report.status.ok()) {
    event.cause = report.status.code == dyn::Status::Code::singular_inertia ? Cause::singular : Cause::result;
    event.value = report.status.value;
  }
}

void CycleReporter::push(const CycleEvent& event) noexcept {
  CycleEvent* const slot = events_.next();
  add(lost_, slot == nullptr);
  if (slot == nullptr) return;
  *slot = event;
  events_.commit();
}

// Each occurrence once: it ends when there was none for a second.
void CycleReporter::push_at_begin(What what, bool now, double& quiet_s, const CycleEvent& like) noexcept {
  constexpr double over_s = 1.0;
  if (now && quiet_s >= over_s) {
    CycleEvent event = like;
    event.what = what;
    push(event);
  }
  quiet_s = now ? 0.0 : quiet_s + period_s_;
}

void CycleReporter::note(const Arm& arm, const dyn::control::CycleReport& report, bool bad_reference) noexcept {
  CycleEvent event;
  event.mode = report.mode;
  event.fallback_holds = arm.fallback_holds();
  event.bad_reference = good_reference_s_ == 0.0;
  if (report.mode != mode_) {
    find_cause(arm, report, event);
    push(event);
  }
  mode_ = report.mode;
  event.cut = report.reference_cut;
  const dyn::control::TaskCycle& task = arm.task();
  if (report.reference_limited) {
    event.away_m = Eigen::Vector3d(task.error.head<3>()).norm();
    event.away_rad = Eigen::Vector3d(task.error.tail<3>()).norm();
  }
  event.value = task.smallest_singular_value;
  const bool bad = bad_reference || report.reference_not_finite;
  push_at_begin(What::damped, task.damped, undamped_s_, event);
  push_at_begin(What::limited, report.reference_limited, unlimited_s_, event);
  push_at_begin(What::bad_reference, bad, good_reference_s_, event);
  if (report.fallback && !fallback_) {
    event.what = What::fallback;
    push(event);
  }
  fallback_ = report.fallback;
  event.coordinate = motion_.note(
      arm.q(), arm.terms().applied, arm.terms().gravity, [&arm](size_t i) { return arm.moving_torque(i); }, period_s_);
  if (event.coordinate >= 0) {
    event.what = What::no_motion;
    event.value = arm.terms().applied[event.coordinate];
    push(event);
  }
  add(all_, true);
  add(held_reference_, report.mode == Mode::holding_reference);
  add(held_torque_, report.mode == Mode::holding_torque);
  add(safe_torque_, report.mode == Mode::safe_torque);
  add(failed_, report.mode == Mode::failed);
  add(saturated_, report.saturated);
  add(velocity_held_, report.velocity_held);
  add(limited_, report.reference_limited);
  add(bad_reference_, bad);
  add(collision_, report.collision);
  add(fallbacks_, report.fallback);
  add(no_motion_, event.coordinate >= 0);
  add(late_, report.late);
  add(damped_, task.damped);
  smallest_singular_value_.store(task.known ? task.smallest_singular_value : std::nan(""), std::memory_order_relaxed);
  effort_share_.store(task.effort_share, std::memory_order_relaxed);
  const auto& delay = arm.observation().delay();
  delay_periods_.store(delay.known ? delay.periods : std::nan(""), std::memory_order_relaxed);
  generation_.store(report.generation, std::memory_order_relaxed);
  jsim_.store(report.algorithms.jsim, std::memory_order_relaxed);
  coriolis_.store(report.algorithms.coriolis, std::memory_order_relaxed);
}

CycleCounts CycleReporter::counts() const {
  const auto now = [](const Number& number) { return number.load(std::memory_order_relaxed); };
  return {now(all_),       now(held_reference_), now(held_torque_), now(safe_torque_),   now(failed_),
          now(saturated_), now(velocity_held_),  now(limited_),     now(bad_reference_), now(collision_),
          now(fallbacks_), now(no_motion_),      now(late_),        now(damped_)};
}

std::string CycleReporter::name_of(int coordinate) const {
  const bool known = coordinate >= 0 && static_cast<size_t>(coordinate) < names_.size();
  return known ? names_[coordinate] : "a joint";
}

std::string CycleReporter::cause_of(const CycleEvent& event) const {
  const std::string joint = name_of(event.coordinate);
  switch (event.cause) {
    case Cause::position: return joint + "/position is " + std::to_string(event.value);
    case Cause::velocity: return joint + "/velocity is " + std::to_string(event.value);
    case Cause::gravity: return "the orientation of the base cannot be had";
    case Cause::singular: return "M is singular";
    case Cause::result: return "a torque came out as " + std::to_string(event.value);
    case Cause::frozen:
      return joint + "'s position and velocity stay the same to the last bit, although the joint has to move (is its " +
             "encoder alive, does this hardware turn torques into motion? mock_components does not; state_timeout)";
    case Cause::none: break;
  }
  return "the cause has passed";
}

std::string CycleReporter::text_of(const CycleEvent& event) const {
  switch (event.what) {
    case What::limited:
      if (event.cut.limit != dyn::control::ReferenceLimit::none) {
        return describe(event.cut, name_of(event.cut.coordinate));
      }
      return "the frame's target, " + rounded(event.away_m) + " m and " + rounded(event.away_rad) +
             " rad away, is approached within task.velocity_limit, task.acceleration_limit, " +
             "task.angular_velocity_limit and task.angular_acceleration_limit";
    case What::damped:
      return "near a singular posture: the smallest singular value of the frame's Jacobian is " + rounded(event.value) +
             ", below task.damp_below; the frame follows its target less exactly";
    case What::fallback: return "the validator asked for a fallback";
    case What::bad_reference: return "references from the controller above are not finite, and not used";
    case What::not_activated: return "not activated: " + cause_of(event);
    case What::activated: return "active";
    case What::no_motion:
      return "the state has not moved for half a second under " + std::to_string(event.value) + " N m or N at " +
             name_of(event.coordinate) +
             ": does this hardware turn torques into motion (mock_components does not), and are its brakes off?";
    case What::mode: break;
  }
  switch (event.mode) {
    case Mode::tracking: return "tracking";
    case Mode::holding_reference:
      return std::string(event.fallback_holds  ? "the validator asked for a stop"
                         : event.bad_reference ? "references are not finite"
                                               : "no new reference for reference_timeout") +
             ": the arm is brought to rest and held";
    case Mode::holding_torque: return cause_of(event) + ": the last good torque is held";
    case Mode::safe_torque: return cause_of(event) + ": safe torque, gravity and damping only";
    case Mode::failed: return "failed: " + cause_of(event);
  }
  return {};
}

void CycleReporter::log(const CycleEvent& event, const std::string& text) {
  const bool mode = event.what == What::mode;
  if (mode && event.mode == Mode::tracking) {
    RCLCPP_INFO(logger_, "%s", text.c_str());
  } else if (event.what == What::fallback || event.what == What::not_activated ||
             (mode && (event.mode != Mode::holding_reference || event.fallback_holds))) {
    RCLCPP_ERROR(logger_, "%s", text.c_str());
  } else {
    RCLCPP_WARN(logger_, "%s", text.c_str());
  }
}

// A mode that changes rapidly does not flood the log.
void CycleReporter::log_events() {
  constexpr int most_lines = 8;
  int lines = 0, more = 0;
  CycleEvent event;
  for (const CycleEvent* next = events_.front(); next != nullptr; next = events_.front()) {
    event = *next;
    events_.release();
    if (event.what == What::activated) {
      failure_.clear();
      continue;
    }
    const std::string text = text_of(event);
    if (event.what == What::mode) {
      if (event.mode == Mode::failed) failure_ = text;
      if (event.cause != Cause::none) cause_ = cause_of(event);
    }
    if (lines++ < most_lines) {
      log(event, text);
    } else {
      ++more;
    }
  }
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  more += static_cast<int>(lost - told_lost_);
  told_lost_ = lost;
  if (more > 0) RCLCPP_WARN(logger_, "%d more changes of mode in the last 0.2 s are not shown", more);
}

void CycleReporter::diagnose() {
  log_events();
  DiagnosticStatus& status = diagnosis_.status[0];
  const CycleCounts now = counts();
  std::tie(status.level, status.message) =
      judge(reported_, now, active_.load(std::memory_order_relaxed), failure_, cause_);
  reported_ = now;
  status.values.clear();
  const auto value = [&](const char* key, const std::string& text) {
    status.values.emplace_back();
    status.values.back().key = key;
    status.values.back().value = text;
  };
  const auto number = [&](const char* key, std::uint64_t count) { value(key, std::to_string(count)); };
  number("cycles", now.all);
  number("cycles without a reference", now.held_reference);
  number("cycles without a finite state or result", now.held_torque + now.safe_torque + now.failed);
  number("cycles with the last good torque", now.held_torque);
  number("cycles with the safe torque", now.safe_torque);
  number("cycles that failed", now.failed);
  number("cycles at an effort limit", now.saturated);
  number("cycles at a velocity limit", now.velocity_held);
  number("cycles with a limited reference", now.limited);
  number("cycles with a reference that is not finite", now.bad_reference);
  number("cycles with external effort above collision_threshold", now.collision);
  number("cycles with a fallback", now.fallback);
  number("cycles that came late", now.late);
  const double singular_value = smallest_singular_value_.load(std::memory_order_relaxed);
  if (std::isfinite(singular_value)) {
    number("cycles near a singular posture", now.damped);
    value("smallest singular value of the frame", rounded(singular_value));
    value("share of the force within the effort limits", rounded(effort_share_.load(std::memory_order_relaxed)));
  }
  number("model generation", generation_.load(std::memory_order_relaxed));
  put_delay(value, delay_periods_.load(std::memory_order_relaxed));
  value("jsim_algorithm", jsim_name(jsim_.load(std::memory_order_relaxed)));
  value("coriolis_algorithm", coriolis_name(coriolis_.load(std::memory_order_relaxed)));
  diagnosis_.header.stamp = clock_->now();
  diagnostics_->publish(diagnosis_);
}

}  // namespace dyn_controllers
