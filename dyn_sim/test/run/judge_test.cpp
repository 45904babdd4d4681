// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A number that is not finite anywhere in a record is a failure.
#include "dyn_sim/run/judge.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "dyn_sim/run/config.hpp"

namespace dyn::sim {
namespace {

const RunConfig& config() {
  static const RunConfig run = parse_run_config(
      "robot: arm7\nduration_s: 1\nstart: [0, 0.5, 0, -1.5, 0, 1.1, 0]\ncontroller: {type: task_space, frame: tool0}\n"
      "trajectory: {type: poses, poses: [{at: 1, by: [0, 0.1, 0]}]}\n",
      "run.yaml");
  return run;
}

// Two rows in which everything is 0, and one of everything else that a record may have.
ArmRecord whole_record() {
  const ArmConfig& arm = config().arms.front();
  ArmRecord record;
  record.config = &arm;
  record.model = std::make_shared<const Model>(Model::build(arm.description, arm.live.model));
  record.coordinates = record.model->coordinate_names();
  record.rows = 2;
  record.time_s = {0.0, 0.5};
  record.signals.assign(2 * static_cast<std::size_t>(Signal::count) * record.coordinates.size(), 0.0);
  record.frame_signals.assign(2 * frame_signal_count, 0.0);
  record.residuals.push_back({0.5, 0.0, 0.0, 0.0});
  record.reference_cuts.push_back({0.5, {}});
  record.estimates.push_back({0, "box", "tool0"});
  record.estimates.front().history.emplace_back();
  return record;
}

std::string cause(const ArmRecord& changed) {
  ArmRecord record = changed;
  const Judge judge(*record.model, *record.config);
  Ending ending;
  ending.end_s = ending.planned_s = 1.0;
  judge.write_failures(ending, record);
  EXPECT_LE(record.failures.size(), 1U);
  return record.failures.empty() ? "" : record.failures.front().cause;
}

TEST(Judge, FiniteNumbersAreNoFailure) { EXPECT_EQ(cause(whole_record()), ""); }

TEST(Judge, EverySignalIsFinite) {
  for (std::size_t i = 0; i < whole_record().signals.size(); ++i) {
    ArmRecord record = whole_record();
    record.signals[i] = std::nan("");
    EXPECT_NE(cause(record).find("is not finite"), std::string::npos) << i;
  }
  for (std::size_t i = 0; i < 2 * frame_signal_count; ++i) {
    ArmRecord record = whole_record();
    record.frame_signals[i] = std::nan("");
    EXPECT_EQ(cause(record), std::string(frame_signal_names[i % frame_signal_count]) + " is not finite");
  }
}

TEST(Judge, TheFirstNumberInTimeIsNamed) {
  ArmRecord record = whole_record();
  record.frame_signals[0] = 1e300;
  record.signals.back() = std::nan("");
  EXPECT_EQ(cause(record), "frame.x is not finite");
  record = whole_record();
  record.frame_signals.back() = std::nan("");
  record.signals.front() = std::nan("");
  EXPECT_EQ(cause(record), "q of joint 'joint1' is not finite");
}

TEST(Judge, EveryFigureIsFinite) {
  using Field = std::function<double&(ArmRecord&)>;
  const auto learnt = [](ArmRecord& r) -> identify::LearntPayload& { return r.estimates.front().history.front(); };
  std::vector<Field> fields{[](ArmRecord& r) -> double& { return r.tracking_rms; },
                            [](ArmRecord& r) -> double& { return r.tracking_max; },
                            [](ArmRecord& r) -> double& { return r.torque_max; },
                            [](ArmRecord& r) -> double& { return r.angle_rms; },
                            [](ArmRecord& r) -> double& { return r.angle_max; },
                            [](ArmRecord& r) -> double& { return r.wall_force_max; },
                            [](ArmRecord& r) -> double& { return r.passive_rate_max; },
                            [](ArmRecord& r) -> double& { return r.passive_rate_end; },
                            [](ArmRecord& r) -> double& { return r.validation.max_M; },
                            [](ArmRecord& r) -> double& { return r.validation.max_Cv; },
                            [](ArmRecord& r) -> double& { return r.validation.max_g; },
                            [](ArmRecord& r) -> double& { return r.residuals.front().M; },
                            [](ArmRecord& r) -> double& { return r.residuals.front().Cv; },
                            [](ArmRecord& r) -> double& { return r.residuals.front().g; },
                            [](ArmRecord& r) -> double& { return r.reference_cuts.front().cut.given; },
                            [](ArmRecord& r) -> double& { return r.reference_cuts.front().cut.limit_value; },
                            [](ArmRecord& r) -> double& { return r.estimates.front().attached_s; },
                            [=](ArmRecord& r) -> double& { return learnt(r).time_s; },
                            [=](ArmRecord& r) -> double& { return learnt(r).inertial.mass_kg; },
                            [=](ArmRecord& r) -> double& { return learnt(r).sigma.mass_kg; }};
  for (int i = 0; i < 3; ++i) {
    fields.emplace_back([=](ArmRecord& r) -> double& { return learnt(r).inertial.com_m[i]; });
    fields.emplace_back([=](ArmRecord& r) -> double& { return learnt(r).inertial.inertia_com_kgm2(i, (i + 1) % 3); });
    fields.emplace_back([=](ArmRecord& r) -> double& { return learnt(r).sigma.com_m[i]; });
  }
  for (std::size_t i = 0; i < 6; ++i) {
    fields.emplace_back([=](ArmRecord& r) -> double& { return learnt(r).sigma.inertia_kgm2[i]; });
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      ArmRecord record = whole_record();
      fields[i](record) = value;
      EXPECT_NE(cause(record).find(" is "), std::string::npos) << "field " << i;
    }
  }
}

}  // namespace
}  // namespace dyn::sim
