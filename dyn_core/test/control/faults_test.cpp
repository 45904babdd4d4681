// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Faults of sensors and references, each for 1 to 1000 cycles while the arm moves. The controller must react as
// specified; the figures of docs/safety.md are printed:  build/bin/test_controller --gtest_filter='Faults*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <string>

#include "control/rig.hpp"

namespace dyn::control {
namespace {

using Mode = CycleReport::Mode;
constexpr double limit_Nm = 100.0;  // of every joint of the small arm
constexpr int begin_cycle = 500, after_cycles = 3000;

enum class Kind : std::uint8_t {
  state_nan,
  state_infinite,
  state_frozen,
  state_jumps,
  state_late,
  reference_missing,
  reference_nan,
  reference_jumps,
  reference_late
};

struct Fault {
  Kind kind;
  const char* name;
};
constexpr Fault faults[] = {{Kind::state_nan, "state is NaN"},
                            {Kind::state_infinite, "state is infinite"},
                            {Kind::state_frozen, "state is frozen"},
                            {Kind::state_jumps, "position is 0.5 rad off"},
                            {Kind::state_late, "state comes 10 cycles late"},
                            {Kind::reference_missing, "no reference comes"},
                            {Kind::reference_nan, "reference is NaN"},
                            {Kind::reference_jumps, "reference is 1 rad off"},
                            {Kind::reference_late, "reference comes 10 cycles late"}};

struct Figures {
  double largest_Nm = 0.0;     // torque
  double jump_Nm = 0.0;        // from one cycle to the next
  double farthest_rad = 0.0;   // from the faultless reference, during the fault and after it
  double fastest_rad_s = 0.0;  // true rate of a joint at the end of the fault
  double back_s = -1.0;        // after the fault, until it follows within 0.01 rad for good; negative: never
  double safe_s = -1.0;        // from the fault's begin to a safe state, if it was entered during the fault
  Mode mode = Mode::tracking;  // in the last cycle of the fault
};

// The true state of the arm, and the one that the controller gets.
class FaultyLoop {
 public:
  explicit FaultyLoop(Kind kind) : kind_(kind), rig_(test::small_arm(), parameters(), {}, References::limited) {
    for (size_t i = 0; i < 3; ++i) q_[i] = meant(i, 0.0).q;
  }

  Figures run(int faulty_cycles) {
    Figures f;
    const int end = begin_cycle + faulty_cycles;
    for (int k = 0; k < end + after_cycles; ++k) {
      const bool faulty = k >= begin_cycle && k < end;
      const CycleReport report = cycle(k, faulty);
      if (k >= begin_cycle) note(f, k, end);
      if (k == end - 1) f.mode = report.mode;
      if (faulty && f.safe_s < 0.0 && is_safe(report.mode)) f.safe_s = period_s * (k - begin_cycle);
      if (k >= end) {
        EXPECT_EQ(report.status.ok(), true) << "no fault is reported after its end";
      }
    }
    return f;
  }

 private:
  struct Target {
    double q, v, a;
  };
  static Parameters parameters() {
    Parameters p = plain_parameters();
    p.acceleration_limit.clear();
    p.state_timeout_s = 0.05;
    return p;
  }
  static Target meant(size_t i, double t) {
    const double w = 1.0 + 0.2 * static_cast<double>(i), phase = static_cast<double>(i);
    return {0.3 + 0.5 * std::sin(w * t + phase), 0.5 * w * std::cos(w * t + phase),
            -0.5 * w * w * std::sin(w * t + phase)};
  }

  CycleReport cycle(int k, bool faulty) {
    told_.push_back(q_);
    told_v_.push_back(v_);
    if (told_.size() > 11) told_.pop_front(), told_v_.pop_front();
    if (!faulty) frozen_ = q_, frozen_v_ = v_;
    for (size_t i = 0; i < 3; ++i) {
      const bool late = faulty && kind_ == Kind::reference_late;
      const bool missing = faulty && kind_ == Kind::reference_missing;
      const Target target = missing ? last_target_[i] : meant(i, period_s * (late ? k - 10 : k));
      last_target_[i] = target;
      rig_.q[i] = q_[i], rig_.v[i] = v_[i];
      rig_.ref_q[i] = target.q, rig_.ref_v[i] = target.v, rig_.ref_a[i] = target.a;
    }
    rig_.fresh = true;
    if (faulty) put_fault();
    const CycleReport report = rig_.step();
    move();
    return report;
  }

  void put_fault() {
    const double nan = std::nan("");
    for (size_t i = 0; i < 3; ++i) {
      switch (kind_) {
        case Kind::state_nan: rig_.q[i] = rig_.v[i] = nan; break;
        case Kind::state_infinite: rig_.v[i] = std::numeric_limits<double>::infinity(); break;
        case Kind::state_frozen: rig_.q[i] = frozen_[i], rig_.v[i] = frozen_v_[i]; break;
        case Kind::state_jumps: rig_.q[i] += i == 1 ? 0.5 : 0.0; break;
        case Kind::state_late: rig_.q[i] = told_.front()[i], rig_.v[i] = told_v_.front()[i]; break;
        case Kind::reference_missing: rig_.fresh = false; break;
        case Kind::reference_nan: rig_.ref_q[i] = nan; break;
        case Kind::reference_jumps: rig_.ref_q[i] += i == 1 ? 1.0 : 0.0; break;
        case Kind::reference_late: break;
      }
    }
  }

  void move() {
    Dynamics plant(rig_.live.newest_model());
    std::array<double, 3> a{};
    ASSERT_TRUE(plant.update(std::span<const double>(q_), std::span<const double>(v_)).ok());
    ASSERT_TRUE(plant.forward(std::span<const double>(rig_.effort.data(), 3), a).ok());
    for (size_t i = 0; i < 3; ++i) {
      v_[i] += a[i] * period_s;
      q_[i] += v_[i] * period_s;
    }
  }

  // The safe torque; where the reference is lost, rest.
  [[nodiscard]] bool is_safe(Mode mode) const {
    if (mode == Mode::safe_torque) return true;
    return mode == Mode::holding_reference &&
           std::all_of(v_.begin(), v_.end(), [](double v) { return std::abs(v) < 0.01; });
  }

  void note(Figures& f, int k, int end) {
    double error = 0.0, rate = 0.0;
    for (size_t i = 0; i < 3; ++i) {
      const double torque = rig_.effort[i];
      ASSERT_TRUE(std::isfinite(torque)) << "cycle " << k;
      ASSERT_LE(std::abs(torque), limit_Nm) << "cycle " << k;
      f.largest_Nm = std::max(f.largest_Nm, std::abs(torque));
      if (k > begin_cycle) f.jump_Nm = std::max(f.jump_Nm, std::abs(torque - last_[i]));
      last_[i] = torque;
      error = std::max(error, std::abs(meant(i, period_s * k).q - q_[i]));
      rate = std::max(rate, std::abs(v_[i]));
    }
    f.farthest_rad = std::max(f.farthest_rad, error);
    if (k == end - 1) f.fastest_rad_s = rate;
    if (k >= end && error > 0.01) f.back_s = -1.0;
    if (k >= end && error <= 0.01 && f.back_s < 0.0) f.back_s = period_s * (k - end);
  }

  Kind kind_;
  Rig rig_;
  std::array<Target, 3> last_target_{};
  std::array<double, 3> q_{}, v_{}, frozen_{}, frozen_v_{}, last_{};
  std::deque<std::array<double, 3>> told_, told_v_;
};

std::string milliseconds(double time_s, const char* never) {
  return time_s < 0.0 ? never : std::to_string(std::lround(1e3 * time_s)) + " ms";
}

const char* text_of(Mode mode) {
  constexpr const char* names[] = {"tracking", "reference held", "torque held", "safe torque", "failed"};
  return names[static_cast<size_t>(mode)];
}

Mode policy(Kind kind, int cycles) {
  switch (kind) {
    case Kind::state_nan:
    case Kind::state_infinite:
      return cycles < 50 ? Mode::holding_torque : cycles < 500 ? Mode::safe_torque : Mode::failed;
    case Kind::state_frozen: return cycles < 50 ? Mode::tracking : cycles < 500 ? Mode::safe_torque : Mode::failed;
    case Kind::reference_missing:
    case Kind::reference_nan: return cycles < 100 ? Mode::tracking : Mode::holding_reference;
    default: return Mode::tracking;  // the fault is not visible in the numbers
  }
}

bool becomes_safe(Kind kind, int cycles) {
  if (kind <= Kind::state_frozen) return cycles >= 90;
  return (kind == Kind::reference_missing || kind == Kind::reference_nan) && cycles == 1000;
}

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, HaveTheirPolicy) {
  for (const int cycles : {1, 10, 90, 1000}) {
    SCOPED_TRACE(std::string(GetParam().name) + " for " + std::to_string(cycles) + " cycles");
    const Figures f = FaultyLoop(GetParam().kind).run(cycles);
    EXPECT_EQ(f.mode, policy(GetParam().kind, cycles));
    std::printf("| %s | %d | %s | %.0f N m | %.0f N m | %.2g rad | %.2g rad/s | %s | %s |\n", GetParam().name, cycles,
                text_of(f.mode), f.largest_Nm, f.jump_Nm, f.farthest_rad, f.fastest_rad_s,
                milliseconds(f.safe_s, "-").c_str(), milliseconds(f.back_s, "not in 3 s").c_str());
    EXPECT_EQ(f.safe_s >= 0.0, becomes_safe(GetParam().kind, cycles));
    EXPECT_LT(f.safe_s, GetParam().kind < Kind::state_jumps ? 0.06 : 0.4) << "s until a safe state";
    if (cycles == 1) {
      EXPECT_LT(f.farthest_rad, 0.02) << "one lost cycle is bridged";
    }
    if (cycles <= 10) {
      EXPECT_GE(f.back_s, 0.0) << "the arm follows again after a fault of ten cycles";
    }
    if (GetParam().kind == Kind::state_frozen) {
      EXPECT_LT(f.fastest_rad_s, 1.0) << "no torque by a frozen velocity accelerates the arm";
    }
    const bool references = GetParam().kind >= Kind::reference_missing;
    if (references) {
      EXPECT_LT(f.fastest_rad_s, 3.5) << "references are held to the velocity limits of 3 rad/s";
    }
    const bool lost = GetParam().kind == Kind::reference_missing || GetParam().kind == Kind::reference_nan;
    if (lost && cycles <= 10) {
      EXPECT_LT(f.jump_Nm, 5.0) << "a stream is extrapolated for some cycles";
    }
    const bool rests = f.mode == Mode::holding_reference && cycles == 1000;
    if (rests) {
      EXPECT_LT(f.fastest_rad_s, 0.01) << "brought to rest";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InTheLoop, Faults, testing::ValuesIn(faults), [](const auto& at) {
  std::string name = at.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace dyn::control
