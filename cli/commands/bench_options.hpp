// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What `phutex bench` was asked for.
//
// Flow  argv -> parse_bench -> BenchOptions -> Plan

#include <optional>
#include <span>
#include <string>

#include "bench/plan.hpp"
#include "bench/progress.hpp"
#include "bench/sample.hpp"

namespace phutex::cli {

enum class Format { table, perf, json, csv };
enum class Wish { measure, list_workloads, help };

struct BenchOptions {
  Wish wish = Wish::measure;
  bench::SampleSpec common;  // what all rows share
  bench::Choices choices;
  unsigned rounds = 1;
  bench::Talk talk = bench::Talk::usual;
  Format format = Format::table;
  std::optional<std::string> output;
};

/// `arguments[0]` is the command's name. Throws bench::Failure for what cannot be run.
BenchOptions parse_bench(std::span<char*> arguments);

/// The rows and the order of their samples; the order is drawn anew at each call.
bench::Plan plan_of(const BenchOptions& options);

/// What --help and a missing workload print.
std::string bench_help();
std::string bench_workloads();

}  // namespace phutex::cli
