// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/report.hpp"

// The report for people.

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "bench/report_resize.hpp"
#include "bench/text_table.hpp"

namespace phutex::bench {
namespace {

Cells cells_of(const Row& row, const RowSummary& summary, std::string ratio) {
  const std::string nothing{kNothing};
  return {row.name, summary.median ? grouped(*summary.median) : nothing,
          summary.mean ? grouped(*summary.mean) : nothing,
          summary.rse_pct ? fmt::format("{:.2f} %", *summary.rse_pct) : nothing, std::move(ratio)};
}

/// The first row is what the others are compared with; it has no ratio to be unsure of.
std::vector<Cells> table_of(const Run& run) {
  const std::vector<RowSummary> summaries = summaries_of(run);
  const std::string what =
      fmt::format("{}{}", kUnit, run.rows.front().spec.resize ? ", disturbed" : "");
  std::vector<Cells> table{{{what, "median", "mean", "± rse",
                             fmt::format("ratio to {} [95 %]", run.rows.front().name)}}};
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    std::string ratio = row == 0 ? std::string(1, '1') : ratio_cell(summaries[row].to_first);
    table.push_back(cells_of(run.rows[row], summaries[row], std::move(ratio)));
  }
  return table;
}

std::string heading(const Run& run) {
  const SampleSpec& spec = run.rows.front().spec;
  const std::string_view kind = spec.is_shared ? "shared" : "private";
  const std::string futexes =
      spec.workload == kWaitWake
          ? fmt::format("one {} futex for all", kind)
          : fmt::format("{} {} futex{} each", spec.futexes, kind, spec.futexes == 1 ? "" : "es");
  const std::string resize =
      spec.resize ? ", " + resize_heading(*spec.resize, spec.buckets) : std::string();
  return fmt::format("{}: {} thread{}, {}{}, {:g} s a sample, {} sample{} a row (seed {})\n",
                     spec.workload, spec.threads, spec.threads == 1 ? "" : "s", futexes, resize,
                     spec.runtime_s, run.rounds, run.rounds == 1 ? "" : "s", run.seed);
}

}  // namespace

std::string table_report(const Run& run) {
  std::string text = heading(run);
  for (const Row& row : run.rows) {
    if (!row.samples.empty()) text += buckets_line(row) + '\n';
  }
  text += '\n' + aligned(table_of(run), LastColumn::words);
  if (run.rows.front().spec.resize) text += resize_tables(run);
  if (run.signal != 0) {
    text += fmt::format("\ninterrupted after {} of {} samples\n", run.order.size(),
                        run.rounds * run.rows.size());
  }
  return text;
}

}  // namespace phutex::bench
