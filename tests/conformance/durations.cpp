// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// phutex.hpp's durations and time points: any that the standard library can write down means what
// it says, however large, however long past, in whatever unit.

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <limits>
#include <string>

#include "phutex/phutex.hpp"
#include "tests/conformance/machines.hpp"

namespace phutex::tests {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

std::int64_t cpu_time_ns(std::thread& thread) {
  clockid_t clock{};
  timespec used{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0) give_up("a thread's clock");
  clock_gettime(clock, &used);
  return used.tv_sec * std::int64_t{1'000'000'000} + used.tv_nsec;
}

class Durations : public testing::Test {
 protected:
  // A wait that is still asleep after a while, has used no time for it, and then is woken.
  template <class Wait>
  void expect_to_sleep(Wait&& wait_so) {
    wait_result result = wait_result::timed_out;
    std::atomic<bool> is_back{false};
    std::thread sleeper{[&] {
      result = wait_so();
      is_back.store(true);
    }};
    wait_until_asleep(is_back);
    std::this_thread::sleep_for(50ms);
    EXPECT_FALSE(is_back.load());
    if (!is_back.load()) {
      EXPECT_LT(cpu_time_ns(sleeper), 20'000'000) << "it polls";
      EXPECT_EQ(wake_one(word_), 1);
    }
    sleeper.join();
    EXPECT_EQ(result, wait_result::woken);
  }

  void wait_until_asleep(const std::atomic<bool>& is_back) {
    wait_until([&] { return is_back.load() || engine_waiting(word_) == 1; }, "a sleeper");
  }

  template <class Duration>
  void expect_for_ever(Duration duration) {
    SCOPED_TRACE(testing::Message() << static_cast<long double>(duration.count()));
    expect_to_sleep([&] { return wait_for(word_, 0, duration); });
  }

  template <class Clock, class Duration>
  void expect_until_for_ever(time_point<Clock, Duration> moment) {
    SCOPED_TRACE(testing::Message() << static_cast<long double>(moment.time_since_epoch().count()));
    expect_to_sleep([&] { return phutex::wait_until(word_, 0, moment); });
  }

  template <class Clock, class Duration>
  void expect_over(time_point<Clock, Duration> moment) {
    SCOPED_TRACE(testing::Message() << static_cast<long double>(moment.time_since_epoch().count()));
    EXPECT_EQ(phutex::wait_until(word_, 0, moment), wait_result::timed_out);
    EXPECT_EQ(phutex::wait_until(word_, 1, moment), wait_result::changed);
  }

  Word word_{0};

 private:
  Watchdog watchdog_{50, "a test of durations"};
};

TEST_F(Durations, OfAnySizeEndNoSooner) {
  expect_for_ever(nanoseconds::max());
  expect_for_ever(microseconds::max());
  expect_for_ever(milliseconds::max());
  expect_for_ever(seconds::max());
  expect_for_ever(hours::max());
  expect_for_ever(years::max());
  expect_for_ever(milliseconds{INT_MAX});
  expect_for_ever(seconds{100'000'000'000});
  expect_for_ever(duration<std::uint64_t, std::milli>{std::numeric_limits<std::uint64_t>::max()});
  expect_for_ever(duration<double>{1e300});
  expect_for_ever(duration<double>{std::numeric_limits<double>::infinity()});
}

TEST_F(Durations, OfNothingOrLessAreOver) {
  EXPECT_EQ(wait_for(word_, 0, 0s), wait_result::timed_out);
  EXPECT_EQ(wait_for(word_, 0, -1ns), wait_result::timed_out);
  EXPECT_EQ(wait_for(word_, 0, hours::min()), wait_result::timed_out);
  EXPECT_EQ(wait_for(word_, 0, duration<double>{-1e300}), wait_result::timed_out);
  EXPECT_EQ(wait_for(word_, 1, hours::min()), wait_result::changed);
  EXPECT_EQ(engine_waiting(word_), 0U);
}

TEST_F(Durations, LastAsLongAsTheySay) {
  for (const auto time : {1ms, 30ms, 70ms}) {
    const auto before = steady_clock::now();
    EXPECT_EQ(wait_for(word_, 0, time), wait_result::timed_out);
    EXPECT_GE(steady_clock::now() - before, time);
  }
  const auto before = steady_clock::now();
  EXPECT_EQ(wait_for(word_, 0, duration<double>{0.0300001}), wait_result::timed_out);
  EXPECT_GE(steady_clock::now() - before, 30'000'100ns);
}

TEST_F(Durations, UntilTheEndOfAClockAreForEver) {
  expect_until_for_ever(steady_clock::time_point::max());
  expect_until_for_ever(system_clock::time_point::max());
  expect_until_for_ever(time_point<steady_clock, seconds>::max());
  expect_until_for_ever(time_point<system_clock, seconds>::max());
  expect_until_for_ever(time_point<steady_clock, hours>::max());
  expect_until_for_ever(time_point<system_clock, years>::max());
  expect_until_for_ever(time_point<steady_clock, duration<double>>{duration<double>{1e300}});
  expect_until_for_ever(time_point<steady_clock, duration<std::uint64_t>>::max());
}

TEST_F(Durations, UntilThePastAreOver) {
  expect_over(steady_clock::now() - 10s);
  expect_over(system_clock::now() - 10s);
  expect_over(steady_clock::time_point{});
  expect_over(system_clock::time_point{});
  expect_over(steady_clock::time_point::min());
  expect_over(system_clock::time_point::min());
  expect_over(time_point<steady_clock, hours>::min());
  expect_over(time_point<system_clock, years>::min());
  expect_over(time_point<steady_clock, duration<double>>{duration<double>{-1e300}});
}

// The two clocks are decades apart; each deadline is looked for on its own.
TEST_F(Durations, UntilAMomentAreByItsClock) {
  const auto before = steady_clock::now();
  EXPECT_EQ(phutex::wait_until(word_, 0, steady_clock::now() + 40ms), wait_result::timed_out);
  EXPECT_EQ(phutex::wait_until(word_, 0, system_clock::now() + 40ms), wait_result::timed_out);
  EXPECT_GE(steady_clock::now() - before, 75ms);
  EXPECT_LT(steady_clock::now() - before, 20s);
}

}  // namespace
}  // namespace phutex::tests
