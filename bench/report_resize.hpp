// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the reports of the workload resize have beside those of the others: both phases side by
// side, latencies, replacements, and sleepers.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/runner.hpp"
#include "bench/statistics.hpp"

namespace phutex::bench {

/// One phase of a row. Percentiles are the medians of the samples' own; the largest stop is the
/// largest of all samples. Empty where there is nothing.
struct PhaseSummary {
  std::vector<double> samples;  // operations per second and thread
  std::vector<std::optional<double>> percentiles_ns;
  std::optional<double> max_ns{};
};

struct ResizeSummary {
  PhaseSummary undisturbed;
  PhaseSummary disturbed;
  std::optional<Ratio> ratio{};  // disturbed to undisturbed, sample by sample
  std::uint64_t made = 0;        // replacements, in all samples
  std::optional<double> per_s{};
  std::optional<double> median_ns{};  // of the samples' medians
  std::optional<double> max_ns{};
};

/// Of a row whose workload is resize.
ResizeSummary resize_summary_of(const Row& row);

/// For the table's heading: what is replaced, how often, and who sleeps.
std::string resize_heading(const ResizeSpec& spec, long buckets);

/// What follows the table of rates. Each line ends with a newline.
std::string resize_tables(const Run& run);

/// For the JSON report: what a row has beside what all workloads have.
nlohmann::ordered_json resize_json(const Row& row);

/// For the CSV report: the further columns, each with a comma before it.
std::string resize_csv_heading();
std::string resize_csv_fields(const ResizeSpec& spec, const ResizeResult& result);

/// What to tell about sleepers that no wake found; empty if all were found.
std::optional<std::string> missed_line(const Run& run);

}  // namespace phutex::bench
