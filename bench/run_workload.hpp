// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One sample of a workload on futexes of whatever kind.
//
// Flow  SampleSpec -> run_on_kernel, run_on_engine -> run_workload -> run_workers -> SampleResult

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "bench/failure.hpp"
#include "bench/run_resize.hpp"
#include "bench/sample.hpp"
#include "bench/thread_words.hpp"
#include "bench/workers.hpp"
#include "workload/hash.hpp"
#include "workload/wait_wake.hpp"

namespace phutex::bench {

template <workload::IsFutex Futex>
SampleResult run_hash(Futex& futex, const SampleSpec& spec,
                      const std::function<long()>& bucket_count) {
  ThreadWords<typename Futex::Word> words{spec};
  const WorkDone done = run_workers({.threads = spec.threads,
                                     .runtime_s = spec.runtime_s,
                                     .work =
                                         [&](std::size_t index, const StopFlag& stop) {
                                           return workload::hash_worker(futex, words(index), stop);
                                         },
                                     .bucket_count = bucket_count});
  return result_of(done, words);
}

template <workload::IsFutex Futex>
SampleResult run_wait_wake(Futex& futex, const SampleSpec& spec,
                           const std::function<long()>& bucket_count) {
  using Word = typename Futex::Word;
  struct alignas(128) Alone {
    Word word;
  };
  const auto lock = std::make_unique<Alone>();
  const WorkDone done =
      run_workers({.threads = spec.threads,
                   .runtime_s = spec.runtime_s,
                   .work =
                       [&](std::size_t, const StopFlag& stop) {
                         return workload::wait_wake_worker(futex, lock->word, stop);
                       },
                   .bucket_count = bucket_count});
  return result_of(done, [&](std::size_t) { return std::span<Word>(&lock->word, 1); });
}

/// Runs what `spec` names on `futex`; the buckets are as they should be. `bucket_count` says how
/// many there are now and may be called at any time. Blocks for the runtime. Throws Failure.
template <workload::IsResizableFutex Futex>
SampleResult run_workload(Futex& futex, const SampleSpec& spec,
                          const std::function<long()>& bucket_count) {
  if (spec.workload == kHash) return run_hash(futex, spec, bucket_count);
  if (spec.workload == kWaitWake) return run_wait_wake(futex, spec, bucket_count);
  if (spec.workload == kResize) return run_resize(futex, spec, bucket_count);
  throw Failure(fmt::format("'{}' is no workload; {}, {} and {} are", spec.workload, kHash,
                            kWaitWake, kResize));
}

}  // namespace phutex::bench
