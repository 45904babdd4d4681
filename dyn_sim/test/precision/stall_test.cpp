// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A loop that is held up in the middle of a fast motion, as on a busy machine: the reference of whoever is above has
// gone on in the meantime, and so has the plant under the last torque, or it stood still. Once, and again and again.
// The figures of docs/safety.md:  build/bin/test_precision --gtest_filter='Stalls*'
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "closed_loop.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_sim/precision.hpp"

namespace dyn::sim {
namespace {

using control::CycleReport;
using test::ClosedLoop;

constexpr double period_s = 1e-3;
enum class Meanwhile : std::uint8_t { the_plant_goes_on, the_plant_stands };

// arm7 on the motion of config/scenarios/algorithm_tour.yaml, below a controller like joint_trajectory_controller.
ArmConfig tour() {
  ArmConfig arm = arm7_moves(1000.0, 0.5).arms.front();
  arm.description = load_robot("arm7");
  arm.plant.friction = false;
  arm.plant.tolerance = 1e-8;
  arm.trajectory = make_fourier(Point(7, 0.0), {0.5, 0.9, 0.9, 0.9, 1.2, 0.9, 0.9}, 0.1, 5, 4);
  arm.controller.gains.assign(7, {400.0, 40.0, 0.0, 0.0});
  arm.controller.reference_lead = 1.0;
  return arm;
}

struct Figures {
  double lost_rad = 0.0;      // from the trajectory at the end of the stall
  double farthest_rad = 0.0;  // after it
  double fastest = 0.0;       // share of a velocity limit, after it
  double at_end = 0.0;        // the same at the end of it
  double leap_rad = 0.0;      // of the reference that is followed, beyond its velocity, after it
  int saturated = 0;          // cycles after it
  double back_s = -1.0;       // until it follows within 1 mrad for good
};

struct StalledLoop : ClosedLoop {
  explicit StalledLoop(const ArmConfig& config = tour()) : ClosedLoop(config, sim::period_s) {
    for (const Joint& joint : live.newest_model()->joints()) limits.push_back(*joint.description.limits);
  }

  // `elapsed_s` after the cycle before.
  CycleReport cycle_at(double now_s, double elapsed_s) {
    sample(now_s + period_s);
    const CycleReport report =
        controller.step({plant->q(), plant->v(), nullptr, told ? elapsed_s : 0.0}, {ref_q, ref_v, ref_a}, effort);
    EXPECT_TRUE(report.status.ok());
    for (size_t i = 0; i < n; ++i) EXPECT_LE(std::abs(effort[i]), limits[i].effort);
    return report;
  }
  void hold(double seconds) { plant->advance({effort.data(), plant->q().size()}, seconds); }

  void note(Figures& f, const CycleReport& report, double after_s, bool again) {
    sample(time_s);
    double error = 0.0, share = 0.0;
    const auto followed = controller.reference();
    for (size_t i = 0; i < n; ++i) {
      error = std::max(error, std::abs(ref_q[i] - plant->q()[i]));
      share = std::max(share, std::abs(plant->v()[i]) / limits[i].velocity);
      const double leap = std::abs(followed.q[i] - last[i]) - std::abs(followed.v[i]) * period_s;
      if (again) f.leap_rad = std::max(f.leap_rad, leap);
      last[i] = followed.q[i];
    }
    if (!again) f.lost_rad = error, f.at_end = share;
    f.farthest_rad = std::max(f.farthest_rad, error);
    f.fastest = std::max(f.fastest, share);
    f.saturated += report.saturated ? 1 : 0;
    if (error > 1e-3) f.back_s = -1.0;
    if (error <= 1e-3 && f.back_s < 0.0) f.back_s = after_s;
  }

  Figures once(Meanwhile meanwhile, double begins_s, double lasts_s) {
    Figures f;
    double elapsed_s = period_s, end_s = -1.0;
    while (end_s < 0.0 || time_s < end_s + 4.0) {
      const CycleReport report = cycle_at(time_s, elapsed_s);
      if (end_s >= 0.0) note(f, report, time_s - end_s, time_s > end_s);
      const bool stalls = end_s < 0.0 && time_s >= begins_s;
      elapsed_s = stalls ? lasts_s : period_s;
      if (!stalls || meanwhile == Meanwhile::the_plant_goes_on) hold(elapsed_s);
      time_s += elapsed_s;
      if (stalls) end_s = time_s;
    }
    return f;
  }

  // From 2 s to 8 s every cycle may be late, by mean_s on average; drives let go after watchdog_s.
  Figures again_and_again(unsigned seed, double mean_s, double share, double watchdog_s) {
    std::mt19937 random(seed);
    std::exponential_distribution<double> lateness(1.0 / mean_s);
    std::uniform_real_distribution<double> chance(0.0, 1.0);
    Figures f;
    double elapsed_s = period_s;
    while (time_s < 12.0) {
      const CycleReport report = cycle_at(time_s, elapsed_s);
      note(f, report, time_s - 8.0, false);
      elapsed_s = period_s;
      if (time_s > 2.0 && time_s < 8.0 && chance(random) < share) elapsed_s += lateness(random);
      hold(std::min(elapsed_s, watchdog_s));
      time_s += elapsed_s;
    }
    return f;
  }

  bool told = true;  // the controller, of how late it is
  std::vector<JointLimits> limits;
  std::vector<double> last = std::vector<double>(7, 0.0);
};

TEST(Stalls, Once) {
  for (const auto meanwhile : {Meanwhile::the_plant_goes_on, Meanwhile::the_plant_stands}) {
    const bool goes_on = meanwhile == Meanwhile::the_plant_goes_on;
    for (const double lasts_s : {0.003, 0.01, 0.05, 0.1, 0.2, 0.5}) {
      Figures worst;
      for (const double begins_s : {1.3, 2.1, 2.9, 3.7, 4.4, 5.2}) {
        SCOPED_TRACE(std::to_string(lasts_s) + " s from " + std::to_string(begins_s) + " s on" +
                     (goes_on ? "" : ", and the plant stands"));
        const Figures f = StalledLoop().once(meanwhile, begins_s, lasts_s);
        EXPECT_LE(f.fastest, std::max(1.0, f.at_end));
        if (f.at_end <= 1.0) {  // else it has to be caught first
          EXPECT_LE(f.farthest_rad, 3.0 * f.lost_rad + 0.01) << "it is not thrown farther off";
        }
        EXPECT_LE(f.leap_rad, 5e-3);
        EXPECT_GE(f.back_s, 0.0);
        EXPECT_LE(f.back_s, lasts_s < 0.2 ? 1.0 : 2.0);
        worst.lost_rad = std::max(worst.lost_rad, f.lost_rad);
        worst.farthest_rad = std::max(worst.farthest_rad, f.farthest_rad);
        worst.fastest = std::max(worst.fastest, f.fastest);
        worst.saturated = std::max(worst.saturated, f.saturated);
        worst.back_s = std::max(worst.back_s, f.back_s);
      }
      std::printf("| %.0f ms, the plant %s | %.2g rad | %.2g rad | %.2f | %d | %.0f ms |\n", 1e3 * lasts_s,
                  goes_on ? "goes on" : "stands", worst.lost_rad, worst.farthest_rad, worst.fastest, worst.saturated,
                  1e3 * worst.back_s);
    }
  }
}

Figures worst_of_seeds(double mean_s, double share, bool told) {
  Figures worst;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    StalledLoop loop;
    loop.told = told;
    const Figures f = loop.again_and_again(seed, mean_s, share, 0.1);
    worst.farthest_rad = std::max(worst.farthest_rad, f.farthest_rad);
    worst.fastest = std::max(worst.fastest, f.fastest);
    worst.saturated = std::max(worst.saturated, f.saturated);
    worst.back_s = std::max(worst.back_s, f.back_s);
  }
  std::printf("| %.0f %% of the cycles late by %.0f ms%s | %.2g rad | %.2f | %d | %.0f ms |\n", 100.0 * share,
              1e3 * mean_s, told ? "" : ", without `elapsed_s`", worst.farthest_rad, worst.fastest, worst.saturated,
              1e3 * worst.back_s);
  return worst;
}

TEST(Stalls, AgainAndAgain) {
  for (const double mean_s : {0.002, 0.005, 0.02, 0.05}) {
    for (const double share : {0.02, 0.2, 1.0}) {
      EXPECT_LE(worst_of_seeds(mean_s, share, true).fastest, mean_s < 0.02 ? 1.0 : 1.3) << mean_s << ' ' << share;
    }
  }
}

// A gripper's finger weighs little and is stiff for its mass: the feedback of a loop that is late is reduced for it,
// and not for the joints that carry the arm, which a wrong model would then let sink.
TEST(Stalls, DoNotMakeAnArmLimpThatHasALightJoint) {
  const RunConfig config = load_run_config(DYN_SCENARIOS "/panda_wrong_model.yaml");
  for (const ArmConfig& arm : config.arms) {
    ClosedLoop loop(arm, period_s);
    std::vector<double> start(loop.n), now(loop.n);
    double farthest_rad = 0.0;
    for (int k = 0; k < 8000; ++k) {
      loop.sample(0.0);
      const bool late = k > 3000 && k % 200 < 2;
      const double elapsed_s = late ? 3.0 * period_s : period_s;
      const CycleReport report = loop.controller.step({loop.plant->q(), loop.plant->v(), nullptr, elapsed_s},
                                                      {loop.ref_q, loop.ref_v, loop.ref_a}, loop.effort);
      ASSERT_TRUE(report.status.ok());
      loop.plant->advance({loop.effort.data(), loop.plant->q().size()}, elapsed_s);
      for (size_t i = 0; i < 4; ++i) {  // shoulder and elbow
        if (k == 3000) start[i] = loop.plant->q()[i];
        if (k > 3000) farthest_rad = std::max(farthest_rad, std::abs(loop.plant->q()[i] - start[i]));
      }
    }
    EXPECT_LT(farthest_rad, 2e-3) << arm.name;
  }
}

// What all this is about.
TEST(Stalls, ThrowAnArmWhoseControllerIsNotToldOfThem) {
  EXPECT_GT(worst_of_seeds(0.002, 0.2, false).fastest, 1.2);
  EXPECT_GT(worst_of_seeds(0.02, 0.02, false).fastest, 5.0);
}

}  // namespace
}  // namespace dyn::sim
