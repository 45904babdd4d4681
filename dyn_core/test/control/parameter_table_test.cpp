// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The table of control parameters against what uses it: every member of Parameters has a line, and its range is kept.
#include "dyn_core/control/parameter_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace dyn::control {
namespace {

// How many members an aggregate has: the most initializers that it takes.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
template <class T, class... Members>
constexpr size_t members() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return members<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

TEST(ParameterTable, HasEveryMember) {
  constexpr size_t others = 3;  // law, gains, gravity_compensation
  EXPECT_EQ(members<Parameters>(), number_parameters.size() + flag_parameters.size() + joint_parameters.size() + others)
      << "a member of Parameters without a line in parameter_table.hpp";
  EXPECT_EQ(members<JointGains>(), gain_parameters.size());
}

TEST(ParameterTable, HasEveryNameAndMemberOnce) {
  std::set<std::string_view> names;
  Parameters p;
  std::set<const void*> places;
  const auto add = [&](std::string_view name, const void* place) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(places.insert(place).second) << name;
  };
  for (const auto& line : number_parameters) add(line.name, &(p.*line.member));
  for (const auto& line : flag_parameters) add(line.name, &(p.*line.member));
  for (const auto& line : joint_parameters) add(line.name, &(p.*line.member));
}

TEST(ParameterTable, RangesAreKept) {
  Parameters good;
  good.gains.assign(2, {});
  EXPECT_EQ(find_fault(good, 2), "");
  for (const NumberParameter& line : number_parameters) {
    const auto refused = [&](double value) {
      Parameters p = good;
      p.*line.member = value;
      const std::string fault = find_fault(p, 2);
      EXPECT_TRUE(fault.empty() || fault.find(std::string(line.name) + ": ") == 0) << fault;
      return !fault.empty();
    };
    EXPECT_TRUE(refused(line.lowest - 1e-3)) << line.name;
    EXPECT_EQ(refused(line.lowest), line.above) << line.name;
    EXPECT_FALSE(refused(line.lowest + 1e-3)) << line.name;
    EXPECT_TRUE(refused(std::nan(""))) << line.name;
    EXPECT_TRUE(refused(std::numeric_limits<double>::infinity())) << line.name;
    EXPECT_TRUE(refused(1e200)) << line.name;
    EXPECT_FALSE(refused(line.highest)) << line.name;
    EXPECT_TRUE(refused(std::nextafter(line.highest, 1e300))) << line.name;
  }
}

TEST(ParameterTable, RangesOfJointsAreKept) {
  Parameters good;
  good.gains.assign(2, {});
  for (const JointParameter& line : joint_parameters) {
    Parameters p = good;
    (p.*line.member).assign(2, line.highest);
    EXPECT_EQ(find_fault(p, 2), "") << line.name;
    (p.*line.member)[1] = 1e200;
    EXPECT_EQ(find_fault(p, 2).find(std::string(line.name) + " of coordinate 1: 1e+200 is not from 0 to "), 0U);
  }
  for (const GainParameter& line : gain_parameters) {
    Parameters p = good;
    p.gains[1].*line.member = ranges::gain;
    EXPECT_EQ(find_fault(p, 2), "") << line.name;
    p.gains[1].*line.member = 1e200;
    EXPECT_EQ(find_fault(p, 2).find("gains of coordinate 1, " + std::string(line.name) + ": 1e+200"), 0U);
  }
}

}  // namespace
}  // namespace dyn::control
