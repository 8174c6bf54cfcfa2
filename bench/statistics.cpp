// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

namespace phutex::bench {
namespace {

double count_of(std::span<const double> samples) {
  return static_cast<double>(samples.size());
}

/// Of at least two samples.
double standard_error(std::span<const double> samples) {
  return *standard_deviation(samples) / std::sqrt(count_of(samples));
}

}  // namespace

std::optional<double> mean(std::span<const double> samples) {
  if (samples.empty()) return std::nullopt;
  return std::accumulate(samples.begin(), samples.end(), 0.0) / count_of(samples);
}

std::optional<double> median(std::span<const double> samples) {
  if (samples.empty()) return std::nullopt;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t upper = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[upper];
  return std::midpoint(sorted[upper - 1], sorted[upper]);
}

std::optional<double> standard_deviation(std::span<const double> samples) {
  if (samples.size() < 2) return std::nullopt;
  const double centre = *mean(samples);
  double squares = 0;
  for (const double sample : samples) squares += (sample - centre) * (sample - centre);
  return std::sqrt(squares / (count_of(samples) - 1));
}

std::optional<double> relative_standard_error_pct(std::span<const double> samples) {
  if (samples.size() < 2 || *mean(samples) == 0) return std::nullopt;
  return 100 * standard_error(samples) / std::abs(*mean(samples));
}

std::optional<Interval> mean_interval(std::span<const double> samples) {
  if (samples.size() < 2) return std::nullopt;
  const boost::math::students_t distribution{count_of(samples) - 1};
  const double t = boost::math::quantile(complement(distribution, (1 - kConfidence) / 2));
  const double centre = *mean(samples);
  const double half_width = t * standard_error(samples);
  return Interval{centre - half_width, centre + half_width};
}

std::optional<Ratio> paired_ratio(std::span<const double> of, std::span<const double> to) {
  std::vector<double> logs;
  for (std::size_t pair = 0; pair < std::min(of.size(), to.size()); ++pair) {
    if (!(of[pair] > 0 && to[pair] > 0)) return std::nullopt;
    logs.push_back(std::log(of[pair] / to[pair]));
  }
  if (logs.empty()) return std::nullopt;
  const std::optional<Interval> bounds = mean_interval(logs);
  const double ratio = std::exp(*mean(logs));
  if (!bounds) return Ratio{ratio, std::nullopt};
  return Ratio{ratio, Interval{std::exp(bounds->low), std::exp(bounds->high)}};
}

}  // namespace phutex::bench
