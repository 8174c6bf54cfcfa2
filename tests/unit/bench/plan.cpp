// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which rows a plan has, and in which order their samples are taken.

#include "bench/plan.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace phutex::bench {
namespace {

TEST(RowsOf, IsEveryCombinationInTheOrderGiven) {
  const SampleSpec common{.threads = 3, .buckets = 64};
  const std::vector<SampleSpec> rows =
      rows_of(common, {{"kernel", "engine"}, {"fixed", "shared_count"}, {"locked", "early"}});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(row_names(rows),
            (std::vector<std::string>{"kernel", "engine fixed locked", "engine fixed early",
                                      "engine shared_count locked", "engine shared_count early"}));
  EXPECT_EQ(rows[0].scheme, kNoPolicy);
  EXPECT_EQ(rows[0].mismatch, kNoPolicy);
  for (const SampleSpec& row : rows) {
    EXPECT_EQ(row.threads, 3U);
    EXPECT_EQ(row.buckets, 64);
  }
}

TEST(RowNames, TellARowFromItsTwin) {
  const std::vector<SampleSpec> rows = rows_of({}, {{"kernel", "kernel"}, {}, {}});
  EXPECT_EQ(row_names(rows), (std::vector<std::string>{"kernel", "kernel #2"}));
}

TEST(SamplingOrder, HasEachRowOnceInEveryRound) {
  const std::vector<std::size_t> order = sampling_order(4, 7, 1);
  ASSERT_EQ(order.size(), 28U);
  for (auto round = order.begin(); round != order.end(); round += 4) {
    EXPECT_EQ(std::set<std::size_t>(round, round + 4).size(), 4U);
  }
}

TEST(SamplingOrder, RunsEverySecondRoundTheOtherWayRound) {
  const std::vector<std::size_t> order = sampling_order(5, 6, 42);
  for (auto block = order.begin(); block != order.end(); block += 10) {
    EXPECT_TRUE(std::equal(block, block + 5, std::make_reverse_iterator(block + 10)));
  }
}

TEST(SamplingOrder, IsDrawnFromTheSeedAlone) {
  EXPECT_EQ(sampling_order(6, 10, 7), sampling_order(6, 10, 7));
  EXPECT_NE(sampling_order(6, 10, 7), sampling_order(6, 10, 8));
}

}  // namespace
}  // namespace phutex::bench
