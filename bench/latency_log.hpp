// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What one worker writes down of its time: where each operation ended is where the next begins.

#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/latency_histogram.hpp"
#include "bench/tick_clock.hpp"
#include "workload/resize.hpp"

namespace phutex::bench {

/// Owned by its worker until that has been joined. Alone on its cache lines.
class alignas(128) LatencyLog {
 public:
  /// The first operation begins now.
  void begin(const TickClock& clock) noexcept { ended_ = clock.now(); }

  /// An operation that began in `phase` has ended. Allocates nothing.
  void note(const TickClock& clock, workload::Phase phase) noexcept {
    const std::uint64_t now = clock.now();
    // A counter that was set back, as by the move of a virtual machine, is no stop of an age.
    ticks_[static_cast<std::size_t>(phase)].record(now > ended_ ? now - ended_ : 0);
    ended_ = now;
  }

  [[nodiscard]] const LatencyHistogram& ticks(workload::Phase phase) const noexcept {
    return ticks_[static_cast<std::size_t>(phase)];
  }

 private:
  std::uint64_t ended_ = 0;
  std::array<LatencyHistogram, workload::kPhaseCount> ticks_;
};

}  // namespace phutex::bench
