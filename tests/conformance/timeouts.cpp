// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long a wait lasts: never less than asked, for ever if that is what was asked, and by the
// clock that was named. Kernel and engine alike.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/conformance/machines.hpp"

namespace phutex::tests {
namespace {

long elapsed_ns(const timespec& from, const timespec& to) {
  return (to.tv_sec - from.tv_sec) * 1'000'000'000 + (to.tv_nsec - from.tv_nsec);
}

timespec now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time;
}

constexpr long kGenerous = 10'000'000'000;  // a bound that only a broken wait exceeds

class Timeouts : public testing::TestWithParam<const Machine*> {
 protected:
  const Machine& machine() const { return *GetParam(); }

  long wait(int op, const timespec& time) {
    return machine().futex(address(word_), op, 0, &time, nullptr, kAnyBit);
  }
  long wake() { return machine().futex(address(word_), kWake, 1, nullptr, nullptr, 0); }

  // A wait that is still there long after a wrong sum would have ended it, and that can be woken.
  void expect_to_last(int op, const timespec& time) {
    SCOPED_TRACE(testing::Message()
                 << "op " << op << ", " << time.tv_sec << " s " << time.tv_nsec << " ns");
    Sleeper sleeper{[&] { return wait(op, time); }};
    wait_until([&] { return sleeper.is_back() || machine().waiting(word_) == 1; }, "a sleeper");
    const timespec until = in(CLOCK_MONOTONIC, 60);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    EXPECT_FALSE(sleeper.is_back());
    EXPECT_EQ(wake(), 1);
    EXPECT_EQ(sleeper.result(), 0);
  }

  Word word_{0};

 private:
  Watchdog watchdog_{50, "a test of timeouts"};
};

INSTANTIATE_TEST_SUITE_P(On, Timeouts, testing::ValuesIn(kMachines),
                         [](const auto& each) { return std::string{each.param->name}; });

// A time from now on, and a moment on each clock: the three must not be taken for one another.
TEST_P(Timeouts, LastAsLongAsAsked) {
  const struct {
    const char* name;
    int op;
    clockid_t clock;
    bool is_absolute;
  } kinds[] = {
      {"from now on", kWait, CLOCK_MONOTONIC, false},
      {"a moment", kWaitBitset, CLOCK_MONOTONIC, true},
      {"a moment by wall clock", kWaitBitset | kRealtime, CLOCK_REALTIME, true},
  };
  for (const auto& kind : kinds) {
    SCOPED_TRACE(kind.name);
    const timespec before = now(kind.clock);
    const timespec time = kind.is_absolute ? in(kind.clock, 50) : timespec{0, 50'000'000};
    EXPECT_EQ(wait(kind.op, time), -ETIMEDOUT);
    const long elapsed = elapsed_ns(before, now(kind.clock));
    EXPECT_GE(elapsed, 50'000'000);
    EXPECT_LT(elapsed, kGenerous);
  }
}

// Never a nanosecond early, by the clock that was asked for.
TEST_P(Timeouts, AreNeverEarly) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random{seed};
  for (int round = 0; round < 300; ++round) {
    const timespec time{0, 500'000 + static_cast<long>(random() % 4'500'000)};
    const timespec before = now(CLOCK_MONOTONIC);
    ASSERT_EQ(wait(kWait, time), -ETIMEDOUT);
    ASSERT_GE(elapsed_ns(before, now(CLOCK_MONOTONIC)), time.tv_nsec);
  }
}

// A wait that ends at once leaves nothing behind.
TEST_P(Timeouts, OfNothingLeaveNobodyQueued) {
  timespec past = now(CLOCK_MONOTONIC);
  if (past.tv_nsec-- == 0) past = {past.tv_sec - 1, 999'999'999};
  for (int round = 0; round < 1000; ++round) {
    ASSERT_EQ(wait(kWait, {0, 0}), -ETIMEDOUT);
    ASSERT_EQ(wait(kWaitBitset, past), -ETIMEDOUT);
    ASSERT_EQ(wait(kWaitBitset | kRealtime, {0, 0}), -ETIMEDOUT);
  }
  EXPECT_EQ(machine().waiting(word_), 0U);
  EXPECT_EQ(machine().futex(address(word_), kWake, INT_MAX, nullptr, nullptr, 0), 0);
}

// Sums that overflow end at the end of time, not in the past.
TEST_P(Timeouts, BeyondTheClocksEndAreForEver) {
  constexpr long kSeconds[] = {LONG_MAX,       LONG_MAX - 1,    LONG_MAX / 2,
                               9'223'372'036,  9'223'372'037,   18'446'744'073,
                               18'446'744'074, 100'000'000'000, INT_MAX};
  for (const long seconds : kSeconds) {
    expect_to_last(kWait, {seconds, 999'999'999});
    expect_to_last(kWaitBitset, {seconds, 0});
    if (seconds > INT_MAX) expect_to_last(kWaitBitset | kRealtime, {seconds, 0});
  }
}

// The clocks' readings are decades apart, so taking one for the other is plain to see: a moment
// of the monotonic clock is long past by wall clock, and a moment of the wall clock is decades
// away by the monotonic one; so is the reading itself, as a time from now on.
TEST_P(Timeouts, AreByTheClockThatWasNamed) {
  EXPECT_EQ(wait(kWaitBitset | kRealtime, in(CLOCK_MONOTONIC, 5000)), -ETIMEDOUT);
  expect_to_last(kWaitBitset, now(CLOCK_REALTIME));
  expect_to_last(kWait, now(CLOCK_REALTIME));
}

// Nanoseconds that carry: from now on, with a fraction that is nearly a second.
TEST_P(Timeouts, CarryTheirNanoseconds) {
  const timespec before = now(CLOCK_MONOTONIC);
  EXPECT_EQ(wait(kWait, {0, 999'999'999}), -ETIMEDOUT);
  EXPECT_GE(elapsed_ns(before, now(CLOCK_MONOTONIC)), 999'999'999);
}

// A wake and the moment it comes too late: whoever says "woken" was counted, and nobody else.
TEST_P(Timeouts, AndWakesNeverBothCount) {
  for (int round = 0; round < 1000; ++round) {
    const timespec time{0, 30'000 + round % 40 * 1000};
    Word ready{0};
    Sleeper sleeper{[&] {
      ready.store(1);
      return wait(kWait, time);
    }};
    while (ready.load() == 0) std::this_thread::yield();
    const timespec pause{0, round % 60 * 1000};
    nanosleep(&pause, nullptr);
    const long woken = wake();
    const long result = sleeper.result();
    ASSERT_EQ(woken, result == 0 ? 1 : 0) << result;
    ASSERT_TRUE(result == 0 || result == -ETIMEDOUT) << result;
  }
  EXPECT_EQ(machine().waiting(word_), 0U);
}

}  // namespace
}  // namespace phutex::tests
