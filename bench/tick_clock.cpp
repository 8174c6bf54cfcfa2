// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/tick_clock.hpp"

#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace phutex::bench {
namespace {

constexpr int kAttempts = 16;
constexpr std::uint64_t kComparedNsMin = 1'000'000;

/// Does the processor promise a counter whose rate never changes?
bool has_steady_counter() noexcept {
#if defined(__x86_64__)
  constexpr unsigned kPowerManagement = 0x80000007;
  constexpr unsigned kInvariantCounter = 1U << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(kPowerManagement, &a, &b, &c, &d) == 1 && (d & kInvariantCounter) != 0;
#else
  return false;
#endif
}

}  // namespace

TickClock::TickClock() noexcept : counts_cycles_(has_steady_counter()), made_(moment()) {}

double TickClock::ns_per_tick() const noexcept {
  if (!counts_cycles_) return 1;
  while (monotonic_ns() - made_.ns < kComparedNsMin) {
  }
  const Moment later = moment();
  return static_cast<double>(later.ns - made_.ns) / static_cast<double>(later.ticks - made_.ticks);
}

/// Of several attempts the one that was interrupted least.
TickClock::Moment TickClock::moment() const noexcept {
  Moment best{};
  std::uint64_t doubt_min = std::numeric_limits<std::uint64_t>::max();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::uint64_t before = now();
    const std::uint64_t ns = monotonic_ns();
    const std::uint64_t doubt = now() - before;
    if (doubt >= doubt_min) continue;
    doubt_min = doubt;
    best = {before + doubt / 2, ns};
  }
  return best;
}

}  // namespace phutex::bench
