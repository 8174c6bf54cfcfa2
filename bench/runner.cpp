// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/runner.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "bench/fresh_process.hpp"
#include "bench/interruption.hpp"

namespace phutex::bench {
namespace {

constexpr double kRehearsalS = 0.001;

/// Tries each row for a moment, so that a row that cannot run says so before the others were
/// measured at length. Ends early if interrupted.
void rehearse(std::vector<Row>& rows, Interruption& interruption, Progress& progress) {
  if (rows.size() < 2) return;
  for (Row& row : rows) {
    SampleSpec spec = row.spec;
    spec.runtime_s = std::min(spec.runtime_s, kRehearsalS);
    progress.begin_sample(row.name);
    row.rehearsal = sample_in_fresh_process(spec, interruption, [&] { progress.tick(); });
    if (!row.rehearsal) return;
  }
}

}  // namespace

Run run_plan(const Plan& plan, Talk talk) {
  Run run{.rows = {}, .rounds = plan.rounds, .seed = plan.seed, .order = {}};
  const std::vector<std::string> names = row_names(plan.rows);
  for (std::size_t row = 0; row < plan.rows.size(); ++row) {
    run.rows.push_back({plan.rows[row], names[row], {}});
  }
  const std::vector<std::size_t> order = sampling_order(run.rows.size(), plan.rounds, plan.seed);
  Interruption interruption;
  Progress progress{order.size(), plan.rows.front().runtime_s, talk};
  rehearse(run.rows, interruption, progress);
  for (const std::size_t index : order) {
    if (interruption.is_here()) break;
    Row& row = run.rows[index];
    progress.begin_sample(row.name);
    std::optional<SampleResult> sample =
        sample_in_fresh_process(row.spec, interruption, [&] { progress.tick(); });
    if (!sample) break;
    row.samples.push_back(*std::move(sample));
    run.order.push_back(index);
    progress.end_sample();
  }
  run.signal = interruption.signal();
  return run;
}

}  // namespace phutex::bench
