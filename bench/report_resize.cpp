// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/report_resize.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "bench/text_table.hpp"

namespace phutex::bench {
namespace {

constexpr std::string_view kExplanation =
    "disturbed: while the hash was replaced; undisturbed: the same threads, the other half of the "
    "time\n";

void grow(std::optional<double>& largest, const std::optional<double>& value) {
  if (value) largest = std::max(largest.value_or(*value), *value);
}

PhaseSummary phase_summary_of(const Row& row, PhaseResult ResizeResult::*phase) {
  PhaseSummary summary;
  std::vector<std::vector<double>> percentiles(kPercentileParts.size());
  for (const SampleResult& sample : row.samples) {
    const PhaseResult& result = (*sample.resize).*phase;
    summary.samples.push_back(mean_rate(result));
    if (!result.latency) continue;
    for (std::size_t index = 0; index < percentiles.size(); ++index) {
      percentiles[index].push_back(result.latency->percentiles_ns[index]);
    }
    grow(summary.max_ns, result.latency->max_ns);
  }
  for (const std::vector<double>& each : percentiles) {
    summary.percentiles_ns.push_back(median(each));
  }
  return summary;
}

std::string rate_cell(const std::vector<double>& samples) {
  const std::optional<double> middle = median(samples);
  return middle ? grouped(*middle) : std::string(kNothing);
}

Cells latency_cells(const std::string& name, const PhaseSummary& phase) {
  Cells cells{name};
  for (const std::optional<double>& ns : phase.percentiles_ns) cells.push_back(duration_cell(ns));
  cells.push_back(duration_cell(phase.max_ns));
  return cells;
}

Cells latency_heading() {
  Cells cells{"latency"};
  for (const char* name : kPercentileNames) cells.push_back(fmt::format("{} %", name));
  cells.emplace_back("largest stop");
  return cells;
}

unsigned missed_in(const SampleResult& sample) {
  return sample.resize ? sample.resize->sleepers_missed : 0;
}

}  // namespace

ResizeSummary resize_summary_of(const Row& row) {
  ResizeSummary summary{.undisturbed = phase_summary_of(row, &ResizeResult::undisturbed),
                        .disturbed = phase_summary_of(row, &ResizeResult::disturbed)};
  summary.ratio = paired_ratio(summary.disturbed.samples, summary.undisturbed.samples);
  std::vector<double> per_s;
  std::vector<double> medians;
  for (const SampleResult& sample : row.samples) {
    const Replacements& replacements = sample.resize->replacements;
    summary.made += replacements.made;
    per_s.push_back(rate_of(replacements));
    if (replacements.median_ns) medians.push_back(*replacements.median_ns);
    grow(summary.max_ns, replacements.max_ns);
  }
  summary.per_s = mean(per_s);
  summary.median_ns = median(medians);
  return summary;
}

std::string resize_heading(const ResizeSpec& spec, long buckets) {
  const std::string rate = spec.rate == 0 ? std::string("as many replacements as can be")
                                          : fmt::format("{} replacements a second", spec.rate);
  return fmt::format("{}, {} and {} buckets in turn, {} sleeper{}", rate, buckets / 2, buckets,
                     spec.sleepers, spec.sleepers == 1 ? "" : "s");
}

std::string resize_tables(const Run& run) {
  std::vector<Cells> rates{
      {"ops/s per thread", "undisturbed", "disturbed", "disturbed to undisturbed [95 %]"}};
  std::vector<Cells> latencies{latency_heading()};
  std::vector<Cells> replacements{{"replacements", "made", "per second", "median", "max"}};
  for (const Row& row : run.rows) {
    const ResizeSummary summary = resize_summary_of(row);
    rates.push_back({row.name, rate_cell(summary.undisturbed.samples),
                     rate_cell(summary.disturbed.samples), ratio_cell(summary.ratio)});
    latencies.push_back(latency_cells(row.name + ", undisturbed", summary.undisturbed));
    latencies.push_back(latency_cells(row.name + ", disturbed", summary.disturbed));
    replacements.push_back(
        {row.name, grouped(static_cast<double>(summary.made)),
         summary.per_s ? fmt::format("{:.1f}", *summary.per_s) : std::string(kNothing),
         duration_cell(summary.median_ns), duration_cell(summary.max_ns)});
  }
  return fmt::format("\n{}\n{}\n{}\n{}", aligned(rates, LastColumn::words),
                     aligned(latencies, LastColumn::numbers),
                     aligned(replacements, LastColumn::numbers), kExplanation);
}

std::optional<std::string> missed_line(const Run& run) {
  for (const Row& row : run.rows) {
    if (!row.spec.resize) continue;
    unsigned missed = row.rehearsal ? missed_in(*row.rehearsal) : 0;
    for (const SampleResult& sample : row.samples) missed += missed_in(sample);
    if (missed == 0) continue;
    return fmt::format(
        "LOST WAKE-UP on {}: {} of {} sleepers in each of {} samples were not there to be woken "
        "after the replacements",
        row.name, missed, row.spec.resize->sleepers, row.samples.size() + (row.rehearsal ? 1 : 0));
  }
  return std::nullopt;
}

}  // namespace phutex::bench
