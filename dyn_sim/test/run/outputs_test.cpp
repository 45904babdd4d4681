// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// results.json, log.csv and the numbers of the report: what was recorded is what is written.
#include "dyn_sim/run/outputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "run/report_parts.hpp"
#include "sample_run.hpp"

namespace dyn::sim {
namespace {

const std::filesystem::path arm7 = DYN_ARM7;

const SampleRun& one() {
  static const auto run = sample_run(arm7, 1, 4.0);
  return *run;
}

std::string base64_bytes(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0, bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = (group << 6U) | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>((group >> (bits -= 8)) & 0xFFU);
  }
  return bytes;
}

std::vector<float> floats(const std::string& text) {
  const std::string bytes = base64_bytes(text);
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

TEST(Results, HaveWhatTheInterfacePromises) {
  const nlohmann::json r = results_json(one().record);
  EXPECT_EQ(r["tracking"]["rms"], one().record.arms[0].tracking_rms);
  EXPECT_EQ(r["tracking"]["max"], one().record.arms[0].tracking_max);
  EXPECT_EQ(r["torque"]["max"], 62.5);
  EXPECT_EQ(r["cycles"], 4000);
  EXPECT_EQ(r["overruns"], 2);
  EXPECT_EQ(r["update_ns"], (nlohmann::json{{"p50", 810.0}, {"p99", 1450.0}, {"p99.9", 2100.0}, {"max", 6700.0}}));
  EXPECT_EQ(r["wakeup_ns"]["p99.9"], 61000.0);
  EXPECT_EQ(r["allocations_in_loop"], 0);
  EXPECT_EQ(r["validation"]["samples"], 400);
  EXPECT_EQ(r["validation"]["breaches"], 0);
  EXPECT_EQ(r["validation"]["max_rel_error"], (nlohmann::json{{"M", 5.4e-15}, {"Cv", 2.6e-14}, {"g", 1.8e-15}}));
  ASSERT_EQ(r["events"].size(), 5U);
  EXPECT_EQ(r["events"][1]["label"], "attach box (3 kg)");
  EXPECT_TRUE(r["events"][1]["ok"]);
  EXPECT_TRUE(r["events"][4]["applied_s"].is_null());
  EXPECT_FALSE(r["events"][4]["ok"]);
}

TEST(Results, OfSeveralArmsAreTheWorstAndTheSum) {
  auto run = sample_run(arm7, 2, 0.5);
  run->record.arms[1].tracking_max = 1.0;
  run->record.arms[0].validation.breaches = 2;
  run->record.arms[1].validation.breaches = 3;
  run->record.arms[1].validation.max_M = 0.25;
  const nlohmann::json r = results_json(run->record);
  EXPECT_EQ(r["tracking"]["max"], 1.0);
  EXPECT_EQ(r["validation"]["breaches"], 5);
  EXPECT_EQ(r["validation"]["samples"], 100);
  EXPECT_EQ(r["validation"]["max_rel_error"]["M"], 0.25);
  ASSERT_EQ(r["arms"].size(), 2U);
  EXPECT_EQ(r["arms"][1]["name"], "arm2");
  EXPECT_EQ(r["arms"][0]["validation"]["breaches"], 2);
  EXPECT_EQ(r["events"].size(), 10U);
}

TEST(Results, OfSeveralArmsCountWhatEachValidatorDid) {
  auto run = sample_run(arm7, 2, 0.1);
  auto& first = run->record.arms[0].validation;
  auto& second = run->record.arms[1].validation;
  first.dropped = 1, first.ramping = 2, first.skipped = 3, first.fallbacks = 4, first.holds = 5;
  second.dropped = 10, second.ramping = 20, second.skipped = 30, second.fallbacks = 40, second.holds = 50;
  const nlohmann::json all = results_json(run->record)["validation"];
  EXPECT_EQ(all["dropped"], 11);
  EXPECT_EQ(all["samples_while_ramping"], 22);
  EXPECT_EQ(all["skipped"], 33);
  EXPECT_EQ(all["fallbacks"], 44);
  EXPECT_EQ(all["holds"], 55);
}

TEST(Results, AFigureThatIsNotFiniteIsNullAndNotHiddenByOtherArms) {
  auto run = sample_run(arm7, 2, 0.1);
  run->record.arms[0].tracking_rms = std::numeric_limits<double>::quiet_NaN();
  run->record.allocations_in_loop = -1;
  const nlohmann::json r = results_json(run->record);
  EXPECT_TRUE(r["tracking"]["rms"].is_null());
  EXPECT_TRUE(r["allocations_in_loop"].is_null());
}

TEST(Results, AFileThatCannotBeWrittenIsNamed) {
  const std::filesystem::path blocked = std::filesystem::path(testing::TempDir()) / "blocked";
  std::ofstream(blocked) << "a file where a directory should be";
  try {
    write_results(one().record, blocked);
    FAIL() << "wrote into a file";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("results.json"), std::string::npos) << e.what();
  }
}

// A file of /proc may be opened, and what is written into it is refused.
TEST(Mcap, MetadataThatCannotBeWrittenCompletelyAreNamed) {
  const std::filesystem::path dir = std::filesystem::path(testing::TempDir()) / "metadata";
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  std::filesystem::create_symlink("/proc/self/oom_score_adj", dir / "metadata.yaml");
  try {
    write_mcap(one().record, dir / "log.mcap");
    FAIL() << "nothing was said";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("metadata.yaml: could not be written completely"), std::string::npos)
        << e.what();
  }
}

TEST(Csv, ReadsBackExactly) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "outputs_test" / "log.csv";
  write_csv(one().record, file);
  std::ifstream in(file);
  std::string line, cell;
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line.substr(0, 27), "time_s,q.joint1,q.joint2,q.");
  EXPECT_NE(line.find(",position_error.joint4,"), std::string::npos);
  const ArmRecord& arm = one().record.arms[0];
  const size_t width = static_cast<size_t>(Signal::count) * arm.coordinates.size();
  for (int row = 0; row < arm.rows; ++row) {
    ASSERT_TRUE(std::getline(in, line));
    std::istringstream cells(line);
    std::getline(cells, cell, ',');
    ASSERT_EQ(std::stod(cell), arm.time_s[row]);
    for (size_t k = 0; k < width; ++k) {
      std::getline(cells, cell, ',');
      ASSERT_EQ(std::stod(cell), arm.signals[static_cast<size_t>(row) * width + k]);
    }
    std::getline(cells, cell, ',');
    ASSERT_EQ(cell, row < 600 ? "fused" : "gdahj");
  }
  EXPECT_FALSE(std::getline(in, line));
}

// A joint's name may have what CSV has a meaning for; it is quoted, and its quotes are doubled.
TEST(Csv, NamesAreQuotedWhereTheyMustBe) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "outputs_test" / "names.csv";
  auto run = sample_run(arm7, 1, 0.01);
  run->record.arms[0].coordinates[0] = R"(the "first", turning)";
  write_csv(run->record, file);
  std::ifstream in(file);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line.substr(0, 47), R"(time_s,"q.the ""first"", turning",q.joint2,q.jo)");
}

TEST(Units, AreLengthsForWhatSlides) {
  const auto lengths = [](JointType type, int degrees) {
    Joint joint;
    joint.description.type = type;
    std::string found;
    for (int k = 0; k < degrees; ++k) found += CoordinateUnit::of(joint, k).linear ? 'm' : 'r';
    return found;
  };
  EXPECT_EQ(lengths(JointType::revolute, 1), "r");
  EXPECT_EQ(lengths(JointType::continuous, 1), "r");
  EXPECT_EQ(lengths(JointType::prismatic, 1), "m");
  EXPECT_EQ(lengths(JointType::planar, 3), "mmr");
  EXPECT_EQ(lengths(JointType::floating, 6), "mmmrrr");
}

TEST(Report, ThinningKeepsThePeak) {
  const ArmRecord& arm = one().record.arms[0];
  const nlohmann::json data = report::arm_data(arm, 400);
  const auto time = floats(data["time"]), error = floats(data["signals"]["position_error"][3]);
  ASSERT_EQ(time.size(), 400U);
  ASSERT_EQ(error.size(), 400U);
  double largest = 0.0;
  for (int row = 0; row < arm.rows; ++row) largest = std::max(largest, arm.signal(row, Signal::position_error, 3));
  const auto peak = std::max_element(error.begin(), error.end());
  EXPECT_EQ(*peak, static_cast<float>(largest));
  EXPECT_NEAR(time[peak - error.begin()], 1333 / 1000.0, 0.021);
  EXPECT_TRUE(std::is_sorted(time.begin(), time.end()));
  EXPECT_EQ(data["signals"]["friction"][0], 0.0);  // what never changes is one number
}

// What has no peaks to be kept has its values at the times of the report; so has the frame of a task.
TEST(Report, ThinningKeepsValuesAndTheirTimesTogether) {
  auto run = sample_run(arm7, 1, 4.0);
  ArmRecord& arm = run->record.arms[0];
  const auto value = [](size_t row, size_t s) { return static_cast<double>(row + 10000 * s); };
  for (size_t row = 0; row < static_cast<size_t>(arm.rows); ++row) {
    for (size_t s = 0; s < frame_signal_count; ++s) arm.frame_signals.push_back(value(row, s));
  }
  const nlohmann::json data = report::arm_data(arm, 400);
  const auto time = floats(data["time"]), q = floats(data["signals"]["q"][2]);
  ASSERT_EQ(time.size(), 400U);
  ASSERT_EQ(q.size(), 400U);
  ASSERT_EQ(data["frame"]["signals"].size(), frame_signal_count);
  for (size_t s = 0; s < frame_signal_count; ++s) {
    const auto frame = floats(data["frame"]["signals"][s]);
    ASSERT_EQ(frame.size(), 400U);
    for (size_t k = 0; k < 400; ++k) {
      const auto row = std::lround(static_cast<double>(time[k]) * sample_rate_hz);
      ASSERT_EQ(frame[k], static_cast<float>(value(row, s))) << s << ' ' << k;
      ASSERT_EQ(q[k], static_cast<float>(arm.signal(static_cast<int>(row), Signal::q, 2))) << k;
    }
  }
}

TEST(Report, OfAnArmThatFailedBeforeItsFirstRowHasNoValues) {
  auto run = sample_run(arm7, 1, 0.1);
  run->record.arms[0].rows = 0;
  const nlohmann::json data = report::arm_data(run->record.arms[0], 400);
  EXPECT_EQ(data["rows"], 0);
  EXPECT_EQ(data["time"], "");
  EXPECT_EQ(data["signals"]["q"], nlohmann::json(std::vector<std::string>(7, "")));
}

TEST(Report, HasTheUnitAndTheEffortLimitOfEachCoordinate) {
  auto run = sample_run(arm7, 1, 0.01);
  RobotDescription slides = run->config.arms[0].description;
  for (JointDescription& joint : slides.joints) {
    if (joint.name == "joint3") joint.type = JointType::prismatic;
  }
  run->record.arms[0].model = std::make_shared<const Model>(Model::build(slides));
  const nlohmann::json coordinates = report::arm_data(run->record.arms[0], 4)["coordinates"];
  const std::vector<double> limits{180, 180, 110, 110, 70, 40, 30};  // of arm7.urdf
  ASSERT_EQ(coordinates.size(), limits.size());
  for (size_t c = 0; c < limits.size(); ++c) {
    EXPECT_EQ(coordinates[c]["name"], "joint" + std::to_string(c + 1));
    EXPECT_EQ(coordinates[c]["limit"], limits[c]) << c;
    EXPECT_EQ(coordinates[c]["linear"], c == 2) << c;
  }
}

// The least value counts as the largest does: a dip shows as a peak does.
TEST(Report, ThinningKeepsANegativePeak) {
  auto run = sample_run(arm7, 1, 4.0);
  ArmRecord& arm = run->record.arms[0];
  const size_t n = arm.coordinates.size(), width = static_cast<size_t>(Signal::count);
  for (const Signal s : {Signal::position_error, Signal::applied, Signal::sensed, Signal::external}) {
    arm.signals[(1777 * width + static_cast<size_t>(s)) * n + 2] = -1e4;
  }
  const nlohmann::json data = report::arm_data(arm, 400);
  for (const char* const s : {"position_error", "applied", "sensed", "external"}) {
    const auto values = floats(data["signals"][s][2]);
    EXPECT_EQ(*std::min_element(values.begin(), values.end()), -1e4F) << s;
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 1e4F) << s;
  }
}

// Residuals are thinned to the largest of each stretch.
TEST(Report, ThinningKeepsTheLargestResidual) {
  auto run = sample_run(arm7, 1, 4.0);
  ArmRecord& arm = run->record.arms[0];
  arm.residuals.clear();
  for (int k = 0; k < 1000; ++k) arm.residuals.push_back({0.004 * k, 1e-15, 2e-15, 3e-15});
  arm.residuals[777] = {3.108, 1e-3, 2e-3, 3e-3};
  const nlohmann::json residuals = report::arm_data(arm, 100)["residuals"];
  EXPECT_EQ(floats(residuals["time"]).size(), 100U);
  for (const auto& [term, largest] : {std::pair("M", 1e-3F), std::pair("Cv", 2e-3F), std::pair("g", 3e-3F)}) {
    const auto values = floats(residuals[term]);
    EXPECT_EQ(*std::max_element(values.begin(), values.end()), largest) << term;
  }
}

TEST(Report, AValueThatIsNotFiniteSurvivesThinning) {
  auto run = sample_run(arm7, 1, 1.0);
  ArmRecord& arm = run->record.arms[0];
  const size_t n = arm.coordinates.size(), s = static_cast<size_t>(Signal::position_error);
  arm.signals[(537 * static_cast<size_t>(Signal::count) + s) * n] = std::numeric_limits<double>::quiet_NaN();
  const auto error = floats(report::arm_data(arm, 100)["signals"]["position_error"][0]);
  EXPECT_TRUE(std::any_of(error.begin(), error.end(), [](float x) { return std::isnan(x); }));
}

TEST(Report, SceneHasTheRobotAndWhatItCarries) {
  const nlohmann::json scene = report::scene(one().record.arms[0]);
  EXPECT_EQ(scene["joints"][0]["coordinate"], 0);
  EXPECT_EQ(scene["links"][0]["shapes"][0]["kind"], "cylinder");
  const nlohmann::json box = scene["links"].back();
  EXPECT_TRUE(box["payload"]);
  EXPECT_NEAR(box["from"], 1.2, 1e-12);
  EXPECT_NEAR(box["to"], 2.8, 1e-12);
  ASSERT_EQ(scene["pushes"].size(), 1U);
  // 3 kg with these moments: sides sqrt(6 (Iy + Iz - Ix) / m) ...
  std::vector<double> sides = box["shapes"][0]["size"], expected = {std::sqrt(2.0 * (0.0061 + 0.005 - 0.0069)),
                                                                    std::sqrt(2.0 * (0.0069 + 0.005 - 0.0061)),
                                                                    std::sqrt(2.0 * (0.0069 + 0.0061 - 0.005))};
  std::sort(sides.begin(), sides.end());
  std::sort(expected.begin(), expected.end());
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(sides[k], expected[k], 2e-6);
}

// Another description of the robot keeps the payloads that hang on it then, and no others.
TEST(Report, SceneHasAPayloadThatIsAttachedAgainAfterAnotherRobot) {
  auto run = sample_run(arm7, 1, 4.0);
  ArmConfig& config = run->config.arms[0];
  ArmRecord& arm = run->record.arms[0];
  const Event attach = config.events[1];
  for (const Event& event : {Event{3.0, RobotEvent{arm.model}, "robot"}, Event{3.4, attach.what, attach.label}}) {
    config.events.push_back(event);
    arm.events.push_back({event.time_s, event.time_s, event.label, ""});
  }
  const nlohmann::json scene = report::scene(arm);
  std::vector<nlohmann::json> boxes;
  for (const auto& link : scene["links"]) {
    if (link.contains("payload")) boxes.push_back(link);
  }
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_NEAR(boxes[0]["from"], 1.2, 1e-12);
  EXPECT_NEAR(boxes[0]["to"], 2.8, 1e-12);
  EXPECT_NEAR(boxes[1]["from"], 3.4, 1e-12);
  EXPECT_FALSE(boxes[1].contains("to"));
}

TEST(Report, IsSmallAndItsTextCannotEscape) {
  auto run = sample_run(arm7, 1, 4.0);
  run->config.title = "a </title> & <b>";
  const std::string evil = "x</script><script>alert(1)</script><!--";
  run->record.arms[0].coordinates[2] = evil;
  run->config.arms[0].name = run->config.arms[0].robot = evil;
  run->record.arms[0].events[0].label = run->record.arms[0].events[0].error = evil;
  run->record.arms[0].failures.push_back({1.0, evil});
  run->record.scheduling = evil;
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "outputs_test" / "report.html";
  write_report(run->record, file);
  std::stringstream page;
  page << std::ifstream(file).rdbuf();
  const std::string text = page.str();
  EXPECT_LT(text.size(), 5'000'000U);
  EXPECT_NE(text.find("a &lt;/title> &amp; &lt;b>"), std::string::npos);
  EXPECT_EQ(text.find("<nonsense>"), std::string::npos);
  EXPECT_EQ(text.find("x</script>"), std::string::npos);
  EXPECT_EQ(text.find("<script>alert"), std::string::npos);
  EXPECT_EQ(text.find("<!--", text.find("<html")), std::string::npos);
  EXPECT_NE(text.find("x\\u003c/script>"), std::string::npos) << "the name itself stands in the data";
  EXPECT_EQ(text.find("@DATA@"), std::string::npos);
  EXPECT_EQ(text.find("http"), std::string::npos);
}

// More arms are shown in fewer rows each.
TEST(Report, OfManyArmsIsNoLarger) {
  const auto run = sample_run(arm7, 8, 4.0);
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "outputs_test" / "arms.html";
  write_report(run->record, file);
  EXPECT_LT(std::filesystem::file_size(file), 5'000'000U);
}

}  // namespace
}  // namespace dyn::sim
