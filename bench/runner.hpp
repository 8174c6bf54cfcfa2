// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Takes the samples of a plan, one after the other, each in a fresh process.
//
// Flow  Plan -> run_plan -> sample_in_fresh_process -> Run -> report

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan.hpp"
#include "bench/progress.hpp"
#include "bench/sample.hpp"

namespace phutex::bench {

struct Row {
  SampleSpec spec;
  std::string name;
  std::vector<SampleResult> samples;        // by round
  std::optional<SampleResult> rehearsal{};  // too short to measure anything
};

struct Run {
  std::vector<Row> rows;
  unsigned rounds = 0;  // samples of each row, had nobody interrupted
  std::uint32_t seed = 0;
  std::vector<std::size_t> order;  // the row of each sample taken
  int signal = 0;                  // what ended it early, if anything
};

/// Blocks until all samples are there, or until SIGINT or SIGTERM: then the run holds what was
/// complete. Throws Failure if a sample cannot be taken.
Run run_plan(const Plan& plan, Talk talk);

}  // namespace phutex::bench
