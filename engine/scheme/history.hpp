// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How often a table was replaced, how long it took, and how long it stopped others.

#include <algorithm>
#include <cstdint>

namespace phutex {

/// Times in nanoseconds. A stop is how long an operation that came at the worst moment of a
/// replacement had to wait for it.
struct ReplacementHistory {
  std::uint64_t count = 0;
  std::uint64_t duration_last = 0;
  std::uint64_t duration_max = 0;
  std::uint64_t stop_last = 0;
  std::uint64_t stop_max = 0;

  void add(std::uint64_t duration, std::uint64_t stop) noexcept {
    ++count;
    duration_last = duration;
    duration_max = std::max(duration_max, duration);
    stop_last = stop;
    stop_max = std::max(stop_max, stop);
  }
};

}  // namespace phutex
