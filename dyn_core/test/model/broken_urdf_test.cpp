// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Broken robots: each is refused with one sentence that names the fault and its place; none crashes, hangs, or is
// repaired silently. A new kind of fault adds one entry.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/model/model.hpp"
#include "dyn_core/model/urdf.hpp"

namespace dyn {
namespace {

struct Broken {
  std::string name, xml;
  std::vector<std::string> said;  // all of these are in the message

  friend void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }
};

const std::string good_inertial =
    R"(<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>)";

std::string link(const std::string& name, const std::string& inside = good_inertial) {
  return "<link name=\"" + name + "\">" + inside + "</link>";
}
std::string inertial(const std::string& mass, const std::string& ixx, const std::string& rest) {
  return "<inertial><mass value=\"" + mass + "\"/><inertia ixx=\"" + ixx + "\" " + rest + "/></inertial>";
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& inside = "<axis xyz=\"0 0 1\"/>", const std::string& type = "continuous") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + inside + "</joint>";
}
std::string robot(const std::string& inside) { return "<robot name=\"r\">" + inside + "</robot>"; }
// One joint 'j' from 'base' to 'arm', with what is to be tried out.
std::string with_joint(const std::string& inside, const std::string& type = "continuous") {
  return robot(link("base") + link("arm") + joint("j", "base", "arm", inside, type));
}
std::string with_inertial(const std::string& inside) {
  return robot(link("base") + link("arm", inside) + joint("j", "base", "arm"));
}
std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}
std::string chain(int links, bool moving) {
  std::string inside = link("l0");
  for (int i = 1; i < links; ++i) {
    const std::string number = std::to_string(i);
    inside += link("l" + number) + joint("j" + number, "l" + std::to_string(i - 1), "l" + number,
                                         "<axis xyz=\"0 0 1\"/>", moving ? "continuous" : "fixed");
  }
  return robot(inside);
}

const std::string diagonal = R"(ixy="0" ixz="0" iyy="1" iyz="0" izz="1")";
const std::string limit = R"(<limit lower="-1" upper="1" effort="1" velocity="1"/>)";

std::vector<Broken> not_xml() {
  const std::string whole = with_joint("");
  std::string utf16 = "\xFF\xFE";
  for (const char c : whole) utf16 += {c, '\0'};
  std::string binary =
      "\x7F"
      "ELF";
  for (int i = 0; i < 1000; ++i) binary.push_back(static_cast<char>(i * 37 % 256));
  std::string bomb = "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol0 \"lol\">";
  for (int i = 1; i < 10; ++i) {
    bomb += "<!ENTITY lol" + std::to_string(i) + " \"" + repeated("&lol" + std::to_string(i - 1) + ";", 10) + "\">";
  }
  bomb += "]><robot name=\"&lol9;\"/>";
  return {
      {"Empty", "", {"the file is empty"}},
      {"OnlyBlanks", " \n\t\n", {"not XML"}},
      {"Prose", "This is not a robot.", {"not XML", "'This is not a robot.'"}},
      {"Yaml", "robot:\n  name: r\n", {"not XML", "'robot:'"}},
      {"BinaryGarbage", binary, {"not UTF-8"}},
      {"Utf16", utf16, {"UTF-16"}},
      {"NulByte", std::string("<robot name=\"r\">\0</robot>", 25), {"byte 0 is not UTF-8"}},
      {"Latin1", "<robot name=\"\xE9\"/>", {"byte 233 is not UTF-8"}},
      {"TruncatedInAnElement", "<robot name=\"r\"><link na", {"'na' has no value"}},
      {"TruncatedBeforeTheEnd", whole.substr(0, whole.size() - 8), {"the file ends before <robot>"}},
      {"CrossedTags", "<robot name=\"r\"><link name=\"a\"></robot></link>", {"</robot>", "<link>"}},
      {"ClosedTooOften", "<robot name=\"r\"/></robot>", {"</robot>", "never opened"}},
      {"CommentNeverClosed", "<robot name=\"r\"><!-- </robot>", {"comment is never closed"}},
      {"AttributeWithoutQuotes", "<robot name=r/>", {"'name'", "quotes"}},
      {"AttributeWithoutValue", "<robot name/>", {"'name' has no value"}},
      {"AttributeTwice", "<robot name=\"a\" name=\"b\"/>", {"'name' is given twice"}},
      {"UnknownEntity", "<robot name=\"&robot;\"/>", {"unknown entity &robot;"}},
      {"CodeOutOfUnicode", "<robot name=\"&#x110000;\"/>", {"unknown entity &#x110000;"}},
      {"BillionLaughs", bomb, {"document types and entities are not accepted"}},
      {"ExternalEntity", "<!DOCTYPE r SYSTEM \"/etc/passwd\"><robot name=\"r\"/>", {"document types"}},
      {"TwoRobots", whole + whole, {"a second root element"}},
      {"TextBehind", whole + "oops", {"text after the end", "'oops'"}},
      {"DeepNesting", repeated("<a>", 100000) + repeated("</a>", 100000), {"nested more than 100 deep"}},
      {"DeepNestingInALink", robot("<link name=\"a\">" + repeated("<b>", 100000)), {"nested more than 100 deep"}},
      {"HugeFile", std::string(size_t{40} << 20, ' '), {"41943040 bytes", "more than"}},
      {"TooManyElements", "<robot name=\"r\">" + repeated("<a/>", 600000) + "</robot>", {"more than 500000 elements"}},
  };
}

std::vector<Broken> incomplete() {
  return {
      {"WrongRoot", "<sdf version=\"1.6\"/>", {"<sdf>", "not <robot>"}},
      {"RobotWithoutName", "<robot/>", {"<robot> has no name"}},
      {"WrongVersion", "<robot name=\"r\" version=\"7.3\">" + link("a") + "</robot>", {"urdfdom", "version"}},
      {"NoLinks", robot(""), {"there is no link"}},
      {"LinkWithoutName", robot("<link/>"), {"<link> has no name"}},
      {"LinkWithEmptyName", robot(link("")), {"<link> has an empty name"}},
      {"LinkWithBlankName", robot(link("  ")), {"<link> has an empty name"}},
      {"NameWithLineBreak", robot(link("a&#x7F;b")), {"control character"}},
      {"JointWithoutName", robot(link("a") + "<joint type=\"fixed\"/>"), {"<joint> has no name"}},
      {"JointWithoutType", robot("<joint name=\"j\"/>"), {"joint 'j' has no type"}},
      {"UnknownType", with_joint("", "ball"), {"joint 'j'", "type 'ball' is unknown"}},
      {"TypeInCapitals", with_joint("", "Revolute"), {"joint 'j'", "type 'Revolute' is unknown"}},
      {"JointWithoutParent",
       robot("<joint name=\"j\" type=\"fixed\"><child link=\"a\"/></joint>"),
       {"joint 'j' has no <parent>"}},
      {"JointWithoutChild",
       robot("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>"),
       {"joint 'j' has no <child>"}},
      {"ParentWithoutLink",
       robot("<joint name=\"j\" type=\"fixed\"><parent/><child link=\"a\"/></joint>"),
       {"joint 'j': <parent> has no attribute 'link'"}},
      {"EmptyParent", robot(link("a") + joint("j", "", "a")), {"joint 'j'", "<parent>", "link='' is empty"}},
      {"TwoParentElements", with_joint("<parent link=\"arm\"/>"), {"joint 'j'", "duplicate <parent>"}},
      {"TwoAxes", with_joint("<axis xyz=\"1 0 0\"/><axis xyz=\"0 1 0\"/>"), {"joint 'j'", "duplicate <axis>"}},
      {"AxisWithoutNumbers", with_joint("<axis/>"), {"joint 'j'", "<axis>", "'xyz'"}},
      {"RevoluteWithoutLimit", with_joint("", "revolute"), {"joint 'j'", "needs a <limit>"}},
      {"LimitWithoutEffort", with_joint("<limit velocity=\"1\"/>", "revolute"), {"joint 'j'", "<limit>", "'effort'"}},
      {"MisspeltLimit",
       with_joint("<limit uper=\"1\" effort=\"1\" velocity=\"1\"/>", "revolute"),
       {"joint 'j'", "uper='1' is unknown"}},
      {"MisspeltInertial",
       with_inertial("<inertail><mass value=\"1\"/></inertail>"),
       {"link 'arm'", "<inertail>", "<inertial>"}},
      {"CapitalInertial", with_inertial("<Inertial/>"), {"link 'arm'", "<Inertial>", "<inertial>"}},
      {"MisspeltLink", robot("<lnk name=\"a\"/>"), {"<lnk>", "<link>"}},
      {"TwoInertials", with_inertial(good_inertial + good_inertial), {"link 'arm'", "duplicate <inertial>"}},
      {"InertialWithoutMass",
       with_inertial("<inertial><inertia ixx=\"1\" " + diagonal + "/></inertial>"),
       {"link 'arm'", "no <mass>"}},
      {"InertialWithoutInertia",
       with_inertial("<inertial><mass value=\"1\"/></inertial>"),
       {"link 'arm'", "no <inertia>"}},
      {"MassWithoutValue",
       with_inertial("<inertial><mass/><inertia ixx=\"1\" " + diagonal + "/></inertial>"),
       {"link 'arm'", "<mass> has no attribute 'value'"}},
      {"InertiaWithoutIzz",
       with_inertial(inertial("1", "1", R"(ixy="0" ixz="0" iyy="1" iyz="0")")),
       {"link 'arm'", "'izz'"}},
      {"MassAsText",
       with_inertial("<inertial><mass>1</mass><inertia ixx=\"1\" " + diagonal + "/></inertial>"),
       {"link 'arm'", "<mass> has no attribute 'value'"}},
      {"Quaternion", with_joint("<origin xyz=\"0 0 0\" quat_xyzw=\"0 0 0 1\"/>"), {"joint 'j'", "quat_xyzw"}},
      {"XacroNotExpanded", robot("<xacro:include filename=\"x\"/>"), {"xacro", "not yet expanded"}},
  };
}

std::vector<Broken> bad_numbers() {
  const auto mass = [](const std::string& value) { return with_inertial(inertial(value, "1", diagonal)); };
  return {
      {"MassNan", mass("nan"), {"link 'arm'", "value='nan'", "not a finite number"}},
      {"MassInf", mass("inf"), {"link 'arm'", "value='inf'", "not a finite number"}},
      {"MassComma", mass("1,5"), {"link 'arm'", "value='1,5'", "not a finite number"}},
      {"MassTrailing", mass("1.0abc"), {"link 'arm'", "'1.0abc'"}},
      {"MassWithUnit", mass("1.0 kg"), {"link 'arm'", "'kg' is not a finite number"}},
      {"MassHex", mass("0x10"), {"link 'arm'", "'0x10'"}},
      {"MassEmpty", mass(""), {"link 'arm'", "0 numbers instead of 1"}},
      {"MassTwoNumbers", mass("1 2"), {"link 'arm'", "2 numbers instead of 1"}},
      {"MassOverflow", mass("1e999"), {"link 'arm'", "'1e999'"}},
      {"MassTwoSigns", mass("+-1"), {"link 'arm'", "'+-1'"}},
      {"MassExpression", mass("${2*3}"), {"link 'arm'", "'${2*3}'"}},
      {"MassNegative", mass("-1"), {"link 'arm'", "mass is negative: -1"}},
      {"InertiaNan", with_inertial(inertial("1", "NaN", diagonal)), {"link 'arm'", "ixx='NaN'"}},
      {"OriginTwoNumbers", with_joint("<origin xyz=\"1 2\"/>"), {"joint 'j'", "xyz='1 2'", "2 numbers instead of 3"}},
      {"OriginWithCommas", with_joint("<origin xyz=\"1,2,3\"/>"), {"joint 'j'", "'1,2,3'"}},
      {"RpyInf", with_joint("<origin rpy=\"0 -inf 0\"/>"), {"joint 'j'", "'-inf'"}},
      {"AxisZero", with_joint("<axis xyz=\"0 0 0\"/>"), {"joint 'j'", "(0, 0, 0)"}},
      {"AxisFourNumbers", with_joint("<axis xyz=\"0 0 0 1\"/>"), {"joint 'j'", "4 numbers instead of 3"}},
      {"LowerAboveUpper",
       with_joint(R"(<limit lower="2" upper="-1" effort="1" velocity="1"/>)", "revolute"),
       {"joint 'j'", "lower limit 2", "upper limit -1"}},
      {"NegativeEffort", with_joint(R"(<limit effort="-5" velocity="1"/>)", "revolute"), {"joint 'j'", "effort", "-5"}},
      {"NegativeVelocity",
       with_joint(R"(<limit effort="5" velocity="-1"/>)", "revolute"),
       {"joint 'j'", "velocity", "-1"}},
      {"NegativeDamping", with_joint("<dynamics damping=\"-0.1\"/>"), {"joint 'j'", "damping", "-0.1"}},
      {"NegativeFriction", with_joint("<dynamics friction=\"-2\"/>"), {"joint 'j'", "friction", "-2"}},
      {"NegativeArmature", with_joint("<dynamics armature=\"-3\"/>"), {"joint 'j'", "armature", "-3"}},
      {"DampingNan", with_joint("<dynamics damping=\"nan\"/>"), {"joint 'j'", "damping='nan'"}},
      {"Astronomical",
       with_inertial(inertial("1", "1e308", R"(ixy="1e308" ixz="0" iyy="1e308" iyz="0" izz="1e308")")),
       {"link 'arm'", "inf"}},
      {"CentreOfMassBeyondNumbers",
       with_inertial("<inertial><origin xyz=\"1e200 0 0\"/><mass value=\"1e200\"/><inertia ixx=\"1\" " + diagonal +
                     "/></inertial>"),
       {"link 'arm'", "mass is 1e+200 kg", "range of 1e+09 kg"}},
      {"IndefiniteInertia",
       with_inertial(inertial("1", "1", R"(ixy="2" ixz="0" iyy="1" iyz="0" izz="1")")),
       {"joint 'j'", "link 'arm'", "indefinite", "(-1, 1, 3)"}},
      {"NegativeInertia", with_inertial(inertial("1", "-1", diagonal)), {"link 'arm'", "indefinite", "-1"}},
      {"TriangleInequality", with_inertial(inertial("1", "3", diagonal)), {"link 'arm'", "impossible", "(1, 1, 3)"}},
  };
}

std::vector<Broken> bad_structure() {
  const auto slave = [](const std::string& name, const std::string& child, const std::string& leader) {
    return joint(name, "base", child, limit + "<mimic joint=\"" + leader + "\"/>", "revolute");
  };
  const std::string three = link("base") + link("a") + link("b");
  return {
      {"LinkTwice",
       robot(link("base") + link("arm") + link("arm") + joint("j", "base", "arm")),
       {"link 'arm' is defined twice"}},
      {"JointTwice", robot(three + joint("j", "base", "a") + joint("j", "a", "b")), {"joint 'j' is defined twice"}},
      {"MissingParent", robot(link("arm") + joint("j", "bose", "arm")), {"joint 'j'", "link 'bose' does not exist"}},
      {"MissingChild", robot(link("base") + joint("j", "base", "orm")), {"joint 'j'", "link 'orm' does not exist"}},
      {"TwoParents",
       robot(three + joint("j", "base", "b") + joint("k", "a", "b") + joint("i", "base", "a")),
       {"link 'b' has two parents", "joint 'j'", "joint 'k'"}},
      {"OwnParent", robot(link("base") + joint("j", "base", "base")), {"joint 'j'", "link 'base' is its own parent"}},
      {"Loop",
       robot(three + link("c") + joint("i", "a", "b") + joint("j", "b", "c") + joint("k", "c", "a")),
       {"joint 'k' closes a loop at link 'a'"}},
      {"LoopWithoutRoot",
       robot(link("a") + link("b") + joint("i", "a", "b") + joint("j", "b", "a")),
       {"joint 'j' closes a loop at link 'a'"}},
      {"TwoRoots", robot(three + joint("j", "base", "a")), {"two roots: link 'base' and link 'b'"}},
      {"NoJoints", robot(link("base")), {"no joint moves"}},
      {"OnlyFixedJoints", with_joint("", "fixed"), {"no joint moves", "all fixed"}},
      {"MimicOfNothing",
       robot(three + joint("j", "base", "a") + slave("k", "b", "nobody")),
       {"joint 'k' mimics joint 'nobody', which does not exist"}},
      {"MimicOfItself", robot(three + joint("j", "base", "a") + slave("k", "b", "k")), {"joint 'k' mimics itself"}},
      {"MimicInACircle",
       robot(three + slave("j", "a", "k") + slave("k", "b", "j")),
       {"joint 'j' mimics itself in a circle"}},
      {"MimicOfFixed",
       robot(three + link("c") + joint("i", "base", "c") + joint("j", "base", "a", "", "fixed") + slave("k", "b", "j")),
       {"joint 'k' mimics joint 'j', which is fixed"}},
      {"MimicOfFloating",
       robot(three + joint("j", "base", "a", "", "floating") + slave("k", "b", "j")),
       {"joint 'k' mimics joint 'j', which is floating"}},
      {"FloatingMimic",
       robot(three + joint("j", "base", "a") + joint("k", "base", "b", "<mimic joint=\"j\"/>", "floating")),
       {"joint 'k' is floating and cannot mimic"}},
      {"MimicWithoutJoint", with_joint("<mimic multiplier=\"1\"/>"), {"joint 'j'", "<mimic> has no attribute 'joint'"}},
      {"MimicMultiplierNan", with_joint("<mimic joint=\"k\" multiplier=\"nan\"/>"), {"joint 'j'", "multiplier='nan'"}},
      {"TooManyLinks", chain(11000, true), {"11000 links, more than 10000"}},
      {"TooManyJoints", chain(9000, true), {"8999 degrees of freedom, more than 2000"}},
  };
}

// The rotor of joint 'j': attributes of its <dynamics>, and <transmission>s beside it.
std::vector<Broken> bad_rotors() {
  const auto with = [](const std::string& dynamics, const std::string& beside = "") {
    return robot(link("base") + link("arm") + joint("j", "base", "arm", "<dynamics " + dynamics + "/>") + beside);
  };
  const std::string geared = "armature=\"1\" rotor_axis=\"0 0 1\"";
  const auto transmission = [](const std::string& joints, const std::string& actuator) {
    return "<transmission name=\"t\">" + joints + "<actuator name=\"m\">" + actuator + "</actuator></transmission>";
  };
  const auto reduction = [](const std::string& value) {
    return "<mechanicalReduction>" + value + "</mechanicalReduction>";
  };
  const std::string of_j = "<joint name=\"j\"/>";
  return {
      {"RatioZero", with(R"(armature="1" gear_ratio="0")"), {"joint 'j'", "gear_ratio is 0"}},
      {"RatioNan", with(R"(armature="1" gear_ratio="nan")"), {"joint 'j'", "gear_ratio='nan'"}},
      {"RatioTwoNumbers", with(R"(armature="1" gear_ratio="1 2")"), {"joint 'j'", "2 numbers instead of 1"}},
      {"RatioHuge", with(R"(armature="1" gear_ratio="1e7")"), {"joint 'j'", "gear_ratio is 1e+07"}},
      {"RatioWithoutArmature", with(R"(gear_ratio="50")"), {"joint 'j'", "gear_ratio, but no armature"}},
      {"RatioMisspelt", with(R"(armature="1" gear_ration="50")"), {"joint 'j'", "gear_ration", "unknown"}},
      {"RotorAxisZero",
       with(R"(armature="1" gear_ratio="50" rotor_axis="0 0 0")"),
       {"joint 'j'", "rotor_axis is (0, 0, 0), which is no direction"}},
      {"RotorAxisInf", with(R"(armature="1" gear_ratio="50" rotor_axis="0 0 inf")"), {"joint 'j'", "rotor_axis"}},
      {"NoTransmission", with(geared), {"joint 'j'", "no gear_ratio and no <transmission>"}},
      {"TransmissionOfAnother",
       with(geared, transmission("<joint name=\"jj\"/>", reduction("50"))),
       {"joint 'j'", "no <transmission>; there are some of joint 'jj'"}},
      {"TwoTransmissions",
       with(geared, transmission(of_j, reduction("50")) + transmission(of_j, reduction("50"))),
       {"joint 'j' has two <transmission>"}},
      {"Differential",
       with(geared, transmission(of_j + "<joint name=\"k\"/>", reduction("50"))),
       {"joint 'j'", "2 joints and 1 actuators"}},
      {"NoReduction", with(geared, transmission(of_j, "")), {"joint 'j'", "no <mechanicalReduction>"}},
      {"ReductionNan", with(geared, transmission(of_j, reduction("nan"))), {"joint 'j'", "'nan'"}},
      {"ReductionZero", with(geared, transmission(of_j, reduction("0"))), {"joint 'j'", "<mechanicalReduction> is 0"}},
      {"TwoReductions",
       with(geared, transmission("<joint name=\"j\">" + reduction("2") + "</joint>", reduction("50"))),
       {"joint 'j'", "the reductions 2 and 50"}},
      {"RotorOfMimic",
       robot(link("base") + link("a") + link("b") + joint("i", "base", "a") +
             joint("j", "base", "b", "<mimic joint=\"i\"/><dynamics armature=\"1\" gear_ratio=\"9\"/>")),
       {"joint 'j' mimics joint 'i' and has no drive"}},
      {"RotorOfFloating",
       robot(link("base") + link("arm") +
             joint("j", "base", "arm", "<dynamics armature=\"1\" gear_ratio=\"9\"/>", "floating")),
       {"joint 'j' is floating; only revolute"}},
  };
}

std::vector<Broken> corpus() {
  std::vector<Broken> all;
  for (const auto& group : {not_xml(), incomplete(), bad_numbers(), bad_structure(), bad_rotors()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

class BrokenUrdf : public testing::TestWithParam<Broken> {};

TEST_P(BrokenUrdf, IsRefusedInOneSentence) {
  std::string message;
  try {
    (void)Model::build(parse_urdf(GetParam().xml, "broken.urdf"));
  } catch (const ModelError& error) {
    message = error.what();
  }
  ASSERT_NE(message, "") << "it was accepted";
  EXPECT_TRUE(message.starts_with("broken.urdf:")) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_LT(message.size(), 300u) << message;
  for (const std::string& part : GetParam().said) EXPECT_NE(message.find(part), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenUrdf, testing::ValuesIn(corpus()),
                         [](const auto& one) { return one.param.name; });

// What is odd but legal stays legal.
TEST(OddUrdf, IsRead) {
  const std::string odd = "\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- <robot> --><robot\tname = 'r'\n>" +
                          link("base", "") + link("arm", "<!-- --><visual><geometry/></visual>" + good_inertial) +
                          joint("a&amp;&#98;", "base", "arm", "<axis xyz=\" 0\n 0\t+1.0e0 \"/><sensor>x</sensor>") +
                          "<gazebo><plugin>text</plugin></gazebo></robot>\n<!-- end -->\n";
  const RobotDescription robot = parse_urdf(odd, "odd.urdf");
  EXPECT_EQ(robot.joints.at(0).name, "a&b");
  EXPECT_EQ(robot.joints.at(0).axis, Vec3d::UnitZ());
}

TEST(OddUrdf, LongChainsOfFixedLinksAreNoTrouble) {
  std::string xml = chain(9000, false);
  const std::string fixed = "type=\"fixed\"";
  xml.replace(xml.find(fixed), fixed.size(), "type=\"continuous\"");
  EXPECT_EQ(Model::build(parse_urdf(xml, "long.urdf")).coordinates(), 1);
}

TEST(OddUrdf, DoubtfulThingsAreWarnedAboutByName) {
  const std::string xml =
      robot(link("base") + link("arm", "") + link("rod", inertial("1", "0", diagonal)) +
            joint("j", "base", "arm", R"(<axis xyz="0 0 2"/><limit lower="-1" upper="1" effort="0" velocity="1"/>)",
                  "revolute") +
            joint("k", "arm", "rod"));
  const std::vector<std::string> warnings = Model::build(parse_urdf(xml, "odd.urdf")).warnings();
  const auto warned = [&](const std::string& a, const std::string& b) {
    return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& w) {
      return w.find(a) != std::string::npos && w.find(b) != std::string::npos;
    });
  };
  EXPECT_EQ(warnings.size(), 4u);
  EXPECT_TRUE(warned("joint 'j'", "length 2"));
  EXPECT_TRUE(warned("joint 'j'", "effort=\"0\""));
  EXPECT_TRUE(warned("link 'arm'", "neither mass nor inertia"));
  EXPECT_TRUE(warned("link 'rod'", "no inertia about one of its axes"));
}

}  // namespace
}  // namespace dyn
