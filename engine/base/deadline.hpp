// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A moment on a named clock at which a wait gives up, or never.

#include <cstdint>

namespace phutex {

enum class Clock : std::uint8_t { monotonic, realtime };

/// An absolute time. Relative times become absolute where they enter, so that a wait that has to
/// look again is not prolonged by it.
struct Deadline {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;  // 0 ... 999 999 999
  Clock clock = Clock::monotonic;
  bool is_never = true;

  static constexpr Deadline never() noexcept { return {}; }
  static constexpr Deadline at(Clock clock, std::int64_t seconds,
                               std::int64_t nanoseconds) noexcept {
    return {seconds, nanoseconds, clock, false};
  }
};

}  // namespace phutex
