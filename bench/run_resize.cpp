// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/run_resize.hpp"

#include <optional>
#include <system_error>

#include <sys/prctl.h>

#include "bench/affinity.hpp"

namespace phutex::bench {
namespace {

using workload::Phase;

constexpr double kNsPerS = 1e9;

std::optional<Latency> latency_of(const LatencyHistogram& ticks, double ns_per_tick) {
  if (ticks.count() == 0) return std::nullopt;
  Latency latency{.max_ns = static_cast<double>(ticks.max()) * ns_per_tick};
  for (std::size_t index = 0; index < kPercentileParts.size(); ++index) {
    latency.percentiles_ns[index] = ticks.value_at(kPercentileParts[index]).value() * ns_per_tick;
  }
  return latency;
}

/// A worker's time in a phase is that of its operations, since nothing lies between them.
PhaseResult phase_result_of(std::span<const LatencyLog> logs, Phase phase, double ns_per_tick) {
  PhaseResult result;
  LatencyHistogram all;
  for (const LatencyLog& log : logs) {
    const LatencyHistogram& ticks = log.ticks(phase);
    const double elapsed_s = static_cast<double>(ticks.total()) * ns_per_tick / kNsPerS;
    const auto operations = static_cast<double>(ticks.count());
    result.rates.push_back(elapsed_s > 0 ? operations / elapsed_s : 0);
    all.merge(ticks);
  }
  result.operations = all.count();
  result.latency = latency_of(all, ns_per_tick);
  return result;
}

Replacements replacements_of(const Replaced& replaced) {
  const LatencyHistogram& durations = replaced.durations_ns;
  Replacements replacements{.made = durations.count(), .elapsed_s = replaced.elapsed_s};
  if (replacements.made == 0) return replacements;
  replacements.median_ns = durations.value_at(LatencyHistogram::kParts / 2);
  replacements.max_ns = static_cast<double>(durations.max());
  return replacements;
}

}  // namespace

ResizeResult resize_result_of(std::span<const LatencyLog> logs, const TickClock& clock,
                              const Replaced& replaced) {
  const double ns_per_tick = clock.ns_per_tick();
  return {.undisturbed = phase_result_of(logs, Phase::undisturbed, ns_per_tick),
          .disturbed = phase_result_of(logs, Phase::disturbed, ns_per_tick),
          .replacements = replacements_of(replaced)};
}

Replaced replace_beside(const ReplacingPlan& plan, unsigned workers, Phases& phases) try {
  Replaced replaced;
  std::thread([&] {
    constexpr unsigned long kShortestSlackNs = 1;  // else a sleep is 50 microseconds too long
    prctl(PR_SET_TIMERSLACK, kShortestSlackNs);
    pin_this_thread(cpu_of_worker(allowed_cpus(), workers));
    replaced = replace_in_turn(plan, phases);
  }).join();
  return replaced;
} catch (const std::system_error& error) {
  throw Failure(
      fmt::format("-t {}: the thread that replaces the hash cannot be made ({}); ask for "
                  "fewer threads or sleepers",
                  workers, error.code().message()));
}

}  // namespace phutex::bench
