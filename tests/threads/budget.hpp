// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How long a stress test goes on, and where its chances come from.

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace phutex::tests {

/// Seconds for one test: PHUTEX_STRESS_SECONDS, or 3.
inline double stress_seconds() {
  const char* const text = std::getenv("PHUTEX_STRESS_SECONDS");
  const double seconds = text == nullptr ? 0 : std::atof(text);
  return seconds > 0 ? seconds : 3;
}

/// For a watchdog: long enough for any machine, in whole seconds.
inline int stress_limit() {
  return static_cast<int>(stress_seconds() * 4) + 60;
}

/// Time to spend; `shares` tests live on one test's time.
class Budget {
 public:
  explicit Budget(unsigned shares = 1)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::chrono::duration<double>{stress_seconds() / shares})) {}

  bool is_over() const noexcept { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

/// A seed that the test's output names; PHUTEX_SEED repeats a run's.
inline std::uint32_t printed_seed() {
  const char* const text = std::getenv("PHUTEX_SEED");
  const std::uint32_t seed = text != nullptr
                                 ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 0))
                                 : std::random_device{}();
  std::printf("PHUTEX_SEED=%u\n", seed);
  std::fflush(stdout);
  return seed;
}

/// A small generator of one thread; threads differ by their stream.
class Chance {
 public:
  Chance(std::uint32_t seed, std::uint32_t stream) noexcept
      : state_((std::uint64_t{seed} << 32 | stream) * 0x9e3779b97f4a7c15U + 1) {}

  std::uint32_t below(std::uint32_t count) noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>((state_ >> 32) * count >> 32);
  }
  bool one_in(std::uint32_t count) noexcept { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

/// A moment of a few nanoseconds to a few microseconds, so that threads meet at ever other places.
inline void linger(Chance& chance, std::uint32_t turns_max = 2000) noexcept {
  for (std::uint32_t turn = chance.below(turns_max); turn != 0; --turn)
    asm volatile("" ::: "memory");
}

/// Spins for another thread that runs on another CPU, and yields in case it does not.
template <class Condition>
void spin_until(Condition&& condition) noexcept {
  for (std::uint32_t turn = 0; !condition(); ++turn) {
    if (turn % 4096 == 4095) sched_yield();
  }
}

/// Runs the calling thread on one CPU, if there are so many.
inline void pin_to_cpu(unsigned cpu) noexcept {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
}

}  // namespace phutex::tests
