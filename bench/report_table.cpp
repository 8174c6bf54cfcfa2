// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/report.hpp"

// The report for people.

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace phutex::bench {
namespace {

constexpr std::string_view kNothing = "-";

using Cells = std::array<std::string, 5>;  // name, median, mean, error, ratio

/// 1234567 as 1,234,567.
std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (std::size_t left = digits.size(); left > 3; left -= 3) digits.insert(left - 3, 1, ',');
  return digits;
}

/// With as many places as make sense beside an interval.
std::string ratio_number(double ratio) {
  const int places = ratio < 10 ? 3 : ratio < 100 ? 2 : 1;
  return fmt::format("{:.{}f}", ratio, places);
}

std::string ratio_cell(const std::optional<Ratio>& ratio) {
  if (!ratio) return std::string(kNothing);
  if (!ratio->interval) return fmt::format("{} [-, -]", ratio_number(ratio->ratio));
  return fmt::format("{} [{}, {}]", ratio_number(ratio->ratio), ratio_number(ratio->interval->low),
                     ratio_number(ratio->interval->high));
}

Cells cells_of(const Row& row, const RowSummary& summary, std::string ratio) {
  const std::string nothing{kNothing};
  return {row.name, summary.median ? grouped(*summary.median) : nothing,
          summary.mean ? grouped(*summary.mean) : nothing,
          summary.rse_pct ? fmt::format("{:.2f} %", *summary.rse_pct) : nothing, std::move(ratio)};
}

/// The first row is what the others are compared with; it has no ratio to be unsure of.
std::vector<Cells> table_of(const Run& run) {
  const std::vector<RowSummary> summaries = summaries_of(run);
  std::vector<Cells> table{{{std::string(kUnit), "median", "mean", "± rse",
                             fmt::format("ratio to {} [95 %]", run.rows.front().name)}}};
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    std::string ratio = row == 0 ? std::string(1, '1') : ratio_cell(summaries[row].to_first);
    table.push_back(cells_of(run.rows[row], summaries[row], std::move(ratio)));
  }
  return table;
}

/// Characters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string aligned(const std::vector<Cells>& table) {
  std::array<std::size_t, std::tuple_size_v<Cells>> widths{};
  for (const Cells& cells : table) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(cells[column]));
    }
  }
  std::string text;
  for (const Cells& cells : table) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string padding(widths[column] - width_of(cells[column]), ' ');
      const bool is_number = column > 0 && column + 1 < cells.size();
      if (column > 0) text += "  ";
      if (is_number) text += padding + cells[column];
      if (column == 0) text += cells[column] + padding;
      if (column + 1 == cells.size()) text += cells[column];
    }
    text += '\n';
  }
  return text;
}

std::string heading(const Run& run) {
  const SampleSpec& spec = run.rows.front().spec;
  const std::string_view kind = spec.is_shared ? "shared" : "private";
  const std::string futexes =
      spec.workload == kWaitWake
          ? fmt::format("one {} futex for all", kind)
          : fmt::format("{} {} futex{} each", spec.futexes, kind, spec.futexes == 1 ? "" : "es");
  return fmt::format("{}: {} thread{}, {}, {:g} s a sample, {} sample{} a row (seed {})\n",
                     spec.workload, spec.threads, spec.threads == 1 ? "" : "s", futexes,
                     spec.runtime_s, run.rounds, run.rounds == 1 ? "" : "s", run.seed);
}

}  // namespace

std::string table_report(const Run& run) {
  std::string text = heading(run);
  for (const Row& row : run.rows) {
    if (!row.samples.empty()) text += buckets_line(row) + '\n';
  }
  text += '\n' + aligned(table_of(run));
  if (run.signal != 0) {
    text += fmt::format("\ninterrupted after {} of {} samples\n", run.order.size(),
                        run.rounds * run.rows.size());
  }
  return text;
}

}  // namespace phutex::bench
