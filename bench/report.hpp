// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A run in words and numbers: for people, for what reads perf's text, for programs, for a
// spreadsheet.

#include <optional>
#include <string>
#include <vector>

#include "bench/host.hpp"
#include "bench/progress.hpp"
#include "bench/runner.hpp"
#include "bench/statistics.hpp"

namespace phutex::bench {

inline constexpr std::string_view kUnit = "ops/s per thread";

struct RowSummary {
  std::vector<double> samples;  // mean_rate of each
  std::optional<double> median;
  std::optional<double> mean;
  std::optional<double> rse_pct;
  std::optional<Interval> interval;
  std::optional<Ratio> to_first;  // of the first row, to itself: exactly 1
};

/// By row.
std::vector<RowSummary> summaries_of(const Run& run);

/// One row's slots or buckets before and after, and who chose them. Of at least one sample.
std::string buckets_line(const Row& row);

/// What to tell about results that the workload does not provoke; empty if there were none.
std::optional<std::string> unexpected_line(const Run& run);

/// Each ends with a newline.
std::string table_report(const Run& run);
std::string perf_report(const Run& run, Talk talk);
std::string json_report(const Run& run, const Host& host);
std::string csv_report(const Run& run);

}  // namespace phutex::bench
