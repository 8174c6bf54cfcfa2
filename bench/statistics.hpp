// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What samples say: where they lie, how far they spread, and between which bounds the truth is
// likely. Pure functions; a question that too few samples cannot answer has an empty answer.

#include <optional>
#include <span>

namespace phutex::bench {

struct Interval {
  double low;
  double high;
};

struct Ratio {
  double ratio;
  std::optional<Interval> interval;  // empty for a single pair
};

inline constexpr double kConfidence = 0.95;

/// Empty for no samples.
std::optional<double> mean(std::span<const double> samples);
std::optional<double> median(std::span<const double> samples);

/// With n - 1 in the denominator. Empty for fewer than two samples.
std::optional<double> standard_deviation(std::span<const double> samples);

/// The standard error of the mean, in percent of the mean. Empty for fewer than two samples or a
/// mean of 0.
std::optional<double> relative_standard_error_pct(std::span<const double> samples);

/// Student's t interval for the mean. Empty for fewer than two samples.
std::optional<Interval> mean_interval(std::span<const double> samples);

/// How many times as much `of` is as `to`: the geometric mean of the ratios of samples with the
/// same index, and the paired t interval on their logarithms. Samples without a partner are left
/// out. Empty if there are no pairs or one has a sample that is not positive.
std::optional<Ratio> paired_ratio(std::span<const double> of, std::span<const double> to);

}  // namespace phutex::bench
