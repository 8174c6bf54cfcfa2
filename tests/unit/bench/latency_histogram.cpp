// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Latencies by the million, and what is said of them afterwards.

#include "bench/latency_histogram.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace phutex::bench {
namespace {

constexpr double kErrorMax = 0.004;  // as promised
constexpr std::array kParts{1U, 100U, 5000U, 9000U, 9900U, 9990U, 9999U, 10'000U};

/// The answer by definition, from values in order.
std::uint64_t exact(const std::vector<std::uint64_t>& sorted, unsigned parts) {
  const std::size_t rank =
      (sorted.size() * parts + LatencyHistogram::kParts - 1) / LatencyHistogram::kParts;
  return sorted[rank - 1];
}

/// As latencies are: most of them short, a few very long.
std::vector<std::uint64_t> latencies(std::size_t count, std::uint32_t seed) {
  std::mt19937_64 random{seed};
  std::lognormal_distribution<double> length{5, 3};
  std::vector<std::uint64_t> values;
  for (std::size_t index = 0; index < count; ++index) {
    values.push_back(static_cast<std::uint64_t>(length(random)));
  }
  return values;
}

void expect_exact_enough(const LatencyHistogram& histogram, std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  for (const unsigned parts : kParts) {
    const auto expected = static_cast<double>(exact(values, parts));
    EXPECT_NEAR(histogram.value_at(parts).value(), expected, kErrorMax * expected + 1e-9) << parts;
  }
}

TEST(LatencyHistogram, IsExactForSmallValues) {
  LatencyHistogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.record(value);
  EXPECT_EQ(histogram.value_at(100), 1);
  EXPECT_EQ(histogram.value_at(5000), 50);
  EXPECT_EQ(histogram.value_at(5001), 51);
  EXPECT_EQ(histogram.value_at(9900), 99);
  EXPECT_EQ(histogram.value_at(10'000), 100);
}

TEST(LatencyHistogram, IsRightWithinItsErrorWhateverTheValues) {
  const std::vector<std::uint64_t> values = latencies(100'000, 7);
  LatencyHistogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  expect_exact_enough(histogram, values);
}

TEST(LatencyHistogram, IsRightWithinItsErrorForEachMagnitude) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t value : {power, power + 1, power + power / 3, power + (power - 1)}) {
      LatencyHistogram histogram;
      histogram.record(value);
      histogram.record(std::numeric_limits<std::uint64_t>::max());
      EXPECT_NEAR(histogram.value_at(1).value(), static_cast<double>(value),
                  kErrorMax * static_cast<double>(value))
          << value;
    }
  }
}

TEST(LatencyHistogram, KeepsTheMaximumTheCountAndTheSumExactly) {
  const std::vector<std::uint64_t> values = latencies(1000, 9);
  LatencyHistogram histogram;
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) {
    histogram.record(value);
    sum += value;
  }
  EXPECT_EQ(histogram.max(), *std::max_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.total(), sum);
}

// A stop of a second among ten million operations is not lost, and nothing is said to be longer.
TEST(LatencyHistogram, NeverNamesMoreThanTheMaximum) {
  constexpr std::uint64_t kSecond = 1'000'000'007;
  LatencyHistogram histogram;
  for (int count = 0; count < 9999; ++count) histogram.record(20);
  histogram.record(kSecond);
  EXPECT_EQ(histogram.value_at(9999), 20);
  EXPECT_LE(histogram.value_at(10'000).value(), static_cast<double>(kSecond));
  EXPECT_EQ(histogram.max(), kSecond);
}

TEST(LatencyHistogram, MergedIsAsIfOneHadSeenAll) {
  std::vector<std::uint64_t> all;
  LatencyHistogram merged;
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    LatencyHistogram part;
    for (const std::uint64_t value : latencies(10'000, seed)) {
      part.record(value);
      all.push_back(value);
    }
    merged.merge(part);
  }
  merged.merge(LatencyHistogram{});
  EXPECT_EQ(merged.count(), all.size());
  EXPECT_EQ(merged.max(), *std::max_element(all.begin(), all.end()));
  expect_exact_enough(merged, all);
}

TEST(LatencyHistogram, WithoutValuesHasNoAnswer) {
  const LatencyHistogram histogram;
  EXPECT_FALSE(histogram.value_at(5000).has_value());
  EXPECT_EQ(histogram.max(), 0U);
}

}  // namespace
}  // namespace phutex::bench
