// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The clock of the operations beside the one everybody has.

#include "bench/tick_clock.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "bench/affinity.hpp"

namespace phutex::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double ns_between(Clock::time_point begun, Clock::time_point ended) {
  return static_cast<double>(std::chrono::nanoseconds(ended - begun).count());
}

// What lies between two looks at the common clock is no longer than they say, and no shorter than
// what they lie between; a hundredth is for the doubt in how long a tick is.
TEST(TickClock, AgreesWithTheCommonClock) {
  std::thread([] {
    pin_this_thread(allowed_cpus().back());
    const TickClock clock;
    const Clock::time_point before = Clock::now();
    const std::uint64_t begun = clock.now();
    const Clock::time_point inner_begun = Clock::now();
    std::this_thread::sleep_for(20ms);
    const Clock::time_point inner_ended = Clock::now();
    const std::uint64_t ended = clock.now();
    const Clock::time_point after = Clock::now();
    const double ns = static_cast<double>(ended - begun) * clock.ns_per_tick();
    EXPECT_GE(ns, 0.99 * ns_between(inner_begun, inner_ended));
    EXPECT_LE(ns, 1.01 * ns_between(before, after));
  }).join();
}

TEST(TickClock, KnowsItsTickAtOnce) {
  const TickClock clock;
  EXPECT_GT(clock.ns_per_tick(), 0);
}

}  // namespace
}  // namespace phutex::bench
