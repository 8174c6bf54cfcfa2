// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Threads that are tied to CPUs, released together, timed, and told to stop together.
//
// Flow  run_workload -> run_workers -> one work() on each thread -> Tally

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "workload/futex.hpp"

namespace phutex::bench {

/// Has the time run out? Alone on its cache line, since every worker keeps asking.
class alignas(128) StopFlag {
 public:
  bool operator()() const noexcept { return is_set_.load(); }
  void set() noexcept { is_set_.store(true); }

 private:
  std::atomic<bool> is_set_{false};  // set once by the thread that measures; workers only read it
};

struct WorkPlan {
  unsigned threads;
  double runtime_s;
  /// One worker's life, called on its thread; returns soon after the flag is set.
  std::function<workload::Tally(std::size_t index, const StopFlag& stop)> work;
  /// How many buckets there are now.
  std::function<long()> bucket_count;
  /// What the caller does between release and stop; without it, it sleeps for the runtime.
  std::function<void()> meanwhile{};
};

struct WorkDone {
  std::vector<workload::Tally> tallies;  // by worker
  double elapsed_s;                      // from release to stop
  long buckets_before;                   // at the release: all threads exist, none works yet
  long buckets_after;                    // at the stop
};

/// Blocks for the runtime, or as long as plan.meanwhile takes. Throws Failure if a thread cannot be
/// made or tied to its CPU; by then all threads are gone.
WorkDone run_workers(const WorkPlan& plan);

}  // namespace phutex::bench
