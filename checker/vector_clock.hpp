// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How much of each thread's past something is known to come after.
//
// A thread counts up its own entry whenever it publishes what it knows, so "my clock covers your
// time" says that something orders your accesses of that time before mine.

#include <algorithm>
#include <array>
#include <cstdint>

#include "fibers/runtime.hpp"

namespace phutex::checker {

using Time = std::uint32_t;

/// One thread's access: who, and at which of its times.
struct Moment {
  unsigned thread = 0;
  Time time = 0;
};

class VectorClock {
 public:
  Time of(unsigned thread) const noexcept { return times_[thread]; }
  void set(unsigned thread, Time time) noexcept { times_[thread] = time; }
  void tick(unsigned thread) noexcept { ++times_[thread]; }

  void join(const VectorClock& other) noexcept {
    for (unsigned index = 0; index < fibers::kThreadsMax; ++index) {
      times_[index] = std::max(times_[index], other.times_[index]);
    }
  }

  bool covers(Moment moment) const noexcept { return times_[moment.thread] >= moment.time; }

  /// A thread whose time in `other` this does not cover; kThreadsMax if it covers all.
  unsigned first_uncovered(const VectorClock& other) const noexcept {
    unsigned index = 0;
    while (index < fibers::kThreadsMax && times_[index] >= other.times_[index]) ++index;
    return index;
  }

 private:
  std::array<Time, fibers::kThreadsMax> times_{};
};

}  // namespace phutex::checker
