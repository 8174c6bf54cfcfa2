// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results in the kernel's format: what a parser of it may rely on.

#include "selftest/ktap.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace phutex::selftest {
namespace {

class KtapText : public testing::Test {
 protected:
  std::string text_;
  std::vector<std::string> lines_;
  Ktap ktap_{[this](std::string_view line) {
    text_ += line;
    lines_.emplace_back(line);
  }};
};

TEST_F(KtapText, NumbersResultsBehindTheirPlan) {
  ktap_.plan(3);
  ktap_.result(Verdict::pass, "one");
  ktap_.diagnostic("why not");
  ktap_.result(Verdict::fail, "two");
  ktap_.result(Verdict::error, "three");
  EXPECT_EQ(text_,
            "KTAP version 1\n"
            "1..3\n"
            "ok 1 one\n"
            "# why not\n"
            "not ok 2 two\n"
            "not ok 3 three\n");
}

TEST_F(KtapText, IndentsEachLevelByTwo) {
  ktap_.plan(1);
  Ktap inner = ktap_.nested();
  inner.plan(1);
  Ktap innermost = inner.nested();
  innermost.diagnostic("deep");
  inner.result(Verdict::pass, "a");
  ktap_.result(Verdict::pass, "b");
  EXPECT_EQ(text_,
            "KTAP version 1\n"
            "1..1\n"
            "  KTAP version 1\n"
            "  1..1\n"
            "    # deep\n"
            "  ok 1 a\n"
            "ok 1 b\n");
}

TEST_F(KtapText, SaysWhySomethingIsSkippedAndOnlyThen) {
  ktap_.result(Verdict::skip, "growth", "2 CPUs");
  ktap_.result(Verdict::pass, "growth", "2 CPUs");
  EXPECT_EQ(text_, "ok 1 growth # SKIP 2 CPUs\nok 2 growth\n");
}

TEST_F(KtapText, LetsNoTextBecomeADirectiveOrALine) {
  ktap_.result(Verdict::fail, "a # SKIP b\\\nok 2 c");
  ktap_.result(Verdict::skip, "a", "b\nnot ok 3 c");
  ktap_.diagnostic("a\nok 4 b");
  EXPECT_EQ(text_,
            "not ok 1 a \\# SKIP b\\\\ ok 2 c\n"
            "ok 2 a # SKIP b not ok 3 c\n"
            "# a ok 4 b\n");
}

TEST_F(KtapText, HandsOverEachLineAlone) {
  ktap_.plan(1);
  ktap_.result(Verdict::pass, "one");
  ASSERT_EQ(lines_.size(), 3U);
  for (const std::string& line : lines_) EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST_F(KtapText, EndsWithTheTotals) {
  Totals totals;
  for (const Verdict verdict : {Verdict::pass, Verdict::pass, Verdict::pass, Verdict::fail,
                                Verdict::fail, Verdict::skip, Verdict::error}) {
    totals.count(verdict);
  }
  totals.add({.pass = 1, .fail = 10, .skip = 100, .error = 1000});
  ktap_.totals(totals);
  EXPECT_EQ(text_, "# Totals: pass:4 fail:12 xfail:0 xpass:0 skip:101 error:1001\n");
}

TEST(Totals, AreAsGoodAsTheWorstOfThem) {
  EXPECT_EQ((Totals{.pass = 3}).verdict(), Verdict::pass);
  EXPECT_EQ((Totals{.pass = 1, .skip = 3}).verdict(), Verdict::pass);
  EXPECT_EQ((Totals{.skip = 3}).verdict(), Verdict::skip);
  EXPECT_EQ((Totals{.pass = 3, .error = 1}).verdict(), Verdict::error);
  EXPECT_EQ((Totals{.pass = 3, .fail = 1, .skip = 1, .error = 1}).verdict(), Verdict::fail);
}

}  // namespace
}  // namespace phutex::selftest
