// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The checker's memory does in each mode exactly what it may, and the suite that says so is not
// content with more or with less.

#include "checker/litmus.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <tuple>

namespace phutex::checker {

/// How GoogleTest names a parameter.
inline void PrintTo(const Litmus& litmus, std::ostream* out) {
  *out << litmus.program;
}

namespace {

using Tried = std::tuple<Litmus, Mode>;

class LitmusSuite : public testing::TestWithParam<Tried> {};

TEST_P(LitmusSuite, HasExactlyTheOutcomesItMayHave) {
  const auto& [litmus, mode] = GetParam();
  EXPECT_EQ(litmus_failure(litmus, mode), "");
}

/// "SB+fences", sc: SB_fences_sc
std::string name_of_tried(const testing::TestParamInfo<Tried>& info) {
  const auto& [litmus, mode] = info.param;
  std::string name = std::string{litmus.name} + "_" + std::string{name_of(mode)};
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, LitmusSuite,
                         testing::Combine(testing::ValuesIn(litmus_suite()),
                                          testing::ValuesIn(kAllModes)),
                         name_of_tried);

TEST(Litmus, TellsTheModesApart) {
  const Litmus store_buffering{"SB", "x=1 y | y=1 x", "01 10 11", "00"};
  const Litmus message_passing{"MP", "x=1 y=1 | y x", "00 01 11", "", "10"};
  EXPECT_NE(outcomes_of(store_buffering, Mode::sc), outcomes_of(store_buffering, Mode::tso));
  EXPECT_NE(outcomes_of(message_passing, Mode::tso), outcomes_of(message_passing, Mode::history));
}

TEST(Litmus, IsNotContentWithTooStrongAMemory) {
  const Litmus hopeful{"CoWW", "x=1 x=2 || x", "2", "", "1"};
  EXPECT_EQ(litmus_failure(hopeful, Mode::tso), "");
  EXPECT_EQ(litmus_failure(hopeful, Mode::history),
            "CoWW (x=1 x=2 || x) in mode history ends in 2, and should in 1 2");
}

TEST(Litmus, IsNotContentWithTooWeakAMemory) {
  const Litmus strict{"MP", "x=1 y=1 | y x", "00 01 11"};
  EXPECT_EQ(litmus_failure(strict, Mode::tso), "");
  EXPECT_EQ(litmus_failure(strict, Mode::history),
            "MP (x=1 y=1 | y x) in mode history ends in 00 01 10 11, and should in 00 01 11");
}

TEST(Litmus, HoldsAsAWhole) {
  for (const Mode mode : kAllModes) EXPECT_EQ(litmus_failure(mode), "");
}

}  // namespace
}  // namespace phutex::checker
