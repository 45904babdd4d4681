// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Every input of fuzz/corpus through its target, and mutants of it: bytes changed, dropped, doubled and put together,
// the same ones in every run. What crashes ends the program; the input stands on standard error.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "targets.hpp"

namespace dyn::fuzz {
namespace {

std::vector<std::string> corpus(std::string_view target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(DYN_FUZZ_CORPUS) / target)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> all;
  for (const auto& file : files) {
    std::stringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    all.push_back(text.str());
  }
  return all;
}

std::string mutated(std::string text, const std::vector<std::string>& others, std::mt19937& random) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  static const std::vector<std::string> words{
      "0",  "-1", "1e309", "nan", "1e-320", "\"",   "'",   "<",   ">",  "[",  "]",    "{",   "}", ":", ",",
      "\n", "-",  "&a",    "*a",  "\x00",   "\xff", "1e9", "inf", "[]", "{}", "null", "---", "%", "  "};
  for (size_t changes = 1 + below(4); changes > 0; --changes) {
    const size_t at = below(text.size() + 1), length = below(std::min<size_t>(40, text.size() - at) + 1);
    switch (below(5)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, text.substr(at, length)); break;
      case 2: text.insert(at, words[below(words.size())]); break;
      case 3: text.replace(at, length, words[below(words.size())]); break;
      default: {
        const std::string& other = others[below(others.size())];
        text.replace(at, length, other.substr(below(other.size() + 1), 60));
      }
    }
  }
  return text;
}

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, OfItsCorpusAndOfMutants) {
  const auto inputs = corpus(GetParam().name);
  ASSERT_GE(inputs.size(), 5U);
  for (const std::string& input : inputs) GetParam().run(input);
  std::mt19937 random(1);
  for (int k = 0; k < DYN_FUZZ_MUTANTS; ++k) {
    GetParam().run(mutated(inputs[random() % inputs.size()], inputs, random));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Replay, testing::ValuesIn(targets),
                         [](const auto& at) { return std::string(at.param.name); });

}  // namespace
}  // namespace dyn::fuzz
