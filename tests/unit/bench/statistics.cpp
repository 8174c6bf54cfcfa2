// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of a report, against published ones and some worked out by hand.

#include "bench/statistics.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace phutex::bench {
namespace {

/// Extra hours of sleep that ten patients had from one drug over another: Student, "The probable
/// error of a mean", 1908. Its mean and interval are printed in many textbooks.
constexpr std::array kStudentSleep{1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};
constexpr double kStudentMean = 1.58;
constexpr double kStudentLow = 0.7001142;
constexpr double kStudentHigh = 2.4598858;

const std::vector<double> kNone;
const std::vector<double> kOne{7};
const std::vector<double> kOneToFive{5, 1, 4, 2, 3};

TEST(Mean, IsTheSumOverTheCount) {
  EXPECT_DOUBLE_EQ(mean(kOneToFive).value(), 3);
  EXPECT_DOUBLE_EQ(mean(kOne).value(), 7);
  EXPECT_FALSE(mean(kNone).has_value());
}

TEST(Median, IsTheMiddleWhateverTheOrder) {
  EXPECT_DOUBLE_EQ(median(kOneToFive).value(), 3);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{4, 1, 3, 2}).value(), 2.5);
  EXPECT_DOUBLE_EQ(median(kOne).value(), 7);
  EXPECT_FALSE(median(kNone).has_value());
}

TEST(StandardDeviation, DividesByOneLess) {
  EXPECT_NEAR(standard_deviation(kOneToFive).value(), 1.5811388, 1e-7);
  EXPECT_FALSE(standard_deviation(kOne).has_value());
  EXPECT_FALSE(standard_deviation(kNone).has_value());
}

// perf bench futex hash printed these two threads' rates and "(+- 14.00%)".
TEST(RelativeStandardError, IsWhatPerfPrints) {
  const std::vector<double> rates{379873, 503544};
  EXPECT_NEAR(relative_standard_error_pct(rates).value(), 14.00, 0.005);
}

TEST(RelativeStandardError, NeedsTwoSamplesAndAMean) {
  EXPECT_FALSE(relative_standard_error_pct(kOne).has_value());
  EXPECT_FALSE(relative_standard_error_pct(std::vector<double>{0, 0}).has_value());
  EXPECT_DOUBLE_EQ(relative_standard_error_pct(std::vector<double>{5, 5, 5}).value(), 0);
}

TEST(MeanInterval, AgreesWithStudentsSleepData) {
  const Interval interval = mean_interval(kStudentSleep).value();
  EXPECT_NEAR(mean(kStudentSleep).value(), kStudentMean, 1e-9);
  EXPECT_NEAR(interval.low, kStudentLow, 1e-6);
  EXPECT_NEAR(interval.high, kStudentHigh, 1e-6);
}

// 3 +- t(0.975, 4) * sqrt(2.5 / 5), with t from a printed table.
TEST(MeanInterval, AgreesWithATableOfT) {
  const Interval interval = mean_interval(kOneToFive).value();
  EXPECT_NEAR(interval.low, 3 - 2.776445 * 0.7071068, 1e-5);
  EXPECT_NEAR(interval.high, 3 + 2.776445 * 0.7071068, 1e-5);
}

TEST(MeanInterval, NeedsTwoSamplesAndIsAPointWithoutSpread) {
  EXPECT_FALSE(mean_interval(kNone).has_value());
  EXPECT_FALSE(mean_interval(kOne).has_value());
  const Interval point = mean_interval(std::vector<double>{2, 2}).value();
  EXPECT_DOUBLE_EQ(point.low, 2);
  EXPECT_DOUBLE_EQ(point.high, 2);
}

TEST(PairedRatio, IsTheIntervalOfTheLogarithms) {
  std::vector<double> of;
  std::vector<double> to;
  for (const double difference : kStudentSleep) {
    to.push_back(1000.0 + static_cast<double>(to.size()));
    of.push_back(to.back() * std::exp(difference));
  }
  const Ratio ratio = paired_ratio(of, to).value();
  EXPECT_NEAR(ratio.ratio, std::exp(kStudentMean), 1e-6);
  EXPECT_NEAR(ratio.interval.value().low, std::exp(kStudentLow), 1e-5);
  EXPECT_NEAR(ratio.interval.value().high, std::exp(kStudentHigh), 1e-4);
}

TEST(PairedRatio, SeesThroughDriftThatPairsShare) {
  const Ratio ratio =
      paired_ratio(std::vector<double>{20, 200, 2000, 2}, std::vector<double>{10, 100, 1000, 1})
          .value();
  EXPECT_NEAR(ratio.ratio, 2, 1e-12);
  EXPECT_NEAR(ratio.interval.value().low, 2, 1e-9);
  EXPECT_NEAR(ratio.interval.value().high, 2, 1e-9);
}

TEST(PairedRatio, LeavesOutWhatHasNoPartner) {
  EXPECT_NEAR(paired_ratio(std::vector<double>{6, 999}, std::vector<double>{3}).value().ratio, 2,
              1e-12);
}

TEST(PairedRatio, OfOnePairHasNoInterval) {
  const Ratio ratio = paired_ratio(kOne, kOne).value();
  EXPECT_DOUBLE_EQ(ratio.ratio, 1);
  EXPECT_FALSE(ratio.interval.has_value());
}

TEST(PairedRatio, IsEmptyWithoutPairsOrWithSamplesOfNothing) {
  EXPECT_FALSE(paired_ratio(kNone, kOne).has_value());
  EXPECT_FALSE(paired_ratio(std::vector<double>{1, 0}, std::vector<double>{1, 1}).has_value());
  EXPECT_FALSE(paired_ratio(std::vector<double>{1, 1}, std::vector<double>{1, 0}).has_value());
}

}  // namespace
}  // namespace phutex::bench
