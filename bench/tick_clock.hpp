// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A clock that is cheap enough to be read at each operation: the processor's counter where that
// runs at one rate whatever the processor does, else CLOCK_MONOTONIC.

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace phutex::bench {

class TickClock {
 public:
  TickClock() noexcept;

  /// To be compared only with what the same CPU has read. May be called by several threads.
  [[nodiscard]] std::uint64_t now() const noexcept {
#if defined(__x86_64__)
    if (counts_cycles_) return __rdtsc();
#endif
    return monotonic_ns();
  }

  /// How long a tick is, from what both clocks have counted since this was made: the longer ago
  /// that is, the more exact. Blocks until there is something to compare, a millisecond at most.
  [[nodiscard]] double ns_per_tick() const noexcept;

 private:
  /// Both clocks at about the same moment.
  struct Moment {
    std::uint64_t ticks;
    std::uint64_t ns;
  };

  static std::uint64_t monotonic_ns() noexcept {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(since).count());
  }

  [[nodiscard]] Moment moment() const noexcept;

  bool counts_cycles_;
  Moment made_;
};

}  // namespace phutex::bench
