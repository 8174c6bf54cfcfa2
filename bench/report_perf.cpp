// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/report.hpp"

// The report in the lines of `perf bench futex`, for what reads those.

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace phutex::bench {
namespace {

std::string heading(const SampleSpec& spec, long pid) {
  const std::string_view kind = spec.is_shared ? "shared" : "private";
  if (spec.workload == kWaitWake) {
    return fmt::format(
        "Run summary [PID {}]: {} threads, each operating on a {} futex for {:g} secs.\n\n", pid,
        spec.threads, kind, spec.runtime_s);
  }
  return fmt::format(
      "Run summary [PID {}]: {} threads, each operating on {} [{}] futexes for {:g} secs.\n\n", pid,
      spec.threads, spec.futexes, kind, spec.runtime_s);
}

std::string thread_line(const SampleSpec& spec, std::size_t index, const ThreadResult& thread,
                        double rate) {
  if (spec.workload == kWaitWake) return fmt::format("[thread {:3}] {:.0f} ops/sec\n", index, rate);
  if (spec.futexes == 1) {
    return fmt::format("[thread {:2}] futex: {:#x} [ {:.0f} ops/sec ]\n", index, thread.word_first,
                       rate);
  }
  return fmt::format("[thread {:2}] futexes: {:#x} ... {:#x} [ {:.0f} ops/sec ]\n", index,
                     thread.word_first, thread.word_last, rate);
}

std::string hashing_line(const SampleSpec& spec, const SampleResult& sample) {
  if (sample.buckets_after == kBucketsGlobal) return "Futex hashing: global hash\n";
  if (spec.buckets < 0) {
    return fmt::format("Futex hashing: auto resized to {} buckets\n", sample.buckets_after);
  }
  return fmt::format("Futex hashing: {} hash buckets{}\n", sample.buckets_after,
                     sample.is_immutable ? " (immutable)" : "");
}

/// perf's own reader knows the workload; with several rows, a comment says whose block it is.
std::string block(const Row& row, const SampleResult& sample, std::size_t row_count, Talk talk) {
  std::string text = fmt::format("# Running 'futex/{}' benchmark:\n", row.spec.workload);
  if (row_count > 1) text += fmt::format("# on {}\n", row.name);
  text += heading(row.spec, sample.pid);
  const std::vector<double> each = rates(sample);
  if (talk == Talk::usual) {
    for (std::size_t index = 0; index < each.size(); ++index) {
      text += thread_line(row.spec, index, sample.threads[index], std::floor(each[index]));
    }
    text += '\n';
  }
  text += fmt::format("Averaged {:.0f} operations/sec (+- {:.2f}%), total secs = {:g}\n",
                      std::floor(mean_rate(sample)), relative_standard_error_pct(each).value_or(0),
                      row.spec.runtime_s);
  return text + hashing_line(row.spec, sample);
}

}  // namespace

std::string perf_report(const Run& run, Talk talk) {
  std::string text;
  std::vector<std::size_t> rounds(run.rows.size(), 0);
  for (const std::size_t index : run.order) {
    const Row& row = run.rows[index];
    if (!text.empty()) text += '\n';
    text += block(row, row.samples[rounds[index]++], run.rows.size(), talk);
  }
  return text;
}

}  // namespace phutex::bench
