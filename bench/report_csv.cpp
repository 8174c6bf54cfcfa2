// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/report.hpp"

// The report for a spreadsheet: one line a sample, in the order they were taken. No field needs
// quotes: names of workloads, schemes and rows have no commas.

#include <cstddef>

#include <fmt/format.h>

#include "bench/report_resize.hpp"

namespace phutex::bench {
namespace {

constexpr std::string_view kHeading =
    "sample,round,name,workload,on,scheme,mismatch,threads,futexes,shared,buckets,immutable,"
    "runtime_s,elapsed_s,buckets_before,buckets_after,unexpected,ops_per_s_per_thread";

int as_number(bool is_so) {
  return is_so ? 1 : 0;
}

}  // namespace

std::string csv_report(const Run& run) {
  std::string text{kHeading};
  const bool is_resize = run.rows.front().spec.resize.has_value();
  text += is_resize ? resize_csv_heading() + '\n' : "\n";
  std::vector<std::size_t> rounds(run.rows.size(), 0);
  for (std::size_t taken = 0; taken < run.order.size(); ++taken) {
    const Row& row = run.rows[run.order[taken]];
    const SampleSpec& spec = row.spec;
    const std::size_t round = rounds[run.order[taken]]++;
    const SampleResult& sample = row.samples[round];
    const std::string buckets = spec.buckets < 0 ? "" : fmt::format("{}", spec.buckets);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:g},{:.6f},{},{},{},{:.2f}",
                        taken + 1, round + 1, row.name, spec.workload, spec.on, spec.scheme,
                        spec.mismatch, spec.threads, spec.futexes, as_number(spec.is_shared),
                        buckets, as_number(sample.is_immutable), spec.runtime_s, sample.elapsed_s,
                        sample.buckets_before, sample.buckets_after, sample.unexpected,
                        mean_rate(sample));
    if (is_resize) text += resize_csv_fields(*spec.resize, *sample.resize);
    text += '\n';
  }
  return text;
}

}  // namespace phutex::bench
