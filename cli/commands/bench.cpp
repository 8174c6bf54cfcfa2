// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/commands/bench.hpp"

#include <cstdio>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "bench/failure.hpp"
#include "bench/fresh_process.hpp"
#include "bench/host.hpp"
#include "bench/output_file.hpp"
#include "bench/report.hpp"
#include "bench/report_resize.hpp"
#include "bench/runner.hpp"
#include "cli/commands/bench_options.hpp"

namespace phutex::cli {
namespace {

constexpr int kExitLostWakeUp = 1;
constexpr int kExitSignalBase = 128;  // as a shell reports a program that a signal ended

std::string report_of(const bench::Run& run, const BenchOptions& options) {
  switch (options.format) {
    case Format::perf:
      return bench::perf_report(run, options.talk);
    case Format::json:
      return bench::json_report(run, bench::this_host());
    case Format::csv:
      return bench::csv_report(run);
    case Format::table:
      break;
  }
  return bench::table_report(run);
}

void warn(const std::string& line) {
  fmt::print(stderr, "phutex bench: {}\n", line);
}

/// Whatever else is to be said, a lost wake-up is said loudly: it is no number but an error.
int status_of(const bench::Run& run) {
  if (const std::optional<std::string> missed = bench::missed_line(run)) {
    warn(*missed);
    return kExitLostWakeUp;
  }
  return run.signal == 0 ? 0 : kExitSignalBase + run.signal;
}

int measure(const BenchOptions& options) {
  std::optional<bench::OutputFile> file;
  if (options.output) file.emplace(*options.output);
  const bench::Plan plan = plan_of(options);
  const bench::Run run = bench::run_plan(plan, options.talk);
  const int status = status_of(run);
  if (run.order.empty()) {
    warn("interrupted before the first sample was complete; there is nothing to report");
    return status;
  }
  const std::optional<std::string> unexpected = bench::unexpected_line(run);
  if (unexpected && options.talk == bench::Talk::usual) warn(*unexpected);
  const std::string report = report_of(run, options);
  if (file) {
    file->write(report);
  } else {
    bench::write_standard_output(report);
  }
  return status;
}

}  // namespace

int run_bench(std::span<char*> arguments) {
  const BenchOptions options = parse_bench(arguments);
  switch (options.wish) {
    case Wish::help:
      bench::write_standard_output(bench_help());
      return 0;
    case Wish::list_workloads:
      bench::write_standard_output(bench_workloads());
      return 0;
    case Wish::measure:
      break;
  }
  return measure(options);
}

int run_bench_sample(std::span<char*> arguments) {
  if (arguments.size() == 2) return bench::serve_sample(arguments[1]);
  throw bench::Failure("started by phutex bench only, with one sample to take");
}

}  // namespace phutex::cli
