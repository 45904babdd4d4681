// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The table of control parameters against what uses it: every member of Parameters has a line, and its range is kept.
#include "dyn_core/control/parameter_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
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
    EXPECT_TRUE(refused(unbounded)) << line.name;
    EXPECT_EQ(refused(std::isfinite(line.highest) ? line.highest : 1e6), false) << line.name;
    EXPECT_EQ(refused(line.highest + 1e-3), true) << line.name;
  }
}

}  // namespace
}  // namespace dyn::control
