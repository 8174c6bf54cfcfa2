// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One sample of a workload on futexes of whatever kind.
//
// Flow  SampleSpec -> run_on_kernel, run_on_engine -> run_workload -> run_workers -> SampleResult

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/failure.hpp"
#include "bench/sample.hpp"
#include "bench/workers.hpp"
#include "workload/hash.hpp"
#include "workload/wait_wake.hpp"

namespace phutex::bench {

/// The result of workers that did `done`, each on `words(index)`.
template <class Words>
SampleResult result_of(const WorkDone& done, const Words& words) {
  SampleResult result{.threads = {},
                      .elapsed_s = done.elapsed_s,
                      .buckets_before = done.buckets_before,
                      .buckets_after = done.buckets_after,
                      .pid = getpid()};
  for (std::size_t index = 0; index < done.tallies.size(); ++index) {
    const workload::Tally& tally = done.tallies[index];
    if (result.unexpected == 0) result.unexpected_first = tally.unexpected_first;
    result.unexpected += tally.unexpected;
    const auto span = words(index);
    result.threads.push_back({tally.operations, reinterpret_cast<std::uintptr_t>(&span.front()),
                              reinterpret_cast<std::uintptr_t>(&span.back())});
  }
  return result;
}

template <workload::IsFutex Futex>
SampleResult run_hash(Futex& futex, const SampleSpec& spec,
                      const std::function<long()>& bucket_count) {
  using Word = typename Futex::Word;
  std::vector<std::vector<Word>> words;
  try {
    for (unsigned thread = 0; thread < spec.threads; ++thread) words.emplace_back(spec.futexes);
  } catch (const std::bad_alloc&) {
    throw Failure(fmt::format("-f {}: no memory for {} times as many futexes; ask for fewer",
                              spec.futexes, spec.threads));
  }
  const auto words_of = [&](std::size_t index) { return std::span<Word>(words[index]); };
  const WorkDone done =
      run_workers({.threads = spec.threads,
                   .runtime_s = spec.runtime_s,
                   .work =
                       [&](std::size_t index, const StopFlag& stop) {
                         return workload::hash_worker(futex, words_of(index), stop);
                       },
                   .bucket_count = bucket_count});
  return result_of(done, words_of);
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
template <workload::IsFutex Futex>
SampleResult run_workload(Futex& futex, const SampleSpec& spec,
                          const std::function<long()>& bucket_count) {
  if (spec.workload == kHash) return run_hash(futex, spec, bucket_count);
  if (spec.workload == kWaitWake) return run_wait_wake(futex, spec, bucket_count);
  throw Failure(fmt::format("'{}' is no workload; {} and {} are", spec.workload, kHash, kWaitWake));
}

}  // namespace phutex::bench
