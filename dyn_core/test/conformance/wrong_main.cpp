// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The conformance suites on algorithms that return NaN: exit code 1 if any test passes.
#include <gtest/gtest.h>

#include <iostream>

namespace {

class Judge : public ::testing::EmptyTestEventListener {
 public:
  Judge(int& tests, int& passed) : tests_(tests), passed_(passed) {}

 private:
  void OnTestEnd(const ::testing::TestInfo& test) override {
    ++tests_;
    if (!test.result()->Passed()) return;
    ++passed_;
    std::cout << "passes although the algorithm returns NaN: " << test.test_suite_name() << '.' << test.name() << '\n';
  }
  int& tests_;
  int& passed_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  int tests = 0, passed = 0;
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Judge(tests, passed));
  const bool all_pass = RUN_ALL_TESTS() == 0;
  std::cout << tests << " tests on wrong algorithms, " << passed << " of them passed\n";
  return tests > 0 && passed == 0 && !all_pass ? 0 : 1;
}
