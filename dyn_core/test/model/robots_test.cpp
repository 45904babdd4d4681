// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Robots from DH tables, robots by name, and the program xacro.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/error.hpp"
#include "dyn_core/model/dh_table.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "dyn_core/model/urdf.hpp"
#include "dyn_core/model/xacro_program.hpp"
#include "dyn_core/numeric/residual.hpp"
#include "support/error_of.hpp"

namespace dyn {
namespace {

using test::error_of;

// Sets an environment variable for one test.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

TEST(DhTable, SlenderRodIsTheIntegralOverItsLength) {
  DhLink link;
  link.a_m = 0.3, link.b_m = -0.2, link.mass_kg = 5.0, link.tip_mass_kg = 0.7, link.hub_inertia_kgm2 = 0.04;
  // Paper 001, eqs 9 and 17a, as sums over many small elements, about the joint's origin.
  constexpr int elements = 4000;
  double mass = 0.0;
  Vec3d first = Vec3d::Zero();
  Mat3d inertia = Vec3d(0.0, 0.0, 0.04).asDiagonal();
  const auto add = [&](double m, const Vec3d& r) {
    mass += m;
    first += m * r;
    inertia += m * (r.squaredNorm() * Mat3d::Identity() - r * r.transpose());
  };
  for (int k = 0; k < elements; ++k) {
    const double s = (k + 0.5) / elements;
    add(10.0 * 0.2 / elements, Vec3d(0.0, 0.0, -0.2 * s));
    add(10.0 * 0.3 / elements, Vec3d(0.3 * s, 0.0, -0.2));
  }
  add(0.7, Vec3d(0.3, 0.0, -0.2));
  const Inertial result = slender_inertial(link);
  const Vec3d c = result.com_m;
  const Mat3d steiner = result.mass_kg * (c.squaredNorm() * Mat3d::Identity() - c * c.transpose());
  EXPECT_NEAR(result.mass_kg, mass, 1e-12);
  EXPECT_LT((result.mass_kg * c - first).norm(), 1e-12);
  EXPECT_LT(largest_entry(result.inertia_com_kgm2 + steiner - inertia), 1e-7);
}

TEST(DhTable, ShippedPumaIsTheTable) {
  Dynamics table(Model::build(describe(puma_table())));
  Dynamics file(load_model("puma"));
  const std::vector<double> q = {0.1, -0.7, 1.1, 2.0, -0.4, 0.3};
  const std::vector<double> v = {1.0, 0.5, -2.0, 0.7, 3.0, -1.0};
  ASSERT_TRUE(table.update(q, v).ok());
  ASSERT_TRUE(file.update(q, v).ok());
  EXPECT_LT(largest_entry(table.M() - file.M()), 1e-13);
  EXPECT_LT(largest_entry(table.C() - file.C()), 1e-13);
  EXPECT_LT(largest_entry(table.g() - file.g()), 1e-12);
  EXPECT_NEAR(table.M()(5, 5), 0.0141, 1e-15);
}

TEST(DhTable, APrismaticRowSlidesItsWholeRod) {
  DhLink turn;
  turn.b_m = 0.5, turn.mass_kg = 2.0;
  DhLink slide;
  slide.type = JointType::prismatic;
  slide.a_m = 0.4, slide.b_m = 0.1, slide.mass_kg = 3.0;
  const Model model = Model::build(describe({"crane", {turn, slide}}));
  EXPECT_EQ(model.tree().motion.at(1), Motion::prismatic);
  EXPECT_EQ(model.tree().mass.at(1), 3.0);
  EXPECT_TRUE(model.find_link("link2")->inertial.com_m.isApprox(Vec3d(0.2, 0.0, 0.0)));
  EXPECT_NEAR(model.description().joints.at(1).parent_T_joint.p_m.z(), 0.6, 1e-15);
}

TEST(DhTable, RefusalsNameTheRow) {
  DhLink link;
  link.mass_kg = 1.0;
  EXPECT_EQ(error_of([&] {
              (void)describe({"arm", {link}});
            }),
            "arm: row 1 of the DH table: a rod of mass 1 kg has no length");
  link.a_m = std::nan("");
  EXPECT_NE(error_of([&] {
              (void)describe({"arm", {link}});
            }).find("row 1 of the DH table: a is nan"),
            std::string::npos);
  link.a_m = 1.0, link.mass_kg = -2.0;
  EXPECT_NE(error_of([&] { (void)describe({"arm", {link}}); }).find("mass is negative: -2"), std::string::npos);
  link.type = JointType::planar;
  EXPECT_NE(error_of([&] { (void)describe({"arm", {link}}); }).find("a planar joint"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)describe({"arm", {}}); }).find("no joint moves"), std::string::npos);
}

TEST(RobotLibrary, ShippedRobotsAreThere) {
  const std::pair<const char*, int> robots[] = {{"planar3", 3},    {"rover_arm", 5}, {"puma", 6}, {"pelican", 2},
                                                {"three_link", 3}, {"crucible", 1},  {"arm7", 7}, {"geared3", 3}};
  for (const auto& [name, degrees] : robots) EXPECT_EQ(load_model(name).coordinates(), degrees) << name;
  EXPECT_TRUE(load_model("arm7").warnings().empty());
  EXPECT_NE(load_model("arm7").find_link("tool0"), nullptr);
  EXPECT_GT(load_model("arm7").joints().at(0).description.armature, 0.0);
}

TEST(RobotLibrary, UnknownNamesAreToldWhatIsNear) {
  EXPECT_NE(error_of([] { (void)find_robot("amr7"); }).find("arm7"), std::string::npos);
  EXPECT_NE(error_of([] { (void)find_robot("zzzzzzzzzz"); }).find("`dyn robots` lists"), std::string::npos);
  EXPECT_EQ(error_of([] { (void)find_robot("nowhere/arm.urdf"); }), "nowhere/arm.urdf: there is no such file");
}

class RobotFiles : public testing::Test {
 protected:
  RobotFiles() { std::filesystem::create_directories(directory_ / "my_description" / "urdf"); }
  ~RobotFiles() override { std::filesystem::remove_all(directory_); }
  void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(directory_ / file) << text; }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("dyn robots " + std::to_string(getpid()));  // with blanks
};

constexpr const char* pendulum =
    R"(<robot name="p"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1"
    iyz="0" izz="1"/></inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)";

TEST_F(RobotFiles, DirectoriesOfTheEnvironmentAreSearched) {
  write("mine.urdf", pendulum);
  write("my_description/urdf/theirs.urdf", pendulum);
  const Setting config("DYN_CONFIG_PATH", directory_.string());
  const Setting examples("DYN_ROBOTS_PATH", directory_.string());
  EXPECT_EQ(find_robot("mine"), directory_ / "mine.urdf");
  EXPECT_EQ(find_robot("theirs"), directory_ / "my_description/urdf/theirs.urdf");
  EXPECT_EQ(load_model((directory_ / "mine.urdf").string()).coordinates(), 1);
}

TEST_F(RobotFiles, XacroIsRunWithoutAShell) {
  write("p.urdf.xacro", pendulum);
  const std::string file = (directory_ / "p.urdf.xacro").string();
  write("expand", "#!/bin/sh\ncat \"$1\"\n");
  write("refuse", "#!/bin/sh\necho 'first line' >&2\necho 'no such property: mass' >&2\nexit 2\n");
  write("memory", "#!/bin/sh\nsleep 0.5\nulimit -v >&2\nexit 2\n");  // KiB
  for (const char* program : {"expand", "refuse", "memory"}) {
    std::filesystem::permissions(directory_ / program, std::filesystem::perms::owner_all);
  }
  {
    const Setting xacro("DYN_XACRO", (directory_ / "expand").string());
    EXPECT_EQ(load_model(file).coordinates(), 1);
  }
  {
    const Setting xacro("DYN_XACRO", (directory_ / "refuse").string());
    EXPECT_EQ(error_of([&] { (void)load_urdf(file); }), file + ": xacro failed: no such property: mass");
  }
  {
    const Setting xacro("DYN_XACRO", (directory_ / "memory").string());
    EXPECT_EQ(error_of([&] { (void)load_urdf(file); }), file + ": xacro failed: 2097152");
  }
  const Setting xacro("DYN_XACRO", "no-such-program");
  EXPECT_NE(error_of([&] { (void)load_urdf(file); }).find("'no-such-program' was not found"), std::string::npos);
}

// `dyn` of the Python package has xacro run by the interpreter that runs itself.
TEST_F(RobotFiles, XacroIsRunByThePythonThatIsChosen) {
  write("p.urdf.xacro", pendulum);
  write("python", "#!/bin/sh\nsed 's/name=\"p\"/name=\"chosen\"/' \"$3\"\n");  // -c, what it is to do, the file
  std::filesystem::permissions(directory_ / "python", std::filesystem::perms::owner_all);
  use_python_for_xacro((directory_ / "python").string());
  const std::string name = load_urdf(directory_ / "p.urdf.xacro").name;
  use_python_for_xacro("");
  EXPECT_EQ(name, "chosen");
}

TEST_F(RobotFiles, UnreadableFilesAreNamed) {
  EXPECT_NE(error_of([&] { (void)load_urdf(directory_); }).find("this is a directory"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)load_urdf(directory_ / "none.urdf"); }).find("there is no such file"),
            std::string::npos);
}

}  // namespace
}  // namespace dyn
