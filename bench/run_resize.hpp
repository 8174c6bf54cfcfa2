// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One sample of the workload resize: workers that time each of their operations, sleepers that are
// only there to be moved, and one thread that replaces the hash under all of them.
//
// Flow  run_workload -> run_resize -> run_workers, replace_in_turn -> ResizeResult

#include <cstddef>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bench/failure.hpp"
#include "bench/latency_log.hpp"
#include "bench/phases.hpp"
#include "bench/replacing.hpp"
#include "bench/sample.hpp"
#include "bench/sleepers.hpp"
#include "bench/thread_words.hpp"
#include "bench/workers.hpp"
#include "workload/resize.hpp"

namespace phutex::bench {

/// Of all workers, each with its log. `clock` was made before they began.
ResizeResult resize_result_of(std::span<const LatencyLog> logs, const TickClock& clock,
                              const Replaced& replaced);

/// On a thread of its own, on the CPU that the next worker would have.
Replaced replace_beside(const ReplacingPlan& plan, unsigned workers, Phases& phases);

/// Gives the hash both sizes once, so that what cannot work says so before anything is measured.
template <workload::IsResizableFutex Futex>
void rehearse_replacing(Futex& futex, const SampleSpec& spec) {
  if (spec.buckets < kResizeBucketsMin) {
    throw Failure(fmt::format("-b {}: the workload resize has no use for it; {} or more is right",
                              spec.buckets, kResizeBucketsMin));
  }
  for (const long buckets : {spec.buckets / 2, spec.buckets}) {
    const int error = futex.replace(buckets);
    if (error == 0) continue;
    throw Failure(fmt::format("-b {}: the hash cannot be replaced by one of {} ({})", spec.buckets,
                              buckets, error_text(error)));
  }
}

/// The hash has spec.buckets, and may be left with half of them.
template <workload::IsResizableFutex Futex>
SampleResult run_resize(Futex& futex, const SampleSpec& spec,
                        const std::function<long()>& bucket_count) {
  const ResizeSpec how = spec.resize.value_or(ResizeSpec{});
  rehearse_replacing(futex, spec);
  ThreadWords<typename Futex::Word> words{spec};
  Sleepers<Futex> sleepers{futex};
  sleepers.put_to_sleep(how.sleepers);
  Phases phases{spec.threads};
  std::vector<LatencyLog> logs(spec.threads);
  const TickClock clock;
  const ReplacingPlan plan{.runtime_s = spec.runtime_s,
                           .rate = how.rate,
                           .sizes = {spec.buckets / 2, spec.buckets},
                           .replace = [&](long buckets) { return futex.replace(buckets); },
                           .bucket_count = bucket_count};
  Replaced replaced;
  const WorkDone done = run_workers(
      {.threads = spec.threads,
       .runtime_s = spec.runtime_s,
       .work =
           [&](std::size_t index, const StopFlag& stop) {
             LatencyLog& log = logs[index];
             log.begin(clock);
             return workload::resize_worker(futex, words(index), stop, phases.view_of(index),
                                            [&](workload::Phase phase) { log.note(clock, phase); });
           },
       .bucket_count = bucket_count,
       .meanwhile = [&] { replaced = replace_beside(plan, spec.threads, phases); }});
  SampleResult result = result_of(done, words);
  if (result.unexpected == 0) result.unexpected_first = replaced.unexpected_first;
  result.unexpected += replaced.unexpected;
  result.resize = resize_result_of(logs, clock, replaced);
  result.resize->sleepers_missed = sleepers.wake_all();
  return result;
}

}  // namespace phutex::bench
