// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bench/failure.hpp"

namespace phutex::bench {
namespace {

/// "16 slots", "8 to 16 slots", "global hash".
std::string count_text(const std::vector<long>& counts, std::string_view noun) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (*most == kBucketsGlobal) return "global hash";
  if (*least == *most) return fmt::format("{} {}", *least, noun);
  return fmt::format("{} to {} {}", *least, *most, noun);
}

std::string chooser_of(const SampleSpec& spec) {
  if (spec.buckets >= 0) return "set by -b";
  return fmt::format("chosen by the {}", spec.on);
}

}  // namespace

std::vector<RowSummary> summaries_of(const Run& run) {
  std::vector<RowSummary> summaries;
  for (const Row& row : run.rows) {
    RowSummary summary;
    for (const SampleResult& sample : row.samples) summary.samples.push_back(mean_rate(sample));
    summary.median = median(summary.samples);
    summary.mean = mean(summary.samples);
    summary.rse_pct = relative_standard_error_pct(summary.samples);
    summary.interval = mean_interval(summary.samples);
    const auto& first = summaries.empty() ? summary : summaries.front();
    summary.to_first = paired_ratio(summary.samples, first.samples);
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

std::string buckets_line(const Row& row) {
  if (row.spec.is_shared) return fmt::format("{}: global hash (shared futexes)", row.name);
  const std::string_view noun = row.spec.on == kOnKernel ? "slots" : "buckets";
  std::vector<long> before;
  std::vector<long> after;
  for (const SampleResult& sample : row.samples) {
    before.push_back(sample.buckets_before);
    after.push_back(sample.buckets_after);
  }
  std::string counts = count_text(before, noun);
  if (before == after) {
    counts += " before and after";
  } else {
    counts += fmt::format(" before, {} after", count_text(after, noun));
  }
  const bool is_immutable = row.samples.front().is_immutable;
  return fmt::format("{}: {} ({}{})", row.name, counts, chooser_of(row.spec),
                     is_immutable ? ", immutable" : "");
}

std::optional<std::string> unexpected_line(const Run& run) {
  for (const Row& row : run.rows) {
    std::uint64_t unexpected = 0;
    int first = 0;
    for (const SampleResult& sample : row.samples) {
      if (unexpected == 0) first = sample.unexpected_first;
      unexpected += sample.unexpected;
    }
    if (unexpected == 0) continue;
    return fmt::format("{}: {} calls gave a result that {} does not expect, the first: {}",
                       row.name, unexpected, row.spec.workload,
                       first == 0 ? std::string("success") : error_text(first));
  }
  return std::nullopt;
}

}  // namespace phutex::bench
