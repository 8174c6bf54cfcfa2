// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sample on its way between two processes.

#include "bench/sample.hpp"

#include <string>

#include <gtest/gtest.h>

#include "bench/failure.hpp"

namespace phutex::bench {
namespace {

TEST(Sample, SpecComesBackAsItWas) {
  const SampleSpec spec{.workload = "wait-wake",
                        .on = "engine",
                        .scheme = "fixed",
                        .mismatch = "early",
                        .threads = 17,
                        .futexes = 3,
                        .buckets = 1L << 30,
                        .is_immutable = true,
                        .is_shared = true,
                        .locks_memory = true,
                        .runtime_s = 0.1};
  EXPECT_EQ(spec_from_json(to_json(spec)), spec);
}

TEST(Sample, ResultComesBackAsItWas) {
  const SampleResult result{.threads = {{1, 0xfffffffffffffffcU, 8}, {~0ULL, 0, 0}},
                            .elapsed_s = 0.123456789,
                            .unexpected = 5,
                            .unexpected_first = 4,
                            .buckets_before = 0,
                            .buckets_after = 16,
                            .is_immutable = true,
                            .pid = 4711};
  EXPECT_EQ(sample_from_json(to_json(result)), result);
}

TEST(Sample, WhatResizeAddsComesBackAsItWas) {
  const SampleSpec spec{.workload = std::string(kResize), .resize = ResizeSpec{0, 10'000}};
  EXPECT_EQ(spec_from_json(to_json(spec)), spec);
  const Latency latency{{20, 30.5, 40, 1e6, 2e9}, 3e9};
  SampleResult result{.threads = {{1, 2, 3}}, .elapsed_s = 1};
  result.resize = ResizeResult{.undisturbed = {7, {1.5, 2.5}, latency},
                               .disturbed = {0, {0, 0}, std::nullopt},
                               .replacements = {3, 0.5, 1000.5, 2000},
                               .sleepers_missed = 4};
  EXPECT_EQ(sample_from_json(to_json(result)), result);
  result.resize->replacements = {};
  EXPECT_EQ(sample_from_json(to_json(result)), result);
}

TEST(Sample, OfResizeStandsForTheTimeOfReplacements) {
  SampleResult result{.threads = {{1000, 0, 0}}, .elapsed_s = 1};
  result.resize = ResizeResult{.undisturbed = {900, {1800}}, .disturbed = {100, {200}}};
  EXPECT_EQ(rates(result), std::vector<double>{200});
  EXPECT_DOUBLE_EQ(mean_rate(result), 200);
  EXPECT_DOUBLE_EQ(rate_of(Replacements{.made = 3, .elapsed_s = 2}), 1.5);
  EXPECT_DOUBLE_EQ(rate_of(Replacements{}), 0);
}

TEST(Sample, FailureOfTheChildIsTheParents) {
  try {
    sample_from_json(failure_to_json("-b 3: \"no\"\n\xff"));
    FAIL() << "nothing was thrown";
  } catch (const Failure& failure) {
    EXPECT_TRUE(std::string(failure.what()).starts_with("-b 3: \"no\""));
  }
}

TEST(Sample, TextThatIsNoneIsAFailure) {
  for (const char* text : {"", "{", "[]", "{}", "null", "{\"threads\":1}"}) {
    EXPECT_THROW(spec_from_json(text), Failure) << text;
    EXPECT_THROW(sample_from_json(text), Failure) << text;
  }
}

TEST(Sample, RateIsTheMeanOverThreads) {
  const SampleResult result{.threads = {{10, 0, 0}, {30, 0, 0}}, .elapsed_s = 2};
  EXPECT_EQ(rates(result), (std::vector<double>{5, 15}));
  EXPECT_DOUBLE_EQ(mean_rate(result), 10);
}

// N3: no division by a run that took no time.
TEST(Sample, WithoutTimeHasNoRate) {
  const SampleResult result{.threads = {{10, 0, 0}}, .elapsed_s = 0};
  EXPECT_TRUE(rates(result).empty());
  EXPECT_DOUBLE_EQ(mean_rate(result), 0);
}

}  // namespace
}  // namespace phutex::bench
